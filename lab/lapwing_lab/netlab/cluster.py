"""Inside an emulated cluster: its nodes, and the process that builds it and all of it ends with.

`python -m lapwing_lab.netlab.cluster LIFELINE REQUEST`, started by `netlab.py` as the first
process of a namespace of process ids. LIFELINE: file descriptor that is at its end when the
cluster is to end.

A node is a process that sleeps in namespaces of its own: network, host name, shared memory. It
also has a boot id of its own, for MPI libraries take processes with one boot id to be on one
machine, and would move messages through its memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from lapwing.base.agreement import OUTSIDE, describe, exit_code
from lapwing.base.error import outside_error, user_error
from lapwing.base.hosts import Hosts, with_hosts
from lapwing.core import mpi_runtime
from lapwing.core.mpi_library import launcher_of

from lapwing_lab.machine.shape import Link
from lapwing_lab.netlab.links import (
    DEVICE,
    bridge_commands,
    bytes_sent,
    cable_command,
    device_commands,
    has_netem,
    joint_cable_command,
    joint_commands,
    joint_ends,
    port,
    port_commands,
    run_all,
)
from lapwing_lab.netlab.request import FRONT, NETWORK, NetlabRequest, all_links, in_words

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

# Open MPI's settings for root, whichever MPI the command may start; and a folder of each node's own
# for its daemons, which name theirs by process ids: small here, and alike in two clusters.
_VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "TMPDIR": str(PRIVATE),
}

_GRACE = 5.0  # s from SIGTERM to the end of everything


# ---- the nodes


class Cluster:
    """Nodes with links between them; gone when this process ends."""

    def __init__(self, request: NetlabRequest) -> None:
        """Build all of it. Local; OutsideError where the kernel or iproute2 cannot."""
        self.request = request
        run_all([["mount", "-t", "tmpfs", "lapwing", str(PRIVATE)], *bridge_commands(request)])
        delayed = any(link.latency > 0 for link in all_links(request.shape))
        self._netem = delayed and has_netem()
        self._joints = range(0 if request.shape.joint is None else len(request.shape.groups))
        for group in self._joints:
            self._join(group)
        self._nodes = [self._node(number) for number in range(request.nodes)]
        addresses = tuple(request.address(node) for node in range(request.nodes))
        agent = self._install(agent_script(dict(zip(addresses, self._nodes, strict=True))))
        self.hosts = Hosts(addresses, agent, NETWORK, FRONT)

    def traffic(self) -> str:
        """The bytes that the nodes have sent so far, and groups to others, as text. Local."""
        nodes = _megabytes([port(node) for node in range(self.request.nodes)])
        groups = _megabytes([joint_ends(group)[1] for group in self._joints])
        crossed = f", the groups {groups} MB to others" if groups else ""
        return f"netlab: {in_words(self.request.shape)} sent {nodes} MB over TCP links{crossed}"

    def _install(self, script: str) -> str:
        """Write the agent, also on the nodes, as a launcher's daemons look for it there too."""
        agent = str(PRIVATE / "lapwing-agent")
        write = ["sh", "-c", f"cat > {agent} && chmod 755 {agent}"]
        for before in [[], *map(on_node, self._nodes)]:
            subprocess.run([*before, *write], input=script, text=True, check=True)
        return agent

    def _join(self, group: int) -> None:
        """Make the link of a group to the others."""
        joint = self.request.shape.joint
        assert joint is not None
        if self._needs_line(joint):
            _start_line(*joint_ends(group), joint)
        else:
            run_all([joint_cable_command(group)])
        run_all(joint_commands(self.request, group, self._netem))

    def _node(self, number: int) -> int:
        """Make a node with its link, and return the id of its process."""
        request = self.request
        script = ["sh", "-c", node_script(request.name(number))]
        pid = _started([*("unshare", "--net", "--uts", "--ipc", "--mount", "--"), *script])
        link = request.link(number)
        if self._needs_line(link):
            far_end = f"{port(number)}far"
            _start_line(far_end, port(number), link)
            run_all([["ip", "link", "set", far_end, "netns", str(pid), "name", DEVICE]])
        else:
            run_all([cable_command(number, pid)])
        run_all(port_commands(request, number))
        run_all(device_commands(request, number, self._netem), on_node(pid))
        return pid

    def _needs_line(self, link: Link) -> bool:
        return link.latency > 0 and not self._netem


def _start_line(near: str, far: str, link: Link) -> None:
    """Start a line that delays what goes from one end to the other, which it makes."""
    line = [sys.executable, "-m", "lapwing_lab.netlab.delay_line"]
    _started([*line, near, far, str(link.latency)])


def _megabytes(devices: Sequence[str]) -> str:
    return ", ".join(f"{bytes_sent(device) / 1e6:.2f}" for device in devices)


def node_script(name: str) -> str:
    """Run the process of a node: make it a machine of its own, say so, sleep. Local."""
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
    """The words before a command that is to run on the node of a process. Local."""
    return ["nsenter", f"--target={pid}", "--net", "--uts", "--ipc", "--mount"]


def agent_script(nodes: dict[str, int]) -> str:
    """A program that is called as ssh is, and knows these addresses and their processes. Local.

    Like ssh it hands all that follows the host to a shell; unlike it, in the same folder. Launchers
    ask for silence and no windows before the host: -x, Intel MPI's also -q.
    """
    cases = "".join(f"  {address}) node={pid} ;;\n" for address, pid in nodes.items())
    return f"""#!/bin/sh
while [ "$1" = -x ] || [ "$1" = -q ]; do shift; done
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


# ---- the process that builds it, and all of it ends with


def main() -> int:
    """Build the cluster, run the command, print what the links carried; returns an exit code."""
    # Ctrl-C reaches this process as well as the one that asked, which then ends the lifeline.
    signal.signal(signal.SIGINT, lambda *_: None)
    request = NetlabRequest.from_text(sys.argv[2])
    jobs: list[subprocess.Popen[bytes]] = []
    threading.Thread(target=_await_end, args=(int(sys.argv[1]), jobs), daemon=True).start()
    try:
        cluster = Cluster(request)
        jobs.append(_start(cluster))
        code = jobs[0].wait()
        print(cluster.traffic(), file=sys.stderr)
    except Exception as problem:
        print(describe(problem, False), file=sys.stderr)
        return exit_code(problem)
    return code if code >= 0 else OUTSIDE


def _await_end(lifeline: int, jobs: list[subprocess.Popen[bytes]]) -> None:
    """Wait for the end of the lifeline, then end the command, and after a while everything."""
    os.read(lifeline, 1)
    for job in jobs:
        job.terminate()
        time.sleep(_GRACE)
    # the kernel ends all other processes here with this one
    os._exit(OUTSIDE)


def _start(cluster: Cluster) -> subprocess.Popen[bytes]:
    """Start the command of the request with the hosts in its environment."""
    hosts = cluster.hosts
    command = list(cluster.request.command)
    # Debian and wheels give launchers of two MPIs names such as mpiexec.hydra
    name = Path(command[0]).name.partition(".")[0]
    if command[0] == "lapwing":
        command[:1] = [sys.executable, "-m", "lapwing"]
    elif name in ("mpiexec", "mpirun"):
        launcher = launcher_of(Path(command[0])) or mpi_runtime.built_with().launcher
        command = with_hosts(command, hosts, launcher)
    environment = {**os.environ, **_VARIABLES, **hosts.variables()}
    try:
        # in a session of its own: what it signals to its process group stays inside the cluster
        return subprocess.Popen(command, env=environment, start_new_session=True)
    except OSError as problem:
        got = f"{command[0]!r} ({problem.strerror})"
        raise user_error("COMMAND", got, "a program", "correct its name") from problem


if __name__ == "__main__":
    sys.exit(main())
