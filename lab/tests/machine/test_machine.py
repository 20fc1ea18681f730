"""Machine files: what is read, and what is refused with its name."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lapwing.base.error import UserError
from lapwing_lab.machine.machine import Machine, load_machine, machine_names
from lapwing_lab.simulate.simgrid import hosts, platform

GOOD = """
[nodes]
count = 3
ranks_per_node = 2
[network]
latency = 65e-6
bandwidth = 125e6
[node]
latency = 1e-6
bandwidth = 1e9
[[compute.coast]]
box = [60, 60]
momentum_x = 2e-7
[[compute.coast]]
box = [40, 24]
momentum_x = 3e-7
[partition]
off = 5.0
"""


MESSAGES = """
[packing]
byte = "1 ns/byte"
row = "25 ns"
[messages.mpich.network]
send = "8 us"
send_byte = "5 ns/byte"
receive = "20 us"
poll = "0.2 us"
noise = "3 us"
rate = "100000 /s"
eager_limit = "128 KiB"
progress = "calls"
bandwidth_by_size = [["1 KiB", "20 MB/s"], ["1 MiB", "1 Gbit/s"]]
[messages.openmpi.node]
send = "1 us"
receive = "1 us"
"""


MEMORY = """
[memory]
cache = "16 MiB"
bandwidth = "40 GB/s"
core_bandwidth = "25 GB/s"
two_streams = 3.9e10
"""


def read(folder: Path, text: str) -> Machine:
    path = folder / "mine.toml"
    path.write_text(text)
    return load_machine(str(path))


# what machines whose name begins so have costs of; others of a tide and a tracer
MODELS = {
    "lbm": ("lattice",),
    "das3": ("weather",),
    "nec": ("weather",),
    "hector": ("coast",),
    "rosa": ("coast",),
}


@pytest.mark.parametrize("name", machine_names())
def test_shipped_machines_are_complete(name: str) -> None:
    machine = load_machine(name)
    assert machine.link("network").latency > machine.link("node").latency
    for model in MODELS.get(name.partition("-")[0], ("coast", "tracer")):
        assert machine.computing(model, (60, 60)).seconds


def test_shipped_machines_are_listed_in_the_guide() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guide" / "simulate.md").read_text()
    assert [name for name in machine_names() if f"`{name}`" not in page] == []


def test_das3_is_the_one_of_the_report() -> None:
    machine = load_machine("das3-two-clusters")
    assert machine.nodes == 85 + 32
    assert machine.message_costs(None).links["network"].eager_limit == 64e3
    joint = machine.link("joint")
    assert joint.latency > machine.link("network").latency


def test_getm_cluster_is_the_one_of_the_report() -> None:
    machine = load_machine("getm-cluster")
    assert (machine.nodes, machine.ranks_per_node) == (15, 4)
    assert machine.link("network").latency == pytest.approx(65e-6)
    # fitted to the column of 40x40, within 4 % of the others
    for box, rest, near in (
        ((40, 40), 35.73, 1e-3),
        ((60, 60), 74.60, 0.04),
        ((40, 24), 23.57, 0.04),
    ):
        stages = machine.computing("coast", box).stages
        flat = ("momentum_x", "momentum_y", "continuity", "between_steps")
        per_cell = sum(stages[name].widened(box).cell for name in flat)
        assert per_cell * box[0] * box[1] * 43200 == pytest.approx(rest, rel=near)
    parts = machine.computing("tracer", (40, 40)).stages
    layer = {name: 1600 * cost.cell + 40 * cost.row for name, cost in parts.items()}
    assert layer["interface"] * 3456 * 60 == pytest.approx(19.19, rel=2e-3)
    assert layer["update"] * 3456 * 60 == pytest.approx(11.85, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "memory", "copy", "connection"),
    [("lbm-xe6", 50e9, 51.9e9, 10e9), ("lbm-lima", 40e9, 38.9e9, 6e9)],
)
def test_lattice_machines_are_those_of_the_report(
    name: str, memory: float, copy: float, connection: float
) -> None:
    machine = load_machine(name)
    assert machine.ranks_per_node == 24
    network, node = machine.link("network"), machine.link("node")
    assert (2 * network.bandwidth, network.shared) == (connection, False)
    assert (2 * node.bandwidth, node.shared) == (memory / 2, True)
    costs = machine.computing("lattice", (20, 20, 20)).seconds
    for stage, streams in (("stream_and_collide", 3), ("collide", 2)):
        assert costs[stage] == pytest.approx(streams * 19 * 8 / (copy / 24), rel=1e-4)


def test_a_node_is_shared_or_not(tmp_path: Path) -> None:
    assert not read(tmp_path, GOOD).link("node").shared
    text = GOOD.replace("[node]", "[node]\nshared = 1")
    with pytest.raises(UserError, match=r"node.shared: .*true or false"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('burst = "32 kB"', "no key 'burst_bandwidth'"),
        ('burst_bandwidth = "1 GB/s"', "no key 'burst'"),
        ('burst = "32 kB"\nburst_bandwidth = "1 MB/s"', "more than bandwidth"),
        ('burst = "-1 kB"\nburst_bandwidth = "1 GB/s"', "network.burst"),
        ('burst = 32e3\nburst_bandwidth = "1 GB/s"', "network.burst"),
    ],
)
def test_a_burst_that_cannot_be_is_refused(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, GOOD.replace("[node]", f"{more}\n[node]"))


def test_a_burst_is_of_the_network(tmp_path: Path) -> None:
    more = 'burst = "32 kB"\nburst_bandwidth = "1 GB/s"\n'
    network = read(tmp_path, GOOD.replace("[node]", f"{more}[node]")).link("network")
    assert (network.burst, network.peak, network.bandwidth) == (32e3, 1e9, 125e6)
    with pytest.raises(UserError, match="node"):
        read(tmp_path, GOOD.replace("[node]", f"[node]\n{more}"))


def test_costs_lie_between_those_of_the_next_boxes(tmp_path: Path) -> None:
    machine = read(tmp_path, GOOD)

    def cell(*box: int) -> float:
        return machine.computing("coast", box).stages["momentum_x"].cell

    assert cell(80, 80) == 2e-7  # beyond all boxes: the nearest
    assert cell(30, 20) == 3e-7
    assert cell(60, 60) == 2e-7
    assert cell(24, 40) == 3e-7
    middle = math.sqrt(60 * 60 * 40 * 24)  # half way in logarithms
    assert cell(1, round(middle)) == pytest.approx(math.sqrt(2e-7 * 3e-7), rel=1e-3)


def test_a_stage_costs_cells_rows_and_calls(tmp_path: Path) -> None:
    text = GOOD.replace(
        "momentum_x = 2e-7",
        'momentum_x = { cell = "0.2 us", row = "1 us", call = "2 ms", rim = 2, crowded = 1.5 }',
    )
    stage = read(tmp_path, text).computing("coast", (60, 60)).stages["momentum_x"]
    assert (stage.row, stage.call, stage.crowded) == pytest.approx((1e-6, 2e-3, 1.5))
    assert stage.widened((10, 5)).cell == pytest.approx(2e-7 * 12 * 7 / 50)
    assert stage.widened((10, 5)).rim == 0


def test_messages_cost_what_their_mpi_does(tmp_path: Path) -> None:
    machine = read(tmp_path, GOOD + MESSAGES)
    network = machine.message_costs(None).links["network"]
    assert network.own_time(1000) == pytest.approx((8e-6 + 5e-6, 20e-6))
    assert (network.eager_limit, network.progress) == (128 * 1024, "calls")
    assert (network.rate, network.noise, network.poll) == pytest.approx((1e5, 3e-6, 2e-7))
    assert network.bandwidth_by_size == ((1024.0, 2e7), (2.0**20, 1.25e8))
    other = machine.message_costs("openmpi")
    assert (set(other.links), other.links["node"].send) == ({"node"}, 1e-6)
    assert other.links["node"].eager_limit == math.inf
    assert (other.packing.byte, other.packing.row) == pytest.approx((1e-9, 25e-9))
    with pytest.raises(UserError, match=r"--mpi: got 'intel'.*mpich, openmpi"):
        machine.message_costs("intel")


def test_without_costs_messages_are_free(tmp_path: Path) -> None:
    costs = read(tmp_path, GOOD).message_costs(None)
    assert (dict(costs.links), costs.packing.byte) == ({}, 0)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('send = "8 us"', "send = 8e-6", r"messages.mpich.network.send: got 8e-06; .*unit"),
        ('send = "8 us"', 'send = "8"', r"messages.mpich.network.send: .*with a unit"),
        ('send = "8 us"', 'send = "8 ns/byte"', r"network.send: .*with a unit \(s, ms, us, ns\)"),
        ('send = "8 us"', 'send = "-8 us"', r"messages.mpich.network.send: .*0 or more"),
        ('send = "8 us"', 'send = "8..5 us"', "messages.mpich.network.send"),
        ('send = "8 us"', "", r"messages.mpich.network: got no key 'send'"),
        ('receive = "20 us"', 'recieve = "20 us"', "did you mean 'receive'"),
        ('progress = "calls"', "", r"messages.mpich.network.progress: got nothing"),
        ('progress = "calls"', 'progress = "thread"', "'background' or 'calls'"),
        ('rate = "100000 /s"', 'rate = "0 /s"', r"messages.mpich.network.rate: .*above 0"),
        ('["1 MiB", "1 Gbit/s"]', '["1 KiB", "1 Gbit/s"]', "bandwidth_by_size: .*ascending"),
        ('["1 MiB", "1 Gbit/s"]', '["1 MiB"]', "bandwidth_by_size: .*pairs"),
        ("[messages.openmpi.node]", "[messages.openmpi.nodes]", "did you mean 'node'"),
        ('row = "25 ns"', 'row = "25 bytes"', r"packing.row: .*with a unit"),
        ('row = "25 ns"', "rows = 3", r"packing: unknown key 'rows'|did you mean 'row'"),
    ],
)
def test_costs_that_cannot_be_are_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    assert old in MESSAGES
    with pytest.raises(UserError, match=named):
        read(tmp_path, GOOD + MESSAGES.replace(old, new, 1))


@pytest.mark.parametrize(
    ("stage", "named"),
    [
        ('"0.2"', r"compute.coast.momentum_x: .*unit"),
        ('{ row = "1 us" }', r"compute.coast.momentum_x: got no key 'cell'"),
        ('{ cell = "1 us", row = 3 }', r"momentum_x.row: .*unit"),
        ('{ cell = "1 us", rim = -1 }', r"momentum_x.rim: .*0 or more"),
        ('{ cell = "1 us", crowded = 0.5 }', r"momentum_x.crowded: .*1 or more"),
        ('{ cell = "1 us", rows = "1 us" }', "did you mean 'row'"),
    ],
)
def test_stages_that_cannot_be_are_named(tmp_path: Path, stage: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        read(tmp_path, GOOD.replace("momentum_x = 2e-7", f"momentum_x = {stage}"))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("latency = 65e-6\n", "", "network: .*'latency'"),
        ("latency = 65e-6", "latency = -1", "network.latency"),
        ("latency = 65e-6", 'latency = "65 m"', "network.latency"),
        ("latency = 65e-6", "latncy = 65e-6", "did you mean 'latency'"),
        ("count = 3", "count = 2.5", "whole number"),
        ("count = 3\n", "", "nodes: got no key 'count'"),
        ("[nodes]", "[memory]", r"nodes: got no table \[nodes\]"),
        ("[node]", "[nodde]", "did you mean 'node'"),
        ("[partition]", "[pages]", "unknown key 'pages'"),
        ("box = [40, 24]", "box = 40", "cells along x and y"),
        ("box = [40, 24]", "box = [40, 0]", "compute.coast.box"),
        ("momentum_x = 3e-7", "momentum_x = true", "compute.coast.momentum_x"),
        ("count = 3", "count = ", "mine.toml"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    assert old in GOOD
    with pytest.raises(UserError, match=named):
        read(tmp_path, GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[compute]\ncoast = 3\n", r"compute\.coast"),
        ("[[compute]]\nbox = [61, 60]\n[[compute.trc]]\nbox = [4, 40]\n", "compute: got"),
    ],
)
def test_costs_that_are_no_tables_are_named(text: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=named):
        read(tmp_path, GOOD.partition("[[")[0] + text)


NODES = "nodes.count = 2\nnodes.ranks_per_node = 1\n"
TOP = ("title", "compute", "compute.coast", "messages", "packing", "network", "node", "group")
INNER = ("nodes.speeds", "nodes.placement", "network.torus", "network.fat_tree", "network.latency")


@pytest.mark.parametrize("value", ["0x" + "f" * 4000, "'" + "x" * 5000 + "'"])
@pytest.mark.parametrize("key", [*TOP, *INNER])
def test_values_of_thousands_of_characters_are_not_repeated(
    key: str, value: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="; expected ") as refused:
        read(tmp_path, f"{key} = {value}\n{NODES}")
    assert len(str(refused.value)) < 1000


def test_a_machine_of_billions_of_nodes_fills_no_memory(tmp_path: Path) -> None:
    speeds = "nodes.speeds = [[2147483647, 1.0]]\n"
    with pytest.raises(UserError, match=r"nodes\.speeds: got 2147483647 nodes; expected 2"):
        read(tmp_path, speeds + NODES)
    with pytest.raises(UserError, match=r"nodes\.count: got 2147483647; expected 1 to 1000000"):
        read(tmp_path, (speeds + NODES).replace("count = 2", "count = 2147483647"))
    torus = f"network = {{ latency = 1e-6, bandwidth = 1e9, torus = {[2147483647] * 500} }}\n"
    with pytest.raises(UserError, match=r"network\.torus: got a number of thousands of digits"):
        read(tmp_path, torus + NODES)


def test_a_model_without_costs_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no table \[\[compute.tracer\]\]"):
        read(tmp_path, GOOD).computing("tracer", (60, 60))


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(UserError, match=r"got No such file or directory; expected .* getm-cluster"):
        load_machine("no-such-machine")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ('placement = "groups"', "nodes.placement: got 'groups'; expected .*group.* tables"),
        ("last_node = 99", "nodes.last_node: got 99; expected at most ranks_per_node"),
    ],
)
def test_places_that_cannot_be_are_refused(tmp_path: Path, key: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, GOOD.replace("[nodes]", f"[nodes]\n{key}"))


def test_a_group_says_how_many_nodes_it_has(tmp_path: Path) -> None:
    group = '[[group]]\nlatency = "1 us"\nbandwidth = "1 GB/s"\n'
    with pytest.raises(UserError, match="group: got no key 'nodes'"):
        read(tmp_path, GOOD.replace("[network]", f"{group}[network]"))


def test_platform_has_a_link_each_way_per_node(tmp_path: Path) -> None:
    machine = read(tmp_path, GOOD)
    cluster = ElementTree.fromstring(platform(machine)).find("cluster")
    assert cluster is not None
    assert cluster.get("radical") == "0-2"
    assert cluster.get("core") == "2"
    assert cluster.get("sharing_policy") == "SPLITDUPLEX"
    assert float(str(cluster.get("bw")).removesuffix("Bps")) == 125e6
    # up and down together
    assert 2 * float(str(cluster.get("lat")).removesuffix("s")) == pytest.approx(65e-6)


def test_nodes_fill_one_after_the_other(tmp_path: Path) -> None:
    machine = read(tmp_path, GOOD)
    assert hosts(machine, 5).split() == ["node-0", "node-0", "node-1", "node-1", "node-2"]
    with pytest.raises(UserError, match="at most 6"):
        hosts(machine, 7)


def test_memory_is_read_with_units(tmp_path: Path) -> None:
    memory = read(tmp_path, GOOD + MEMORY).memory
    assert memory.cache == 16 * 2**20
    assert (memory.bandwidth, memory.core_bandwidth) == (40e9, 25e9)
    assert read(tmp_path, GOOD).memory.cache == 0  # costs of stages then say all


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('cache = "16 MiB"', "no key 'bandwidth'"),
        ('bandwidth = "40 GB/s"', "no key 'cache'"),
        ("cache = 16", "bytes as text with a unit"),
        ('cash = "16 MiB"', "unknown key"),
    ],
)
def test_memory_that_cannot_be_is_refused(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(UserError, match="memory") as refused:
        read(tmp_path, f"{GOOD}[memory]\n{line}\n")
    assert words in str(refused.value)
