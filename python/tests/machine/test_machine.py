"""Machine files: what is read, and what is refused with its name."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from lapwing.base.error import UserError
from lapwing.machine.machine import Machine, load_machine, machine_names
from lapwing.machine.simulate.simgrid import hosts, platform

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


def read(folder: Path, text: str) -> Machine:
    path = folder / "mine.toml"
    path.write_text(text)
    return load_machine(str(path))


@pytest.mark.parametrize("name", machine_names())
def test_shipped_machines_are_complete(name: str) -> None:
    machine = load_machine(name)
    assert machine.link("network").latency > machine.link("node").latency
    for model in ("lattice",) if name.startswith("lbm") else ("coast", "tracer"):
        assert machine.seconds_per_cell(model, (60, 60)).seconds


def test_getm_cluster_is_the_one_of_the_report() -> None:
    machine = load_machine("getm-cluster")
    assert (machine.nodes, machine.ranks_per_node) == (15, 4)
    assert machine.link("network").latency == 65e-6
    for box, rest in {(60, 60): 74.60, (40, 40): 35.73, (40, 24): 23.57}.items():
        per_cell = sum(machine.seconds_per_cell("coast", box).seconds.values())
        assert per_cell * box[0] * box[1] * 43200 == pytest.approx(rest, rel=1e-3)
    parts = machine.seconds_per_cell("tracer", (40, 24)).seconds
    assert parts["interface"] * 3456 * 60 * 40 * 24 == pytest.approx(11.65, rel=1e-3)
    assert parts["update"] * 3456 * 60 * 40 * 24 == pytest.approx(5.31, rel=1e-3)


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
    costs = machine.seconds_per_cell("lattice", (20, 20, 20)).seconds
    for stage, streams in (("stream_and_collide", 3), ("collide", 2)):
        assert costs[stage] == pytest.approx(streams * 19 * 8 / (copy / 24), rel=1e-4)


def test_a_node_is_shared_or_not(tmp_path: Path) -> None:
    assert not read(tmp_path, GOOD).link("node").shared
    text = GOOD.replace("[node]", "[node]\nshared = 1")
    with pytest.raises(UserError, match=r"node.shared: .*true or false"):
        read(tmp_path, text)


def test_costs_are_those_of_the_nearest_box(tmp_path: Path) -> None:
    machine = read(tmp_path, GOOD)
    assert machine.seconds_per_cell("coast", (50, 60)).box == (60, 60)
    assert machine.seconds_per_cell("coast", (30, 30)).box == (40, 24)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("latency = 65e-6\n", "", "network: .*'latency'"),
        ("latency = 65e-6", "latency = -1", "network.latency"),
        ("latency = 65e-6", 'latency = "65us"', "network.latency"),
        ("latency = 65e-6", "latncy = 65e-6", "did you mean 'latency'"),
        ("count = 3", "count = 2.5", "whole number"),
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


def test_costs_that_are_no_tables_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"compute\.coast"):
        read(tmp_path, GOOD.partition("[[")[0] + "[compute]\ncoast = 3\n")


def test_a_model_without_costs_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no table \[\[compute.tracer\]\]"):
        read(tmp_path, GOOD).seconds_per_cell("tracer", (60, 60))


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(UserError, match="getm-cluster"):
        load_machine("no-such-machine")


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
