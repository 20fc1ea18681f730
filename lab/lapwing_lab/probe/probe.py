"""`lapwing probe`: measures the machine under the ranks and writes its machine file."""

from __future__ import annotations

import os
import shutil
import sys
from bisect import bisect_left
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from lapwing.base.agreement import DONE, at_root, end_together
from lapwing.base.error import outside_error, user_error
from lapwing.base.progress import ProgressBar, resolved
from lapwing.core import _core as library
from lapwing.core import mpi_runtime
from lapwing.core.mpi_library import MPILibrary

from lapwing_lab import _core
from lapwing_lab.machine.stream_copy import copy_settings, measure_copies
from lapwing_lab.probe.bursts import measure_bursts
from lapwing_lab.probe.links import WAYS, measure_link, measure_overlap
from lapwing_lab.probe.processor import measure_own_times
from lapwing_lab.probe.request import ProbeRequest, ProbeSettings, checked, settings_of
from lapwing_lab.probe.result import Probed

if TYPE_CHECKING:
    from lapwing.core.domain import Domain
    from mpi4py.MPI import Comm

_SHARED = Path("/dev/shm")
_MOST_OWN = 1 << 18  # bytes of the messages whose calls are timed

_ALONE = {
    "node": "no node has two ranks; start two on one with --ranks",
    "network": "all ranks are on one node; start them on several, or in `lapwing netlab run`",
}


def run_probe(request: ProbeRequest, comm: Comm) -> int:
    """Measure, write and print; return the exit code, the same on all ranks. Collective.

    Errors are printed, not raised, as `run_case` does.
    """
    where = ["set-up"]
    try:
        at_root(comm, lambda: checked(request, comm.size))
        settings = settings_of(request)
        _require_same(comm, settings)
        probed = measure(comm, settings, request, where)
        where[0] = "files"
        at_root(comm, lambda: _tell(request, settings, probed))
    except Exception as problem:
        return end_together(comm, problem, where[0], request.debug)
    return DONE


def measure(comm: Comm, settings: ProbeSettings, request: ProbeRequest, where: list[str]) -> Probed:
    """Everything that can be measured with these ranks. Collective; the same on all ranks.

    `where[0]` says what is being measured. UserError and OutsideError on all ranks alike.
    """
    from lapwing.core.domain import Domain  # needs MPI, which the caller has started

    load = comm.bcast(os.getloadavg()[0])  # before this run adds to it
    nodes, least, most = _nodes(comm)
    links = [name for name, there in (("node", most > 1), ("network", nodes > 1)) if there]
    copies = copy_settings(comm, settings.samples, least, set_bytes=settings.set_bytes)
    overlaps = len(WAYS) * len(settings.overlap_sizes)
    total = len(links) * (settings.samples + 1 + overlaps + 2)
    total += ("network" in links) + len(copies.streams) * copies.samples * len(copies.processes) + 1
    style = resolved(request.progress) if comm.rank == 0 else "none"
    settings = replace(settings, pool_bytes=_pool_bytes(comm, settings, most))
    domain = Domain((comm.size,), comm)
    with ProgressBar(style, total) as attempts:

        def advance(name: str) -> None:
            where[0] = name
            attempts.begin(name)

        advance("small calls and the MPI")
        probed = Probed(
            ranks=comm.size,
            nodes=nodes,
            ranks_per_node=most,
            copies=[],
            calls=small_calls(domain, settings),
            packing=comm.bcast(_core.packing_costs(settings.call_rounds)),
            traits=self_test(domain),
            skipped={name: reason for name, reason in _ALONE.items() if name not in links},
            most_bytes=settings.most_bytes,
            load=load,
        )
        probed.copies = measure_copies(comm, copies, attempts.begin)
        for link in links:
            _measure_link(domain, link, settings, probed, attempts)
    domain.close()
    return probed


def _measure_link(
    domain: Domain, link: str, settings: ProbeSettings, probed: Probed, attempts: ProgressBar
) -> None:
    """Add what is found on a link. Collective."""
    test = _core.LinkTest(domain, link, settings.most_bytes, settings.pool_bytes)
    if test.available:
        probed.series += measure_link(test, link, settings, attempts.begin)
        probed.overlaps += measure_overlap(test, link, settings, attempts.begin)
        attempts.begin(f"eager limit, {link}")
        probed.eager[link] = eager_limit(test, settings)
        most = min(probed.eager[link] or _MOST_OWN, _MOST_OWN)
        probed.own_times[link] = measure_own_times(test, link, settings, most, attempts.begin)
        if link == "network":
            kind = (link, "ring", WAYS[0], "contiguous")
            ring = next(one for one in probed.series if one.kind == kind)
            probed.bursts[link] = measure_bursts(test, settings, ring.sustained, attempts.begin)
    else:  # nodes in the eyes of the domain may be others than MPI's
        probed.skipped[link] = _ALONE[link]
    test.close()


def _pool_bytes(comm: Comm, settings: ProbeSettings, ranks: int) -> int:
    """Bytes of the window of each rank; MPI takes those of a node from its shared memory.

    `ranks`: of the fullest node. Collective, the same on all ranks; OutsideError on all of them
    where a message does not fit.
    """
    try:
        free = shutil.disk_usage(_SHARED).free
    except OSError:
        free = sys.maxsize
    free = int(comm.allreduce(free, mpi_runtime.start().MIN))
    pool = min(settings.pool_bytes, free // (2 * ranks))
    if pool < 2 * settings.most_bytes:
        raise outside_error(
            str(_SHARED),
            f"{free >> 20} MiB free",
            f"{4 * ranks * settings.most_bytes >> 20} MiB, for windows of {ranks} ranks",
            "mount it larger (`mount -o remount,size=4G /dev/shm`), or start fewer ranks per node",
        )
    return pool


def _nodes(comm: Comm) -> tuple[int, int, int]:
    """Count the nodes, and the ranks of the emptiest and of the fullest one. Collective."""
    mpi = mpi_runtime.start()
    node = comm.Split_type(mpi.COMM_TYPE_SHARED)
    sizes = comm.allgather((node.size, int(node.rank == 0)))
    node.Free()
    ranks = [size for size, _ in sizes]
    return sum(lead for _, lead in sizes), min(ranks), max(ranks)


def _require_same(comm: Comm, settings: ProbeSettings) -> None:
    """UserError on all ranks where they were asked for different things. Collective."""
    asked = comm.allgather(repr(settings))
    if other := [rank for rank, theirs in enumerate(asked) if theirs != asked[0]]:
        got = f"others on rank {other[0]} than on rank 0"
        remedy = "start all ranks with one command line"
        raise user_error("options of lapwing probe", got, "the same on all ranks", remedy)


def _tell(request: ProbeRequest, settings: ProbeSettings, probed: Probed) -> None:
    """Write the files and print the tables. Local."""
    from lapwing_lab.probe.report import print_probe, write_files

    write_files(request, settings, probed)
    if probed.series:
        from lapwing_lab.probe.picture import draw_probe

        where = f"{probed.place}, {probed.traits['library']}"
        draw_probe(request.picture, probed, where)
    print_probe(request, probed)


# ---- what the MPI underneath does, found by trying, before anybody builds on it


def small_calls(domain: Domain, settings: ProbeSettings) -> dict[str, list[float]]:
    """Samples of the seconds of each small call. Collective; the same result on all ranks."""
    turns = [_core.call_costs(domain, settings.call_rounds) for _ in range(settings.samples)]
    return {name: [one[name] for one in turns] for name in turns[0]}


def eager_limit(test: _core.LinkTest, settings: ProbeSettings) -> int | None:
    """The longest message, bytes, whose send completes although nobody receives it.

    It gets several times as long as the longest message takes with a receive. None where even the
    longest that is tried completes. Collective; the same result on all ranks.
    """
    work = _core.LinkWork("ping-pong", "two-sided", "contiguous", settings.most_bytes)
    patience = max(settings.patience, 4 * median(test.time(work, 1) for _ in range(3)))

    def waits(words: int) -> bool:
        return not test.completes_unmatched(8 * words, patience)

    most = settings.most_bytes // 8
    if not waits(most):
        return None
    return 8 * (bisect_left(range(most), True, lo=1, key=waits) - 1)


def self_test(domain: Domain) -> dict[str, Any]:
    """Measure what needs no link: by name, as the machine file has it. Collective."""
    axes = range(1, 4)
    # periodic rings of one and two ranks, where neighbours come twice, and of all ranks
    rings = sorted({1, min(2, domain.ranks), domain.ranks})
    return {
        "library": str(MPILibrary.from_text(library.mpi_library_version())),
        "thread_level": _core.thread_level(),
        "cuda_aware": _core.cuda_awareness(),
        "cart_reorders": any(_core.cart_reorders(domain, count) for count in axes),
        "oversubscribed": domain.node.oversubscribed,
        "cores_per_node": domain.node.cores,
        **{
            f"neighbor_{kind}_{count}": _core.neighbor_collectives(domain, kind == "cart", count)
            for kind in ("cart", "graph")
            for count in rings
        },
    }
