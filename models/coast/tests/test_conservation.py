"""Volume: what comes in through the open boundary is what there is more of."""

from collections.abc import Callable
from typing import Any

import numpy as np

MakeSea = Callable[..., Any]  # see conftest.py


def wet_volume(sea: Any, rows: slice) -> float:
    """Volume (m3) above the undisturbed level in the given rows of cells."""
    spacing = sea.settings.grid
    return float(sea.level[:, rows].sum() * spacing.spacing_x * spacing.spacing_y)


def test_volume_change_is_the_flux_through_the_boundary(make_sea: MakeSea) -> None:
    """To 1e-12 of itself while the tide rises, and of what passed over a whole period."""
    sea = make_sea("kelvin-small")
    inside = slice(0, sea.level.shape[1] - 1)
    flux, passed, worst, rising = 0.0, 0.0, 0.0, 0.0  # m3, m3, 1, 1
    for step in range(432):
        sea.run.advance(1)
        through = -sea.y[:, -2].sum() * sea.settings.grid.spacing_x * sea.run.dt
        flux += through
        passed += abs(through)
        if step > 10:
            off = abs(wet_volume(sea, inside) - flux)
            worst = max(worst, off / passed)
            if step < 108:  # a quarter of the period: the sea fills, no volume comes near zero
                rising = max(rising, off / abs(flux))
    assert passed > 1e9
    print(f"volume balance: off by {rising:.1e} of the change while the tide rises,")
    print(f"and by {worst:.1e} of {passed:.3g} m3 that passed in a period")
    assert 0 < rising < 1e-12
    assert 0 < worst < 1e-12


def test_boundary_follows_the_tide(make_sea: MakeSea) -> None:
    """The boundary cells hold the prescribed level at every step, the first included."""
    sea = make_sea("kelvin-small")
    for step in range(1, 30):
        sea.run.advance(1)
        expected = 0.5 * np.sin(2 * np.pi * step * 100.0 / 43200.0)
        np.testing.assert_allclose(sea.level[:, -1], expected, atol=1e-15)


def test_land_stays_exactly_zero(make_sea: MakeSea) -> None:
    """North Sea: not one land cell or closed face moves, and the sea does."""
    sea = make_sea("northsea")
    sea.run.advance(60)
    sea.run.check_state()
    wet = sea.run.variables["depth"].field[sea.domain.box] > 0
    assert np.abs(sea.level[wet]).max() > 0
    for values in (sea.level[~wet], sea.x[~wet], sea.y[~wet]):
        assert not values.view(np.int64).any()  # all bits: no negative zero either
    assert not sea.x[:-1][~wet[1:]].any()
    assert not sea.y[:, :-1][~wet[:, 1:]].any()
