"""Rows of a map in blocks, so that a file of a large one needs no second copy in memory."""

from __future__ import annotations

from collections.abc import Iterator

_CELLS = 2**20  # size of a block, which is a chunk of the file too


def rows_at_once(size: tuple[int, ...]) -> int:
    """Return how many rows of a map of `size` (nx, ny) a block has, at least one. Local."""
    return max(1, min(size[1], _CELLS // max(1, size[0])))


def row_blocks(size: tuple[int, ...]) -> Iterator[slice]:
    """Yield the rows along y of a map of `size` (nx, ny), a block after the other. Local."""
    step = rows_at_once(size)
    for first in range(0, size[1], step):
        yield slice(first, min(first + step, size[1]))
