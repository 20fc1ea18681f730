"""What the MPI underneath does, found by trying: a self-test before anybody builds on it."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import MPILibrary
from lapwing.machine.probe.request import ProbeSettings

_MOST_AXES = 3


def small_calls(domain: Domain, settings: ProbeSettings) -> dict[str, list[float]]:
    """Samples of the seconds of each small call. Collective; the same result on all ranks."""
    turns = [_core.call_costs(domain, settings.call_rounds) for _ in range(settings.samples)]
    return {name: [one[name] for one in turns] for name in turns[0]}


def medians(calls: Mapping[str, list[float]]) -> dict[str, float]:
    """The median of each small call, s. Local."""
    return {name: median(samples) for name, samples in calls.items()}


def eager_limit(test: _core.LinkTest, settings: ProbeSettings) -> int | None:
    """The longest message, bytes, whose send completes although nobody receives it.

    It gets several times as long as the longest message takes with a receive. None where even the
    longest that is tried completes. Collective; the same result on all ranks.
    """
    work = _core.LinkWork("ping-pong", "two-sided", "contiguous", settings.most_bytes)
    patience = max(settings.patience, 4 * median(test.time(work, 1) for _ in range(3)))

    def completes(words: int) -> bool:
        return bool(test.completes_unmatched(8 * words, patience))

    low, high = 0, settings.most_bytes // 8
    if completes(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if completes(middle) else (low, middle)
    return 8 * low


def self_test(domain: Domain) -> dict[str, Any]:
    """What needs no link: by name, as the machine file has it. Collective."""
    axes = range(1, _MOST_AXES + 1)
    return {
        "library": str(MPILibrary.from_text(_core.mpi_library_version())),
        "thread_level": _core.thread_level(),
        "cuda_aware": _core.cuda_awareness(),
        "cart_reorders": any(_core.cart_reorders(domain, count) for count in axes),
        "oversubscribed": domain.oversubscribed,
        "cores_per_node": domain.cores,
        **_neighbor_collectives(domain),
    }


def _neighbor_collectives(domain: Domain) -> dict[str, str]:
    """On periodic rings of one and two ranks, where neighbours come twice, and of all ranks."""
    counts = sorted({1, min(2, domain.ranks), domain.ranks})
    return {
        f"neighbor_{kind}_{count}": _core.neighbor_collectives(domain, kind == "cart", count)
        for kind in ("cart", "graph")
        for count in counts
    }
