"""Links of an emulated cluster: the commands of iproute2 that make, shape and read them.

Every node has one link, its `eth0`, whose other end is a port of a bridge at the front. The node's
end is shaped, so a node sends at the rate of the link; where several may send to one, or one with
a faster link, the bridge's end is too.

Groups have a bridge each, and a link from it to the bridge at the front, where the launcher is:
`up` is the group's end, shaped as a node's end is, and `down` the other.
"""

from __future__ import annotations

import json
import subprocess

from lapwing.base.error import outside_error

from lapwing_lab.machine.shape import Link
from lapwing_lab.netlab.request import FRONT, NetlabRequest, rate

BRIDGE = "lapwing"  # of all nodes, or of all groups
DEVICE = "eth0"  # of a node

# Packets of 64 KiB, the kernel's own choice, would pass a shaper in bursts. With smaller packets or
# bursts, wake-ups take all of the cores' time.
_GSO = ("gso_max_size", "16384")
_SHAPER = ("burst", "32kb", "latency", "50ms")

Command = list[str]


def port(node: int) -> str:
    """The name of the bridge's end of a node's link. Local."""
    return f"port{node}"


def joint_ends(group: int) -> tuple[str, str]:
    """The names of the ends of a group's link to the others: its own and the front's. Local."""
    return f"up{group}", f"down{group}"


def bridge_of(request: NetlabRequest, node: int) -> str:
    """The bridge that a node's link is plugged into. Local."""
    return BRIDGE if request.shape.joint is None else _bridge(request.shape.group_of(node))


def _bridge(group: int) -> str:
    return f"group{group}"


def bridge_commands(request: NetlabRequest) -> list[Command]:
    """The commands that make the bridges, with the launcher's address on the front's. Local."""
    bridges = [BRIDGE]
    if request.shape.joint is not None:
        bridges += map(_bridge, range(len(request.shape.groups)))
    return [
        ["ip", "link", "set", "lo", "up"],
        *(["ip", "link", "add", bridge, "type", "bridge"] for bridge in bridges),
        ["ip", "address", "add", f"{FRONT}/24", "dev", BRIDGE],
        *(["ip", "link", "set", bridge, "up"] for bridge in bridges),
    ]


def cable_command(node: int, pid: int) -> Command:
    """The command that joins the bridge's end with one in the namespace of a process. Local."""
    far_end = ["peer", "name", DEVICE, "netns", str(pid)]
    return ["ip", "link", "add", port(node), "type", "veth", *far_end]


def joint_cable_command(group: int) -> Command:
    """The command that makes both ends of a group's link to the others. Local."""
    up, down = joint_ends(group)
    return ["ip", "link", "add", up, "type", "veth", "peer", "name", down]


def port_commands(request: NetlabRequest, node: int) -> list[Command]:
    """The commands that plug the bridge's end of a node's link into its bridge. Local."""
    commands = [_plugging(port(node), bridge_of(request, node))]
    if request.nodes > 2 or request.shape.joint is not None:
        commands.append(_shaping(port(node), request.link(node)))
    return commands


def joint_commands(request: NetlabRequest, group: int, netem: bool) -> list[Command]:
    """The commands that plug both ends of a group's link to the others into their bridges. Local.

    `netem`: as for `device_commands`.
    """
    link = request.shape.joint
    assert link is not None
    up, down = joint_ends(group)
    commands = [_plugging(up, _bridge(group)), *_sending(up, link, netem), _plugging(down, BRIDGE)]
    if len(request.shape.groups) > 2:
        commands.append(_shaping(down, link))
    return commands


def device_commands(request: NetlabRequest, node: int, netem: bool) -> list[Command]:
    """The commands that make a node's end ready, run on the node. Local.

    `netem`: the kernel delays packets; else a delay line does.
    """
    address = f"{request.address(node)}/24"
    return [
        ["ip", "address", "add", address, "dev", DEVICE],
        ["ip", "link", "set", DEVICE, *_GSO, "up"],
        *_sending(DEVICE, request.link(node), netem),
    ]


def _plugging(device: str, bridge: str) -> Command:
    return ["ip", "link", "set", device, *_GSO, "master", bridge, "up"]


def _sending(device: str, link: Link, netem: bool) -> list[Command]:
    """The commands that give a device the rate of a link, and its delay if the kernel can."""
    commands = [_shaping(device, link)]
    if netem and link.latency > 0:
        delay = ["netem", "delay", f"{1e6 * link.latency:.0f}us", "limit", "100000"]
        commands.append(["tc", "qdisc", "add", "dev", device, "parent", "1:1", *delay])
    return commands


def _shaping(device: str, link: Link) -> Command:
    shaper = ["handle", "1:", "tbf", "rate", f"{rate(link):.0f}bit", *_SHAPER]
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
    """True if this kernel delays packets itself, by trying on the front's `lo`. Local."""
    trial = ["tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1us"]
    if subprocess.run(trial, capture_output=True).returncode != 0:
        return False
    run_all([["tc", "qdisc", "del", "dev", "lo", "root"]])
    return True


def bytes_sent(device: str) -> int:
    """Bytes that have come from the far end of a link so far, by the device of its end here.

    Local; OutsideError when that is gone.
    """
    command = ["ip", "-json", "-statistics", "link", "show", device]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        remedy = "let the nodes live to the end"
        raise outside_error(f"link at {device}", done.stderr.strip(), "a device", remedy)
    return int(json.loads(done.stdout)[0]["stats64"]["rx"]["bytes"])
