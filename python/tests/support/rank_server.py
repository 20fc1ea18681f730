"""Forks a rank for every one that an MPI launcher starts as a `rank_client.py`.

Most of what a short rank takes is loading modules. The server has loaded them.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import selectors
import signal
import socket
from contextlib import suppress
from typing import Any

_FREE = 200  # above the descriptors that a launcher gives a rank


def listen(name: str) -> socket.socket:
    """The socket at which clients ask, by its name."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"\0{name}")
    listener.listen(64)
    return listener


def serve(listener: socket.socket, parent: int) -> dict[str, Any]:
    """Fork for every client; returns only in the fork, with its request.

    `parent`: a pipe; when its other end is closed, this process ends.
    """
    ready = selectors.PollSelector()  # which has no descriptor, as forks close all
    ready.register(listener, selectors.EVENT_READ)
    ready.register(parent, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fd == parent:
                os._exit(0)
            if key.data:
                ready.unregister(key.fd)
                _tell_end(key.fd, *key.data)
            elif asked := _fork(listener, ready):
                return asked


def _fork(listener: socket.socket, ready: selectors.PollSelector) -> dict[str, Any] | None:
    """Fork for a client; its request in the fork, else None."""
    connection, _ = listener.accept()
    words, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 8)
    client = connection.detach()
    rank = os.fork()
    if rank == 0:
        listener.detach()
        asked = dict(json.loads(words))
        _adopt(client, descriptors, asked["descriptors"])
        return asked
    for descriptor in descriptors:
        os.close(descriptor)
    _tell(client, rank)
    ready.register(os.pidfd_open(rank), selectors.EVENT_READ, (rank, client))
    return None


def _tell_end(watched: int, rank: int, client: int) -> None:
    os.close(watched)
    _, status = os.waitpid(rank, 0)
    _tell(client, os.waitstatus_to_exitcode(status))
    os.close(client)


def _tell(client: int, number: int) -> None:
    with suppress(BrokenPipeError):  # it was killed, and so is the rank
        os.write(client, str(number).encode())


def _adopt(client: int, descriptors: list[int], numbers: list[int]) -> None:
    """Give descriptors the numbers that they have in the client, and close all others.

    The kernel kills this process when the client ends.
    """
    *kept, end = (fcntl.fcntl(fd, fcntl.F_DUPFD, _FREE) for fd in (*descriptors, client))
    os.closerange(3, _FREE)
    for descriptor, number in zip(kept, numbers, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    fcntl.fcntl(end, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)
    before = select.poll()
    before.register(end, 0)
    if before.poll(0):
        os._exit(1)
