"""The results of a probe: the machine file with units, the raw samples, and a short table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from lapwing.base.atomic_file import write_json_file, write_text_file
from lapwing.base.settings import toml_value
from lapwing.core.versions import machine, report_head
from rich.console import Console
from rich.table import Table

from lapwing_lab.machine.costs import MessageCost
from lapwing_lab.machine.stream_copy import STREAMS
from lapwing_lab.probe.links import LINKS, Fit, Overlap, Series
from lapwing_lab.probe.request import ProbeRequest, ProbeSettings
from lapwing_lab.probe.result import Probed

WIDTH = 100  # columns

Entry = tuple[str, Any, str]  # of a table: key, value, and what it is where a word is needed

_LINK_NOTES = {
    "network": ("between nodes", "shared by the ranks of a node"),
    "node": ("between ranks of one node", "of every rank, all of them busy"),
}
_MODE_NOTES = {
    "communication": "s, message alone",
    "computation": "s, the work alone",
    "both": "s, the work between start and end of the message",
    "polled": "s, the same with calls of MPI in between",
}

BUSY = "the machine was busy, load {load:.1f} before this began: times are not its own"
_CROWDED = "more ranks than cores on a node: waits let others run, and times mean little"


def write_files(request: ProbeRequest, settings: ProbeSettings, probed: Probed) -> None:
    """Write the machine file and the samples, each complete or not at all. Local.

    OutsideError when the disk refuses.
    """
    write_json_file(request.json, document(settings, probed))
    write_text_file(str(request.out), request.out, "\n".join(lines(request, probed)) + "\n")


def document(settings: ProbeSettings, probed: Probed) -> dict[str, Any]:
    """Raw samples, machine, versions and what was asked for. Local."""
    return report_head("lapwing-probe-1") | {
        "settings": asdict(settings),
        "ranks": probed.ranks,
        "nodes": probed.nodes,
        "ranks_per_node": probed.ranks_per_node,
        "links": [asdict(series) | asdict(probed.fits[series.kind]) for series in probed.series],
        "overlap": [asdict(overlap) for overlap in probed.overlaps],
        "bursts": [asdict(one) | {"link": name} for name, one in probed.bursts.items()],
        "own_times": [asdict(own) for own in probed.own_times.values()],
        "memory": [asdict(copy) | {"bandwidth": copy.bandwidth} for copy in probed.copies],
        "calls": dict(probed.calls),
        "mpi": probed.traits | {f"eager_limit_{name}": n for name, n in probed.eager.items()},
        "skipped": probed.skipped,
        "load": probed.load,
    }


def lines(request: ProbeRequest, probed: Probed) -> Iterator[str]:
    """The machine file. Local."""
    title = f"{machine()['processor']}, probed by {probed.place}"
    yield f"title = {toml_value(title)}"
    yield ""
    yield "# Measured by `lapwing probe`; docs/guide/machine-files.md says what each number means"
    yield f"# and how it was found. Samples: {request.json.name}; picture: {request.picture.name}."
    for name, reason in probed.skipped.items():
        yield f"# Not measured: {name}: {reason}."
    if probed.busy:
        yield f"# The machine was busy: load {probed.load:.1f} before this began. Probe it again."
    yield from _table(
        "nodes", ("count", probed.nodes, ""), ("ranks_per_node", probed.ranks_per_node, "")
    )
    for name in ("network", "node"):
        if name in probed.links:
            yield from _model_link(probed, name)
    yield from _messages(probed)
    yield from _memory(probed)
    yield from _partition(probed)
    calls = ((name, seconds, "") for name, seconds in probed.call_medians.items())
    yield from _table("calls", *calls, comment=["Seconds of one call; messages are empty"])
    yield from _mpi(probed)
    for series in probed.series:
        yield from _link(series, probed.fits[series.kind])
    for overlap in probed.overlaps:
        yield from _overlap(overlap)


def _table(name: str, *entries: Entry, comment: Sequence[str] = ()) -> Iterator[str]:
    """A table with lines of comment above."""
    yield ""
    yield from (f"# {line}" for line in comment)
    yield name if name.startswith("[") else f"[{name}]"
    for key, value, note in entries:
        shown = f"{value:.4g}" if isinstance(value, float) else toml_value(value)
        yield f"{key} = {shown}" + (f" # {note}" if note else "")


def _model_link(probed: Probed, name: str) -> Iterator[str]:
    link, (where, shared) = probed.link(name), _LINK_NOTES[name]
    burst: list[Entry] = []
    if link.burst > 0:
        burst = [
            ("burst", f"{link.burst:.0f} bytes", "of a node pass after a pause at burst_bandwidth"),
            ("burst_bandwidth", link.burst_bandwidth, "bytes/s"),
        ]
    return _table(
        name,
        ("latency", link.latency, f"s, one way, {where}: ping-pong without the calls below"),
        ("bandwidth", link.bandwidth, f"bytes/s in each direction, {shared}: ring shift"),
        *burst,
    )


def _messages(probed: Probed) -> Iterator[str]:
    """The other costs of messages with units; docs/guide/machine-files.md has the keys."""
    byte, row = probed.packing
    yield from _table(
        "packing",
        ("byte", f"{1e9 * byte:.4g} ns/byte", "lapwing's own copy, in the caches"),
        ("row", f"{1e9 * row:.4g} ns", ""),
    )
    name = str(probed.traits["library"]).split()[0].lower().replace(" ", "")
    for link in probed.own_times:
        yield from _table(f"messages.{name}.{link}", *_message_entries(probed.message_cost(link)))


def _message_entries(cost: MessageCost) -> Iterator[Entry]:
    yield "send", f"{1e6 * cost.send:.4g} us", "posting receive and send"
    yield "send_byte", f"{1e9 * cost.send_byte:.4g} ns/byte", ""
    yield "receive", f"{1e6 * cost.receive:.4g} us", "completing a message that has arrived"
    yield "receive_byte", f"{1e9 * cost.receive_byte:.4g} ns/byte", ""
    yield "poll", f"{1e6 * cost.poll:.4g} us", "MPI_Test of a receive without a message"
    if cost.eager_limit != math.inf:
        yield "eager_limit", f"{cost.eager_limit:.0f} bytes", ""
        yield "progress", cost.progress, ""
    yield "rate", f"{cost.rate:.4g} /s", "many messages of one value"
    yield "noise", f"{1e6 * cost.noise:.4g} us", ""
    if cost.bandwidth_by_size:
        pairs = [
            [f"{size:.0f} bytes", f"{speed:.4g} bytes/s"] for size, speed in cost.bandwidth_by_size
        ]
        yield "bandwidth_by_size", pairs, "ping-pong"


def _memory(probed: Probed) -> Iterator[str]:
    yield from _table(
        "memory",
        ("two_streams", probed.copy("2").bandwidth, "bytes/s, one array copied to another"),
        ("lattice_streams", probed.copy("2x19").bandwidth, "bytes/s, 19 arrays copied to 19"),
        ("cache", f"{probed.cache} bytes", "of the last one, for a rank while all compute"),
        (
            "bandwidth",
            f"{probed.copy('2').bandwidth:.4g} bytes/s",
            "that all ranks of a node share",
        ),
        (
            "core_bandwidth",
            f"{probed.alone('2').bandwidth:.4g} bytes/s",
            "that a rank gets at most",
        ),
        comment=["Memory bandwidth of a node, all its processes together, write-allocate counted"],
    )
    for one in probed.copies:
        yield from _table(
            "[[memory.copy]]",
            ("streams", 2 * STREAMS[one.streams], ""),
            ("method", one.method, ""),
            ("processes", one.processes, "of a node"),
            ("bandwidth", one.bandwidth, f"bytes/s, counting {one.counted:g} N per array"),
        )


def _partition(probed: Probed) -> Iterator[str]:
    if not (costs := probed.partition_costs()):
        return
    measured = "network" in probed.links
    notes = {
        "off": "per halo point from another node"
        + ("" if measured else "; no network was measured: as within the node"),
        "on": "per halo point from the same node",
        "latency": "per message",
    }
    comment = [
        "For a step that is bound by memory, a lattice Boltzmann step: in units of the time of",
        "one cell. Other models: measure their time per cell and scale these.",
    ]
    entries = ((name, cost, notes[name]) for name, cost in costs.items())
    yield from _table("partition", *entries, comment=comment)


def _mpi(probed: Probed) -> Iterator[str]:
    entries: list[Entry] = [(name, value, "") for name, value in probed.traits.items()]
    for link, limit in probed.eager.items():
        note = "bytes that a send takes without a receive"
        if limit is None:
            limit, note = probed.most_bytes, f"{note}: the longest that was tried"
        entries.append((f"eager_limit_{link}", limit, note))
    for one in probed.longest_overlaps:
        entries.append((f"background_{one.link}_{one.way}", one.background, ""))
    return _table("mpi", *entries)


def _link(series: Series, fit: Fit) -> Iterator[str]:
    both = fit.directions == 2
    latency = f"s, L of T = L + {'2 N' if both else 'N'} / B"
    bandwidth = "bytes/s, B" + (", both directions together" if both else "")
    if not fit.resolved:
        latency += f"; up to {fit.longest} bytes B does not matter"
    return _table(
        "[[link]]",
        ("link", series.link, LINKS[series.link]),
        ("pattern", series.pattern, ""),
        ("way", series.way, ""),
        ("layout", series.layout, ""),
        ("latency", fit.latency, latency),
        *([("bandwidth", fit.bandwidth, bandwidth)] if fit.resolved else []),
        ("misfit", fit.misfit, "median of |line / measured - 1|"),
    )


def _overlap(overlap: Overlap) -> Iterator[str]:
    return _table(
        "[[overlap]]",
        ("link", overlap.link, ""),
        ("way", overlap.way, ""),
        ("bytes", overlap.size, ""),
        *((mode, overlap.seconds(mode), note) for mode, note in _MODE_NOTES.items()),
        ("hidden", overlap.hidden("both"), "share of the smaller of communication and computation"),
        ("hidden_polled", overlap.hidden("polled"), ""),
    )


# ---- what is printed: the machine file in short


def print_probe(request: ProbeRequest, probed: Probed) -> None:
    """Print a short table, then the files. Local."""
    console = Console(width=WIDTH, highlight=False)
    console.print(f"{probed.place}, {probed.traits['library']}")
    if probed.traits["oversubscribed"]:
        console.print(f"note: {_CROWDED}")
    if probed.busy:
        console.print(f"note: {BUSY.format(load=probed.load)}")
    table = Table("what", "found", show_header=False)
    for row in _summary(probed):
        table.add_row(*row)
    console.print(table)
    for name, reason in probed.skipped.items():
        console.print(f"skipped: {name}: {reason}", markup=False)
    for kind, file in (("TOML", request.out), ("JSON", request.json), ("PNG", request.picture)):
        if kind != "PNG" or probed.series:
            print(f"{kind:<5} {file}")


def _summary(probed: Probed) -> Iterator[tuple[str, str]]:
    """The numbers that other commands read, and what the MPI does on each link."""
    for name in probed.links:
        link = probed.link(name)
        shown = f"{1e6 * link.latency:.2f} us, {link.bandwidth / 1e9:.3g} GB/s each way"
        yield f"latency and bandwidth {LINKS[name]}", shown
    for streams in STREAMS:
        copy = probed.copy(streams)
        yield f"memory of a node, streams {streams}", f"{copy.bandwidth / 1e9:.1f} GB/s"
    for name, limit in probed.eager.items():
        text = f"above {probed.most_bytes} bytes" if limit is None else f"{limit} bytes"
        yield f"eager limit {LINKS[name]}", text
    for one in probed.longest_overlaps:
        where, shares = f"{LINKS[one.link]}, {one.way}", map(one.hidden, ("both", "polled"))
        yield f"background progress {where}", one.background
        text = " %, polled ".join(f"{100 * share:.0f}" for share in shares)
        yield f"hidden of {one.size} bytes {where}", f"{text} %"
