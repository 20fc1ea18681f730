"""Faces of a grid, such as a cubed sphere's, and what other packages say of their connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from lapwing.base.error import UserError, user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import cubed_sphere as cubed_sphere

_INT_MAX = 2**31 - 1
_SIDES = ("west", "east", "south", "north")  # lower and upper end of x, then of y


class Faces(_core.Faces):
    """Equal faces of a grid, side by side along x, and which of their sides meet.

    Local. `count`: number of faces, which `connect` then connects. Raises UserError for less than
    one.
    """

    def __init__(self, count: int) -> None:
        """Make faces without connections."""
        super().__init__(whole_number("faces of a grid", count, 1, _INT_MAX))

    @classmethod
    def from_xgcm(
        cls, face_connections: Mapping[str, Any], axes: Sequence[str] = ("X", "Y")
    ) -> Self:
        """Faces connected as the dictionary `face_connections` of an xgcm.Grid says.

        Local. `face_connections`: {dimension: {face: {axis: (left, right)}}}, where a link is None
        or (face, axis, reverse); `axes`: the names of x and y. Links across an axis run as xgcm
        pads them: along the sides indices rise together, except where the axes differ and `reverse`
        is false. Raises UserError for faces that are not numbered from 0, a link that does not lead
        back, and another form.
        """
        count, links = _links_of(face_connections, axes)
        faces = cls(count)
        for here, (there, reversed_) in links.items():
            if links.get(there) != (here, reversed_):
                raise user_error(
                    f"face_connections: {_name(here)}",
                    f"a link to {_name(there)} that does not lead back",
                    "the same link from both sides",
                    "give the other side the face, axis and reverse of this one",
                )
            if here < there:
                faces.connect(here[0], _SIDES[here[1]], there[0], _SIDES[there[1]], reversed_)
        return faces


_Place = tuple[int, int]  # a face, and the number of a side


def _name(place: _Place) -> str:
    return f"{_SIDES[place[1]]} of face {place[0]}"


def _links_of(
    given: Mapping[str, Any], axes: Sequence[str]
) -> tuple[int, dict[_Place, tuple[_Place, bool]]]:
    """The number of faces; for each connected side the one that it meets, and if that runs back."""
    links: dict[_Place, tuple[_Place, bool]] = {}
    names = list(axes)
    try:
        ((_, faces),) = given.items()
        if sorted(faces) != list(range(len(faces))):
            got = ", ".join(map(repr, faces))
            raise user_error("faces of face_connections", got, "numbers from 0", "number them so")
        for face, of_axis in faces.items():
            for axis, ends in of_axis.items():
                for end, link in enumerate(ends):
                    if link is None:
                        continue
                    other, other_axis, same_end = link
                    here = (face, 2 * names.index(axis) + end)
                    there = (other, 2 * names.index(other_axis) + (end if same_end else 1 - end))
                    links[here] = there, axis != other_axis and not same_end
    except (AttributeError, TypeError, ValueError) as problem:
        if isinstance(problem, UserError):
            raise
        raise user_error(
            "face_connections",
            str(problem),
            f"{{dimension: {{face: {{axis: (left, right)}}}}}} with axes {' and '.join(names)}",
            "pass what xgcm.Grid takes, and name its axes of x and y in `axes`",
        ) from None
    if not links:
        raise user_error("face_connections", "no links", "at least one", "connect some faces")
    return len(faces), links
