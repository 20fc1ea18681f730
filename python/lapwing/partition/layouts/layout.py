"""A layout: the blocks of a grid, and which of them get no rank."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lapwing.base.error import UserError, user_error

Edges = tuple[list[int], list[int]]  # along x and y: first cells of the blocks, and the end


@dataclass(frozen=True)
class Layout:
    """Blocks of a grid, and which of them get no rank."""

    kind: str  # one of KINDS
    size: tuple[int, int] | None  # cells along x and y; None: the file does not say
    blocks: tuple[int, int]  # along x and y; (0, 0): the file does not say
    dropped: tuple[tuple[int, int], ...]  # block positions (i, j) from 0, x first
    halo: int  # width of the model's halo, cells

    @property
    def ranks(self) -> int:
        """Processes to start: one for every block that is left; 0 where the file does not say."""
        return self.blocks[0] * self.blocks[1] - len(self.dropped)


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
