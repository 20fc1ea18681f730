"""Depths from files: metres, positive down, NaN on land."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.maps.depth import read_depth
from lapwing.io.mask_file import read_mask

Write = Callable[..., Path]

DEPTH = np.array([[30.0, 5.0, 0.0], [-3.0, 20.0, -9.0]])  # [y, x]
POSITIVE = np.maximum(DEPTH, 0)
EXPECTED = np.where(DEPTH > 0, DEPTH, np.nan).T
YX = ("y", "x")
M = {"units": "m"}


@pytest.mark.parametrize(
    ("name", "values", "attributes"),
    [
        ("depth", POSITIVE, M),
        ("depth", DEPTH, {**M, "positive": "down"}),
        ("depth", -DEPTH, {**M, "positive": "up"}),
        ("h", POSITIVE, {"units": "meter"}),
        ("depth", POSITIVE / 1000, {"units": "km"}),
        ("z", DEPTH, {**M, "long_name": "depth, positive downwards"}),
        ("depth", -DEPTH, {**M, "comment": "Positive: UP"}),
        ("elevation", -DEPTH, {"units": "Metres"}),
        ("elevation", -DEPTH * 100, {"units": "cm"}),
        ("z", -DEPTH, M),
        ("bathymetry", -DEPTH, {**M, "positive": "up"}),
        ("bathymetry", DEPTH, {**M, "long_name": "Depth of the sea floor"}),
        ("bathymetry", np.maximum(DEPTH, 0), M),
        ("bathymetry", -np.maximum(DEPTH, 0), M),
        ("a", DEPTH, {**M, "standard_name": "sea_floor_depth_below_geoid"}),
        ("a", -DEPTH, {**M, "standard_name": "height_above_mean_sea_level"}),
    ],
)
def test_units_and_directions(
    write: Write, name: str, values: Any, attributes: dict[str, Any]
) -> None:
    path = write(**{name: (YX, values, attributes)})
    found = read_depth(path)
    assert np.allclose(found.depth, EXPECTED, rtol=1e-12, equal_nan=True)
    assert found.depth.dtype == np.float64
    assert np.array_equal(read_mask(path).wet, DEPTH.T > 0)


def test_axes_masks_and_notes(write: Write) -> None:
    path = write(
        lat=(("lat",), [51.0, 50.0], {"units": "degrees_north"}),
        depth=(("lat", "x"), DEPTH[::-1], M),
        mask=(("lat", "x"), np.array([[1, 1, 1], [1, 0, 1]]), {}),
    )
    found = read_depth(path)
    expected = EXPECTED.copy()
    expected[1, 0] = np.nan
    assert np.array_equal(found.depth, expected, equal_nan=True)
    assert found.y.values.tolist() == [50.0, 51.0]
    assert found.notes[1:] == ("latitude falls in the file: turned to rising",)
    assert "1 is taken as water" in found.notes[0]
    deep = read_depth(path, wet="depth > 10").depth
    assert np.array_equal(np.isfinite(deep), DEPTH.T > 10)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"depth": (DEPTH, {})}, r'depth: got no unit; expected .* units="m"'),
        ({"depth": (DEPTH, {"units": "fathoms"})}, "got the unit 'fathoms'; expected units of m"),
        ({"bathymetry": (DEPTH, M)}, "values of both signs.* expected the attribute positive"),
        (
            {"a": (DEPTH, {**M, "positive": "up", "standard_name": "sea_floor_depth_below_geoid"})},
            "that contradict each other",
        ),
        ({"depth": (DEPTH, M), "h": (DEPTH, M)}, r"2 variables that may be the depth \(depth, h\)"),
        ({"other": (DEPTH, M)}, r"0 variables that may be the depth \(none\)"),
        (
            {"depth": (-abs(DEPTH), M)},
            'got no wet cell: .* expected .* where depth > 0; .* wet="depth < 0"',
        ),
        *[
            ({name: (values, M)}, rf'values of both signs.* wet="{name} > 0", or wet="{name} < 0"')
            for name in ("depth", "h")
            for values in (DEPTH, -DEPTH)
        ],
        ({"topo": (DEPTH, {**M, "long_name": "water depth"})}, "attributes that contradict each"),
        ({"depth": (DEPTH, {**M, "long_name": "height"})}, "attributes that contradict each"),
        (
            {"z": (DEPTH, {**M, "positive": "up", "long_name": "z, positive down"})},
            "attributes that contradict each other",
        ),
    ],
)
def test_what_is_refused(write: Write, variables: dict[str, Any], message: str) -> None:
    path = write(**{name: (YX, *given) for name, given in variables.items()})
    with pytest.raises(UserError, match=message):
        read_depth(path)


def test_a_unit_can_be_given(write: Write) -> None:
    path = write(depth=(YX, POSITIVE, {}))
    assert np.array_equal(read_depth(path, units="m").depth, EXPECTED, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "sign", "number"),
    [
        *(("depth", 1, number) for number in (np.inf, 1e20, 99999.0, 12001.0, 32767.0)),
        *(("elevation", -1, number) for number in (np.inf, 99999.0, 32768.0)),
        ("bathymetry", -1, 99999.0),
        *((name, sign, 9999.0) for name, sign in (("depth", 1), ("elevation", -1), ("h", 1))),
    ],
)
def test_numbers_for_land_that_are_not_marked_are_refused(
    write: Write, name: str, sign: int, number: float
) -> None:
    path = write(**{name: (YX, sign * np.where(DEPTH > 0, DEPTH, number), M)})
    for read in (read_mask, read_depth):
        with pytest.raises(
            UserError, match=r"\[y, x\] = \[0, 2\]: a fill value without _F"
        ) as caught:
            read(path)
        assert f'wet="{name} > 0 and {name} < 9000"' in str(caught.value)
    wet = f"{name} > 0 and {name} < 9000" if sign > 0 else f"{name} < 0 and {name} > -9000"
    assert np.array_equal(read_mask(path, wet=wet).wet, DEPTH.T > 0)


def test_a_trench_of_9999_m_is_water(write: Write) -> None:
    depth = np.array([[9999.0, 9999.0, 0.0], [9990.0, 20.0, 0.0]])
    assert np.array_equal(read_mask(write(elevation=(YX, -depth, M))).wet, depth.T > 0)


def test_depths_of_a_mask_that_are_not_marked_are_refused(write: Write) -> None:
    path = write(
        depth=(YX, np.where(DEPTH > 10, DEPTH, 1e20), M), mask=(YX, (DEPTH > 0).astype("i1"), {})
    )
    with pytest.raises(UserError, match=r"1e\+20 in \[x, y\] = \[1, 0\]: a fill value"):
        read_depth(path)


def test_heights_of_wet_cells_that_are_called_depths(write: Write) -> None:
    path = write(depth=(YX, -DEPTH, M))
    with pytest.raises(UserError, match=r'no depth above 0 in a wet cell.* positive = "up"'):
        read_depth(path, wet="depth < 0")
