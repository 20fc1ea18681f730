"""`lapwing run --check`: stages that do what they do not declare are found in the run itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixture in conftest.py
Lapwing = Callable[..., Any]

SHORT = ("--set", "duration=10min", "--set", "output.every=5min")


def test_a_checked_run_has_the_same_bits_and_says_that_it_checked(
    lapwing: Lapwing,
) -> None:
    for out, options in (("plain", ()), ("checked", ("--check", "--strategy", "dataflow"))):
        answer = lapwing("run", "kelvin-small", "--ranks", 3, *SHORT, "--out", out, *options)
        assert answer.code == 0, answer.out + answer.err
        told = "check       no stage read or wrote what it does not declare, in any step"
        assert (told in answer.out) == (out == "checked")
        assert ("  check  every stage undivided and several times" in answer.out) == (
            out == "checked"
        )
        assert ("share of the time step" in answer.out) == (
            out == "plain"
        )  # timings would mean nothing
    assert lapwing("compare", "plain/output.nc", "checked/output.nc").code == 0


WRONG = """
import lapwing, tiny_model

class Run(tiny_model.TinyRun):
    def __init__(self, domain, settings, strategy, transport):
        super().__init__(domain, settings)
        new = domain.field("new", halo=1)

        def spread(box, new):
            new[...] = self.level[box.shift(1, 0)]  # which the stage does not say

        def back(box, new, level):
            level[...] = 0.5 * new

        stages = [lapwing.Stage(spread, writes=[new]),
                  lapwing.Stage(back, reads=[new], writes=[self.level])]
        self.step = lapwing.Step(domain, stages, strategy=strategy, transport=transport)

    def advance(self, steps):
        self.step.run(steps)
        self.step_number += steps

class Model(tiny_model.TinyModel):
    name = "wrong"
    cases = {}

    def create(self, domain, settings, geometry, *, strategy, transport):
        return Run(domain, settings, strategy, transport)

model = Model()
"""


def install_wrong_model(folder: Path) -> None:
    """Put it where `python -m lapwing` looks for packages: its own folder comes first."""
    (folder / "wrong_model.py").write_text(WRONG)
    about = folder / "wrong_model-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong-model\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[lapwing.models]\nwrong = wrong_model:model\n")
    (folder / "wrong.toml").write_text('model = "wrong"\ntitle = "A sea that reads too much"\n')


def test_a_stage_that_reads_what_it_does_not_declare_ends_the_run(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    install_wrong_model(tmp_path)
    short = ("--ranks", 2, "--set", "duration=10min", "--out", "out")
    assert lapwing("run", "wrong.toml", *short).code == 0
    answer = lapwing("run", "wrong.toml", *short, "--check")
    assert answer.code == 2, answer.out + answer.err
    said = " ".join(answer.err.split())
    assert "stage spread got: a read of field level, which it does not declare" in said
    assert "expected: reads: level with extent ahead(x)" in said


def test_a_model_without_stages_cannot_be_checked(lapwing: Lapwing) -> None:
    answer = lapwing("run", "tiny", "--ranks", 2, "--check")
    assert answer.code == 2, answer.out + answer.err
    assert "one that lapwing.Step runs" in answer.err
