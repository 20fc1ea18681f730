"""Tables in Markdown, printed row by row while programs measure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def row(cells: Sequence[str]) -> str:
    """A row of a table. Local."""
    return f"| {' | '.join(cells)} |"


def print_row(*cells: str) -> None:
    """Print a row at once. Local."""
    print(row(cells), flush=True)


def print_head(*headings: str) -> None:
    """Print the first two lines of a table. Local."""
    print_row(*headings)
    print_row(*["---"] * len(headings))


def print_errors(name: str, off: Sequence[float]) -> None:
    """Print how far off predictions are, shares of what they predict. Local."""
    found = [abs(one) for one in off]
    print(f"{name}: off by {median(found):.1%} in the median, {max(found):.1%} at worst")
