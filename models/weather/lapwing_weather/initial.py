"""The air at the start, from formulas; docs/models/weather-scheme.md explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lapwing.base.error import user_error
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Box
from numpy.typing import NDArray

from lapwing_weather.air import GAS_CONSTANT, REFERENCE_PRESSURE
from lapwing_weather.eady import Eady, EadyWave
from lapwing_weather.levels import HalfLevels, make_levels
from lapwing_weather.settings import WeatherSettings
from lapwing_weather.vertical_structure import vertical_structure

Array = NDArray[np.float64]

_COLDEST = 205.0  # of the stratosphere over a cyclone, K


@dataclass(frozen=True)
class Places:
    """Return the coordinates of points: x [nx, 1] and y [1, ny], m."""

    x: Array
    y: Array


@dataclass(frozen=True)
class Air:
    """A state: winds, temperature, surface pressure; what has levels [nx, ny, levels]."""

    wind_x: Array  # at x faces, m/s
    wind_y: Array  # at y faces, m/s
    temperature: Array  # K
    pressure: Array  # of the surface, [nx, ny], Pa


class InitialAir:
    """The initial state of a case, for any box of cells. Local."""

    def __init__(self, settings: WeatherSettings) -> None:
        """Find what all boxes share. UserError for a shape that does not fit grid and levels."""
        self.settings, self.initial = settings, settings.initial
        self.levels = make_levels(settings.levels)
        self.shape = self.initial.shape
        _refuse_other_grids(settings, self.levels)

    def fill(self, fields: Sequence[Field], domain: Domain) -> None:
        """Put it into fields: winds, temperature, pressure and any humidity. Call it on all ranks.

        Walls stay closed: the last faces of an axis that does not close on itself keep 0.
        """
        for box in domain.boxes:
            air = self.on(box)
            values = [air.wind_x, air.wind_y, air.temperature, air.pressure]
            if len(fields) > len(values):
                values.append(self._humidity(air.pressure))
            for field, array in zip(fields, values, strict=True):
                field[box] = array
        for field in fields:
            field.modified()

    def on(self, box: Box) -> Air:
        """Return the state of the cells of a box."""
        make = {
            "rest": self._rest,
            "wave": self._wave,
            "geostrophic": self._geostrophic,
            "eady": self._eady,
            "cyclone": self._cyclone,
        }[self.shape]
        return self._closed(make(box), box)

    # ---- shapes

    def _rest(self, box: Box) -> Air:
        nx, ny, n = self._sizes(box)
        initial = self.initial
        still = np.zeros((nx, ny, n))
        warmth = np.full((nx, ny, n), initial.temperature)
        return Air(still, still, warmth, np.full((nx, ny), initial.pressure))

    def _wave(self, box: Box) -> Air:
        """A bump in x of surface pressure, with the temperature of the external mode."""
        air, initial = self._rest(box), self.initial
        middle = 0.5 * self.settings.grid.cells_x * self.settings.grid.spacing_x
        distance = (self._places(box).x - middle) / initial.radius
        bump = initial.amplitude / initial.pressure * np.exp(-(distance**2))  # of ln ps
        reference = np.full(self.levels.count, initial.temperature)
        structure = vertical_structure(self.levels, reference, initial.pressure)
        _, temperature = structure.external_mode()
        pressure = air.pressure * np.exp(bump)
        return Air(
            air.wind_x, air.wind_y, air.temperature + bump[..., None] * temperature, pressure
        )

    def _geostrophic(self, box: Box) -> Air:
        """A jet of all levels alike, in balance with the surface pressure to rounding."""
        air = self._rest(box)
        rows = slice(box.lo[1], box.hi[1])
        wind, pressure = balanced_jet(self.settings)
        return Air(
            air.wind_x + wind[None, rows, None],
            air.wind_y,
            air.temperature,
            np.zeros_like(air.pressure) + pressure[None, rows],
        )

    def _eady(self, box: Box) -> Air:
        """A zonal wind linear in pressure, and the wave that grows fastest on it."""
        eady = self.eady()
        wave = EadyWave(eady, self.initial.amplitude)
        p = self.levels.centres(self.initial.pressure)
        centre, x_face, y_face = self._places(box), self._places(box, 0), self._places(box, 1)
        return Air(
            eady.wind(p) + wave.wind_x(x_face.x, x_face.y, p),
            wave.wind_y(y_face.x, y_face.y, p),
            eady.temperature(centre.y, p) + wave.temperature(centre.x, centre.y, p),
            self.initial.pressure + wave.pressure(centre.x, centre.y),
        )

    def _cyclone(self, box: Box) -> Air:
        """A low, the same at all heights, in a wind that grows with height; nearly balanced."""
        eady, initial, f = self.eady(), self.initial, self.settings.dynamics.coriolis
        scale = GAS_CONSTANT * initial.temperature  # m2/s2
        deep = scale * initial.amplitude / initial.pressure  # of the geopotential in the middle
        middle = [
            0.5 * n * spacing
            for n, spacing in zip(eady.cells, (eady.spacing_x, eady.spacing_y), strict=True)
        ]

        def low(at: Places) -> tuple[Array, Array, Array]:
            x, y = (at.x - middle[0]) / initial.radius, (at.y - middle[1]) / initial.radius
            return -deep * np.exp(-(x**2) - y**2), x, y

        def pressure(at: Places) -> Array:
            return np.asarray(initial.pressure * np.exp(low(at)[0] / scale))

        centre, x_face, y_face = self._places(box), self._places(box, 0), self._places(box, 1)
        geopotential, _, y = low(x_face)
        turning_x = 2.0 * y * geopotential / (f * initial.radius)  # -d(geopotential)/dy / f
        geopotential, x, _ = low(y_face)
        turning_y = -2.0 * x * geopotential / (f * initial.radius)
        p = self.levels.centres(pressure(centre))
        warm = eady.temperature(centre.y, p)
        return Air(
            eady.wind(self.levels.centres(pressure(x_face))) + turning_x[..., None],
            np.zeros((1, 1, self.levels.count)) + turning_y[..., None],
            (warm**16 + _COLDEST**16) ** (1 / 16),
            pressure(centre),
        )

    def eady(self) -> Eady:
        """Return the zonal wind and the stratification of the shapes that have them."""
        grid, initial = self.settings.grid, self.initial
        return Eady(
            cells=(grid.cells_x, grid.cells_y),
            spacing_x=grid.spacing_x,
            spacing_y=grid.spacing_y,
            coriolis=self.settings.dynamics.coriolis,
            wind_difference=initial.wind,
            stability=initial.stability,
            bottom=initial.pressure,
            top=float(self.levels.a[0]),
            surface_temperature=initial.temperature,
        )

    # ---- helpers

    def _humidity(self, pressure: Array) -> Array:
        share = self.levels.centres(pressure) / REFERENCE_PRESSURE
        return np.asarray(self.initial.humidity * share**3)

    def _sizes(self, box: Box) -> tuple[int, int, int]:
        return box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], self.levels.count

    def _places(self, box: Box, face: int = -1) -> Places:
        """Coordinates of the centres of cells, or of the faces along an axis."""
        grid = self.settings.grid
        ahead = [1.0 if face == axis else 0.5 for axis in (0, 1)]
        x = (np.arange(box.lo[0], box.hi[0]) + ahead[0]) * grid.spacing_x
        y = (np.arange(box.lo[1], box.hi[1]) + ahead[1]) * grid.spacing_y
        return Places(np.asarray(x[:, None], np.float64), np.asarray(y[None, :], np.float64))

    def _closed(self, air: Air, box: Box) -> Air:
        grid, sizes = self.settings.grid, self._sizes(box)
        wind_x, wind_y = (np.array(np.broadcast_to(w, sizes)) for w in (air.wind_x, air.wind_y))
        if not grid.periodic_x and box.hi[0] == grid.cells_x:
            wind_x[-1] = 0.0
        if not grid.periodic_y and box.hi[1] == grid.cells_y:
            wind_y[:, -1] = 0.0
        return Air(wind_x, wind_y, air.temperature, np.broadcast_to(air.pressure, sizes[:2]))


def balanced_jet(settings: WeatherSettings) -> tuple[Array, Array]:
    """Return wind (m/s) and surface pressure (Pa) of rows, [ny], of isothermal air in balance.

    Local. From row to row the pressure is the one for which the v equation, as the model computes
    it in sigma layers from 0 Pa, has no tendency: with f v-face means of f ps u,
    (f p u + f' p' u') / (p + p') + R T / 2 (1/p + 1/p') (p' - p) / dy = 0.
    """
    initial, grid, dynamics = settings.initial, settings.grid, settings.dynamics
    rows = np.arange(grid.cells_y)
    wind = initial.wind * np.sin(np.pi * (rows + 0.5) / grid.cells_y) ** 2
    f = dynamics.coriolis + dynamics.beta * grid.spacing_y * (rows - 0.5 * (grid.cells_y - 1))
    pressure = np.full(grid.cells_y, initial.pressure)
    half = 0.5 * GAS_CONSTANT * initial.temperature / grid.spacing_y  # m/s2
    for j in rows[1:]:
        p, fu, fu_next = pressure[j - 1], f[j - 1] * wind[j - 1], f[j] * wind[j]
        following = p
        for _ in range(20):  # Newton; the first correction leaves 1e-4 of it
            total = p + following
            missing = (fu * p + fu_next * following) / total
            missing += half * (1.0 / p + 1.0 / following) * (following - p)
            slope = (fu_next - fu) * p / total**2 + half * (1.0 / p + p / following**2)
            following -= missing / slope
        pressure[j] = following
    return np.asarray(wind), pressure


def _refuse_other_grids(settings: WeatherSettings, levels: HalfLevels) -> None:
    """Refuse shapes that mean nothing on the grid or in the layers of the case."""
    grid, initial = settings.grid, settings.initial
    shape = f"initial.shape {initial.shape!r}"
    channel = grid.periodic_x and not grid.periodic_y
    if initial.shape in ("geostrophic", "eady") and not channel:
        raise user_error(
            shape,
            f"periodic_x {grid.periodic_x}, periodic_y {grid.periodic_y}",
            "a channel: periodic_x true, periodic_y false",
            "change the table [grid]",
        )
    if initial.shape == "geostrophic" and np.any(levels.a != 0):
        raise user_error(
            shape,
            "layers that are not sigma layers from 0 Pa",
            "those, as only there all layers can be in balance with one surface pressure",
            'set levels.shape = "sigma" and levels.top = 0',
        )
    if initial.shape in ("eady", "cyclone") and settings.dynamics.coriolis == 0:
        raise user_error(
            shape, "dynamics.coriolis 0", "rotation", "set dynamics.coriolis, 1e-4 for instance"
        )
    if initial.shape == "eady" and (levels.a[0] <= 0 or initial.wind == 0):
        raise user_error(
            shape,
            f"levels.top {levels.a[0]:g} Pa and initial.wind {initial.wind:g} m/s",
            "a lid above 0 Pa, and a wind that differs from top to surface",
            "set both",
        )
