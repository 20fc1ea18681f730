"""One line on each strategy and transport, for pictures and `lapwing list`."""

from __future__ import annotations

from collections.abc import Mapping

_STRATEGIES = {
    "blocking": "every message is waited for at once; nothing is computed meanwhile",
    "3s": "W-E alone; N-S travels while all rows are computed that do not read it",
    "5s": "W-E travels behind the middle, N-S behind the W and E sides",
    "6s": "half of the middle behind each phase, all sides at the end",
    "6s:": "a share of the rows behind W-E, the other rows behind N-S, the ends last",
    "edge-first": "what a message takes is computed first; it travels behind the rest",
    "dataflow": "whatever is ready, what unlocks a message first",
    "tiled": "a tile goes through all stages that a cache has room for before the next one",
    "deep": "a wider halo every k steps; rims are computed again instead of exchanged",
    "auto": "the fastest of some, by measurement over the first steps",
}

TRANSPORTS: Mapping[str, str] = {
    "auto": "the fastest of all, by measurement",
    "p2p": "MPI_Isend and MPI_Irecv, unpacked in order of arrival; everywhere",
    "persistent": "MPI_Start of requests made once; for small messages",
    "neighbor": "one neighbourhood collective per phase, packed",
    "datatype": "a neighbourhood collective of MPI's datatypes, without packing",
    "direct": "MPI_Isend and MPI_Irecv of MPI's datatypes, without packing",
    "pull": "MPI_Get of the owners' fields, without packing",
    "onesided": "MPI_Put and a notification; for networks that write to remote memory",
    "shared": "memory of the node, without MPI; p2p between nodes",
}


def about_strategy(name: str) -> str:
    """Describe a strategy, or the first part of a combined one; "" if unknown. Local."""
    first, colon, _ = name.partition("+")[0].partition(":")
    return _STRATEGIES.get(first + colon) or _STRATEGIES.get(first, "")
