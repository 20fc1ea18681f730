"""Chunks of maps: the parts of a record that are stored together."""

from __future__ import annotations

import math
from collections.abc import Sequence

COMPRESSED = 1 << 20  # bytes of a chunk before compression, about
PLAIN = 1 << 22  # bytes of a chunk that is a file of its own, about


def map_chunk(sizes: Sequence[int], value_bytes: int, most: int = COMPRESSED) -> list[int]:
    """The part of a record of `sizes` ([levels,] y, x) that is stored together. Local.

    It has as many layers as fit in `most` bytes; a larger layer is cut into even shares of its
    rows.
    """
    *levels, rows, columns = (max(1, size) for size in sizes)
    layer = rows * columns * value_bytes
    if layer > most:
        rows = math.ceil(rows / math.ceil(layer / most))
    fit = max(1, most // layer)
    return [*(min(level, fit) for level in levels), rows, columns]
