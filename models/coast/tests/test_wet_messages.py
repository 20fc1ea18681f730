"""Steps of the coast model whose messages leave land out: the same bits, fewer bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.io.result_files import RESTART

# other tests move such messages with either MPI
pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

Lapwing = Callable[..., Any]  # the fixtures in conftest.py
LapwingIn = Callable[..., Any]
Run = Callable[..., Path]

SHORT = {
    "northsea": ("duration=2h", "output.every=1h"),
    "shelf3d-small": ("duration=30min", "output.every=10min"),
}
FORMS = ("clip", "patches", "lists", "auto")


@pytest.fixture(scope="module")
def run(lapwing_in: LapwingIn, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a shortened case on two ranks, run(case, form, *arguments): its file."""

    def run(case: str, form: str, *arguments: str) -> Path:
        sets = (*SHORT[case], "output.precision=double", f"run.wet_messages={form}")
        settings = [f"--set={key}" for key in sets]
        folder = tmp_path_factory.mktemp(case)
        answer = lapwing_in(folder, "run", case, "--ranks=2", "--out=.", *settings, *arguments)
        assert answer.code == 0, answer.out + answer.err
        assert (f"wet messages {form}" in answer.out) == (form != "off")
        return folder / "output.nc"

    return run


@pytest.mark.parametrize(
    "case", [pytest.param("northsea", marks=pytest.mark.slow), "shelf3d-small"]
)
def test_steps_without_land_in_their_messages_have_the_same_bits(
    lapwing: Lapwing, run: Run, case: str
) -> None:
    whole = run(case, "off")
    ways = [(form, "blocking", "p2p") for form in FORMS]
    ways += [("lists", "dataflow", "p2p"), ("patches", "deep:2", "shared")]
    for form, strategy, transport in ways:
        wet = run(case, form, f"--strategy={strategy}", f"--transport={transport}")
        answer = lapwing("compare", whole, wet)
        assert answer.code == 0, f"{form}, {strategy}, {transport}: {answer.out}"


@pytest.mark.slow
def test_a_restart_has_the_same_bits(run: Run) -> None:
    whole = run("northsea", "off")
    first = run("northsea", "lists", "--set=duration=1h")
    second = run("northsea", "lists", f"--restart={first.parent / RESTART}")
    ends = [file.parent / RESTART for file in (whole, second)]
    assert ends[0].read_bytes() == ends[1].read_bytes()


def bytes_of(lapwing: Lapwing, folder: Path, form: str) -> int:
    """The messages of all ranks in the exchanges of a step, by the census."""
    file = folder / f"{form}.json"
    answer = lapwing(
        *("census", "northsea", "--ranks=4", "--steps=2", f"--set=run.wet_messages={form}"),
        *("--json", file),
    )
    assert answer.code == 0, answer.out + answer.err
    assert f"wet messages {form}" in answer.out
    census = json.loads(file.read_text())
    assert census["wet_messages"] == form
    return sum(sum(row["bytes"]) for row in census["exchanges"])


@pytest.mark.slow
def test_the_census_counts_shorter_messages(lapwing: Lapwing, tmp_path: Path) -> None:
    off, clip, lists = (bytes_of(lapwing, tmp_path, form) for form in ("off", "clip", "lists"))
    assert lists <= clip < off


@pytest.mark.parametrize(
    ("case", "form", "words"),
    [
        ("kelvin-small", "clip", "run.wet_messages got: 'clip' for a case without land"),
        ("tiny", "lists", "'lists' for model tiny, which declares no field to be constant on land"),
        ("northsea", "holes", "run.wet_messages got: 'holes' expected: 'off' or 'clip'"),
    ],
)
def test_what_cannot_be_is_refused(lapwing: Lapwing, case: str, form: str, words: str) -> None:
    answer = lapwing("run", case, f"--set=run.wet_messages={form}")
    assert answer.code == 2
    assert words in " ".join(answer.err.split())


def test_auto_means_nothing_without_land(lapwing: Lapwing) -> None:
    answer = lapwing("run", "kelvin-small", "--set=run.wet_messages=auto", "--set=duration=10min")
    assert answer.code == 0, answer.out + answer.err
