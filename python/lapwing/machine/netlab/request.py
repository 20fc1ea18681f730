"""What `lapwing netlab run` was asked for: an emulated cluster, as plain numbers and names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lapwing.base.error import user_error

NODES = (1, 64)
_RATE_UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}  # bit/s
_DELAY_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}  # s
_RATES, _DELAYS = (1e5, 1e11), (1e-6, 10.0)

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
        rate=_quantity("--rate", rate, _RATE_UNITS, _RATES, "1gbit or 200mbit"),
        delay=0.0 if delay is None else _quantity("--delay", delay, _DELAY_UNITS, _DELAYS, "60us"),
        command=tuple(command),
        pid=pid,
    )


def _quantity(
    option: str, text: str, units: dict[str, float], limits: tuple[float, float], example: str
) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", text.strip().lower())
    value = float(match[1]) * units[match[2]] if match and match[2] in units else 0.0
    if not limits[0] <= value <= limits[1]:
        least, most = (_in_largest_unit(limit, units) for limit in limits)
        raise user_error(
            option,
            repr(text),
            f"a number and one of {', '.join(units)}, {least} to {most}",
            f"write {example}",
        )
    return value


def _in_largest_unit(value: float, units: dict[str, float]) -> str:
    unit = max((name for name in units if units[name] <= value * 1.001), key=units.__getitem__)
    return f"{value / units[unit]:g}{unit}"
