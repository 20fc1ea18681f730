"""What `lapwing netlab run` was asked for: an emulated cluster, as plain numbers and names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lapwing.base.error import user_error

NODES = (1, 64)
# units, least and most in words and as numbers
_RATE = ({"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}, "100kbit to 100gbit", (1e5, 1e11))  # bit/s
_DELAY = ({"us": 1e-6, "ms": 1e-3, "s": 1.0}, "1us to 10s", (1e-6, 10.0))  # s

_ADDRESS = "10.77.0.{}"  # on the links; private to the cluster, so it meets no other
NETWORK = _ADDRESS.format("0/24")
_FRONT = 254  # where the launcher is


@dataclass(frozen=True)
class NetlabRequest:
    """Nodes, the rate of each node's link and its delay one way, and what to run across them."""

    nodes: int
    rate: float  # bit/s
    delay: float  # s; 0: none but the emulation's own
    command: tuple[str, ...]
    pid: int  # of the process that asked: part of the names of the nodes

    def address(self, node: int) -> str:
        """The address of a node on the network. Local."""
        return _ADDRESS.format(node + 1)

    def name(self, node: int) -> str:
        """The host name of a node, unlike that of any other on this machine. Local."""
        return f"lapwing-{self.pid}-{node}"

    @property
    def front_address(self) -> str:
        """Where the launcher listens."""
        return _ADDRESS.format(_FRONT)

    def to_text(self) -> str:
        """The request as one argument of a command line. Local."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> NetlabRequest:
        """What `to_text` gave. Local."""
        parts = json.loads(text)
        return cls(**(parts | {"command": tuple(parts["command"])}))


def parse(
    nodes: int, rate: str, delay: str | None, command: Sequence[str], pid: int
) -> NetlabRequest:
    """The request in the options. Local; raises UserError."""
    if not NODES[0] <= nodes <= NODES[1]:
        raise user_error("--nodes", str(nodes), f"{NODES[0]} to {NODES[1]}", "give such a number")
    if not command:
        raise user_error(
            "COMMAND", "nothing", "a command behind --", "write `-- lapwing bench overlap`, say"
        )
    return NetlabRequest(
        nodes=nodes,
        rate=_quantity("--rate", rate, *_RATE, "1gbit or 200mbit"),
        delay=0.0 if delay is None else _quantity("--delay", delay, *_DELAY, "60us"),
        command=tuple(command),
        pid=pid,
    )


def _quantity(
    option: str,
    text: str,
    units: dict[str, float],
    limits: str,
    least_and_most: tuple[float, float],
    example: str,
) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", text.strip().lower())
    value = float(match[1]) * units[match[2]] if match and match[2] in units else 0.0
    if not least_and_most[0] <= value <= least_and_most[1]:
        expected = f"a number and one of {', '.join(units)}, {limits}"
        raise user_error(option, repr(text), expected, f"write {example}")
    return value
