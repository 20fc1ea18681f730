"""Solid cells: packings of spheres, and masks from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from lapwing.base.error import user_error
from numpy.typing import NDArray

from lapwing_lattice.settings import LatticeSettings

Mask = NDArray[np.bool_]

_TRIES = 20_000  # places at most that are tried for a packing


def make_solid(settings: LatticeSettings, folder: Path) -> Mask | None:
    """Return which cells [nx, ny, nz] are solid, None where none is. Local.

    UserError for a mask that cannot be read, is of another shape than the grid, or leaves no fluid.
    """
    obstacle, size = settings.obstacle, settings.grid.size
    if obstacle.shape == "none":
        return None
    solid = (
        _read(folder / obstacle.file, size)
        if obstacle.file is not None
        else sphere_packing(
            size, obstacle.radius, obstacle.solid, obstacle.seed, settings.sides.periodic
        )
    )
    if solid.all():
        raise user_error("obstacle", "no fluid cell", "at least one", "fix the mask")
    return solid


def sphere_packing(
    size: tuple[int, int, int],
    radius: float,
    share: float,
    seed: int,
    periodic: tuple[bool, bool, bool],
) -> Mask:
    """Return a packing of spheres that do not overlap: places at random, kept where there is room.

    Local; the same for the same arguments everywhere. It ends when `share` of the grid is solid, or
    when many places in a row were taken. Spheres reach through axes that close on themselves.
    """
    random = np.random.default_rng(seed)
    lengths = np.array(size, dtype=np.float64)
    centres: list[NDArray[np.float64]] = []
    solid = np.zeros(size, dtype=np.bool_)
    wanted = share * solid.size
    filled = 0
    for _ in range(_TRIES):
        if filled >= wanted:
            break
        place = random.random(3) * lengths
        if all(_squared(place - other, lengths, periodic) >= 4 * radius**2 for other in centres):
            centres.append(place)
            _fill(solid, place, radius, periodic)
            filled = int(solid.sum())
    return solid


def _squared(
    apart: NDArray[np.float64], lengths: NDArray[np.float64], periodic: tuple[bool, bool, bool]
) -> float:
    nearest = np.where(periodic, apart - lengths * np.round(apart / lengths), apart)
    return float((nearest**2).sum())


def _fill(
    solid: Mask, place: NDArray[np.float64], radius: float, periodic: tuple[bool, bool, bool]
) -> None:
    """Make the cells solid whose centres are in a sphere."""
    parts = []
    for axis, size in enumerate(solid.shape):
        apart = np.arange(size) + 0.5 - place[axis]
        if periodic[axis]:
            apart -= size * np.round(apart / size)
        parts.append(apart**2)
    x, y, z = np.ix_(*parts)
    solid |= x + y + z < radius**2


def _read(path: Path, size: tuple[int, int, int]) -> Mask:
    try:
        mask = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as problem:
        raise user_error(
            f"obstacle.file {path}", str(problem), "a NumPy file (.npy)", "fix it"
        ) from None
    if mask.shape != size:
        raise user_error(
            f"obstacle mask {path.name}",
            f"the shape {mask.shape}",
            f"{size}, that of the grid",
            "make the mask for this grid, or change grid.cells_x, cells_y, cells_z",
        )
    return np.asarray(mask != 0)
