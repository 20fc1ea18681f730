"""A probe as tables for people; the second and third are those of the report on coarrays."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lapwing.probe_links import LINKS
from lapwing.probe_mpi import medians
from lapwing.probe_overlap import Overlap
from lapwing.probe_request import ProbeRequest
from lapwing.probe_result import Probed
from lapwing.stream_copy import STREAMS, CopyTimes

WIDTH = 100  # columns

_CROWDED = "more ranks than cores on a node: waits let others run, and times mean little"


def print_probe(request: ProbeRequest, probed: Probed) -> None:
    """Print everything, then the files. Local."""
    console = Console(width=WIDTH, highlight=False)
    console.print(
        f"{probed.ranks} ranks on {probed.nodes} {'node' if probed.nodes == 1 else 'nodes'}, "
        f"{probed.traits['library']}"
    )
    if probed.traits["oversubscribed"]:
        console.print(f"note: {_CROWDED}")
    if probed.series:
        console.print(_links(probed))
    console.print(copy_table(probed.copies))
    if probed.overlaps:
        console.print(_overlaps(probed.overlaps))
    console.print(_calls(probed))
    console.print(_traits(probed))
    for name, reason in probed.skipped.items():
        console.print(f"skipped: {name}: {reason}", markup=False)
    for kind, file in (("TOML", request.out), ("JSON", request.json), ("PNG", request.picture)):
        if kind != "PNG" or probed.series:
            print(f"{kind:<5} {file}")


def copy_table(copies: Sequence[CopyTimes]) -> Table:
    """Bandwidth of a node by streams and processes, as the report's table 2, per method. Local."""
    methods = list(dict.fromkeys(copy.method for copy in copies))
    table = Table(
        title="Memory bandwidth of a node, GB/s: median (least-largest)",
        caption="A copy of N bytes counts as 3 N: what is written is read first. nontemporal: 2 N, "
        "as its stores pass the caches.",
    )
    table.add_column("streams\nper process", no_wrap=True)
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
    return f"{copy.bandwidth / 1e9:.1f} ({low / 1e9:.1f}-{high / 1e9:.1f})"


def _links(probed: Probed) -> Table:
    table = Table(
        title="Messages: latency L and bandwidth B",
        caption="ring: T = L + 2 N / B, B of both directions together; ping-pong: T = L + N / B, "
        "one way. misfit: median of |line / measured - 1|.",
    )
    for heading in ("link", "pattern", "way", "layout"):
        table.add_column(heading, no_wrap=True)
    for heading in ("L us", "B GB/s", "misfit"):
        table.add_column(heading, justify="right", no_wrap=True)
    before = ("", "")
    for (link, pattern, way, layout), fit in probed.fits.items():
        if (link, pattern) != before and before[0]:
            table.add_section()
        table.add_row(
            LINKS[link] if (link, pattern) != before else "",
            pattern if (link, pattern) != before else "",
            way,
            layout,
            f"{1e6 * fit.latency:.2f}",
            f"{fit.bandwidth / 1e9:.3g}",
            f"{100 * fit.misfit:.0f} %",
        )
        before = (link, pattern)
    return table


def _overlaps(overlaps: Sequence[Overlap]) -> Table:
    table = Table(
        title="Messages beside computing that takes as long, us per round of a ring",
        caption="GB/s: of the message, both directions, over the time of the round; where much is "
        "hidden they are alike alone and beside computing. hidden: share of the lesser of "
        "communication and computation. left: of the message after a pause without MPI.",
    )
    for heading in ("link", "way", "bytes"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "bytes" else "left")
    for heading in (
        *("comm", "comp", "both", "polled", "GB/s\nalone", "GB/s\nboth", "hidden"),
        *("hidden,\npolled", "left"),
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in overlaps:
        alone, both = one.seconds("communication"), one.seconds("both")
        modes = ("communication", "computation", "both", "polled")
        table.add_row(
            one.link,
            one.way,
            str(one.size),
            *(f"{1e6 * one.seconds(mode):.0f}" for mode in modes),
            *(f"{2 * one.size / seconds / 1e9:.2f}" for seconds in (alone, both)),
            *(f"{100 * one.hidden(mode):.0f} %" for mode in ("both", "polled")),
            f"{100 * one.left / alone:.0f} %",
        )
    return table


def _calls(probed: Probed) -> Table:
    table = Table(title="Small calls, ns; messages are empty")
    table.add_column("call")
    for heading in ("median", "least", "largest"):
        table.add_column(heading, justify="right")
    for name, seconds in medians(probed.calls).items():
        samples = probed.calls[name]
        times = (seconds, min(samples), max(samples))
        table.add_row(name, *(f"{1e9 * value:.1f}" for value in times))
    return table


def _traits(probed: Probed) -> Table:
    table = Table(title="The MPI underneath", show_header=False)
    table.add_column("what")
    table.add_column("found")
    for name, value in probed.traits.items():
        shown = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        table.add_row(name.replace("_", " "), str(shown))
    for link, limit in probed.eager.items():
        text = f"above {probed.most_bytes} bytes" if limit is None else f"{limit} bytes"
        table.add_row(f"eager limit {LINKS[link]}", text)
    longest = max((one.size for one in probed.overlaps), default=0)
    for one in probed.overlaps:
        if one.size == longest:
            table.add_row(f"background progress {LINKS[one.link]}, {one.way}", one.background)
    return table
