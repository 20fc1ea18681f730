"""Keeps the results of programs (pyclaw_runs.py), each run once for many tests."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Results = dict[str, NDArray[Any]]
SECONDS = 240
SERIAL = 0  # in the place of a number of ranks: PyClaw itself, in one process
START = "import sys; sys.path.insert(0, {folder!r}); from {module} import main; main(sys.argv[1])"


class Kept:
    """Results of a program that runs problems by name: `main(folder, serial)`."""

    def __init__(self, run_on_ranks: Callable[..., Any], program: Path, folder: Path) -> None:
        """Run nothing yet."""
        self.run_on_ranks, self.program, self.folder = run_on_ranks, program, folder

    def of(self, ranks: int) -> Path:
        """The folder of what is left on this number of ranks, of PyClaw itself for SERIAL."""
        folder = self.folder / str(ranks)
        if not folder.exists():
            folder.mkdir()
            with pytest.MonkeyPatch.context() as place:
                place.chdir(folder)  # where PyClaw leaves its log
                self._run(ranks, str(folder))
        return folder

    def _run(self, ranks: int, folder: str) -> None:
        if ranks != SERIAL:
            code = START.format(folder=str(self.program.parent), module=self.program.stem)
            self.run_on_ranks(ranks, code, folder, timeout=SECONDS)
            return
        command = [sys.executable, str(self.program), folder, "serial"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr

    def results(self, ranks: int, name: str) -> Results:
        """The frames and numbers of a problem; the test fails if it was refused."""
        path = self.of(ranks) / f"{name}.npz"
        if not path.exists():
            pytest.fail(f"{name} on {ranks} ranks: {path.with_suffix('.txt').read_text()}")
        return dict(np.load(path))

    def errors(self, ranks: int, name: str) -> list[str]:
        """The error of each rank; the test fails if the problem was not refused."""
        path = self.of(ranks) / f"{name}.txt"
        assert path.exists(), f"{name} ran on {ranks} ranks"
        return path.read_text().splitlines()


def same_bits(one: Results, many: Results) -> None:
    """Compare every value of every frame, times and step sizes; any NaN is like any other."""
    assert one.keys() == many.keys()
    for name, values in one.items():
        same = values.view(np.int64) == many[name].view(np.int64)
        both_nan = np.isnan(values) & np.isnan(many[name])
        assert np.all(same | both_nan), name
