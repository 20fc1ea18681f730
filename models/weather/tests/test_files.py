"""The contents of the files of a run: CF names, pressures of layers, the newest state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray

Printed = Callable[..., str]  # the fixture in conftest.py


@pytest.mark.ranks
def test_files_of_a_run(printed: Printed, tmp_path: Path) -> None:
    """Two ranks write what one does; a restart goes on with the same bits."""
    common = (
        "run",
        "area-small",
        "--set",
        "output.precision=double",
        "--set",
        "output.every=20 min",
    )
    one, two, on = (tmp_path / name for name in ("one", "two", "on"))
    printed(*common, "--set", "run.duration=1h", "--out", one, pictures=True)
    printed(*common, "--set", "run.duration=40 min", "--out", two, "--ranks", 2)
    printed(*common, "--set", "run.duration=1h", "--out", on, "--restart", two / "restart.lapwing")
    for name in ("surface_pressure", "lowest_temperature", "wind_section", "partition"):
        assert (one / f"{name}.png").stat().st_size > 10_000
    with (
        xarray.open_dataset(one / "output.nc") as first,
        xarray.open_dataset(on / "output.nc") as second,
    ):
        assert first.sizes["time"] == 4
        for name in ("surface_pressure", "wind_x", "wind_y", "temperature", "humidity"):
            assert np.array_equal(first[name][-1], second[name][-1], equal_nan=True)
            assert not np.array_equal(first[name][0], first[name][-1], equal_nan=True)
        attributes = {str(name): first[name].attrs for name in first.data_vars}
        names = {n: a["standard_name"] for n, a in attributes.items() if "standard_name" in a}
        level = first["level"]
        assert level.attrs["standard_name"] == "atmosphere_hybrid_sigma_pressure_coordinate"
        assert level.attrs["formula_terms"] == "ap: ap b: b ps: surface_pressure"
        assert level.attrs["positive"] == "down"
        pressure = first["ap"] + first["b"] * first["surface_pressure"]
        assert bool((pressure.diff("level") > 0).all())
        # hydrostatic: g dz = -R Tv dp/p between layers, to what thick layers allow
        warm = (first["temperature"] * (1 + 0.608 * first["humidity"]))[-1, -3:].mean("level")
        upper, lower = (pressure.isel(time=-1, level=k).values for k in (-3, -1))
        thick = 287.04 * warm * np.log(lower / upper)
        rise = first["geopotential"][-1, -3] - first["geopotential"][-1, -1]
        assert float(abs(rise / thick - 1).max()) < 0.02
    assert names == {
        "surface_pressure": "surface_air_pressure",
        "wind_x": "eastward_wind",
        "wind_y": "northward_wind",
        "temperature": "air_temperature",
        "humidity": "specific_humidity",
        "geopotential": "geopotential",
    }


@pytest.mark.ranks
def test_census_says_one_round(printed: Printed) -> None:
    """All that a step needs travels together, and nothing for nothing."""
    said = printed("census", "area-small", "--ranks", 4, "--steps", 12)
    total = next(line for line in said.splitlines() if line.startswith("per step, all together"))
    assert total.split()[4] == "1"
    assert "needless: none" in said
