"""The North Sea case: its mask, its depth and its tide."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.io.mask_file import read_mask
from lapwing.partition.regions import REGIONS, cut_mask
from lapwing_coast import model

MakeSea = Callable[..., Any]  # see conftest.py

CASES = Path(model.cases["northsea"]).parent

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("global_land_mask") is None,
    reason="the package global-land-mask is not installed",
)


CASE_NAMES = {
    "bay",
    "channel",
    "kelvin",
    "kelvin-exact",
    "kelvin-small",
    "kelvin3d",
    "kelvin3d-small",
    "lock-exchange",
    "northsea",
    "shelf",
    "shelf3d-small",
}


def test_all_cases_are_shipped() -> None:
    assert set(model.cases) == CASE_NAMES


@needs_package
@pytest.mark.parametrize("name", ["northsea", "shelf"])
def test_the_command_cuts_the_shipped_mask(name: str) -> None:
    """The source package still gives the masks that are in the repository."""
    shipped = CASES / f"{name}_mask.nc"
    cut, kept = cut_mask(REGIONS[name]), read_mask(shipped)
    assert np.array_equal(cut.wet, kept.wet)
    assert np.array_equal(cut.x.values, kept.x.values)
    assert np.array_equal(cut.y.values, kept.y.values)
    assert shipped.stat().st_size < 50_000
    with netCDF4.Dataset(shipped) as file:
        assert "public domain" in file.license


def test_known_places(make_sea: MakeSea) -> None:
    """Sea where there is sea, land where there is land, deep where there is the trench."""
    sea = make_sea("northsea")
    depth = sea.run.variables["depth"].field[sea.domain.box]

    def at(longitude: float, latitude: float) -> float:
        return float(depth[int((longitude + 4) * 30), int((latitude - 51) * 30)])

    for place in [(-2.0, 52.5), (8.9, 52.0), (7.0, 60.0), (-4.0, 53.5)]:  # the last: Irish Sea
        assert at(*place) == 0
    for place in [(3.0, 56.0), (1.5, 51.2), (8.0, 54.2), (0.0, 60.5)]:
        assert at(*place) > 0
    assert at(4.2, 60.0) > 250 > 60 > at(3.0, 53.0)


def test_tide_is_plausible_after_a_day(make_sea: MakeSea) -> None:
    """Higher on the British than on the Norwegian coast, and nowhere absurd."""
    sea = make_sea("northsea", "time.step=30")
    highest = np.zeros_like(sea.level)  # m
    sea.run.advance(2880)
    for _ in range(100):
        sea.run.advance(15)
        np.maximum(highest, np.abs(sea.level), out=highest)
    sea.run.check_state()
    coast = {"Aberdeen": (62, 185), "Immingham": (117, 80), "Bergen": (275, 280)}
    found = {name: highest[i - 3 : i + 4, j - 3 : j + 4].max() for name, (i, j) in coast.items()}
    assert 0.8 < found["Aberdeen"] < 2.2
    assert 1.2 < found["Immingham"] < 3.0
    assert 0.1 < found["Bergen"] < 0.7
    assert highest.max() < 3.5
