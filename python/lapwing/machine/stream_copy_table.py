"""Memory bandwidth as a table: the report's table 2, with a column for every method."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from lapwing.machine.stream_copy import STREAMS, CopyTimes


def copy_table(copies: Sequence[CopyTimes]) -> Table:
    """Bandwidth of a node by streams and processes, as the report's table 2, per method. Local."""
    methods = list(dict.fromkeys(copy.method for copy in copies))
    table = Table(
        title="Memory bandwidth of a node, GB/s: median (least-largest)",
        caption="A copy of N bytes counts as 3 N: what is written is read first. nontemporal: 2 N, "
        "as its stores pass the caches.",
    )
    table.add_column("streams per\nprocess", no_wrap=True)
    table.add_column("processes\nper node", justify="right")
    for method in methods:
        table.add_column(method, justify="right", no_wrap=True)
    rows = dict.fromkeys((copy.processes, copy.streams) for copy in copies)
    found = {(copy.processes, copy.streams, copy.method): copy for copy in copies}
    for processes, streams in sorted(rows, key=lambda row: (row[0], STREAMS[row[1]])):
        cells = [_bandwidth(found[processes, streams, method]) for method in methods]
        table.add_row("2 x 19" if streams == "2x19" else streams, str(processes), *cells)
    return table


def _bandwidth(copy: CopyTimes) -> str:
    low, high = copy.spread
    return f"{copy.bandwidth / 1e9:.1f} ({low / 1e9:.0f}-{high / 1e9:.0f})"
