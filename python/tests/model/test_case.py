"""Case files against settings: every key is checked, every message says where."""

import pickle
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from lapwing.base.error import OutsideError, UserError, error_block, user_error
from lapwing.model import Duration, also_called
from lapwing.model.case import load_case

Models = dict[str, Any]


@dataclass(frozen=True)
class Inner:
    depth: float = field(default=60.0, metadata=also_called("H"))
    names: list[str] = field(default_factory=list)
    table: list[list[float]] = field(default_factory=list)
    kind: Literal["flat", "steep"] = "flat"


@dataclass(frozen=True)
class Settings:
    channel: Inner = field(default_factory=Inner)
    spare: Inner = field(default_factory=Inner)
    step: Duration = field(default=20.0, metadata=also_called("dt"))
    count: int = 3
    closed: bool = True
    file: Path = Path()

    def __post_init__(self) -> None:
        if self.count < 0:
            raise user_error("count", str(self.count), "0 or more", "change it")


TEXT = """\
model = "toy"
title = "A toy"
step = "1 min"

[run]
duration = "2 d"
start = 2001-02-03T04:05:06

[channel] # a comment
depth = 50
names = ["a", "b"]
table = [[1, 2.5]]
"""


@pytest.fixture
def models(tmp_path: Path) -> Models:
    shipped = tmp_path / "shipped.toml"
    shipped.write_text(TEXT)
    toy = SimpleNamespace(name="toy", settings=Settings, cases={"shipped": shipped})
    return {"toy": toy}


@pytest.fixture
def case_file(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return str(path)

    return write


def message(text: str, models: Models, sets: Sequence[str] = ()) -> str:
    with pytest.raises(UserError) as caught:
        load_case(text, models, sets)
    return str(caught.value)


def test_values_of_all_kinds(models: Models) -> None:
    case = load_case("shipped", models)
    assert (case.name, case.title) == ("shipped", "A toy")
    assert case.run.duration == 172800.0
    assert case.run.start == "2001-02-03 04:05:06"
    assert case.settings.step == 60.0
    assert case.settings.channel == Inner(50.0, ["a", "b"], [[1.0, 2.5]])
    assert isinstance(case.settings.channel.depth, float)


OWN = """
import dataclasses

def made():
    @dataclasses.dataclass(frozen=True)
    class Plate:
        "Heat in a plate."
        pace: float = 0.2
        grid = (8, 6)
        def create(self, domain, **options): ...
    return Plate

Plate = made()
"""


def test_another_rank_gets_a_case_with_its_own_copy_of_the_model(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lapwing.model.registry.installed_models", lambda: models)
    (tmp_path / "plate.py").write_text(OWN)
    for text in ("shipped", f"{tmp_path}/plate.py:Plate"):
        case = load_case(text, models)
        again = pickle.loads(pickle.dumps(case))
        assert again.to_toml(tmp_path) == case.to_toml(tmp_path)
        assert again.settings == case.settings
        assert again.model.settings is type(again.settings)


def test_a_rank_without_the_model_says_so(models: Models) -> None:
    there = pickle.dumps(load_case("shipped", models))
    with pytest.raises(OutsideError, match=r"model 'toy': got only .*; expected it, as on rank 0"):
        pickle.loads(there)


def test_resolved_case_reads_back_as_itself(
    models: Models, tmp_path: Path, case_file: Callable[[str], str]
) -> None:
    case = load_case("shipped", models, ["channel.kind=steep"])
    text = case.to_toml(tmp_path)
    assert tomllib.loads(text)["channel"]["kind"] == "steep"
    again = load_case(case_file(text), models)
    assert (again.run, again.output, again.settings) == (case.run, case.output, case.settings)
    assert again.to_toml(tmp_path) == text


def test_file_names_in_a_resolved_case_still_lead_to_their_file(
    models: Models, tmp_path: Path, case_file: Callable[[str], str]
) -> None:
    (tmp_path / "mask.nc").write_text("")
    case = load_case(case_file(TEXT.replace("step =", 'file = "mask.nc"\nstep =')), models)
    folder = tmp_path / "out" / "deep"
    assert tomllib.loads(case.to_toml(folder))["file"] == "../../mask.nc"


def test_set_by_full_and_short_name(models: Models) -> None:
    sets = ["duration=3h", "channel.depth=70", "closed=false", 'names=["x"]', "file=a=b.nc"]
    assert "several tables" in message("shipped", models, sets)
    case = load_case("shipped", models, [*sets[:3], "channel.names=['x']", sets[4]])
    assert case.run.duration == 10800.0
    assert case.settings.channel.depth == 70.0
    assert case.settings.closed is False
    assert case.settings.channel.names == ["x"]
    assert case.settings.file == Path("a=b.nc")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("dt=3", "step"),
        ("time.dt=3", "step"),
        ("H=3", "channel.depth"),
        ("channel.H=3", "channel.depth"),
        ("spare.H=3", "spare.depth"),
        ("tmax=3h", "run.duration"),
    ],
)
def test_other_names_are_suggested(models: Models, line: str, meant: str) -> None:
    assert f"did you mean {meant!r}?" in message("shipped", models, [line])


def test_other_names_are_suggested_in_files(
    models: Models, case_file: Callable[[str], str]
) -> None:
    assert "did you mean 'step'?" in message(case_file('model = "toy"\ndt = 3\n'), models)
    text = message(case_file('model = "toy"\n[spare]\nH = 3\n'), models)
    assert "line 3: spare.H" in text
    assert "did you mean 'depth'?" in text
    text = message(case_file('model = "toy"\n[run]\ntmax = 3\n'), models)
    assert "did you mean 'duration'?" in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("channel.dept = 3", ["channel.dept", "unknown key 'dept'", "did you mean 'depth'?"]),
        ("chanel.depth = 3", ["unknown key 'chanel'", "did you mean 'channel'?"]),
        ("run.duratoin = '3h'", ["did you mean 'duration'?"]),
        ("channel.depth = 'deep'", ["channel.depth", "'deep'", "a number"]),
        ("channel.depth = true", ["True", "a number"]),
        ("count = 1.5", ["1.5", "a whole number"]),
        ("count = -1", ["mine.toml: count", "0 or more"]),
        ("closed = 1", ["true or false"]),
        ("step = '3 fortnights'", ["'3 fortnights'", '"3h"']),
        ("channel.kind = 'step'", ["'flat' or 'steep'", "did you mean 'steep'?"]),
        ("channel.names = 'a'", ["a list"]),
        ("channel.table = [['x']]", ["channel.table.0.0", "a number"]),
        ("channel = 3", ["a table"]),
        ("run = 3", ["a table"]),
        ("run.duration = 0", ["run.duration", "more than 0 s"]),
        ("output.every = -1", ["output.every"]),
        ("run.start = 'soon'", ["run.start", "'soon'"]),
        ("title", ["valid TOML"]),
    ],
)
def test_bad_lines(
    models: Models, case_file: Callable[[str], str], line: str, words: list[str]
) -> None:
    text = message(case_file(f'model = "toy"\n{line}\n'), models)
    for word in words:
        assert word in text
    assert text.startswith(("mine.toml", "case file mine.toml"))


def test_message_has_the_line(models: Models, case_file: Callable[[str], str]) -> None:
    text = message(case_file(TEXT.replace("depth = 50", "dephth = 50")), models)
    assert text.startswith("mine.toml, line 10: channel.dephth: got unknown key 'dephth'")


def test_message_for_a_value_that_was_set(models: Models) -> None:
    assert message("shipped", models, ["depth.depth=3"]).startswith("--set depth.depth=3")
    assert message("shipped", models, ["channel.depth=deep"]).startswith("--set channel.depth: got")


@pytest.mark.parametrize(
    "line", ["x" * 5000, "x" * 5000 + "=3", "x=" + "3" * 5000, "x." * 2500 + "=3"]
)
def test_a_long_set_is_told_by_its_beginning(models: Models, line: str) -> None:
    text = message("shipped", models, [line])
    assert "--set" in text
    assert "characters)" in text
    assert len(text) < 1000


def test_a_long_value_is_told_by_its_beginning(models: Models) -> None:
    text = message("shipped", models, ["channel.depth=" + "d" * 5000])
    assert f"got '{'d' * 60}'... (5000 characters); expected" in text


def test_missing_model_and_missing_case(
    models: Models, case_file: Callable[[str], str], tmp_path: Path
) -> None:
    assert "'toy'" in message(case_file("step = 3\n"), models)
    assert "'tooy'" in message(case_file('model = "tooy"\n'), models)
    assert "did you mean 'shipped'?" in message("shiped", models)
    assert "valid TOML in UTF-8" in message(case_file_of_bytes(tmp_path), models)


def case_file_of_bytes(folder: Path) -> str:
    path = folder / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    return str(path)


def test_a_name_too_long_for_a_file_is_refused(
    models: Models, case_file: Callable[[str], str]
) -> None:
    name = "m:" + 300 * "o"
    for text in (message(case_file(f'model = "{name}"'), models), message(name, models)):
        assert len(text) < 1000


def test_error_block_has_four_lines() -> None:
    lines = error_block(str(user_error("depth", "-1 m", "more than 0 m", "change it"))).split("\n")
    assert lines == [
        "error: depth",
        "  got:      -1 m",
        "  expected: more than 0 m",
        "  remedy:   change it",
    ]
    assert error_block("anything else") == "error: anything else"
