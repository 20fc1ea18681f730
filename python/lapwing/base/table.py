"""Readable tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

PLAIN: dict[str, Any] = {"box": None, "pad_edge": False, "padding": (0, 2, 0, 0)}  # no lines


def make_table(
    words: Sequence[str], numbers: Sequence[str], *, no_wrap: bool = True, **look: Any
) -> Table:
    """An empty table with columns of text, then of numbers; `look`: as for rich's Table. Local.

    Without `no_wrap` headings and numbers may take several lines.
    """
    table = Table(**look)
    for heading in words:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=no_wrap)
    return table
