"""A walker on the faces of a grid: the slow reference of halos between faces.

Points are counted in half cells of their face, and the walker crosses one side at a time.
"""

from typing import Any, NamedTuple

import numpy as np
from lapwing import FieldSpec
from lapwing.core._core import Faces
from numpy.typing import NDArray

SIDES = ["west", "east", "south", "north"]
SWAPPED = {"xface": "yface", "yface": "xface"}


class Place(NamedTuple):
    """A point of a face, and the directions along which x and y of the start run there."""

    face: int
    at: tuple[int, int]
    along: tuple[tuple[int, int], tuple[int, int]] = ((1, 0), (0, 1))


class Surface:
    """`n` x `n` cells on each face."""

    def __init__(self, faces: Faces, n: int) -> None:
        self.n = n
        self.links: dict[tuple[int, int], tuple[int, int, bool]] = {}
        for face, side, other, other_side, reversed_ in faces.connections:
            here, there = SIDES.index(side), SIDES.index(other_side)
            self.links[face, here] = (other, there, reversed_)
            self.links[other, there] = (face, here, reversed_)

    def find(self, face: int, i: int, j: int, location: str) -> Place | None:
        """Where a value of cell (i, j) around a face has its owner; None if nowhere."""
        right, up = location in ("xface", "corner"), location in ("yface", "corner")
        return self._owned(Place(face, (2 * i + 1 + right, 2 * j + 1 + up)), 4)

    def _owned(self, place: Place, sides: int) -> Place | None:
        out = [axis for axis in (0, 1) if not 0 < place.at[axis] <= 2 * self.n]
        if not out:
            return place
        ways = [self._crossed(place, axis, sides) for axis in out] if sides else [None]
        same = all(way and way[:2] == (ways[0] or way)[:2] for way in ways)
        return ways[0] if same else None

    def _crossed(self, place: Place, axis: int, sides: int) -> Place | None:
        upper = place.at[axis] > 2 * self.n
        link = self.links.get((place.face, 2 * axis + upper))
        if link is None:
            return None
        face, side, reversed_ = link
        into, from_upper = side // 2, side % 2 == 1
        distance = place.at[axis] - 2 * self.n if upper else -place.at[axis]
        along = place.at[1 - axis]
        at, turned = [0, 0], [[0, 0], [0, 0]]
        at[into] = 2 * self.n - distance if from_upper else distance
        at[1 - into] = 2 * self.n - along if reversed_ else along
        for a in (0, 1):
            turned[a][into] = place.along[a][axis] * (-1 if upper == from_upper else 1)
            turned[a][1 - into] = place.along[a][1 - axis] * (-1 if reversed_ else 1)
        x, y = ((one[0], one[1]) for one in turned)
        return self._owned(Place(face, (at[0], at[1]), (x, y)), sides - 1)

    def column(self, place: Place) -> tuple[int, int]:
        """The column of the grid, in which faces lie side by side."""
        return place.face * self.n + (place.at[0] - 1) // 2, (place.at[1] - 1) // 2


def filled_around_face(
    surface: Surface,
    face: int,
    spec: FieldSpec,
    own: NDArray[Any],
    other: NDArray[Any],
    width: int,
) -> NDArray[np.float64]:
    """A face with its halo: `own` and `other` [i, j, ...] are the whole fields of a pair.

    NaN where nothing comes.
    """
    n, axis = surface.n, 1 if spec.name == spec.pair[1] else 0
    around = np.full((n + 2 * width, n + 2 * width, *own.shape[2:]), np.nan)
    for i in range(-width, n + width):
        for j in range(-width, n + width):
            place = surface.find(face, i, j, spec.location)
            if place is None:
                continue
            from_other = spec.pair[0] and place.along[axis][axis] == 0
            sign = sum(place.along[axis]) if spec.vector else 1
            whole = other if from_other else own
            around[i + width, j + width] = sign * whole[surface.column(place)]
    return around
