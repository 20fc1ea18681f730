"""The other end of a `PeerJob`: a rank of a program that answers a benchmark, a line each."""

from __future__ import annotations

import os
from collections.abc import Callable
from socket import AF_UNIX, socket


def serve(folder: str, rank: int, begin: Callable[[], Callable[[str], str]]) -> None:
    """Connect to the socket of this rank in the folder, and answer until it is closed. Local.

    The process is bound to the core that the same rank of the benchmark is bound to, and no thread
    of it runs elsewhere. `begin`, called once there is a connection, as it may take a minute, gives
    what answers a request.
    """
    cores = os.environ.get("LAPWING_PEER_CORES", "").split()
    if rank < len(cores):
        os.sched_setaffinity(0, {int(cores[rank])})
    with socket(AF_UNIX) as bench:
        bench.connect(f"{folder}/{rank}")
        answer = begin()
        with bench.makefile("rw") as stream:
            for request in stream:
                stream.write(answer(request) + "\n")
                stream.flush()
