"""`lapwing probe`: complete in short form, honest about what it skips, clear when refusing."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import COSTS, read_costs
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.probe.links import Overlap, fit_line
from lapwing_lab.probe.request import ProbeRequest, checked, settings_of
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest

Lapwing = Callable[..., Any]  # the fixture in conftest.py

KINDS = 2 * 3 * 3  # patterns, ways, layouts


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    table = tomllib.loads(path.read_text())
    return table, json.loads(path.with_suffix(".json").read_text())


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_two_ranks_measure_all_of_a_node(lapwing: Lapwing, tmp_path: Path) -> None:
    done = lapwing("probe", "--quick", "--ranks", 2, "--out", "mine.toml", timeout=100)
    assert done.code == 0, done.out + done.err
    table, raw = read(tmp_path / "mine.toml")
    assert table["nodes"] == {"count": 1, "ranks_per_node": 2}
    assert "network" not in table
    assert "skipped: network: all ranks are on one node" in done.out
    assert len(table["link"]) == KINDS
    assert {row["link"] for row in table["link"]} == {"node"}
    assert len(table["overlap"]) == 3
    assert {row["processes"] for row in table["memory"]["copy"]} == {1, 2}
    assert table["calls"].keys() >= {"isend", "irecv", "test_pending", "wait", "barrier"}
    assert {table["mpi"][f"neighbor_graph_{n}"] for n in (1, 2)} <= {"right", "swapped"}
    says_of_the_mpi_what_it_has_measured(done.out, table, raw)
    counts_what_the_copies_move(table, raw)
    says_of_a_link_what_its_samples_give(table, raw, "node")
    assert raw["schema"] == "lapwing-probe-1"
    for row in raw["links"]:
        assert len(row["samples"]) == len(row["sizes"]) == len(row["rounds"])
        assert all(len(samples) == 3 and min(samples) > 0 for samples in row["samples"])
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")
    for name in ("mine.toml", "mine.json", "mine.png"):
        assert name in done.out
    serves_the_other_commands(tmp_path / "mine.toml", table)


def says_of_the_mpi_what_it_has_measured(
    printed: str, table: dict[str, Any], raw: dict[str, Any]
) -> None:
    found = {
        cells[1].strip(): cells[2].strip()
        for cells in (line.split("│") for line in printed.splitlines())
        if len(cells) == 4
    }
    limit, most = raw["mpi"]["eager_limit_node"], max(raw["settings"]["overlap_sizes"])
    assert table["mpi"]["eager_limit_node"] == (most if limit is None else limit) <= most
    printed_limit = f"above {most} bytes" if limit is None else f"{limit} bytes"
    assert found["eager limit within a node"] == printed_limit
    longest = [row for row in raw["overlap"] if row["size"] == most]
    assert {row["way"] for row in longest} == {"two-sided", "push", "pull"}
    for row in longest:
        verdict = background(row)
        assert table["mpi"][f"background_node_{row['way']}"] == verdict
        assert found[f"background progress within a node, {row['way']}"] == verdict


def background(row: dict[str, Any]) -> str:
    """The verdict of docs/guide/machine-files.md on raw samples."""
    samples = row["samples"]
    alone = zip(samples["communication"], samples["computation"], samples["both"], strict=True)
    hidden = median((comm + comp - both) / min(comm, comp) for comm, comp, both in alone)
    left = row["left"] / median(samples["communication"])
    if left > 0.75:
        return "no"
    if hidden < 0.25:
        return "at once"
    return "yes" if left < 0.25 else "partly"


def counts_what_the_copies_move(table: dict[str, Any], raw: dict[str, Any]) -> None:
    rows = {(row["streams"], row["method"], row["processes"]): row for row in raw["memory"]}
    for name, streams, arrays in (("two_streams", "2", 1), ("lattice_streams", "2x19", 19)):
        row = rows[streams, "blocked", 2]
        rate = 2 * 3 * arrays * row["array_bytes"] / median(row["samples"])
        assert table["memory"][name] == pytest.approx(rate, rel=1e-3)


def says_of_a_link_what_its_samples_give(
    table: dict[str, Any], raw: dict[str, Any], link: str
) -> None:
    """`table`: the machine file."""
    found = table[link]
    rows = {
        row["pattern"]: row
        for row in raw["links"]
        if (row["link"], row["way"], row["layout"]) == (link, "two-sided", "contiguous")
    }
    fits = {
        pattern: fit_line(row["sizes"], row["samples"], 2 if pattern == "ring" else 1)
        for pattern, row in rows.items()
    }
    each_way = fits["ring"].bandwidth / 2
    if "burst" in found:  # what passes of many short ones says nothing of the long run
        each_way = rows["ring"]["sizes"][-1] / median(rows["ring"]["samples"][-1])
    assert found["bandwidth"] == pytest.approx(each_way, rel=1e-3)
    # what a message is charged is what it took
    (costs,) = table["messages"].values()
    parts = [float(costs[link][name].split()[0]) for name in ("send", "receive", "noise")]  # us
    own = 1e-6 * sum(parts)
    took = fits["ping-pong"].latency
    assert found["latency"] == pytest.approx(max(took - own, 0.05 * took), rel=0.01)


def serves_the_other_commands(path: Path, table: dict[str, Any]) -> None:
    machine = load_machine(str(path))
    assert machine.link("node").latency == table["node"]["latency"]
    costs = read_costs("--costs", str(path))
    assert costs.keys() == COSTS.keys()
    assert costs["off"] == table["partition"]["off"] > 0
    with pytest.raises(UserError, match=r"no table \[network\].*netlab run --nodes 2"):
        simulate(SimulationRequest("coast-60x60", str(path), 4))


def test_one_rank_skips_messages_by_name(lapwing: Lapwing, tmp_path: Path) -> None:
    done = lapwing("probe", "--quick", "--ranks", 1, "--out", "alone.toml")
    assert done.code == 0, done.out + done.err
    assert "skipped: node: no node has two ranks" in done.out
    assert "skipped: network:" in done.out
    table, raw = read(tmp_path / "alone.toml")
    assert raw["links"] == []
    assert raw["skipped"].keys() == {"node", "network"}
    assert not {"link", "overlap", "node", "network", "partition"} & table.keys()
    assert "isend" not in table["calls"]
    assert "clock_ticks" in table["calls"]
    assert not (tmp_path / "alone.png").exists()
    machine = load_machine(str(tmp_path / "alone.toml"))
    assert table["memory"]["two_streams"] > 0
    with pytest.raises(UserError, match="no table"):
        machine.link("node")


@pytest.mark.ranks
@pytest.mark.any_mpi
@pytest.mark.slow
def test_between_emulated_nodes_it_finds_the_rate(
    lapwing: Lapwing, emulated_network: None, tmp_path: Path
) -> None:
    inside = ("probe", "--quick", "--samples", 2, "--out", tmp_path / "net.toml")
    done = lapwing(
        "netlab", "run", "--nodes", 2, "--rate", "1gbit", "--", "lapwing", *inside, timeout=150
    )
    assert done.code == 0, done.out + done.err
    assert "skipped: node: no node has two ranks" in done.out
    machine = load_machine(str(tmp_path / "net.toml"))
    assert (machine.nodes, machine.ranks_per_node) == (2, 1)
    table, raw = read(tmp_path / "net.toml")
    assert machine.link("network").bandwidth == table["network"]["bandwidth"]
    says_of_a_link_what_its_samples_give(table, raw, "network")
    for row in raw["links"]:
        if row["layout"] == "contiguous":
            # a link of 125e6 bytes/s; a busy machine is slower, and nothing is faster for long
            assert row["sizes"][-1] / min(row["samples"][-1]) < 1.1 * 125e6
    assert len(table["link"]) == KINDS
    assert table["mpi"]["eager_limit_network"] > 0


def test_what_only_people_read_may_be_anything(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text(
        "[nodes]\ncount = 1\nranks_per_node = 2\n"
        "[memory]\ntwo_streams = 0.0\n[calls]\nclock_ticks = 0.0\n[mpi]\ncuda_aware = 'no'\n"
    )
    assert load_machine(str(file)).ranks_per_node == 2
    file.write_text(file.read_text().replace("[calls]", "[cals]"))
    with pytest.raises(UserError, match="did you mean 'calls'"):
        load_machine(str(file))


def refused(lapwing: Lapwing, *options: object) -> str:
    done = lapwing("probe", "--quick", *options)
    assert done.code == 2, done.out + done.err
    return str(done.err)


def test_files_that_are_there_stay(lapwing: Lapwing, tmp_path: Path) -> None:
    for name in ("m.toml", "m.json", "m.png"):
        (tmp_path / name).write_text("mine")
        assert "say --overwrite" in refused(lapwing, "--out", "m.toml", "--ranks", 2)
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()
    (tmp_path / "m.toml").write_text("old")
    done = lapwing("probe", "--quick", "--ranks", 1, "--out", "m.toml", "--overwrite")
    assert done.code == 0, done.err
    assert load_machine(str(tmp_path / "m.toml")).nodes == 1


def test_what_cannot_be_is_refused_before_ranks_start(lapwing: Lapwing, tmp_path: Path) -> None:
    assert "a folder that exists" in refused(lapwing, "--out", "no/such/folder/m.toml")
    assert ".toml" in refused(lapwing, "--out", "machine.json")
    (tmp_path / "folder.toml").mkdir()
    assert "a folder" in refused(lapwing, "--out", "folder.toml")
    assert "2 to 1000" in refused(lapwing, "--samples", 1)
    assert "2 to 1000" in refused(lapwing, "--samples", -3)
    assert "at most 65536" in refused(lapwing, "--ranks", 10**6)
    assert lapwing("probe", "--ranks", 0).code == 2
    assert list(tmp_path.glob("*.json")) == []


def test_ranks_that_are_there_must_be_those_asked_for(tmp_path: Path) -> None:
    request = ProbeRequest(tmp_path / "m.toml", ranks=3)
    assert checked(request, None) == 3
    assert checked(request, 3) == 3
    assert checked(ProbeRequest(tmp_path / "m.toml"), 5) == 5
    with pytest.raises(UserError, match="the ranks that mpiexec has started"):
        checked(request, 2)


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_ranks_that_disagree_all_stop(lapwing: Lapwing, tmp_path: Path) -> None:
    """A wrong file is found by rank 0 alone; nobody measures, nobody waits."""
    from lapwing.core import mpi_runtime

    (tmp_path / "m.toml").write_text("mine")
    before = mpi_runtime.launcher_command(2)
    done = lapwing("probe", "--quick", "--out", "m.toml", before=before)
    assert done.code == 2, done.out + done.err
    assert done.err.count("--overwrite") == 1


def test_settings_fit_together() -> None:
    for quick in (False, True):
        settings = settings_of(ProbeRequest(Path("m.toml"), quick=quick))
        assert settings.most_bytes == 4194304
        assert max(settings.overlap_sizes) == settings.most_bytes
        assert 8 * max(settings.sizes["strided"]) <= settings.pool_bytes
        assert 2 * settings.most_bytes < settings.pool_bytes
        assert all(size % 8 == 0 for sizes in settings.sizes.values() for size in sizes)


def test_what_is_hidden_is_a_share_of_the_lesser() -> None:
    turns = {
        "communication": [2.0, 2.0, 20.0],
        "computation": [3.0, 3.0, 3.0],
        "both": [5.0, 5.0, 5.0],
        "polled": [3.0, 3.0, 30.0],
    }
    one = Overlap("node", "push", 8, 100, turns)
    assert one.hidden("both") == 0.0  # one late sample does not count
    assert one.hidden("polled") == 1.0


@pytest.mark.parametrize(
    ("both", "left", "verdict"),
    [
        (3.0, 0.1, "yes"),
        (4.0, 1.0, "partly"),
        (5.0, 1.9, "no"),
        (3.0, 1.9, "no"),
        (5.0, 0.0, "at once"),  # nothing is left, as the call that starts it has moved it
    ],
)
def test_background_is_what_is_neither_left_nor_done_at_the_start(
    both: float, left: float, verdict: str
) -> None:
    turns = {"communication": [2.0], "computation": [3.0], "both": [both]}
    assert Overlap("node", "push", 8, 100, turns, left=left).background == verdict
