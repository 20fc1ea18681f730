"""A link of an emulated cluster that delays what a node sends, for kernels without netem.

`python -m lapwing_lab.netlab.delay_line NODE_END BRIDGE_END SECONDS` makes two tap devices,
says "ready", and carries frames between them: from the node after the delay, to it at once. Frames
carry the kernel's own header, so they may be as large as its packets are before they are cut.
It takes a good part of a core at 1 Gbit/s: a line is for latency, not for measuring how much a
computation can hide.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import sys
from collections import deque
from contextlib import suppress
from select import select
from time import monotonic

# of linux/if_tun.h
_TUNSETIFF, _TUNSETOFFLOAD = 0x400454CA, 0x400454D0
_TAP, _NO_INFORMATION, _VNET_HEADER = 0x2, 0x1000, 0x4000
_CHECKSUM, _SEGMENTS_4, _SEGMENTS_6 = 0x1, 0x2, 0x4

_SET_TIMER_SLACK = 29  # of prctl
_LARGEST = 1 << 17  # bytes of a frame
_AT_ONCE = 64  # frames read before those that are due are looked at


def tap(name: str) -> int:
    """Make a tap device, and return its file descriptor, which does not block. Local; OSError."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    flags = _TAP | _NO_INFORMATION | _VNET_HEADER
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
    fcntl.ioctl(device, _TUNSETOFFLOAD, _CHECKSUM | _SEGMENTS_4 | _SEGMENTS_6)
    return device


def frames(device: int) -> list[bytes]:
    """Read what has arrived at a tap device. Local, does not block."""
    found: list[bytes] = []
    with suppress(BlockingIOError):
        while len(found) < _AT_ONCE:
            found.append(os.read(device, _LARGEST))
    return found


def deliver(device: int, frame: bytes) -> None:
    """Hand a frame to the other end; dropped, as a network does, where it is not up yet. Local."""
    with suppress(OSError):
        os.write(device, frame)


def carry(node: int, bridge: int, delay: float) -> None:
    """Carry frames between two devices for ever. Local."""
    waiting: deque[tuple[float, bytes]] = deque()
    while True:
        timeout = max(0.0, waiting[0][0] - monotonic()) if waiting else None
        ready, _, _ = select([node, bridge], [], [], timeout)
        if node in ready:
            due = monotonic() + delay
            waiting.extend((due, frame) for frame in frames(node))
        if bridge in ready:
            for frame in frames(bridge):
                deliver(node, frame)
        while waiting and waiting[0][0] <= monotonic():
            deliver(bridge, waiting.popleft()[1])


def main() -> None:
    """Make the line that the arguments ask for."""
    node, bridge = tap(sys.argv[1]), tap(sys.argv[2])
    # else the kernel may wake this process 50 microseconds late
    ctypes.CDLL(None).prctl(_SET_TIMER_SLACK, 1000, 0, 0, 0)
    print("ready", flush=True)
    carry(node, bridge, float(sys.argv[3]))


if __name__ == "__main__":
    main()
