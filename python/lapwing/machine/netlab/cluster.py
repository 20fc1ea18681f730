"""Inside an emulated cluster: its nodes, and the process that builds it and all of it ends with.

`python -m lapwing.machine.netlab.cluster LIFELINE REQUEST`, started by `netlab.py` as the first
process of a namespace of process ids. LIFELINE: file descriptor that is at its end when the
cluster is to end.

A node is a process that sleeps in namespaces of its own: network, host name, shared memory. It
also has a boot id of its own, for MPI libraries take processes with one boot id to be on one
machine, and would move messages through its memory.

Every node has one link, its `eth0`, whose other end is a port of a bridge at the front. The node's
end is shaped, so a node sends at the rate of the link; with more than two nodes the bridge's end is
too, as several may send to one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lapwing.base.agreement import OUTSIDE, describe, exit_code
from lapwing.base.error import outside_error, user_error
from lapwing.base.hosts import Hosts, with_hosts
from lapwing.core import mpi_runtime

NODES = (1, 64)
# units, least and most in words and as numbers
_RATE = ({"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}, "100kbit to 100gbit", (1e5, 1e11))  # bit/s
_DELAY = ({"us": 1e-6, "ms": 1e-3, "s": 1.0}, "1us to 10s", (1e-6, 10.0))  # s

_ADDRESS = "10.77.0.{}"  # on the links; private to the cluster, so it meets no other
NETWORK = _ADDRESS.format("0/24")
_FRONT = 254  # where the launcher is

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

# What Open MPI asks of root, whichever MPI the command may start; and a folder of each node's own
# for its daemons, which name theirs by process ids: small here, and alike in two clusters.
_VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "TMPDIR": str(PRIVATE),
}

_GRACE = 5.0  # s from SIGTERM to the end of everything


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
        expected = "a command behind --"
        raise user_error("COMMAND", "nothing", expected, "write `-- lapwing bench overlap`, say")
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


# ---- the nodes


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


# ---- links: the commands of iproute2 that make, shape and read them

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
        remedy = "let its node live to the end"
        raise outside_error(f"link of node {node}", done.stderr.strip(), port(node), remedy)
    return int(json.loads(done.stdout)[0]["stats64"]["rx"]["bytes"])


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
    name = Path(command[0]).name
    if command[0] == "lapwing":
        command[:1] = [sys.executable, "-m", "lapwing"]
    elif name in ("mpiexec", "mpirun"):
        command = with_hosts(command, hosts, _family(command[0]))
    environment = {**os.environ, **_VARIABLES, **hosts.variables()}
    try:
        # in a session of its own: what it signals to its process group stays inside the cluster
        return subprocess.Popen(command, env=environment, start_new_session=True)
    except OSError as problem:
        got = f"{command[0]!r} ({problem.strerror})"
        raise user_error("COMMAND", got, "a program", "correct its name") from problem


def _family(mpiexec: str) -> str:
    """Whose launcher a user's mpiexec is: "Open MPI" or "MPICH"."""
    try:
        text = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return mpi_runtime.built_with().family
    return "Open MPI" if "Open MPI" in text or "OpenRTE" in text else "MPICH"


if __name__ == "__main__":
    sys.exit(main())
