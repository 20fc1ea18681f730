"""A small map that tests of layouts share."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# [y, x] with the north at the top, as on a map: 8 x 6 cells, land in the west and north-east
MAP = """\
....####
....####
...#####
########
...#####
....####
"""


def map_of(text: str) -> Array:
    """The wet cells [nx, ny] of a map whose first line is the north."""
    rows = [[character == "#" for character in line] for line in text.split()]
    return np.array(rows[::-1]).T
