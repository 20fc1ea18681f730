"""The scheme in NumPy, one formula per line: what the kernels must give, and what it conserves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing_weather.air import GAS_CONSTANT, KAPPA, VIRTUAL_EXCESS
from lapwing_weather.levels import make_levels
from numpy.typing import NDArray

MakeAir = Callable[..., Any]  # see atmosphere.py
Array = NDArray[np.float64]
State = dict[str, Array]

AXES = {"wind_x": (1, 0), "wind_y": (0, 1)}


class Specification:
    """Hydrostatic flow in hybrid layers on the C-grid, slow and obvious."""

    def __init__(self, settings: Any) -> None:
        self.s, self.levels = settings, make_levels(settings.levels)
        self.spacing = {(1, 0): settings.grid.spacing_x, (0, 1): settings.grid.spacing_y}
        self.periodic = (settings.grid.periodic_x, settings.grid.periodic_y)

    def at(self, values: Array, x: int, y: int) -> Array:
        """The values of cell (i + x, j + y) at (i, j); 0 beyond walls."""
        for axis, shift in ((0, x), (1, y)):
            values = np.roll(values, -shift, axis)
            if not self.periodic[axis] and shift:
                beyond = [slice(None)] * values.ndim
                beyond[axis] = slice(-shift, None) if shift > 0 else slice(0, -shift)
                values = values.copy()
                values[tuple(beyond)] = 0.0
        return values

    def thickness(self, pressure: Array) -> Array:
        return np.asarray(np.diff(self.levels.a) + np.diff(self.levels.b) * pressure[..., None])

    def at_faces(self, values: Array, axis: tuple[int, int]) -> Array:
        return 0.5 * (values + self.at(values, *axis))

    def slope(self, values: Array, axis: tuple[int, int]) -> Array:
        return np.asarray((self.at(values, *axis) - values) / self.spacing[axis])

    def flows(self, state: State) -> dict[str, Array]:
        """Air through the faces, Pa m/s."""
        faces = {n: self.at_faces(state["pressure"], axis) for n, axis in AXES.items()}
        return {name: state[name] * self.thickness(faces[name]) for name in AXES}

    def tendencies(self, state: State) -> State:
        ps, temperature = state["pressure"], state["temperature"]
        flows, dp = self.flows(state), self.thickness(ps)
        halves = self.levels.halves(ps)
        upper, lower = halves[..., :-1], halves[..., 1:]
        log = np.log(lower / np.where(upper > 0, upper, lower))
        alpha = 1.0 - upper / dp * log
        factor = (self.levels.b[:-1] * log + alpha * np.diff(self.levels.b)) / dp
        warm = temperature * (1.0 + VIRTUAL_EXCESS * state.get("humidity", np.zeros(1)))

        out = sum(
            (flows[n] - self.at(flows[n], -axis[0], -axis[1])) / self.spacing[axis]
            for n, axis in AXES.items()
        )
        above = np.cumsum(out, axis=-1) - out
        whole = out.sum(axis=-1)
        down = self.levels.b[1:] * whole[..., None] - np.cumsum(out, axis=-1)
        thick = GAS_CONSTANT * warm * log
        below = np.cumsum(thick[..., ::-1], axis=-1)[..., ::-1] - thick
        height = below + alpha * GAS_CONSTANT * warm

        changes: State = {"pressure": -whole}
        along = sum(
            0.5 * (w + self.at(w, -axis[0], -axis[1]))
            for axis, w in (
                (axis, flows[n] * self.slope(ps, axis)[..., None]) for n, axis in AXES.items()
            )
        )
        heating = KAPPA * warm / dp * (factor * along - log * above - alpha * out)
        for name in ("temperature", "humidity"):
            if name in state:
                changes[name] = -self.carried(state[name], flows, down) / dp
        changes["temperature"] = changes["temperature"] + heating

        push = GAS_CONSTANT * warm * factor
        for name, axis in AXES.items():
            face = self.thickness(self.at_faces(ps, axis))
            at_face = {n: self.at_faces(flow, axis) for n, flow in flows.items()}
            # through the sides of the box around a face: along the axis at cells, across at corners
            mine = 0.5 * (flows[name] + self.at(flows[name], -axis[0], -axis[1]))
            around = {n: mine if n == name else flow for n, flow in at_face.items()}
            moved = self.carried_faces(state[name], name, around, self.at_faces(down, axis))
            turned = self.turned(state, name, axis)
            pressed = self.slope(height, axis)
            pressed += self.at_faces(push, axis) * self.slope(ps, axis)[..., None]
            change = (turned - moved) / face - pressed
            if not self.periodic[axis.index(1)]:
                change[(slice(None),) * axis.index(1) + (-1,)] = 0.0
            changes[name] = change
        return changes

    def carried(self, values: Array, flows: dict[str, Array], down: Array) -> Array:
        """Transport of values at centres, times thickness."""
        total = self.vertical(values, down)
        for name, axis in AXES.items():
            flow = flows[name] * (self.at(values, *axis) - values) / self.spacing[axis]
            total = total + 0.5 * (flow + self.at(flow, -axis[0], -axis[1]))
        return total

    def carried_faces(
        self, values: Array, name: str, flows: dict[str, Array], down: Array
    ) -> Array:
        """The same of winds, with flows at cells along their axis and at corners across it."""
        total = self.vertical(values, down)
        for other, axis in AXES.items():
            x, y = axis
            if other == name:  # flow[i] lies behind the face
                flow = flows[other] * (values - self.at(values, -x, -y)) / self.spacing[axis]
                total = total + 0.5 * (flow + self.at(flow, x, y))
            else:  # flow[j] lies ahead
                flow = flows[other] * (self.at(values, x, y) - values) / self.spacing[axis]
                total = total + 0.5 * (flow + self.at(flow, -x, -y))
        return total

    def vertical(self, values: Array, down: Array) -> Array:
        flow = down[..., :-1] * np.diff(values, axis=-1)  # between layers
        total = np.zeros_like(values)
        total[..., :-1] += 0.5 * flow
        total[..., 1:] += 0.5 * flow
        return total

    def turned(self, state: State, name: str, axis: tuple[int, int]) -> Array:
        """Coriolis force on a wind, times thickness."""
        dynamics, grid = self.s.dynamics, self.s.grid
        rows = np.arange(grid.cells_y) - 0.5 * (grid.cells_y - 1)
        f = (dynamics.coriolis + dynamics.beta * grid.spacing_y * rows)[None, :, None]
        other = "wind_y" if name == "wind_x" else "wind_x"
        x, y = AXES[other]
        mean = 0.5 * (state[other] + self.at(state[other], -x, -y))
        force = f * self.thickness(state["pressure"]) * mean
        return (1.0 if name == "wind_x" else -1.0) * self.at_faces(force, axis)

    def energy_change(self, state: State) -> tuple[float, float]:
        """Change of all energy, and what is made of it out of pressure alone: W times g / area."""
        change = self.tendencies(state)
        db = np.diff(self.levels.b)
        cp = GAS_CONSTANT / KAPPA
        dp, thicker = self.thickness(state["pressure"]), db * change["pressure"][..., None]
        heat = cp * (dp * change["temperature"] + thicker * state["temperature"])
        total, scale = float(heat.sum()), float(np.abs(heat).sum())
        for name, axis in AXES.items():
            face = self.thickness(self.at_faces(state["pressure"], axis))
            thicker_face = db * self.at_faces(change["pressure"], axis)[..., None]
            wind = state[name]
            total += float((face * wind * change[name] + 0.5 * thicker_face * wind**2).sum())
        return total, scale


def disturbed(air: Any, seed: int = 5) -> State:
    """Put random winds, temperatures, pressures and humidity into an atmosphere."""
    random = np.random.default_rng(seed)
    shape = air.get("temperature").shape
    state = {
        "wind_x": random.uniform(-20, 20, shape),
        "wind_y": random.uniform(-20, 20, shape),
        "temperature": random.uniform(250, 290, shape),
        "pressure": random.uniform(9.5e4, 1.02e5, shape[:2]),
    }
    if air.settings.dynamics.humidity:
        state["humidity"] = random.uniform(0, 0.01, shape)
    if not air.settings.grid.periodic_x:
        state["wind_x"][-1] = 0.0
    if not air.settings.grid.periodic_y:
        state["wind_y"][:, -1] = 0.0
    for name, values in state.items():
        air.put(name, values)
    return state


CHANNEL = ("grid.periodic_x=true",)
TORUS = ("grid.periodic_x=true", "grid.periodic_y=true", "dynamics.beta=0")
COMMON = ("boundary.relaxation=0", "dynamics.diffusion=0", "initial.shape=rest", "time.step=20")


@pytest.mark.parametrize("sides", [(), CHANNEL, TORUS], ids=["walls", "channel", "torus"])
@pytest.mark.parametrize("levels", ["hybrid", "sigma"])
def test_kernels_follow_the_specification(
    make_air: MakeAir, sides: tuple[str, ...], levels: str
) -> None:
    """Starts from noise: one step of Euler, and a leapfrog that starts from it."""
    top = "levels.top=2000" if levels == "hybrid" else "levels.top=0"
    air = make_air("area-small", *COMMON, *sides, f"levels.shape={levels}", top, "time.filter=0.1")
    slow, start, dt = Specification(air.settings), disturbed(air), air.run.dt
    change = slow.tendencies(start)
    first = {name: start[name] + dt * change[name] for name in start}
    air.run.advance(1)
    for name, values in first.items():
        scale = np.abs(dt * change[name]).max()
        np.testing.assert_allclose(air.get(name), values, rtol=0, atol=1e-11 * scale, err_msg=name)
    # the second step is one from the start, the third from what the filter made of the first
    later = slow.tendencies(first)
    second = {name: start[name] + 2 * dt * later[name] for name in start}
    filtered = {n: first[n] + 0.1 * (start[n] - 2 * first[n] + second[n]) for n in start}
    last = slow.tendencies(second)
    air.run.advance(2)
    for name in start:
        third = filtered[name] + 2 * dt * last[name]
        scale = np.abs(third - filtered[name]).max()
        np.testing.assert_allclose(air.get(name), third, rtol=0, atol=1e-9 * scale, err_msg=name)


@pytest.mark.parametrize("sides", [(), CHANNEL, TORUS], ids=["walls", "channel", "torus"])
@pytest.mark.parametrize("top", [0, 5000])
def test_energy_is_only_turned_over(make_air: MakeAir, sides: tuple[str, ...], top: int) -> None:
    """Advection, pressure and rotation make and lose none, in a state of noise."""
    air = make_air("area-small", *COMMON, *sides, f"levels.top={top}", "dynamics.humidity=false",
                   "initial.humidity=0")  # fmt: skip
    total, scale = Specification(air.settings).energy_change(disturbed(air))
    print(f"change of energy over turnover: {total / scale:.1e}")
    assert abs(total) < 1e-15 * scale


def test_diffusion_is_the_fourth_derivative(make_air: MakeAir) -> None:
    """A wave in still, isothermal air decays as its wavenumbers say; walls let none out."""
    air = make_air("gravity-wave", "initial.amplitude=0", "dynamics.diffusion=1e15", "time.step=30",
                   "dynamics.humidity=true", "grid.cells_y=20")  # fmt: skip
    grid, k = air.settings.grid, 2 * np.pi * 10 / 200
    wave = np.cos(k * np.arange(200))[:, None, None] * np.ones((1, 20, 20))
    air.put("humidity", wave)
    air.run.advance(1)
    rate = 1e15 / grid.spacing_x**4 * (2 - 2 * np.cos(k)) ** 2
    expected = (1 - rate * air.run.dt) * wave
    np.testing.assert_allclose(air.get("humidity"), expected, rtol=0, atol=1e-14)


def test_diffusion_keeps_what_is_there(make_air: MakeAir) -> None:
    """Between walls and in still air the sum of humidity stays, whatever its shape."""
    air = make_air("area-small", "boundary.relaxation=0", "initial.shape=rest",
                   "levels.shape=sigma", "levels.top=0", "dynamics.coriolis=0",
                   "dynamics.beta=0")  # fmt: skip
    humidity = np.random.default_rng(2).uniform(0, 1e-12, air.get("humidity").shape)
    air.put("humidity", humidity)
    air.run.advance(10)
    after = air.get("humidity")
    assert np.abs(after - humidity).max() > 1e-13
    assert after.sum() == pytest.approx(humidity.sum(), rel=1e-9)
