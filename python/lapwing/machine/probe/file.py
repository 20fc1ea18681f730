"""The files of a probe: the machine file with units, and the raw samples beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from lapwing.base.atomic_file import write_json_file, write_text_file
from lapwing.core.versions import machine, report_head
from lapwing.machine.probe.links import LINKS, Series
from lapwing.machine.probe.mpi import medians
from lapwing.machine.probe.overlap import MODES, Overlap
from lapwing.machine.probe.request import ProbeRequest, ProbeSettings
from lapwing.machine.probe.result import Probed
from lapwing.machine.stream_copy import STREAMS

SCHEMA = "lapwing-probe-1"

_LINK_NOTES = {
    "network": ("between nodes", "shared by the ranks of a node"),
    "node": ("between ranks of one node", "of every rank, all of them busy"),
}


def write_files(request: ProbeRequest, settings: ProbeSettings, probed: Probed) -> None:
    """Write the machine file and the samples, each complete or not at all. Local.

    OutsideError when the disk refuses.
    """
    write_json_file(request.json, document(settings, probed))
    write_text_file(str(request.out), request.out, "\n".join(lines(request, probed)) + "\n")


def document(settings: ProbeSettings, probed: Probed) -> dict[str, Any]:
    """Raw samples, machine, versions and what was asked for. Local."""
    return report_head(SCHEMA) | {
        "settings": asdict(settings),
        "ranks": probed.ranks,
        "nodes": probed.nodes,
        "ranks_per_node": probed.ranks_per_node,
        "links": [asdict(series) | asdict(probed.fits[series.kind]) for series in probed.series],
        "overlap": [asdict(overlap) for overlap in probed.overlaps],
        "memory": [asdict(copy) | {"bandwidth": copy.bandwidth} for copy in probed.copies],
        "calls": dict(probed.calls),
        "mpi": probed.traits | {f"eager_limit_{name}": n for name, n in probed.eager.items()},
        "skipped": probed.skipped,
        "load": probed.load,
    }


def lines(request: ProbeRequest, probed: Probed) -> Iterator[str]:
    """The machine file. Local."""
    processor = machine()["processor"]
    title = f"{processor}, probed by {probed.place}"
    yield f"title = {json.dumps(title)}"
    yield ""
    yield "# Measured by `lapwing probe`; docs/probe.md says what each number means and how it was"
    yield f"# found. Samples: {request.json.name}; picture: {request.picture.name}."
    for name, reason in probed.skipped.items():
        yield f"# Not measured: {name}: {reason}."
    if probed.busy:
        yield f"# The machine was busy: load {probed.load:.1f} before this began. Probe it again."
    yield from _table("nodes", {"count": probed.nodes, "ranks_per_node": probed.ranks_per_node})
    for name in ("network", "node"):
        if name in probed.links:
            yield from _model_link(probed, name)
    yield from _memory(probed)
    yield from _partition(probed)
    yield from _calls(probed)
    yield from _mpi(probed)
    for series in probed.series:
        yield from _link(series, probed)
    for overlap in probed.overlaps:
        yield from _overlap(overlap)


def _table(
    name: str,
    values: dict[str, Any],
    notes: dict[str, str] | None = None,
    *,
    comment: Sequence[str] = (),
) -> Iterator[str]:
    """A table with lines of comment above, and notes behind some values."""
    yield ""
    yield from (f"# {line}" for line in comment)
    yield name if name.startswith("[") else f"[{name}]"
    for key, value in values.items():
        note = (notes or {}).get(key)
        yield f"{key} = {_value(value)}" + (f" # {note}" if note else "")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.4g}"
    return json.dumps(value, ensure_ascii=False)


def _model_link(probed: Probed, name: str) -> Iterator[str]:
    link = probed.link(name)
    where, shared = _LINK_NOTES[name]
    notes = {
        "latency": f"s, one way, {where}: ping-pong",
        "bandwidth": f"bytes/s in each direction, {shared}: ring shift",
    }
    yield from _table(name, {"latency": link.latency, "bandwidth": link.bandwidth}, notes)


def _memory(probed: Probed) -> Iterator[str]:
    comment = ["Memory bandwidth of a node, all its processes together, write-allocate counted"]
    two, many = probed.copy("2"), probed.copy("2x19")
    values = {"two_streams": two.bandwidth, "lattice_streams": many.bandwidth}
    notes = {
        "two_streams": "bytes/s, one array copied to another",
        "lattice_streams": "bytes/s, 19 arrays copied to 19",
    }
    yield from _table("memory", values, notes, comment=comment)
    for one in probed.copies:
        row = {
            "streams": 2 * STREAMS[one.streams],
            "method": one.method,
            "processes": one.processes,
            "bandwidth": one.bandwidth,
        }
        count = f"bytes/s, counting {one.counted:g} N per array"
        note = {"bandwidth": count, "processes": "of a node"}
        yield from _table("[[memory.copy]]", row, note)


def _partition(probed: Probed) -> Iterator[str]:
    if not (costs := probed.partition_costs()):
        return
    comment = [
        "For a step that is bound by memory, a lattice Boltzmann step: in units of the time of",
        "one cell. Other models: measure their time per cell and scale these.",
    ]
    off = "per halo point from another node"
    if "network" not in probed.links:
        off += "; no network was measured: as within the node"
    notes = {"off": off, "on": "per halo point from the same node", "latency": "per message"}
    yield from _table("partition", costs, notes, comment=comment)


def _calls(probed: Probed) -> Iterator[str]:
    comment = ["Seconds of one call; messages are empty"]
    yield from _table("calls", medians(probed.calls), comment=comment)


def _mpi(probed: Probed) -> Iterator[str]:
    values = dict(probed.traits)
    notes = {}
    for link, limit in probed.eager.items():
        key = f"eager_limit_{link}"
        values[key] = probed.most_bytes if limit is None else limit
        more = ": the longest that was tried" if limit is None else ""
        notes[key] = f"bytes that a send takes without a receive{more}"
    for overlap in probed.longest_overlaps:
        values[f"background_{overlap.link}_{overlap.way}"] = overlap.background
    yield from _table("mpi", values, notes)


def _link(series: Series, probed: Probed) -> Iterator[str]:
    fit = probed.fits[series.kind]
    line = "L + 2 N / B" if fit.directions == 2 else "L + N / B"
    row: dict[str, Any] = {
        "link": series.link,
        "pattern": series.pattern,
        "way": series.way,
        "layout": series.layout,
        "latency": fit.latency,
        "bandwidth": fit.bandwidth,
        "misfit": fit.misfit,
    }
    notes = {
        "link": LINKS[series.link],
        "latency": f"s, L of T = {line}",
        "bandwidth": "bytes/s, B" + (", both directions together" if fit.directions == 2 else ""),
        "misfit": "median of |line / measured - 1|",
    }
    if not fit.resolved:
        del row["bandwidth"]
        notes["latency"] += f"; up to {fit.longest} bytes B does not matter"
    yield from _table("[[link]]", row, notes)


def _overlap(overlap: Overlap) -> Iterator[str]:
    row: dict[str, Any] = {"link": overlap.link, "way": overlap.way, "bytes": overlap.size}
    row |= {mode: overlap.seconds(mode) for mode in MODES}
    row |= {"hidden": overlap.hidden("both"), "hidden_polled": overlap.hidden("polled")}
    notes = {
        "communication": "s, message alone",
        "computation": "s, the work alone",
        "both": "s, the work between start and end of the message",
        "polled": "s, the same with calls of MPI in between",
        "hidden": "share of the lesser of communication and computation",
    }
    yield from _table("[[overlap]]", row, notes)
