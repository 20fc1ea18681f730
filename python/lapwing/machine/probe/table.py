"""A probe as tables for people; the second and third are those of the report on coarrays."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lapwing.base.table import make_table
from lapwing.machine.probe.links import LINKS
from lapwing.machine.probe.overlap import CHUNKS, MODES, Overlap
from lapwing.machine.probe.request import ProbeRequest
from lapwing.machine.probe.result import Probed
from lapwing.machine.stream_copy import copy_table

WIDTH = 100  # columns

BUSY = "the machine was busy, load {load:.1f} before this began: times are not its own"
_CROWDED = "more ranks than cores on a node: waits let others run, and times mean little"


def print_probe(request: ProbeRequest, probed: Probed) -> None:
    """Print everything, then the files. Local."""
    console = Console(width=WIDTH, highlight=False)
    console.print(f"{probed.place}, {probed.traits['library']}")
    if probed.traits["oversubscribed"]:
        console.print(f"note: {_CROWDED}")
    if probed.busy:
        console.print(f"note: {BUSY.format(load=probed.load)}")
    if probed.series:
        console.print(_links(probed))
    console.print(copy_table(probed.copies))
    if probed.overlaps:
        console.print(_overlap_table(probed.longest_overlaps))
        console.print(_hidden_table(probed.overlaps))
    console.print(_calls(probed))
    console.print(_traits(probed))
    for name, reason in probed.skipped.items():
        console.print(f"skipped: {name}: {reason}", markup=False)
    for kind, file in (("TOML", request.out), ("JSON", request.json), ("PNG", request.picture)):
        if kind != "PNG" or probed.series:
            print(f"{kind:<5} {file}")


def _links(probed: Probed) -> Table:
    table = make_table(
        ("link", "pattern", "way", "layout"),
        ("L us", "B GB/s", "misfit"),
        title="Messages: latency L and bandwidth B",
        caption="ring: T = L + 2 N / B, B of both directions together; ping-pong: T = L + N / B, "
        "one way. misfit: median of |line / measured - 1|. -: too short for B to matter.",
    )
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
            f"{fit.bandwidth / 1e9:.3g}" if fit.resolved else "-",
            f"{100 * fit.misfit:.0f} %",
        )
        before = (link, pattern)
    return table


def _overlap_table(overlaps: Sequence[Overlap]) -> Table:
    """The report's table 3, for messages of one size. Local."""
    size = overlaps[0].size
    table = make_table(
        ("way", "comm", "comp", "link"),
        ("GB/s", "runtime us", "hidden"),
        title=f"A message of {size} bytes beside computing as long",
        caption="Around a ring. GB/s: both directions over the runtime; where the message is "
        "hidden, it is alike with and without computing. hidden: share of the lesser of "
        "communication and computation, "
        f"median of the turns. polled: {CHUNKS} times.",
    )
    for one in overlaps:
        for mode, (communicates, computes, chunks) in MODES.items():
            seconds = one.seconds(mode)
            both = communicates and computes
            table.add_row(
                one.way,
                "yes" if communicates else "no",
                ("polled" if chunks > 1 else "yes") if computes else "no",
                LINKS[one.link],
                f"{2 * size / seconds / 1e9:.2f}" if communicates else "",
                f"{1e6 * seconds:.0f}",
                f"{100 * one.hidden(mode):.0f} %" if both else "",
            )
        table.add_section()
    return table


def _hidden_table(overlaps: Sequence[Overlap]) -> Table:
    """How much is hidden of messages of each size. Local."""
    sizes = sorted({one.size for one in overlaps})
    table = make_table(
        ("link", "way"),
        (*(f"{size} bytes" for size in sizes), "left"),
        no_wrap=False,
        title="Hidden of a message, without / with calls of MPI",
        caption="left, of the longest: what is still to be done after a pause without MPI, of the "
        "time of the message.",
    )
    found = {(one.link, one.way, one.size): one for one in overlaps}
    for link, way in dict.fromkeys((one.link, one.way) for one in overlaps):
        rows = [found[link, way, size] for size in sizes]
        shares = [[100 * one.hidden(mode) for mode in ("both", "polled")] for one in rows]
        table.add_row(
            LINKS[link],
            way,
            *(f"{plain:.0f} % / {polled:.0f} %" for plain, polled in shares),
            f"{100 * rows[-1].left / rows[-1].seconds('communication'):.0f} %",
        )
    return table


def _calls(probed: Probed) -> Table:
    heads = ("median", "least", "largest")
    table = make_table(("call",), heads, title="Small calls, ns; messages are empty")
    for name, seconds in probed.call_medians.items():
        samples = probed.calls[name]
        times = (seconds, min(samples), max(samples))
        table.add_row(name, *(f"{1e9 * value:.1f}" for value in times))
    return table


def _traits(probed: Probed) -> Table:
    table = Table("what", "found", title="The MPI underneath", show_header=False)
    for name, value in probed.traits.items():
        shown = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        table.add_row(name.replace("_", " "), str(shown))
    for link, limit in probed.eager.items():
        text = f"above {probed.most_bytes} bytes" if limit is None else f"{limit} bytes"
        table.add_row(f"eager limit {LINKS[link]}", text)
    for one in probed.longest_overlaps:
        table.add_row(f"background progress {LINKS[one.link]}, {one.way}", one.background)
    return table
