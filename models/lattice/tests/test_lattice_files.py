"""The usual work with a case: files, restart, comparison, and the strategies side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray

Printed = Callable[..., str]  # the fixture in conftest.py


@pytest.mark.ranks
@pytest.mark.parametrize(
    "kernel", [pytest.param("two-lattice", marks=pytest.mark.every_shape), "in-place"]
)
def test_files_of_a_run(printed: Printed, tmp_path: Path, kernel: str) -> None:
    """Two ranks write what one does; a restart after an odd step goes on with the same bits."""
    common = ("run", "cavity-small", f"--set=lattice.kernel={kernel}", "--set=output.every=15")
    one, two, on = (tmp_path / name for name in ("one", "two", "on"))
    printed(*common, "--set=run.duration=30", "--out", one, pictures=True)
    printed(*common, "--set=run.duration=15", "--out", two, "--ranks", 2, "--set=blocks=[1,1,2]")
    printed(*common, "--set=run.duration=30", "--out", on, "--restart", two / "restart.lapwing")
    for name in ("speed", "density", "partition"):
        assert (one / f"{name}.png").stat().st_size > 10_000
    printed("compare", "--common-times", one / "output.nc", on / "output.nc")
    with xarray.open_dataset(one / "output.nc") as data:
        assert dict(data.sizes) == {"time": 3, "level": 9, "y": 11, "x": 13}
        assert float(np.abs(data["velocity_x"][-1]).max()) > 0.01


@pytest.mark.ranks
def test_verify_and_census(printed: Printed) -> None:
    chosen = ("--strategy", "blocking,dataflow", "--transport", "p2p,shared,neighbor")
    in_place = ("--set", "lattice.kernel=in-place")
    said = printed("verify", "cavity-small", "--ranks", 2, *chosen, "--steps", 5, *in_place)
    assert "all that could be tried give the bits of one rank" in said
    said = printed("census", "cavity-small", "--ranks", 2, "--steps", 6)
    assert "needless: none" in said
    said = printed("census", "cavity-small", "--ranks", 2, "--steps", 6, *in_place)
    assert "after collide_around" in said
