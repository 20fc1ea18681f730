"""`lapwing netlab run`: real ranks over real TCP, and nothing left over, however it ends."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lapwing.core import mpi_runtime

Lapwing = Callable[..., Any]  # the fixture in conftest.py
EndsBySignal = Callable[..., str]  # likewise

MESSAGE = 1_000_000  # bytes
TRIES = 8  # of which the least time counts

# Two ranks that should be two nodes exchange a message that must have gone over the link.
PROGRAM = f"""
import socket, json, sys
import numpy as np
from lapwing.core import mpi_runtime
from lapwing import Domain
mpi = mpi_runtime.start()
world = mpi.COMM_WORLD
node = world.Split_type(mpi.COMM_TYPE_SHARED)
domain = Domain((8, 8))
out, back = np.zeros({MESSAGE}, np.uint8), np.empty({MESSAGE}, np.uint8)
peer = world.size - 1 - world.rank
world.Barrier()
begin = mpi.Wtime()
world.Sendrecv(out, peer, recvbuf=back, source=peer)
seconds = mpi.Wtime() - begin
mine = (socket.gethostname(), node.size, domain.node.ranks, seconds)
found = world.gather(mine)
world.rank or print("FOUND", json.dumps(found), flush=True)
"""


def networks() -> set[str]:
    """Network namespaces that any process is in, or that a mount or a name holds."""
    seen = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            seen.add(str((process / "ns" / "net").readlink()))
        except OSError:  # ended meanwhile
            continue
    text = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    return seen | set(text.split())


@pytest.fixture(autouse=True)
def nothing_is_left(emulated_network: None) -> Iterator[None]:
    """No network namespace, link or process of a cluster outlives a test."""
    before = networks()
    links = set(Path("/sys/class/net").iterdir())
    yield
    end = time.monotonic() + 10
    while networks() - before and time.monotonic() < end:
        time.sleep(0.1)
    assert not networks() - before
    assert set(Path("/sys/class/net").iterdir()) == links


def found_in(out: str) -> Any:
    match = re.search(r"FOUND (.*)", out)
    assert match is not None, out
    return json.loads(match[1])


def megabytes_sent(err: str) -> list[float]:
    match = re.search(r"sent ([\d., ]+) MB over TCP links", err)
    assert match is not None, err
    return [float(number) for number in match[1].split(", ")]


def mpiexec(ranks: int, launcher: Path | None = None) -> tuple[str, ...]:
    name = str(launcher or mpi_runtime.mpiexec_path())
    return (name, "-n", str(ranks), sys.executable, "-c", PROGRAM)


@pytest.mark.ranks
def test_ranks_of_two_nodes_talk_over_tcp_at_the_rate_of_the_link(lapwing: Lapwing) -> None:
    answer = lapwing("netlab", "run", "--rate", "200mbit", "--", *mpiexec(2))
    assert answer.code == 0, answer.out + answer.err
    first, second = found_in(answer.out)
    assert first[0] != second[0]
    assert all(name.startswith("lapwing-") for name in (first[0], second[0]))
    # neither MPI nor lapwing takes them for one node
    assert (first[1], first[2], second[1], second[2]) == (1, 1, 1, 1)
    assert min(megabytes_sent(answer.err)) >= MESSAGE / 1e6
    # the burst of the shaper is free
    assert min(first[3], second[3]) > 0.9 * 8 * MESSAGE / 200e6


@pytest.mark.ranks
@pytest.mark.parametrize("name", ["mpiexec", "mpirun", mpi_runtime.mpiexec_path().name])
def test_every_name_of_the_launcher_starts_ranks_on_nodes(lapwing: Lapwing, name: str) -> None:
    launcher = mpi_runtime.mpiexec_path().with_name(name)
    answer = lapwing("netlab", "run", "--", *mpiexec(2, launcher))
    assert answer.code == 0, answer.out + answer.err
    first, second = found_in(answer.out)
    assert first[0] != second[0]


@pytest.mark.ranks
def test_ranks_of_one_node_are_together(lapwing: Lapwing) -> None:
    answer = lapwing("netlab", "run", "--nodes", "2", "--", *mpiexec(4))
    assert answer.code == 0, answer.out + answer.err
    found = found_in(answer.out)
    names = [name for name, *_ in found]
    assert names[0] == names[1] != names[2] == names[3]
    assert [size for _, size, *_ in found] == [2, 2, 2, 2]


@pytest.mark.ranks
def test_a_command_of_lapwing_starts_its_ranks_there(lapwing: Lapwing, tmp_path: Path) -> None:
    run = ("lapwing", "run", "kelvin", "--set", "duration=1h", "--progress", "none")
    answer = lapwing("netlab", "run", "--", *run, "--ranks", "2", "--out", str(tmp_path / "out"))
    assert answer.code == 0, answer.out + answer.err
    assert (tmp_path / "out" / "output.nc").exists()
    assert min(megabytes_sent(answer.err)) > 0.1


PONG = """
import socket
server = socket.create_server(("", 5000))
peer, _ = server.accept()
while data := peer.recv(1):
    peer.sendall(data)
"""

PING = """
import socket, sys, time
end = time.monotonic() + 10
while True:
    try:
        peer = socket.create_connection((sys.argv[1], 5000))
        break
    except OSError:
        assert time.monotonic() < end
        time.sleep(0.05)
times = []
for _ in range(30):
    begin = time.perf_counter()
    peer.sendall(b"x")
    peer.recv(1)
    times.append(time.perf_counter() - begin)
print("FOUND", min(times))
"""

PING_PONG = """
first=${LAPWING_HOSTS%,*}; second=${LAPWING_HOSTS#*,}
$LAPWING_HOSTS_AGENT $first "exec $1 -c '$2'" &
$LAPWING_HOSTS_AGENT $second "exec $1 -c '$3' $first"
"""


def test_a_delay_is_one_way(lapwing: Lapwing) -> None:
    command = ("sh", "-c", PING_PONG, "sh", sys.executable, PONG, PING)
    round_trip = {}
    for delay in ("1us", "5ms"):
        answer = lapwing("netlab", "run", "--delay", delay, "--", *command)
        assert answer.code == 0, answer.out + answer.err
        round_trip[delay] = found_in(answer.out)
    assert round_trip["1us"] < 5e-3
    assert 10e-3 < round_trip["5ms"] < 20e-3


def test_delays_of_groups_and_between_them_add_up(lapwing: Lapwing) -> None:
    command = ("sh", "-c", PING_PONG, "sh", sys.executable, PONG, PING)
    network = ("--group", "1@1gbit,5ms", "--group", "1@1gbit", "--joint", "1gbit,10ms")
    answer = lapwing("netlab", "run", *network, "--", *command)
    assert answer.code == 0, answer.out + answer.err
    assert 25e-3 < found_in(answer.out) < 40e-3


# `all PAIRS`: of each pair of nodes, one after the other, the first sends messages to the second;
# prints the least time of each.
TRANSFERS = f"""
import json, os, socket, subprocess, sys, time
role, *words = sys.argv[1:]

def on(host, *words):
    command = ["exec", sys.executable, __file__, *words]
    agent = os.environ["LAPWING_HOSTS_AGENT"]
    return subprocess.Popen([agent, host, *command], stdout=subprocess.PIPE, text=True)

def seconds(peer):
    begin = time.perf_counter()
    peer.sendall(bytes({MESSAGE}))
    peer.recv(1)
    return time.perf_counter() - begin

if role == "all":
    hosts, found = os.environ["LAPWING_HOSTS"].split(","), []
    for pair in json.loads(words[0]):
        sender, receiver = (hosts[node] for node in pair)
        receiving = on(receiver, "receive")
        found.append(json.loads(on(sender, "send", receiver).communicate()[0]))
        receiving.wait()
    print("FOUND", json.dumps(found))
elif role == "receive":
    peer, _ = socket.create_server(("", 5000)).accept()
    while len(peer.recv({MESSAGE}, socket.MSG_WAITALL)) == {MESSAGE}:
        peer.sendall(b"x")
else:
    end = time.monotonic() + 10
    while True:
        try:
            peer = socket.create_connection((words[0], 5000))
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
    print(min(seconds(peer) for _ in range({TRIES})))
"""

# what sends, what receives, and the slowest rate on the way, bit/s
TRANSFERRED = {
    "in the first group": (0, 1, 400e6),
    "in the second group": (2, 3, 100e6),
    "to the second group": (1, 2, 40e6),
    "to the first group": (3, 0, 40e6),
}


def test_groups_have_rates_of_their_own_and_share_a_link(lapwing: Lapwing, tmp_path: Path) -> None:
    program = tmp_path / "transfers.py"
    program.write_text(TRANSFERS)
    pairs = json.dumps([[sender, receiver] for sender, receiver, _ in TRANSFERRED.values()])
    network = ("--group", "2@400mbit", "--group", "2@100mbit", "--joint", "40mbit")
    answer = lapwing("netlab", "run", *network, "--", sys.executable, program, "all", pairs)
    assert answer.code == 0, answer.out + answer.err
    found = dict(zip(TRANSFERRED, found_in(answer.out), strict=True))
    for pair, (_, _, rate) in TRANSFERRED.items():
        least = 8 * MESSAGE / rate
        # the burst of the shaper is free; headers take a twentieth, and the machine may be busy
        assert 0.9 * least < found[pair] < 1.3 * least + 5e-3, (pair, found)
    said = answer.err
    assert "2 nodes at 400 Mbit/s and 2 nodes at 100 Mbit/s, joined at 40 Mbit/s, sent" in said
    # every node sends in one of the pairs, and every group to the other in one
    assert min(megabytes_sent(said)) >= TRIES * MESSAGE / 1e6
    crossed = re.search(r"the groups ([\d.]+), ([\d.]+) MB to others", said)
    assert crossed is not None, said
    assert min(map(float, crossed.groups())) >= TRIES * MESSAGE / 1e6


MACHINE = """
[nodes]
count = 3
ranks_per_node = 1
"""


@pytest.mark.ranks
def test_the_groups_of_a_machine_file(lapwing: Lapwing, tmp_path: Path) -> None:
    link = 'latency = "100 us"\nbandwidth = "{} Mbit/s"\n'.format
    groups = f"[[group]]\nnodes = 1\n{link(400)}[[group]]\nnodes = 2\n{link(200)}"
    (tmp_path / "mine.toml").write_text(f"{MACHINE}{groups}[joint]\n{link(100)}")
    run = ("lapwing", "run", "kelvin", "--set", "duration=1h", "--progress", "none")
    asked = ("netlab", "run", "--machine", "mine.toml", "--", *run, "--ranks", "3", "--out", "out")
    answer = lapwing(*asked)
    assert answer.code == 0, answer.out + answer.err
    assert (tmp_path / "out" / "output.nc").exists()
    assert "1 node at 400 Mbit/s and 100 us and 2 nodes at 200 Mbit/s and 100 us" in answer.err
    assert min(megabytes_sent(answer.err)) > 0.1


def test_exit_codes_are_those_of_the_command(lapwing: Lapwing) -> None:
    for code in (0, 1, 2, 3):
        assert lapwing("netlab", "run", "--nodes", 1, "--", "sh", "-c", f"exit {code}").code == code
    strange = lapwing("netlab", "run", "--nodes", 1, "--", "sh", "-c", "exit 77")
    assert strange.code == 3
    assert "sh ended with code 77" in strange.err


def test_a_command_that_is_not_there(lapwing: Lapwing) -> None:
    answer = lapwing("netlab", "run", "--nodes", 1, "--", "no-such-program-here")
    assert answer.code == 2
    assert "no-such-program-here" in answer.err


@pytest.mark.ranks
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_cluster_ends_with_the_process_that_asked(
    ends_by_signal: EndsBySignal, tmp_path: Path, number: signal.Signals
) -> None:
    mark = tmp_path / "mark"
    forever = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(1000)"
    ranks = (str(mpi_runtime.mpiexec_path()), "-n", "2", sys.executable, "-c", forever)
    before = networks()

    def begun() -> bool:
        if mark.exists():
            assert len(networks() - before) == 3  # two nodes and the front
        return mark.exists()

    ends_by_signal(number, ["netlab", "run", "--", *ranks], begun)


@pytest.mark.parametrize(
    ("option", "value"), [("--rate", "quick"), ("--group", "2@1gbit"), ("--machine", "no-such")]
)
def test_bad_requests_are_told_without_a_cluster(lapwing: Lapwing, option: str, value: str) -> None:
    answer = lapwing("netlab", "run", option, value, "--", "true")
    assert answer.code == 2
    assert option in answer.err
