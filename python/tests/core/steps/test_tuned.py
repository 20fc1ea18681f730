"""Tuned files: written, used the next time, and refused where something is wrong with one."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core.steps.tuned import Document, load

# fixtures in conftest.py
Lapwing = Callable[..., Any]
RunOnRanks = Callable[..., Any]

STEP = """[[step]]
stages = ["a", "b"]
grid = [8, 8, 1]
partition = "0123"
ranks = 2
ranks_per_node = 2
transport = "auto"
mpi = "some"
processor = "some"
strategy = "deep:2"
measured = "words"
"""

PROGRAM = """
import sys

from lapwing import Domain, Stage, Step

domain = Domain((60, 40))
fields = [domain.field(name, halo=2) for name in ("a", "b")]


def smooth(box, before, after):
    after[:] = 0.2 * (before[2:, 1:-1] + before[:-2, 1:-1] + before[1:-1, 2:] + before[1:-1, :-2])


there = Stage(smooth, [(fields[0], 1)], [fields[1]], name="there")
back = Stage(smooth, [(fields[1], 1)], [fields[0]], name=sys.argv[2])
stages = iter([there, back])  # to be looked through once, the names for the file included
step = Step(domain, stages, strategy="auto", transport="p2p", tuned=sys.argv[1])
first = step.report.strategy
for _ in range(400):
    if step.report.strategy != "auto":
        break
    step.run(100)
if domain.rank == 0:
    print(f"{first} | {step.report.strategy} | {step.report.choice}")
domain.close()
"""


def test_a_run_uses_what_the_run_before_found(lapwing: Lapwing, tmp_path: Path) -> None:
    """With `lapwing run`: measured once, then used, and measured again where ranks differ."""
    file = tmp_path / "tuned.toml"
    out = ("--out", tmp_path / "out", "--strategy", "auto", "--set", f"run.tuned={file}")
    long = ("--set", "run.duration=30d")
    first = lapwing("run", "kelvin-small", "--ranks", 2, *out, *long, timeout=110)
    assert first.code == 0, first.out
    assert "has nothing for this step: auto measures" in first.out
    [found] = tomllib.loads(file.read_text())["step"]
    assert f"auto took {found['strategy']}:" in first.out
    assert f"now holds strategy {found['strategy']} for this step" in first.out
    assert found["ranks"] == 2
    assert found["grid"] == [47, 41, 1]
    second = lapwing("run", "kelvin-small", "--ranks", 2, *out)
    assert second.code == 0, second.out
    assert f"strategy {found['strategy']}, as {file} says" in second.out
    assert "auto took" not in second.out
    other = lapwing("run", "kelvin-small", "--ranks", 3, *out)
    assert "ranks 3 instead of 2" in other.out
    assert "auto measures" in other.out


def test_a_step_in_python_keeps_what_it_found(run_on_ranks: RunOnRanks, tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    first = run_on_ranks(2, PROGRAM, str(file), "back").stdout
    assert first.startswith("auto | ")
    strategy = first.split(" | ")[1]
    assert strategy != "auto"
    second = run_on_ranks(2, PROGRAM, str(file), "back").stdout
    assert second.split(" | ")[:2] == [strategy, strategy]
    assert f"strategy {strategy}, as {file} says" in second
    other = run_on_ranks(2, PROGRAM, str(file), "forth").stdout
    assert other.startswith("auto | ")  # another stage, another step
    assert [found.stages for found in load(file).step] == [["there", "back"], ["there", "forth"]]


def test_a_tuned_file_needs_auto(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "kelvin-small", "--set", f"run.tuned={tmp_path / 't.toml'}")
    assert answer.code == 2
    assert "run.tuned" in answer.err
    assert "choose strategy auto" in answer.err


def test_a_broken_file_is_refused_by_all_ranks(lapwing: Lapwing, tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text("[[step]\n")
    answer = lapwing(
        "run", "kelvin-small", "--ranks", 2, "--strategy", "auto", "--set", f"run.tuned={file}"
    )
    assert answer.code == 2
    assert answer.err.count(f"error: tuned file {file}") == 1
    assert file.read_text() == "[[step]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (STEP.replace('"deep:2"', '"deepest"'), "step.0.strategy: got 'deepest'"),
        (STEP.replace('"deep:2"', '"auto"'), "step.0.strategy: got 'auto'"),
        (STEP.replace("ranks = 2\n", "", 1), "step.0: got no key 'ranks'"),
        (
            STEP + STEP.replace("ranks = 2", 'ranks = "2"', 1),
            "step.1.ranks: got '2'",
        ),
        (STEP + "speed = 1\n", "step.0.speed: got unknown key 'speed'"),
        ("steps = 1\n", "steps: got unknown key 'steps'; .* did you mean 'step'"),
        ("step = [1]\n", "step.0: got 1; expected a table"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "tuned.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=problem):
        load(file)


def test_no_file_is_no_error(tmp_path: Path) -> None:
    assert load(tmp_path / "none.toml") == Document()
