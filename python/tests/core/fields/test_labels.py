"""Whole fields as xarray sees them: names, units and coordinates, on one rank."""

import subprocess
from collections.abc import Callable

import lapwing
import numpy as np
import pytest
from lapwing import Axis, UserError

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

ON_RANKS = """
import lapwing, numpy as np
domain = lapwing.Domain((9, 7))
depth = domain.field("depth", units="m")
depth.set(lambda i, j: 10.0 * i + j)
for root in (0, domain.ranks - 1):
    whole = depth.gather(root, labelled=True)
    plain = depth.gather(root)
    assert (whole is None) == (plain is None) == (domain.rank != root)
    if whole is not None:
        assert whole.values.tobytes() == plain.tobytes()
        print(whole.name, whole.units, float(whole.sel(x=4, y=6)))
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_one_rank_gets_it_and_the_others_none(run_on_ranks: RunOnRanks, ranks: int) -> None:
    assert run_on_ranks(ranks, ON_RANKS).stdout == 2 * "depth m 46.0\n"


def test_names_units_and_coordinates() -> None:
    x, y = 3.0 + 0.5 * np.arange(5.0), 50.0 + 0.25 * np.arange(4.0)
    axes = (Axis(x, "degrees_east", "longitude", "longitude"), Axis(y, "degrees_north", "latitude"))
    with lapwing.Domain((5, 4), axes=axes) as domain:
        field = domain.field(
            "u", location="xface", levels=3, units="m s-1", long_name="velocity", standard_name="s"
        )
        whole = field.gather(labelled=True)
        assert whole is not None
        assert whole.dims == ("lon_xface", "lat", "level")
        assert whole.shape == (5, 4, 3)
        assert whole.attrs == {"units": "m s-1", "long_name": "velocity", "standard_name": "s"}
        np.testing.assert_allclose(whole["lon_xface"], x + 0.25)
        np.testing.assert_array_equal(whole["lat"], y)
        assert whole["lat"].attrs == {"units": "degrees_north", "long_name": "latitude"}
        corner = domain.field("q", location="corner", components=2).gather(labelled=True)
        assert corner is not None
        assert corner.dims == ("lon_xface", "lat_yface", "component")


def test_indices_where_nothing_is_known() -> None:
    with lapwing.Domain((5, 4, 3)) as domain:
        whole = domain.field("t").gather(labelled=True)
        assert whole is not None
        assert whole.dims == ("x", "y", "z")
        assert whole.attrs == {"units": "1", "long_name": "t"}
        np.testing.assert_array_equal(whole["z"], [0, 1, 2])


def test_axes_of_another_length_are_refused() -> None:
    axis = Axis(np.arange(4.0), "m", "x")
    with pytest.raises(UserError, match=r"values of the axes of the domain: got \[4\]; expected"):
        lapwing.Domain((5, 4), axes=(axis,))
