"""`lapwing mask`: regions, their cells, and what is refused."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing.io.mask_file import read_mask
from lapwing.partition import regions
from lapwing.partition.regions import REGIONS, Region, cut_mask, find_region, reachable

# the fixture in conftest.py
Lapwing = Callable[..., Any]

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("global_land_mask") is None,
    reason="the package global-land-mask is not installed",
)


@needs_package
def test_shelf_is_the_mask_of_the_known_figures(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("mask", "--region", "shelf", "--out", "new/shelf.nc")
    assert answer.code == 0, answer.err
    assert "1980 x 1500 cells, 1986507 wet (66.9 %), new/shelf.nc" in answer.out
    mask = read_mask(tmp_path / "new" / "shelf.nc")
    assert mask.wet.shape == (1980, 1500)
    assert mask.x.values[0] == -20 + 0.5 / 60
    assert mask.y.values[-1] == pytest.approx(65 - 0.5 / 60, rel=1e-15)
    with netCDF4.Dataset(tmp_path / "new" / "shelf.nc") as file:
        assert "public domain" in file.license
        assert "global-land-mask 1.0.0" in file.source
        assert "centre is sea" in file.processing


@needs_package
def test_known_places() -> None:
    """Sea is sea and land is land, north and east are where they belong."""
    mask = cut_mask(find_region("guinea", None, None))
    assert mask.wet.shape == (1200, 720)

    def is_wet(longitude: float, latitude: float) -> bool:
        return bool(mask.wet[int((longitude + 8) * 60), int((latitude + 5) * 60)])

    for place in [(0.0, 0.0), (-7.5, 4.0), (7.0, -4.0), (3.0, 6.0)]:
        assert is_wet(*place), place
    # Kumasi, Gabon, Sao Tome, Bioko
    for place in [(-1.62, 6.69), (10.5, 0.5), (6.6, 0.2), (8.7, 3.4)]:
        assert not is_wet(*place), place


@needs_package
@pytest.mark.parametrize("minutes", [0.5, 1.0, 7.5, 60.0])
def test_cells_of_other_sizes(minutes: float) -> None:
    mask = cut_mask(find_region("50,52,-2,3", minutes, None))
    assert mask.wet.shape == (round(300 / minutes), round(120 / minutes))
    assert mask.title == f"Wet cells of 50 N to 52 N, 2 W to 3 E, {minutes:g} arc-minutes"
    assert np.diff(mask.x.values) == pytest.approx(minutes / 60)
    assert mask.x.values[0] == pytest.approx(-2 + minutes / 120)
    assert 0.2 < mask.wet.mean() < 0.8  # the Channel and the land on both sides


@needs_package
def test_a_basin_may_be_cut_off() -> None:
    """Behind Scotland the Irish Sea has no side of the region northsea that is open."""
    kept = cut_mask(find_region("northsea", None, None)).wet
    whole = cut_mask(find_region("northsea", None, False)).wet
    irish_sea = (int(0.5 * 30), int(2.7 * 30))  # 3.5 W, 53.7 N
    assert whole[irish_sea]
    assert not kept[irish_sea]
    assert (kept & ~whole).sum() == 0


@needs_package
def test_land_only_is_an_error(lapwing: Lapwing) -> None:
    answer = lapwing("mask", "--region", "46,47,7,8", "--out", "alps.nc")
    assert answer.code == 2
    assert "without a wet cell" in answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", None), r"--region: got 'nowhere'; expected one of shelf, guinea, northsea"),
        (("40,65,-20", None), r"--region: got '40,65,-20'"),
        (("65,40,-20,13", None), r"--region: got '65,40,-20,13'.*S < N"),
        (("40,65,170,190", None), r"--region: got '40,65,170,190'.*E <= 180"),
        (("40,nan,-20,13", None), r"--region: got '40,nan,-20,13'"),
        (("shelf", 0.7), r"--minutes: got 0.7; expected .* 0.5, 1, 1.5, 2, 2.5, 3, 4"),
        (("shelf", -1.0), r"--minutes: got -1"),
        (("40,65,-20,13.01", 1.0), r"--region: got the bound 13.01 degrees; expected a multiple"),
        (("shelf", 30.0), None),
    ],
)
def test_bad_regions(arguments: tuple[str, float | None], message: str | None) -> None:
    if message is None:
        assert find_region(*arguments, None).minutes == 30
        return
    with pytest.raises(UserError, match=message):
        find_region(*arguments, None)


def test_a_named_region_keeps_what_is_not_changed() -> None:
    assert find_region("northsea", None, None) is REGIONS["northsea"]
    assert find_region("shelf", None, True).connected
    assert not find_region("northsea", 1.0, False).connected


def test_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OutsideError, match=r"got not installed.*-m pip install global-land-mask=="):
        regions.read_sea(slice(0, 1), slice(0, 1))


def test_rules() -> None:
    """2 x 2 source cells: at least half of them, or the one south-east of the centre."""
    source = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 1]], dtype=bool)
    assert regions._cells(source, 2, "half").tolist() == [[False, True], [True, True]]
    assert regions._cells(source, 2, "centre").tolist() == [[True, False], [True, False]]
    assert np.array_equal(regions._cells(source, 1, "half"), source)
    assert np.array_equal(regions._cells(source, 1, "centre"), source)
    assert regions._cells(source[:3, :3], 3, "centre").tolist() == [[False]]


def by_hand(wet: np.ndarray[Any, Any], start: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Cell by cell, as a flood does."""
    reached = np.zeros_like(wet)
    cells = [tuple(c) for c in np.argwhere(start & wet)]
    while cells:
        j, i = cells.pop()
        if not (0 <= j < wet.shape[0] and 0 <= i < wet.shape[1]) or reached[j, i] or not wet[j, i]:
            continue
        reached[j, i] = True
        cells += [(j + 1, i), (j - 1, i), (j, i + 1), (j, i - 1)]
    return reached


@pytest.mark.parametrize("seed", range(20))
def test_reachable_is_a_flood(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 30, 2))
    wet = random.random(shape) < random.choice([0.5, 0.6, 0.7])
    start = random.random(shape) < 0.05
    assert np.array_equal(reachable(wet, start), by_hand(wet, start))


def test_sides_that_are_open() -> None:
    wet = np.ones((4, 6), dtype=bool)
    one = Region("a", "a", 0, 4, 0, 6, minutes=60, open={"west": 2.0, "north": -np.inf})
    rim = regions._open_rim(wet, one)
    expected = np.zeros((4, 6), dtype=bool)
    expected[3, :] = True
    expected[2:, 0] = True
    assert np.array_equal(rim, expected)
    every = regions._open_rim(wet, Region("a", "a", 0, 4, 0, 6, minutes=60))
    assert every.sum() == 16
    assert not every[1:3, 1:5].any()
