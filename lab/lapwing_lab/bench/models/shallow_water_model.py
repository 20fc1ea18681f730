"""The flow that the model begins with: a jet in balance, and a small disturbance.

u is 10 m/s in the middle of the channel, and falls off with the distance from it as exp(-(y/l)^2).
The depth follows from f u = -g dh/dy, summed row by row, and is 100 m in the mean.
"""

from __future__ import annotations

import numpy as np
from lapwing.core.partition import Box
from numpy.typing import NDArray

from lapwing_lab._core import ShallowModel

Array = NDArray[np.float64]

JET = 10.0  # m/s
JET_WIDTH = 0.02  # of the length of the grid
DISTURBANCE = 0.2  # m
WAVES = (5, 4)  # of the disturbance along x and y


def first_flow(model: ShallowModel, box: Box) -> tuple[Array, Array, Array]:
    """h, u and v [m, m/s, m/s] of a box, x fastest. Local."""
    columns, rows = (np.arange(box.lo[a], box.hi[a]) for a in (0, 1))
    length_x, length_y = ((n - 1) * model.spacing for n in (model.nx, model.ny))
    height, jet = _balanced(model, length_x, length_y)
    shape = (rows.size, columns.size)
    along = np.sin(columns * model.spacing / length_x * 2 * WAVES[0] * np.pi)
    across = np.cos(rows * model.spacing / length_y * 2 * WAVES[1] * np.pi)
    h = height[rows + 1][:, None] + DISTURBANCE * across[:, None] * along[None, :]
    u = np.broadcast_to(jet[rows + 1][:, None], shape)
    return tuple(np.ascontiguousarray(one).ravel() for one in (h, u, np.zeros(shape)))  # type: ignore[return-value]


def _balanced(model: ShallowModel, length_x: float, length_y: float) -> tuple[Array, Array]:
    """Depth and u of each row, with one more beyond either wall."""
    y = np.arange(-1, model.ny + 1) * model.spacing
    u = JET * np.exp(-(((y - 0.5 * length_y) / (JET_WIDTH * length_x)) ** 2))
    slope = -u * (model.coriolis + y * model.beta) / model.gravity
    height = np.cumsum(slope * model.spacing)
    return model.depth + height - height.mean(), u
