"""The common parts of the texts of several kinds: a headline, and numbers behind a name."""

from __future__ import annotations

import re

from lapwing.base.error import UserError, user_error
from lapwing.partition.layouts.layout import Layout


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
