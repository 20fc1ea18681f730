"""The bay of 400 x 300 x 20 cells, made by its script: that the case fits the file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_layered import values

MakeSea = Callable[..., Any]  # see conftest.py

COAST = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_large_bay_is_made_and_runs(make_sea: MakeSea, tmp_path: Path) -> None:
    shutil.copy(COAST / "bay-large.toml", tmp_path)
    size = ("--cells", "400x300", "--degrees", "6x2.7")
    made = (sys.executable, str(COAST / "make_bay.py"), str(tmp_path / "bay_large.nc"), *size)
    subprocess.run(made, check=True)
    sea = make_sea(str(tmp_path / "bay-large.toml"))
    assert values(sea, "temperature").shape == (400, 300, 20)
    sea.run.advance(1)
    sea.run.check_state()
    assert np.abs(values(sea, "flow_x")).max() > 0.0
    assert values(sea, "salinity").min() < 32.0  # at the river
