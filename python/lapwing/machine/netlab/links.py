"""The links of an emulated cluster: the commands of iproute2 that make, shape and read them.

Every node has one, its `eth0`, whose other end is a port of a bridge at the front. The node's end
is shaped, so a node sends at the rate of the link; with more than two nodes the bridge's end is
too, as several may send to one.
"""

from __future__ import annotations

import json
import subprocess

from lapwing.base.error import outside_error
from lapwing.machine.netlab.request import NetlabRequest

BRIDGE = "lapwing"
DEVICE = "eth0"  # of a node

# Packets of 64 KiB, the kernel's own choice, would pass a shaper in bursts, and smaller ones or a
# smaller burst cost so many wake-ups that packet work eats the cores.
_GSO = ("gso_max_size", "16384")
_SHAPER = ("burst", "32kb", "latency", "50ms")

Command = list[str]


def port(node: int) -> str:
    """The name of the bridge's end of a link. Local."""
    return f"port{node}"


def bridge_commands(request: NetlabRequest) -> list[Command]:
    """What makes the bridge, with the launcher's address on it. Local."""
    return [
        ["ip", "link", "set", "lo", "up"],
        ["ip", "link", "add", BRIDGE, "type", "bridge"],
        ["ip", "address", "add", f"{request.front_address}/24", "dev", BRIDGE],
        ["ip", "link", "set", BRIDGE, "up"],
    ]


def cable_command(node: int, pid: int) -> Command:
    """What joins the bridge's end with one that is in the namespace of a process. Local."""
    far_end = ["peer", "name", DEVICE, "netns", str(pid)]
    return ["ip", "link", "add", port(node), "type", "veth", *far_end]


def port_commands(request: NetlabRequest, node: int) -> list[Command]:
    """What plugs the bridge's end into the bridge. Local."""
    commands = [["ip", "link", "set", port(node), *_GSO, "master", BRIDGE, "up"]]
    if request.nodes > 2:
        commands.append(_shaping(port(node), request.rate))
    return commands


def device_commands(request: NetlabRequest, node: int, netem: bool) -> list[Command]:
    """What makes a node's end ready, run on the node. Local.

    `netem`: the kernel delays packets; else a delay line does.
    """
    address = f"{request.address(node)}/24"
    commands = [
        ["ip", "address", "add", address, "dev", DEVICE],
        ["ip", "link", "set", DEVICE, *_GSO, "up"],
        _shaping(DEVICE, request.rate),
    ]
    if netem and request.delay > 0:
        delay = ["netem", "delay", f"{1e6 * request.delay:.0f}us", "limit", "100000"]
        commands.append(["tc", "qdisc", "add", "dev", DEVICE, "parent", "1:1", *delay])
    return commands


def _shaping(device: str, rate: float) -> Command:
    shaper = ["handle", "1:", "tbf", "rate", f"{rate:.0f}bit", *_SHAPER]
    return ["tc", "qdisc", "add", "dev", device, "root", *shaper]


def run_all(commands: list[Command], before: Command | None = None) -> None:
    """Run commands in turn, each behind `before`. Local; OutsideError when one fails."""
    for command in commands:
        done = subprocess.run([*(before or []), *command], capture_output=True, text=True)
        if done.returncode != 0:
            raise outside_error(
                " ".join(command),
                done.stderr.strip() or f"exit code {done.returncode}",
                "a kernel with network namespaces, veth, bridge and tbf, and a recent iproute2",
                "ask `lapwing doctor`; in a container, run it privileged",
            )


def has_netem() -> bool:
    """Whether this kernel delays packets itself, by trying on the front's `lo`. Local."""
    trial = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1us"]
    if subprocess.run(trial, capture_output=True).returncode != 0:
        return False
    run_all([["tc", "qdisc", "del", "dev", "lo", "root"]])
    return True


def bytes_sent(node: int) -> int:
    """Bytes that a node has sent over its link so far. Local; OutsideError when that is gone."""
    command = ["ip", "-json", "-statistics", "link", "show", port(node)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise outside_error(
            f"link of node {node}", done.stderr.strip(), port(node), "let its node live to the end"
        )
    return int(json.loads(done.stdout)[0]["stats64"]["rx"]["bytes"])
