"""Separate waters of a mask: seas, lakes and ponds, between which no halo travels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 1 << 27  # cells of a mask whose waters are counted, in one or two seconds
_STRIP = 1 << 23  # cells that are labelled at once: 32 MB of labels


@dataclass(frozen=True)
class Waters:
    """Counts of the waters of a mask; cells of one water meet over faces."""

    count: int
    largest: int  # wet cells

    def text(self, wet: int) -> str:
        """Return the sentence for a table about a mask of `wet` wet cells. Local."""
        if self.count == 1:
            return "one body of water"
        share = f"{100 * self.largest / wet:.3g} %"
        return (
            f"{self.count:,} separate waters, the largest holds {share} of the wet cells; "
            "masks of `lapwing mask --connected` leave out waters that touch no side"
        )


def waters_of(wet: NDArray[np.bool_]) -> Waters | None:
    """Count the waters of a mask [nx, ny]; None for more than `MOST` cells, which takes long.

    Local. Takes about a second for 80 million cells, and 0.1 GB besides the mask.
    """
    from scipy.sparse import coo_array  # here: they take a while to load
    from scipy.sparse.csgraph import connected_components

    if wet.size > MOST:
        return None
    sizes, meetings = [np.empty(0, dtype=np.int64)], [np.empty((2, 0), dtype=np.int64)]
    for counts, pairs in _strips(wet):
        sizes.append(counts)
        meetings.append(pairs)
    cells, (low, high) = np.concatenate(sizes), np.concatenate(meetings, axis=1)
    graph = coo_array((np.ones(len(low), dtype=np.bool_), (low, high)), shape=(len(cells),) * 2)
    count, water = connected_components(graph, directed=False)
    return Waters(int(count), int(np.bincount(water, weights=cells).max(initial=0)))


def _strips(wet: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Cells of each piece of water in a strip of the mask, and pairs with pieces before it.

    Pieces are numbered through all strips.
    """
    from scipy.ndimage import label

    rows = wet.T  # in the order of memory, as a rule
    begin = 0
    behind = np.zeros(rows.shape[1], dtype=np.int64)  # 1 + the number of a piece, 0 on land
    step = max(1, _STRIP // max(1, rows.shape[1]))
    for first in range(0, len(rows), step):
        found, count = label(rows[first : first + step])
        ahead = np.where(found[0] > 0, found[0] + begin, 0)
        meet = (behind > 0) & (ahead > 0)
        pairs = np.unique(np.stack([behind[meet], ahead[meet]]) - 1, axis=1)
        yield np.bincount(found.ravel(), minlength=count + 1)[1:], pairs
        behind = np.where(found[-1] > 0, found[-1].astype(np.int64) + begin, 0)
        begin += count
