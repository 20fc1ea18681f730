"""`lapwing verify -- PROGRAM`: any program, by what its steps hold."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request

pytestmark = pytest.mark.ranks

# the fixture in conftest.py
Lapwing = Callable[..., Any]

HEAT = """
import os
import lapwing, numpy as np

with lapwing.Domain((24, 20), periodic=True) as domain:
    heat, new = domain.field("heat"), domain.field("new")

    @lapwing.stage(reads=[(heat, lapwing.cross(1))], writes=[new])
    def spread(box, heat, new):
        around = heat.at(x=1) + heat.at(x=-1) + heat.at(y=1) + heat.at(y=-1)
        new[...] = heat.at() + 0.2 * (around - 4 * heat.at())

    @lapwing.stage(reads=[new], writes=[heat])
    def back(box, new, heat):
        heat[...] = new

    step = lapwing.Step(domain, [spread, back], strategy="auto")
    heat.set(lambda i, j: np.sin(0.4 * i + 0.3 * j * j))
    for _ in range(3):
        step.run(2)
"""
# reads the corner of a halo although it declared a cross: there the halo keeps what it held before
BEYOND = HEAT.replace("new[...] = heat.at() +", "new[...] = heat[2:, 2:] +")
# writes a field between steps and says nothing
UNANNOUNCED = HEAT.replace("step.run(2)", "step.run(2)\n        heat.owned[...] += 1.0")
NARROW = HEAT.replace('domain.field("heat")', 'domain.field("heat", halo=1)')
FAILS = HEAT.replace(
    "new[...] =",
    "assert os.environ['LAPWING_STRATEGY'] != 'dataflow' or domain.rank == 0\n        new[...] =",
)
WAYS = ("--strategy", "blocking,dataflow,deep:2", "--transport", "p2p,shared", "--threads", "1")


def verified(lapwing: Lapwing, folder: Path, text: str, *more: str) -> Any:
    """`lapwing verify` of a program with this text on two ranks."""
    program = folder / "program.py"
    program.write_text(text)
    options = ("--ranks", "2", *WAYS, *more)
    return lapwing("verify", *options, "--", sys.executable, program, timeout=240)


def test_what_is_right_is_equal(lapwing: Lapwing, tmp_path: Path) -> None:
    kept = tmp_path / "found.json"
    more = ("--check", "--json", str(kept), "--threads", "1,2")
    done = verified(lapwing, tmp_path, HEAT, *more)
    assert done.code == 0, done.out + done.err
    assert "2 ranks against one, bit by bit after 6 steps" in done.out
    assert "check: no stage reads or writes what it does not declare" in done.out
    assert "all that could be tried give the bits of one rank" in done.out
    outcomes = json.loads(kept.read_text())["outcomes"]
    of_two = "equal" if len(os.sched_getaffinity(0)) > 1 else "unavailable"
    assert [one["verdict"] for one in outcomes] == 6 * ["equal"] + 3 * [of_two]
    assert [one["threads"] for one in outcomes] == 6 * [1] + 3 * [2]


def test_a_program_that_checks_itself_says_how_much(run_on_ranks: Callable[..., Any]) -> None:
    asked = {"LAPWING_CHECK": "1"}
    told = run_on_ranks(2, HEAT, environment=asked).stdout.splitlines()
    lines = [line for line in told if line.startswith("lapwing: LAPWING_CHECK=1: ")]
    assert len(lines) == 1, told
    assert int(lines[0].split()[2]) >= 12, lines  # two stages, six steps
    assert lines[0].endswith("calls of kernels on rank 0, nothing undeclared was found")

    for program in (BEYOND, UNANNOUNCED):
        wrong = run_on_ranks(2, program, environment=asked, check=False)
        assert wrong.returncode != 0
        assert "nothing undeclared" not in wrong.stdout


def test_what_differs_is_named_with_field_and_step(lapwing: Lapwing, tmp_path: Path) -> None:
    done = verified(lapwing, tmp_path, BEYOND)
    assert done.code == 1, done.out + done.err
    assert "strategy blocking, transport p2p: field heat differs first after step 2\n" in done.out
    assert "differ from one rank" in done.out


def test_what_the_program_refuses_is_left_out(lapwing: Lapwing, tmp_path: Path) -> None:
    done = verified(lapwing, tmp_path, NARROW)
    assert done.code == 0, done.out + done.err
    assert "-  strategy deep:2: rank 0: memory of field heat: got a halo of around(1)" in done.out
    assert "all that could be tried" in done.out


def test_a_way_in_which_it_fails_is_told(lapwing: Lapwing, tmp_path: Path) -> None:
    done = verified(lapwing, tmp_path, FAILS)
    assert done.code == 1, done.out + done.err
    assert "FAILS" in done.out
    assert "strategy dataflow, transport p2p: exit code" in done.out


@pytest.mark.parametrize("what", ["no step", "no program", "--steps"])
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    words: tuple[Any, ...]
    if what == "no step":
        (tmp_path / "program.py").write_text("import lapwing")
        words = ("--", sys.executable, tmp_path / "program.py")
    elif what == "no program":
        words = ("--", tmp_path / "missing")
    else:
        words = ("--steps", "3", "--", sys.executable, "-c", "pass")
    assert_wrong_request(lapwing("verify", "--ranks", "2", *words, timeout=60))
