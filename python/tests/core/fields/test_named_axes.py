"""Arrays of xarray that name their axes: x before y, or refused."""

import numpy as np
import pytest
import xarray
from lapwing import Domain, Mask
from lapwing.base.error import UserError

WET = np.array([[1, 1, 0], [0, 1, 1]])


@pytest.mark.parametrize(
    ("axes", "turned"),
    [
        (("lat", "lon"), "'lon', 'lat'"),
        (("y", "x"), "'x', 'y'"),
        (("eta_rho", "xi_rho"), "'xi_rho', 'eta_rho'"),
        (("nj", "ni"), "'ni', 'nj'"),
    ],
)
def test_y_before_x_is_refused_with_the_call_that_turns_it(
    axes: tuple[str, str], turned: str
) -> None:
    given = xarray.DataArray(WET, dims=axes)
    with pytest.raises(UserError, match=rf"expected x before y; pass array.transpose\({turned}\)"):
        Mask(given)
    assert tuple(Mask(given.transpose(*reversed(axes))).shape)[:2] == (3, 2)


def test_other_names_say_nothing() -> None:
    for axes in (("a", "b"), ("x", "y"), ("lon", "lat")):
        assert Mask(xarray.DataArray(WET, dims=axes)).shape[:2] == (2, 3)


def test_fields_are_as_careful() -> None:
    domain = Domain((2, 3))
    field = domain.field("depth")
    with pytest.raises(UserError, match="axes lat, lon; expected x before y"):
        field.scatter(xarray.DataArray(WET.T.astype(float), dims=("lat", "lon")))
    field.scatter(xarray.DataArray(WET.astype(float), dims=("lon", "lat")))
    assert np.array_equal(np.asarray(field.gather()), WET)
