"""The nodes of an emulated cluster, and the agent by which a launcher starts processes on them.

A node is a process that sleeps in namespaces of its own: network, host name, shared memory. It
also has a boot id of its own, for MPI libraries take processes with one boot id to be on one
machine, and would move messages through its memory.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lapwing.base.error import outside_error
from lapwing.base.hosts import Hosts
from lapwing.machine.netlab.links import (
    DEVICE,
    bridge_commands,
    bytes_sent,
    cable_command,
    device_commands,
    has_netem,
    port,
    port_commands,
    run_all,
)
from lapwing.machine.netlab.request import NETWORK, NetlabRequest

# A folder in memory of the front and of every node; what is in it vanishes with the cluster.
PRIVATE = Path("/dev/shm")

# Connections start at full speed again after a pause; the congestion control is the one that is
# allowed in every namespace; and nothing but the command's own traffic is on the links.
_SETTINGS = {
    "ipv4/tcp_congestion_control": "reno",
    "ipv4/tcp_slow_start_after_idle": "0",
    "ipv6/conf/all/disable_ipv6": "1",
}

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Cluster:
    """Nodes with links between them; gone when this process ends."""

    def __init__(self, request: NetlabRequest) -> None:
        """Build all of it. Local; OutsideError where the kernel or iproute2 cannot."""
        self.request = request
        run_all([["mount", "-t", "tmpfs", "lapwing", str(PRIVATE)], *bridge_commands(request)])
        self._netem = request.delay > 0 and has_netem()
        self._nodes = [self._node(number) for number in range(request.nodes)]
        addresses = tuple(request.address(node) for node in range(request.nodes))
        agent = self._install(agent_script(dict(zip(addresses, self._nodes, strict=True))))
        self.hosts = Hosts(addresses, agent, NETWORK, request.front_address)

    def traffic(self) -> str:
        """What the nodes have sent so far, for people. Local."""
        sent = ", ".join(f"{bytes_sent(node) / 1e6:.2f}" for node in range(self.request.nodes))
        rate = f"{self.request.rate / 1e6:g} Mbit/s"
        return f"netlab: {self.request.nodes} nodes at {rate} sent {sent} MB over TCP links"

    def _install(self, script: str) -> str:
        """Write the agent, also on the nodes, as a launcher's daemons look for it there too."""
        agent = str(PRIVATE / "lapwing-agent")
        write = ["sh", "-c", f"cat > {agent} && chmod 755 {agent}"]
        for before in [[], *map(on_node, self._nodes)]:
            subprocess.run([*before, *write], input=script, text=True, check=True)
        return agent

    def _node(self, number: int) -> int:
        """Make a node with its link, and return the id of its process."""
        request = self.request
        script = ["sh", "-c", node_script(request.name(number))]
        pid = _started([*("unshare", "--net", "--uts", "--ipc", "--mount", "--"), *script])
        if request.delay > 0 and not self._netem:
            far_end = f"{port(number)}far"
            line = [sys.executable, "-m", "lapwing.machine.netlab.delay_line"]
            _started([*line, far_end, port(number), str(request.delay)])
            run_all([["ip", "link", "set", far_end, "netns", str(pid), "name", DEVICE]])
        else:
            run_all([cable_command(number, pid)])
        run_all(port_commands(request, number))
        run_all(device_commands(request, number, self._netem), on_node(pid))
        return pid


def node_script(name: str) -> str:
    """What the process of a node does: makes it a machine of its own, says so, sleeps. Local."""
    settings = "".join(
        f"[ ! -e /proc/sys/net/{key} ] || echo {value} > /proc/sys/net/{key}\n"
        for key, value in _SETTINGS.items()
    )
    return f"""set -e
echo {name} > /proc/sys/kernel/hostname
mount -t tmpfs lapwing {PRIVATE}
if [ -e {_BOOT_ID} ]; then
  cat /proc/sys/kernel/random/uuid > {PRIVATE}/boot_id
  mount --bind {PRIVATE}/boot_id {_BOOT_ID}
fi
{settings}ip link set lo up
echo ready
exec sleep infinity
"""


def on_node(pid: int | str) -> list[str]:
    """What goes before a command that is to run on the node of a process. Local."""
    return ["nsenter", f"--target={pid}", "--net", "--uts", "--ipc", "--mount"]


def agent_script(nodes: dict[str, int]) -> str:
    """A program that is called as ssh is, and knows these addresses and their processes. Local.

    Like ssh it hands all that follows the host to a shell; unlike it, in the same folder.
    """
    cases = "".join(f"  {address}) node={pid} ;;\n" for address, pid in nodes.items())
    return f"""#!/bin/sh
[ "$1" = -x ] && shift
host=$1
shift
case $host in
{cases}  *) echo "netlab: no host $host" >&2; exit 3 ;;
esac
exec {" ".join(on_node("$node"))} --wd="$PWD" -- sh -c "$*"
"""


def _started(command: list[str]) -> int:
    """Start a process that stays, and return its id when it has said "ready"."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the command; nodes end with the cluster
    )
    assert process.stdout is not None
    assert process.stderr is not None
    if process.stdout.readline().strip() != "ready":
        said = process.stderr.read().strip()
        raise outside_error(
            " ".join(command[:5]),
            said or f"exit code {process.wait()}",
            "a process in namespaces of its own",
            "ask `lapwing doctor`; in a container, run it privileged",
        )
    return process.pid
