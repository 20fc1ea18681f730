"""The scheme in NumPy, one formula per line: what the fast kernels must give to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MakeSea = Callable[..., Any]  # see conftest.py
Array = NDArray[np.float64]


def neighbour(values: Array, x: int, y: int) -> Array:
    """The values of cell (i + x, j + y) at (i, j); 0 outside the grid."""
    padded = np.pad(values, 1)
    nx, ny = values.shape
    return padded[1 + x : 1 + x + nx, 1 + y : 1 + y + ny]


class Specification:
    """Depth-integrated flow on the C-grid, slow and obvious."""

    def __init__(self, settings: Any, depth: Array, north: Array) -> None:
        self.s, self.depth = settings, depth
        self.level, self.x, self.y = (np.zeros_like(depth) for _ in range(3))
        self.face_x, self.face_y = self.face_depth(1, 0), self.face_depth(0, 1)
        self.face_x[:, -1] = 0.0  # between two cells of the open boundary
        self.north = north  # amplitude of the sine in the boundary cells, m

    def face_depth(self, x: int, y: int) -> Array:
        ahead = neighbour(self.depth, x, y)
        return np.where((self.depth > 0) & (ahead > 0), 0.5 * (self.depth + ahead), 0.0)

    def momentum(self, along: Array, across: Array, face: Array, axis: tuple[int, int]) -> Array:
        """One time step of the transport `along`, m2/s."""
        x, y = axis
        dt, g, f = self.s.time.step, self.s.physics.gravity, self.s.physics.coriolis
        spacing = self.s.grid.spacing_x if x else self.s.grid.spacing_y
        ahead = neighbour(self.level, x, y)
        depth = face + 0.5 * (self.level + ahead)
        mean = 0.25 * (
            (across + neighbour(across, x, y))
            + (neighbour(across, -y, -x) + neighbour(across, x - y, y - x))
        )
        sign = 1.0 if x else -1.0
        slope = dt * g / spacing * depth * (ahead - self.level)
        forced = along + (sign * dt * f * mean - slope)
        transport = np.sqrt((along * along + mean * mean).astype(np.float32)).astype(np.float64)
        squared = depth * depth
        with np.errstate(invalid="ignore"):
            stepped = forced * squared / (squared + dt * self.s.physics.drag * transport)
        return np.where(face > 0, stepped, 0.0)

    def step(self, number: int) -> None:
        dt, grid = self.s.time.step, self.s.grid
        for axis in ((1, 0), (0, 1)) if number % 2 == 0 else ((0, 1), (1, 0)):
            if axis == (1, 0):
                self.x = self.momentum(self.x, self.y, self.face_x, axis)
            else:
                self.y = self.momentum(self.y, self.x, self.face_y, axis)
        self.level = self.level - (
            dt / grid.spacing_x * (self.x - neighbour(self.x, -1, 0))
            + dt / grid.spacing_y * (self.y - neighbour(self.y, 0, -1))
        )
        angle = 2 * np.pi / 43200.0 * ((number + 1) * dt)
        self.level[:, -1] = np.where(self.depth[:, -1] > 0, self.north * np.sin(angle), 0.0)


def test_kernels_follow_the_specification(make_sea: MakeSea) -> None:
    """200 steps with an island, unequal spacings and strong friction."""
    wet = np.ones((47, 41), dtype=bool)
    wet[12:20, 15:26] = False
    wet[0:5, -1] = False
    sea = make_sea(
        "kelvin-small",
        "grid.spacing_y=8000.0",
        "physics.drag=0.05",
        "tide.north.phase=[[0.0]]",
        "tide.north.amplitude=[[0.0]]",
        wet=wet,
    )
    slow = Specification(sea.settings, np.where(wet, 60.0, 0.0), np.zeros(47))
    start = np.random.default_rng(3).uniform(-1.0, 1.0, wet.shape) * wet  # m
    sea.put(start, 0.0 * start, 0.0 * start)
    slow.level = start.copy()
    for number in range(200):
        slow.step(number)
    sea.run.advance(200)
    sea.run.check_state()
    assert np.abs(sea.x).max() > 0.1
    assert np.array_equal(sea.level, slow.level)
    assert np.array_equal(sea.x, slow.x)
    assert np.array_equal(sea.y, slow.y)


def test_tide_follows_the_specification(make_sea: MakeSea) -> None:
    """The case kelvin-small as it is shipped, up to the rounding of its sine."""
    sea = make_sea("kelvin-small")
    slow = Specification(sea.settings, np.full((47, 41), 60.0), np.full(47, 0.5))
    for number in range(300):
        slow.step(number)
    sea.run.advance(300)
    assert np.abs(sea.level).max() > 0.4
    np.testing.assert_allclose(sea.level, slow.level, rtol=0, atol=1e-13)
    np.testing.assert_allclose(sea.y, slow.y, rtol=0, atol=1e-11)
