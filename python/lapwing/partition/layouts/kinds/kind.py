"""One kind of layout file: how its model cuts, drops, reads and writes; and what kinds share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.partition.layouts.layout import Edges, Layout

Wet = NDArray[np.bool_]


class Kind(ABC):
    """The rules by which one model cuts and drops blocks, and its file. All methods are local."""

    name: str  # in KINDS
    model: str  # as its owners write it
    halo_name = ""  # the model's name of the width of its halo, with a blank behind it
    cut_rule = "a number of blocks that the model makes"
    cut_remedy = ""  # another way out, where the number of blocks must stay
    ring = 0  # cells along each edge of the mask that no block owns
    unseen = 0  # cells along each edge of the mask whose water keeps no block

    def width(self, halo: int) -> int:
        """Return the width of the model's halo if `halo` cells are requested."""
        return halo

    def least(self, halo: int) -> int:
        """Return the cells that the smallest block must have along each axis."""
        return max(1, halo)

    def narrowest(self, sizes: list[int]) -> int:
        """Return the size that must not be below `least`."""
        return min(sizes)

    def makes(self, cells: int, blocks: int, halo: int) -> bool:
        """True where the model can cut an axis of the mask into these blocks."""
        inner = cells - 2 * self.ring
        sizes = self.sizes(inner, blocks) if 1 <= blocks <= inner else []
        return bool(sizes) and self.narrowest(sizes) >= self.least(self.width(halo))

    @abstractmethod
    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Return the sizes of the blocks along an axis; none if the model makes no such cut."""

    def rim(self, halo: int) -> tuple[int, int]:
        """Return how many cells along x and y around a dropped block must be dry too."""
        return 1, 1

    def check(self, wet: Wet) -> None:  # noqa: B027 - most models take any mask
        """Refuse a mask that the model takes for a periodic grid."""

    def drops(self, dry: Wet) -> Wet:
        """Return which of the dry blocks [i, j] the model leaves out."""
        return dry

    @abstractmethod
    def write(self, path: Path, layout: Layout, edges: Edges, wet: Wet) -> None:
        """Write the file."""

    @abstractmethod
    def read(self, path: Path, subject: str) -> Layout:
        """Read a file; UserError for what the model would not accept."""


class TextKind(Kind):
    """A kind whose file is a text."""

    @abstractmethod
    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the lines of the file."""

    @abstractmethod
    def parse(self, text: str, subject: str) -> Layout:
        """Return the layout in a text; UserError with what is wrong."""

    def write(self, path: Path, layout: Layout, edges: Edges, wet: Wet) -> None:
        """Write the lines."""
        path.write_text("".join(f"{line}\n" for line in self.lines(layout, edges)))

    def read(self, path: Path, subject: str) -> Layout:
        """Read the text and parse it."""
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as problem:
            expected = f"a file for {self.name}"
            raise user_error(subject, str(problem), expected, "correct the name") from None
        return self.parse(text, subject)


def near_equal(cells: int, blocks: int) -> list[int]:
    """Return sizes that differ by at most one, the larger ones first."""
    small, larger = divmod(cells, blocks)
    return [small + 1] * larger + [small] * (blocks - larger)


def short_last(cells: int, blocks: int) -> list[int]:
    """Return equal sizes and what is left for the last block, which may be none."""
    size = -(-cells // blocks)
    return [size] * (blocks - 1) + [cells - size * (blocks - 1)]


def land_list(layout: Layout, edges: Edges) -> Iterator[str]:
    """Yield a line for each dropped block: its position and its cells, all counted from 1."""
    x, y = edges
    for i, j in layout.dropped:
        yield f"! {i + 1} {j + 1}  {x[i] + 1}-{x[i + 1]}  {y[j] + 1}-{y[j + 1]}"


def headline(layout: Layout) -> str:
    """One line that says all numbers of a layout, for a comment in its file. Local."""
    assert layout.size is not None
    (nx, ny), (m, n) = layout.size, layout.blocks
    return (
        f"{nx} x {ny} cells in {m} x {n} blocks, {len(layout.dropped)} of them dropped: "
        f"{layout.ranks} ranks; halo {layout.halo}"
    )


_HEADLINE = re.compile(r"(\d+) x (\d+) cells in \d+ x \d+ blocks.*; halo (\d+)")


def told(text: str) -> tuple[tuple[int, int] | None, int | None]:
    """Return the size and the halo that the headline says, where a text has one. Local."""
    found = _HEADLINE.search(text)
    if found is None:
        return None, None
    return (int(found[1]), int(found[2])), int(found[3])


def wrong_file(subject: str, got: str, expected: str) -> UserError:
    """Return the error about a layout file that its model would not accept. Local."""
    return user_error(subject, got, expected, "write the file again, or name the model it is for")


def numbers_after(pattern: str, text: str, subject: str, what: str) -> list[int]:
    """Return the numbers in the groups of a pattern. Local; UserError where it is not found."""
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise wrong_file(subject, f"no {what}", "it, as a whole number")
    return [int(number) for number in found.groups()]
