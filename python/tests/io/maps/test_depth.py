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
EXPECTED = np.where(DEPTH > 0, DEPTH, np.nan).T
YX = ("y", "x")
M = {"units": "m"}


@pytest.mark.parametrize(
    ("name", "values", "attributes"),
    [
        ("depth", DEPTH, M),
        ("h", DEPTH, {"units": "meter"}),
        ("depth", DEPTH / 1000, {"units": "km"}),
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
    assert found.notes == ("latitude falls in the file: turned to rising",)
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
        ({"depth": (-abs(DEPTH), M)}, "got no wet cell; expected .* where depth > 0"),
    ],
)
def test_what_is_refused(write: Write, variables: dict[str, Any], message: str) -> None:
    path = write(**{name: (YX, *given) for name, given in variables.items()})
    with pytest.raises(UserError, match=message):
        read_depth(path)


def test_a_unit_can_be_given(write: Write) -> None:
    path = write(depth=(YX, DEPTH, {}))
    assert np.array_equal(read_depth(path, units="m").depth, EXPECTED, equal_nan=True)
