"""Connections for `tcp-ceiling`: plain TCP, with room in the kernel for whole messages."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from fcntl import ioctl

from lapwing.base.agreement import together
from lapwing.base.error import OutsideError
from mpi4py import MPI

Place = tuple[str, int]  # address and port

PATIENCE = 10.0  # s
KERNEL_BYTES = 8 << 20  # asked of the kernel for each direction; it gives what it may
# Linux's questions about an interface, and of its flags those of one that is up, and of loopback
_GET_FLAGS, _GET_ADDRESS, _UP, _LOOPBACK = 0x8913, 0x8915, 1, 8


def connected(comm: MPI.Comm) -> list[int]:
    """Open sockets to the rank before and the one after, as far as there are such.

    By the first address of a rank's machine that is no loopback, else by loopback. Collective;
    OutsideError on all ranks where they cannot reach each other within some seconds.
    """
    with _new_socket() as listening:
        listening.bind(("", 0))
        listening.listen()
        places = comm.allgather((_own_address(), listening.getsockname()[1]))
        links = together(comm, lambda: _neighbours(comm, listening, places))
    for link in links:
        link.setblocking(False)
    return [link.detach() for link in links]


def _new_socket() -> socket.socket:
    """With large buffers before it connects: the kernel then agrees on the scale of windows."""
    made = socket.socket()
    made.settimeout(PATIENCE)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BYTES)
    return made


def _own_address() -> str:
    with socket.socket(type=socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            question = struct.pack("256s", name.encode())
            (flags,) = struct.unpack_from("16xH", ioctl(asked, _GET_FLAGS, question))
            if flags & (_UP | _LOOPBACK) == _UP:
                with suppress(OSError):  # without an address
                    return socket.inet_ntoa(ioctl(asked, _GET_ADDRESS, question)[20:24])
    return "127.0.0.1"


def _neighbours(
    comm: MPI.Comm, listening: socket.socket, places: list[Place]
) -> list[socket.socket]:
    links = []
    try:
        if comm.rank > 0:
            links.append(_new_socket())
            links[-1].connect(places[comm.rank - 1])
        if comm.rank + 1 < comm.size:
            links.append(listening.accept()[0])
    except OSError as problem:
        raise OutsideError(f"connection to a neighbour: {problem}") from problem
    for link in links:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return links
