"""Models of the user's own, in Python files and modules, run as the shipped ones are."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from answers import assert_wrong_request

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixtures in conftest.py
Lapwing = Callable[..., Any]
Printed = Callable[..., str]

HEAT = '''
import dataclasses
import lapwing
import numpy as np
from lapwing.model import Duration

@dataclasses.dataclass(frozen=True)
class Heat:
    """Heat on a ring of metal."""

    nx: int = 24  # cells
    pace: float = 0.2
    dt: Duration = 2.0
    spoil: int = 0  # step in which a value is lost
    case = {"run": {"duration": "80 s"}, "output": {"every": "20 s"}}

    @property
    def grid(self):
        return lapwing.Grid((self.nx, 20), periodic=True)

    def create(self, domain, **options):
        heat = domain.field("heat", units="K", long_name="warmth")
        new, place = domain.field("new"), domain.field("place", units="m")

        def spread(box, heat, place, new):
            around = heat.at(x=+1) + heat.at(x=-1) + heat.at(y=+1) + heat.at(y=-1)
            new[...] = heat.at() + self.pace * (around - 4 * heat.at()) + 1e-3 * place
            if self.spoil and step.step_number + 1 == self.spoil:
                new[...] = np.inf

        def back(box, new, heat):
            heat[...] = new * (1 + 1e-3 * step.step_number)

        across = lapwing.cross(1)
        there = [
            lapwing.Stage(spread, reads=[(heat, across), place], writes=[new]),
            lapwing.Stage(back, reads=[new], writes=[heat]),
        ]
        # a cycle of two: a restart must go on with the right one
        half = lapwing.Stage(lambda box, heat: np.multiply(heat, 0.5, out=heat),
                             reads=[heat], writes=[heat], name="half")
        step = lapwing.Step(domain, [there, [*there, half]], **options)
        heat.set(lambda i, j: np.sin(0.4 * i + 0.3 * j * j))
        place.set(lambda i, j: 1.0 * i + j)
        return step
'''


@pytest.fixture
def heat(tmp_path: Path) -> Path:
    path = tmp_path / "heat.py"
    path.write_text(HEAT)
    return path


def test_files_are_those_of_a_shipped_model(printed: Printed, heat: Path, tmp_path: Path) -> None:
    out = printed("run", "heat.py:Heat", "--ranks", 2, "--set", "nx=30", "--progress", "plain")
    assert "heat: Heat on a ring of metal" in out
    assert "time   40 steps of 2 s = " in out
    assert "step 40/40 (100 %)" in out
    with netCDF4.Dataset(tmp_path / "out" / "heat" / "output.nc") as data:
        assert data["heat"].dimensions == ("time", "y", "x")
        assert data["heat"].shape == (5, 20, 30)
        assert (data["heat"].units, data["heat"].long_name) == ("K", "warmth")
        assert data["place"].dimensions == ("y", "x"), "no stage writes it"
        assert data.Conventions.startswith("CF")
    for file in ("restart.lapwing", "case.toml", "heat.png", "partition.png"):
        assert (tmp_path / "out" / "heat" / file).exists()


def test_a_restart_goes_on_bit_for_bit(printed: Printed, heat: Path, tmp_path: Path) -> None:
    """On another number of ranks, under another strategy, in the middle of the cycle."""
    printed("run", "heat.py", "--out", "whole")
    printed("run", "heat.py:Heat", "--out", "parts", "--set", "duration=42 s", "--ranks", 2)
    more = ("--restart", "parts/restart.lapwing", "--ranks", 3, "--strategy", "deep:2")
    out = printed("run", "heat.py:Heat", "--out", "parts", *more)
    assert "from step 21 on" in out
    whole, parts = (
        (tmp_path / name / "restart.lapwing").read_bytes() for name in ("whole", "parts")
    )
    assert whole == parts
    printed("compare", "whole/output.nc", "parts/output.nc")


def test_a_case_file_names_the_class(printed: Printed, heat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "slow.toml").write_text(
        'model = "../heat.py:Heat"\npace = 0.1\n[run]\nduration = "40 s"\n'
    )
    printed("run", "cases/slow.toml", "--ranks", 2)
    written = (tmp_path / "out" / "slow" / "case.toml").read_text()
    assert 'model = "../../heat.py:Heat"' in written
    assert "pace = 0.1\n" in written
    assert 'every = "20 s"' in written, "what the class says and the file does not"
    printed("run", "out/slow/case.toml", "--out", "again")
    printed("compare", "out/slow/output.nc", "again/output.nc")


def test_a_module_and_output_servers(printed: Printed, heat: Path, tmp_path: Path) -> None:
    printed("run", "heat:Heat", "--ranks", 3, "--io-ranks", 1, "--out", "served")
    printed("run", "heat.py", "--out", "plain")
    assert printed("compare", "plain/output.nc", "served/output.nc") == "bitwise equal\n"


def test_a_step_without_length_is_counted(printed: Printed, heat: Path, tmp_path: Path) -> None:
    text = (
        HEAT.replace("    dt: Duration = 2.0\n", "").replace('"80 s"', "6").replace('"20 s"', "3")
    )
    heat.write_text(text)
    assert "time   6 steps\n" in printed("run", "heat.py")


def test_a_bad_value_ends_the_run(lapwing: Lapwing, heat: Path) -> None:
    answer = lapwing("run", "heat.py", "--ranks", 2, "--set", "spoil=3", "--set", "check_every=4")
    assert answer.code == 4, answer.out + answer.err
    assert "after step 4: " in answer.err
    assert re.search(r"(heat|new) is (inf|nan) at \(0, 0\) on rank 0", answer.err), answer.err
    assert "restart:" in answer.err


def test_commands_that_look_at_it(printed: Printed, heat: Path, tmp_path: Path) -> None:
    assert "compute  spread" in printed("plan", "heat.py:Heat", "--ranks", 2, "--plot", "p.png")
    assert "for spread" in printed("census", "heat.py:Heat", "--ranks", 2, "--steps", 3)
    assert (tmp_path / "p.png").exists()
    few = ("--strategy", "dataflow,deep:2", "--transport", "p2p", "--after", 3)
    assert "heat: 3 ranks against one" in printed("verify", "heat.py", "--ranks", 3, *few)


def test_create_may_return_a_run_of_its_own(printed: Printed, tmp_path: Path) -> None:
    text = HEAT.replace(
        "        return step\n",
        "        return Own(step, heat)\n\n"
        "class Own:\n"
        "    def __init__(self, step, heat):\n"
        "        self.step, self.dt, self.heat = step, 2.0, heat\n"
        "        self.variables = {'t': Variable(heat, 'degC', 'temperature')}\n"
        "        self.state = {'heat': heat}\n"
        "    step_number = property(lambda self: self.step.step_number)\n"
        "    def advance(self, steps): self.step.run(steps)\n"
        "    def resume(self, number): self.step.step_number = number\n"
        "    def check_state(self): pass\n",
    ).replace("import Duration", "import Duration, Variable")
    (tmp_path / "own.py").write_text(text)
    printed("run", "own.py:Heat", "--ranks", 2)
    with netCDF4.Dataset(tmp_path / "out" / "own" / "output.nc") as data:
        assert data["t"].units == "degC"
        assert np.isfinite(data["t"][:]).all()


WRONG: dict[str, tuple[str, str, str]] = {
    "no such file": ("nothing.py:Heat", HEAT, "No such file"),
    "no such module": ("nothing:Heat", HEAT, "No module named 'nothing'"),
    "no such class": ("heat.py:Hot", HEAT, "did you mean heat.py:Heat?"),
    "no model": ("heat.py", "x = 1", "no class with `create` in heat.py"),
    "no Python": ("heat.py", "def model(:", "invalid syntax"),
    "an error in it": ("heat.py", "\n1 / 0", "ZeroDivisionError: division by zero in line 2"),
    "it ends": ("heat.py", "raise SystemExit(5)", "SystemExit: 5"),
    "a function": ("heat.py", "def model(comm): pass", "got:      a function model()"),
    "no grid": ("heat.py", HEAT.replace("def grid", "def grad"), "a class without `grid`"),
    "no create": ("heat.py:Heat", HEAT.replace("def create", "def made"), "without `create`"),
    "a method": ("heat.py", HEAT.replace("    @property\n", ""), "write @property above it"),
    "a bad grid": ("heat.py", HEAT.replace("(self.nx, 20)", "(self.nx, 0)"), "got"),
    "create takes too little": (
        "heat.py",
        HEAT.replace(", **options):", "):"),
        "create(self, domain)",
    ),
    "returns nothing": ("heat.py", HEAT.replace("return step", "return 7"), "got:      7"),
    "a bad case": (
        "heat.py",
        HEAT.replace('"run": {"duration": "80 s"}', '"run": 3'),
        "tables of a",
    ),
    "an unknown key": ("heat.py", HEAT.replace('"duration"', '"durration"'), "run.durration"),
    "a bad dt": ("heat.py", HEAT.replace("= 2.0", "= -2.0"), "dt of heat.py:Heat"),
    "another domain": (
        "heat.py",
        HEAT.replace(
            "        heat = dom", "        domain = lapwing.Domain((24, 20))\n        heat = dom"
        ),
        "a step on another domain",
    ),
    "one name twice": ("heat.py", HEAT.replace('"new"', '"heat"'), "heat twice"),
    "a text file": ("heat.txt", HEAT, "a model of your own (FILE.py:CLASS or MODULE:CLASS)"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_it_is_said_at_once(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    asked, text, words = WRONG[what]
    (tmp_path / "heat.py").write_text(text)
    answer = lapwing("run", asked, "--ranks", 2)
    assert_wrong_request(answer, words)


def test_a_file_that_is_no_case_is_told_what_is_accepted(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello there")
    for command in (("run",), ("plan",), ("census",)):
        answer = lapwing(*command, "notes")
        assert answer.code == 2
        assert "valid TOML in UTF-8, or a model in a Python file: FILE.py:CLASS" in answer.err
