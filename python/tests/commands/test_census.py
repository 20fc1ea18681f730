"""`lapwing census`: counts that can be done by hand, and lateness told from transfer."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing.core import mpi_runtime

pytestmark = pytest.mark.ranks

PROGRAMS = Path(__file__).parents[1] / "mpi_programs"

# the fixtures in conftest.py
Lapwing = Callable[..., Any]
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


def test_counts_of_two_ranks_are_those_done_by_hand(lapwing: Lapwing, tmp_path: Path) -> None:
    """47 x 41 cells in two blocks along x: 41 rows at the cut."""
    answer = lapwing("census", "kelvin-small", "--ranks", 2, "--steps", 20, "--json", "census.json")
    assert answer.code == 0, answer.err
    assert not (tmp_path / "out").exists()
    for words in ("20 steps on 2 ranks", "packing", "late", "transfer", "needless: none", "for "):
        assert words in answer.out
    told = json.loads((tmp_path / "census.json").read_text())
    assert told["schema"] == "lapwing-census-1"
    assert {"processor", "cores"} <= told["machine"].keys()
    assert {"lapwing", "mpi"} <= told["versions"].keys()
    assert (told["steps"], told["ranks"], told["positions"]) == (20, 2, 2)
    assert told["blocks"] == [2, 1, 1]
    rows = told["exchanges"]
    assert all(row["steady"] and row["count"] == 10 for row in rows)
    # by position in the cycle: the stage, and its fields with the columns that each rank sends
    assert [(row["position"], row["stage"], columns(row)) for row in rows] == BY_HAND
    for row in rows:
        assert row["bytes"] == [sum(field["bytes"][rank] for field in row["fields"])
                                for rank in range(2)]  # fmt: skip
        assert row["messages"] == [int(sent > 0) for sent in row["bytes"]]
        for part in ("packing", "late", "transfer", "handshake"):
            assert len(row[part]) == 2
            assert all(0 <= seconds < 60 for seconds in row[part])


def columns(row: dict[str, Any]) -> dict[str, list[float]]:
    return {field["name"]: [sent / (41 * 8) for sent in field["bytes"]] for field in row["fields"]}


# Cells read to the east come from rank 1, to the west from rank 0; nothing crosses the cut for
# reads to the north or south. Halos stay fresh until their field is written: transport_y, fetched
# for momentum_x at position 1, serves there and at position 0.
BY_HAND: list[tuple[int, str, dict[str, list[float]]]] = [
    (0, "momentum_x", {"sea_level": [0, 1]}),
    (0, "momentum_y", {"transport_x": [1, 0]}),
    (0, "continuity", {"transport_y": [0, 0]}),
    (1, "momentum_y", {"sea_level": [0, 1]}),
    (1, "momentum_x", {"transport_y": [0, 1]}),
    (1, "continuity", {"transport_x": [1, 0]}),
]


def test_strategies_that_overlap_exchange_the_same(lapwing: Lapwing, tmp_path: Path) -> None:
    choice = ("--set", "run.strategy=dataflow", "--json", "census.json")
    answer = lapwing("census", "kelvin-small", "--ranks", 2, "--steps", 20, *choice)
    assert answer.code == 0, answer.err
    assert "needless: none" in answer.out
    rows = json.loads((tmp_path / "census.json").read_text())["exchanges"]
    assert [(row["position"], row["stage"], columns(row)) for row in rows] == BY_HAND


def test_deep_exchanges_once_in_two_steps_and_nothing_needless(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    """A halo that is read in place only is needed where the rim is computed from it."""
    choice = ("--set", "run.strategy=deep:2", "--json", "census.json")
    answer = lapwing("census", "kelvin-small", "--ranks", 2, "--steps", 20, *choice)
    assert answer.code == 0, answer.err
    assert "needless: none" in answer.out
    (row,) = json.loads((tmp_path / "census.json").read_text())["exchanges"]
    assert (row["position"], row["stage"], row["count"]) == (0, "momentum_x", 10)
    assert {field["name"] for field in row["fields"]} == {"sea_level", "transport_x", "transport_y"}


@pytest.mark.parametrize("strategy", ["blocking", "tiled:8", "deep:2", "deep:2+tiled:8"])
def test_tiles_and_cells_computed_twice(lapwing: Lapwing, tmp_path: Path, strategy: str) -> None:
    """Cells less those that are computed twice are the cells of the grid, whatever the strategy."""
    choice = ("--set", f"run.strategy={strategy}", "--json", "census.json")
    answer = lapwing("census", "kelvin-small", "--ranks", 2, "--steps", 2, *choice)
    assert answer.code == 0, answer.err
    assert "computed twice" in answer.out
    ranks = json.loads((tmp_path / "census.json").read_text())["computed"]
    assert any(count["twice"] > 0 for rank in ranks for count in rank) == ("deep" in strategy)
    for stage in ("momentum_x", "momentum_y", "continuity"):
        counts = [count for rank in ranks for count in rank if count["stage"] == stage]
        assert len(counts) == 2
        twice = sum(count["twice"] for count in counts)
        assert sum(count["cells"] for count in counts) - twice == pytest.approx(47 * 41)
        for count in counts:
            assert count["calls"] <= count["tiles"]
            if "tiled" in strategy:
                assert count["tiles"] >= 6  # of 41 rows, 8 each
            else:
                assert count["tiles"] == count["calls"] == 1


@pytest.mark.parametrize("ranks", [1, 4])
def test_north_sea(lapwing: Lapwing, ranks: int) -> None:
    answer = lapwing("census", "northsea", "--ranks", ranks, "--steps", 3)
    assert answer.code == 0, answer.err
    assert answer.err == ""
    assert f"3 steps on {ranks} rank" in answer.out
    assert "transport_x" in answer.out


def test_late_rank_is_lateness_of_its_neighbour(run_on_ranks: RunOnRanks) -> None:
    output = run_on_ranks(2, (PROGRAMS / "waiting" / "late_rank.py").read_text()).stdout
    told = json.loads(output.splitlines()[-1])
    late, transfer = told["late"], told["transfer"]  # in units of the delay, by rank
    assert late[0] > 0.5
    assert late[1] < 0.5
    assert max(transfer) < 0.5


WRONG: dict[str, tuple[list[str], str]] = {
    "unknown case": (["kelvn"], "'kelvin'"),
    "unknown transport": (["tiny", "--set", "run.transport=pigeons"], "one of: auto, p2p"),
    "no step of stages": (["tiny"], "lapwing.Step"),
    "no folder": (["kelvin-small", "--json", "nowhere/census.json"], "no folder"),
    "a folder": (["kelvin-small", "--json", "."], "a folder"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    options, words = WRONG[what]
    answer = lapwing("census", *options)
    assert_wrong_request(answer, words)
    assert list(tmp_path.iterdir()) == []


def test_wrong_file_under_mpiexec_is_printed_once(lapwing: Lapwing) -> None:
    before = mpi_runtime.launcher_command(2)
    answer = lapwing("census", "kelvin-small", "--json", "nowhere/census.json", before=before)
    assert answer.code == 2
    assert answer.err.count("error:") == 1


def test_help_teaches(lapwing: Lapwing) -> None:
    answer = lapwing("census", "--help")
    assert answer.code == 0
    for word in ("CASE", "--ranks", "--steps", "--set", "--json", "Exit codes", "late", "transfer"):
        assert word in answer.out
