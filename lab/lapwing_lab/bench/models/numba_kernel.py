"""The kernel of the method `numba`: rows that the compiler vectorises.

Numbers that are computed on the way are rows in a buffer, two of each: of j and of j - 1. Every
loop writes one row, or two, and reads few: where they are many, the compiler gives up proving that
they do not overlap, and leaves the loop as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from lapwing import row
from numba import njit

from lapwing_lab.bench.models.python_methods import Numbers

TILE = 480  # cells of a row at a time, so that all rows of the buffer stay in the nearest cache
U, V, TOTAL, EAST, NORTH, Q, ENERGY, NOW, ROWS = *range(0, 14, 2), 14, 15  # of the buffer

Function = TypeVar("Function", bound=Callable[..., None])


def compiled(function: Function) -> Function:
    """Compile a function, with division that does not test for zero. Local."""
    made: Function = njit(error_model="numpy")(function)
    return made


def numba_kernel(numbers: Numbers) -> Callable[..., None]:
    """The kernel, to be compiled with these numbers in it. Local."""
    rows, friction, zero, one = numbers.rows, numbers.friction, numbers.zero, numbers.one
    gravity_x, gravity_y = numbers.gravity_x, numbers.gravity_y
    per_dx, per_dy, half = numbers.per_dx, numbers.per_dy, numbers.half
    half_x, half_y = half * per_dx, half * per_dy
    quarter_x, quarter_y = numbers.quarter * per_dx, numbers.quarter * per_dy
    first_coriolis, beta_dy = numbers.coriolis, numbers.beta_dy
    dt, now, before = numbers.dt, numbers.now, numbers.before
    real = type(friction)

    @compiled
    def with_friction(south: Any, here: Any, north: Any, out: Any, j: int, keep: Any) -> None:
        to_south = friction if j > 0 else zero
        to_north = friction if j < rows - 1 else zero
        for i in range(out.size):
            along = friction * ((here[i + 2] - here[i + 1]) - (here[i + 1] - here[i]))
            across = to_north * (north[i + 1] - here[i + 1]) - to_south * (
                here[i + 1] - south[i + 1]
            )
            out[i] = keep * (here[i + 1] + (along + across))

    @compiled
    def sums(h: Any, out: Any) -> None:
        for i in range(out.size - 1):
            out[i] = h[i] + h[i + 1]

    @compiled
    def products(a: Any, b: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = a[i] * b[i]

    @compiled
    def northward(h_south: Any, h: Any, v_south: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = (h_south[i] + h[i]) * v_south[i]

    @compiled
    def energies(u: Any, v: Any, v_south: Any, out: Any) -> None:
        for i in range(1, out.size):
            out[i] = (u[i] * u[i] + u[i - 1] * u[i - 1]) + (v[i] * v[i] + v_south[i] * v_south[i])

    @compiled
    def vorticities(
        v_south: Any, u: Any, u_south: Any, total_south: Any, total: Any, coriolis: Any, out: Any
    ) -> None:
        for i in range(out.size - 1):
            turning = (v_south[i + 1] - v_south[i]) * per_dx - (u[i] - u_south[i]) * per_dy
            out[i] = (coriolis + turning) / (total_south[i] + total[i])

    @compiled
    def changes_of_h(east: Any, north_south: Any, north: Any, out: Any) -> None:
        for i in range(1, out.size - 1):
            out[i] = (east[i - 1] - east[i]) * half_x + (north_south[i] - north[i]) * half_y

    @compiled
    def changes_of_u(
        q: Any, q_south: Any, north: Any, north_south: Any, h: Any, energy: Any, out: Any
    ) -> None:
        for i in range(1, out.size - 1):
            turned = half * (
                q[i] * (north[i] + north[i + 1])
                + q_south[i] * (north_south[i] + north_south[i + 1])
            )
            pushed = turned - gravity_x * (h[i + 1] - h[i])
            out[i] = pushed - quarter_x * (energy[i + 1] - energy[i])

    @compiled
    def changes_of_v(
        q: Any, east: Any, east_n: Any, h: Any, h_n: Any, energy: Any, energy_n: Any, out: Any
    ) -> None:
        for i in range(1, out.size - 1):
            turned = half * (
                q[i] * (east[i] + east_n[i]) + q[i - 1] * (east[i - 1] + east_n[i - 1])
            )
            pushed = -turned - gravity_y * (h_n[i] - h[i])
            out[i] = pushed - quarter_y * (energy_n[i] - energy[i])

    @compiled
    def step_forward(flow: Any, change: Any, old: Any, new: Any, keep: Any) -> None:
        for i in range(new.size):
            new[i] = keep * (flow[i] + dt * (now * change[i + 1] + before * old[i]))
            old[i] = change[i + 1]

    @compiled
    def sweep(
        box: Any,
        h: Any,
        u: Any,
        v: Any,
        dh: Any,
        du: Any,
        dv: Any,
        new_h: Any,
        new_u: Any,
        new_v: Any,
    ) -> None:
        lo, _ = box
        columns, count = new_h.shape
        buffer = np.zeros((ROWS, min(columns, TILE) + 2), dtype=real)
        for i0 in range(0, columns, TILE):
            width = min(TILE, columns - i0)
            # rows of the buffer and of h begin a cell before the first one, those of u and v two
            for n in range(-1, count + 1):
                j = lo[1] + n
                here, there = j & 1, 1 - (j & 1)
                keep = zero if j < 0 or j >= rows - 1 else one  # at walls
                depth = row(h, min(max(j, 0), rows - 1) - lo[1] + 1)[i0 : i0 + width + 2]
                flow_u, flow_v = buffer[U + here, : width + 2], buffer[V + here, : width + 2]
                total = buffer[TOTAL + here, : width + 2]
                a, b, c = row(u, n + 1), row(u, n + 2), row(u, n + 3)
                last = i0 + width + 4
                with_friction(a[i0:last], b[i0:last], c[i0:last], flow_u, j, one)
                a, b, c = row(v, n + 1), row(v, n + 2), row(v, n + 3)
                with_friction(a[i0:last], b[i0:last], c[i0:last], flow_v, j, keep)
                sums(depth, total)
                if n < 0:
                    continue
                v_south, u_south = buffer[V + there, : width + 2], buffer[U + there, : width + 2]
                h_south = row(h, min(max(j - 1, 0), rows - 1) - lo[1] + 1)[i0 : i0 + width + 2]
                east, energy = buffer[EAST + here, : width + 2], buffer[ENERGY + here, : width + 2]
                north, q = buffer[NORTH + there, : width + 2], buffer[Q + there, : width + 2]
                products(total, flow_u, east)
                northward(h_south, depth, v_south, north)
                energies(flow_u, flow_v, v_south, energy)
                coriolis = first_coriolis + real(j - 1) * beta_dy
                total_south = buffer[TOTAL + there, : width + 2]
                vorticities(v_south, flow_u, u_south, total_south, total, coriolis, q)
                if n == 0:
                    continue
                # the row before is complete: south of it lies what was `here` before the last turn
                keep = zero if j - 1 >= rows - 1 else one
                change = buffer[NOW, : width + 2]
                cells = slice(i0, i0 + width)
                north_south, q_south = (
                    buffer[NORTH + here, : width + 2],
                    buffer[Q + here, : width + 2],
                )
                east_s, energy_s = (
                    buffer[EAST + there, : width + 2],
                    buffer[ENERGY + there, : width + 2],
                )
                changes_of_h(east_s, north_south, north, change)
                step_forward(
                    h_south[1 : width + 1],
                    change,
                    row(dh, n - 1)[cells],
                    row(new_h, n - 1)[cells],
                    one,
                )
                changes_of_u(q, q_south, north, north_south, h_south, energy_s, change)
                step_forward(
                    u_south[1 : width + 1],
                    change,
                    row(du, n - 1)[cells],
                    row(new_u, n - 1)[cells],
                    one,
                )
                changes_of_v(q, east_s, east, h_south, depth, energy_s, energy, change)
                step_forward(
                    v_south[1 : width + 1],
                    change,
                    row(dv, n - 1)[cells],
                    row(new_v, n - 1)[cells],
                    keep,
                )

    return sweep
