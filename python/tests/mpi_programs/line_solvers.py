"""Helmholtz equations and implicit diffusion on BLOCKS; prints bits, and how far they are off.

Lines: what, ends, checksum of the result and, on one rank, the largest error relative to its size.
"""

from __future__ import annotations

import itertools
import os
import zlib

import numpy as np
from lapwing import Domain, Field, block_partition
from lapwing.core.partition import Grid
from lapwing.core.solvers.helmholtz import Helmholtz
from lapwing.core.solvers.implicit_diffusion import ImplicitDiffusion
from lapwing.core.solvers.line_transform import Ends
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIZE, LEVELS, SPACING = (19, 14), 6, (3.0, 2.0)
SHIFT = 0.01 * np.arange(1, LEVELS + 1) ** 2
STRENGTH = 2.0 * np.arange(1, LEVELS + 1)


def difference(points: int, ends: Ends, spacing: float) -> Array:
    """Minus the second difference as a matrix."""
    matrix = 2.0 * np.eye(points) - np.eye(points, k=1) - np.eye(points, k=-1)
    if ends == "periodic":
        matrix[0, -1] = matrix[-1, 0] = -1.0
    if ends == "neumann":
        matrix[0, 0] = matrix[-1, -1] = 1.0
    return matrix / spacing**2


def dense(ends: tuple[Ends, Ends]) -> Array:
    """Minus the sum of second differences of all cells [x, y] of a level."""
    along_x, along_y = (difference(SIZE[a], ends[a], SPACING[a]) for a in (0, 1))
    sizes = [np.eye(n) for n in SIZE]
    return np.kron(along_x, sizes[1]) + np.kron(sizes[0], along_y)


def filled(domain: Domain, name: str, values: Array) -> Field:
    field = domain.field(name, levels=LEVELS, halo=2, order="xzy")
    fill(domain, field, values)
    return field


def fill(domain: Domain, field: Field, values: Array) -> None:
    for box in domain.boxes:
        field[box] = values[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]


def error(found: Array, right: Array, matrices: list[Array]) -> float:
    """The error of systems of all levels, relative to the solution of a dense solver."""
    worst = 0.0
    for level, matrix in enumerate(matrices):
        expected = np.linalg.solve(matrix, right[..., level].ravel()).reshape(SIZE)
        worst = max(
            worst, float(np.abs(found[..., level] - expected).max() / np.abs(expected).max())
        )
    return worst


def report(what: str, found: Array | None, right: Array, matrices: list[Array]) -> None:
    if found is not None:
        bits = zlib.crc32(np.ascontiguousarray(found).tobytes())
        off = f"{error(found, right, matrices):.1e}" if os.environ["BLOCKS"] == "1x1" else "-"
        print(f"{what}: {bits:08x} {off}", flush=True)


def main() -> None:
    px, py = (int(n) for n in os.environ["BLOCKS"].split("x"))
    domain = Domain(block_partition(Grid(SIZE), [px, py, 1]))
    right = np.random.default_rng(5).standard_normal((*SIZE, LEVELS))
    kinds: list[tuple[Ends, Ends]] = [
        ("periodic", "neumann"),
        ("dirichlet", "dirichlet"),
        ("neumann", "dirichlet"),
    ]
    for ends, (method, groups) in itertools.product(kinds, [("p2p", 1), ("shared", 2)]):
        whole, one = dense(ends), np.eye(SIZE[0] * SIZE[1])
        p = filled(domain, "p", right)
        solver = Helmholtz(p, SHIFT, SPACING, ends=ends, method=method, groups=groups)
        for _ in range(2):  # the second time from what the first one left in the memory of lines
            fill(domain, p, right)
            solver.solve()
        report(f"helmholtz {' '.join(ends)}", p.gather(), right, [s * one + whole for s in SHIFT])

        fields = [filled(domain, "t", right), filled(domain, "q", -right)]
        filtering = {"ends": ends, "method": method, "groups": groups}
        ImplicitDiffusion(fields, STRENGTH, SPACING, order=4, **filtering).apply()  # type: ignore[arg-type]
        filters = [one + s * whole @ whole for s in STRENGTH]
        report(f"diffusion {' '.join(ends)}", fields[0].gather(), right, filters)
        report(f"diffusion {' '.join(ends)}", fields[1].gather(), -right, filters)
    domain.close()


if __name__ == "__main__":
    main()
