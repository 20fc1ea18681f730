"""`lapwing timeline`: spans that do not overlap, and computing that covers every cell."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lapwing_lab.timeline.command import best_offset, whole_passes
from lapwing_lab.timeline.picture import draw_timelines
from lapwing_lab.timeline.timeline import Event, Timeline
from matplotlib import image

pytestmark = pytest.mark.ranks

STEPS = 4
CELLS = 47 * 41
ROUNDING = 1e-3  # us

# the fixtures in conftest.py
Lapwing = Callable[..., Any]
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


def events_of(file: Path) -> dict[int, list[dict[str, Any]]]:
    """The spans of each rank, as they are in the file."""
    told = json.loads(file.read_text())
    about = told["otherData"]
    assert about["schema"] == "lapwing-timeline-1"
    assert {"machine", "versions", "case", "strategy", "transport"} <= about.keys()
    ranks: dict[int, list[dict[str, Any]]] = {}
    for event in told["traceEvents"]:
        if event["ph"] == "X":
            ranks.setdefault(event["pid"], []).append(event)
    return ranks


@pytest.mark.parametrize("transport", ["p2p", "shared"])
def test_every_cell_is_computed_and_nothing_at_the_same_time(
    lapwing: Lapwing, tmp_path: Path, transport: str
) -> None:
    answer = lapwing(
        "timeline", "kelvin-small", "--ranks", 2, "--steps", STEPS, "--transport", transport,
        "--strategy", "blocking,5s,6s:0.3,edge-first,dataflow", "--out", "drawn", timeout=120,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert f"{STEPS} steps on 2 ranks" in answer.out
    files = sorted(path.name for path in (tmp_path / "drawn").iterdir())
    assert files == ["timeline.png", "timeline_5s.json", "timeline_6s_0.3.json",
                     "timeline_blocking.json", "timeline_dataflow.json",
                     "timeline_edge-first.json"]  # fmt: skip
    assert min(image.imread(tmp_path / "drawn" / "timeline.png").shape[:2]) > 300
    for name in files[1:]:
        ranks = events_of(tmp_path / "drawn" / name)
        assert sorted(ranks) == [0, 1]
        assert min(event["ts"] for events in ranks.values() for event in events) == 0
        cells: Counter[str] = Counter()
        for events in ranks.values():
            assert {"compute", "pack", "unpack"} <= {event["cat"] for event in events}, name
            for one, other in pairwise(events):
                assert one["dur"] >= 0
                assert one["ts"] + one["dur"] <= other["ts"] + ROUNDING, name
            for event in events:
                if event["cat"] == "compute":
                    cells[event["name"]] += event["args"]["cells"]
        for stage in ("momentum_x", "momentum_y", "continuity"):
            assert cells[stage] == STEPS * CELLS, (name, stage)


def test_deep_exchanges_once_in_several_steps(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "timeline", "kelvin-small", "--ranks", 2, "--steps", STEPS, "--transport", "p2p",
        "--strategy", "blocking,deep:2", "--out", ".",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    packed = {}
    for strategy in ("blocking", "deep_2"):
        ranks = events_of(tmp_path / f"timeline_{strategy}.json")
        packed[strategy] = sum(event["cat"] == "pack" for event in ranks[0])
    # a phase per axis along which anything is read: 2 + 2 + 1 in a step, and 2 once for two steps
    assert packed == {"blocking": STEPS * 5, "deep_2": STEPS // 2 * 2}


def test_tiles_are_drawn_as_they_go_through_several_steps(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "timeline", "kelvin-small", "--ranks", 1, "--steps", 2,
        "--strategy", "tiled:8,deep:4+tiled:8", "--out", ".",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "4 steps on 1 rank" in answer.out
    tiles = {}
    for strategy in ("tiled_8", "deep_4_tiled_8"):
        (events,) = events_of(tmp_path / f"timeline_{strategy}.json").values()
        continuity = [event for event in events if event["name"] == "continuity"]
        assert sum(event["args"]["cells"] for event in continuity) == 4 * CELLS
        tiles[strategy] = len(continuity)
        # the first tile of a stage runs before the last tile of the stage before it
        momentum = [event["ts"] for event in events if event["name"] == "momentum_x"]
        assert continuity[0]["ts"] < momentum[-1]
        packed = [event["ts"] for event in events if event["cat"] == "pack"]
        in_one_pass = max(packed) < min(momentum)
        assert in_one_pass == strategy.startswith("deep")
    assert min(tiles.values()) >= 4 * 6


def test_steps_are_rounded_up_to_whole_passes() -> None:
    assert whole_passes(2, ["blocking", "tiled"]) == 2
    assert whole_passes(2, ["deep:4+tiled", "deep:2"]) == 4
    assert whole_passes(7, ["deep:2", "deep:3+tiled"]) == 12


def test_hundreds_of_tiles_of_many_stages_have_a_legend_of_a_few_lines(tmp_path: Path) -> None:
    stages = [f"momentum_of_layer_{n}" for n in range(43)]
    events = [Event("compute", stages[n % 43], 1e-6 * n, 1e-6 * (n + 1), 10) for n in range(430)]
    draw_timelines(tmp_path / "many.png", [Timeline("tiled", "tiled", 1, 1, [events])], "many")
    few = [Event("compute", "a", 0, 1e-6, 10)]
    draw_timelines(tmp_path / "few.png", [Timeline("tiled", "tiled", 1, 1, [few])], "few")
    higher, lower = (len(image.imread(tmp_path / f"{name}.png")) for name in ("many", "few"))
    assert lower < higher < 2.2 * lower
    colours = {tuple(pixel) for row in image.imread(tmp_path / "many.png") for pixel in row}
    assert len(colours) > len(stages)


WAITS = """
import time
from lapwing.core import mpi_runtime
from lapwing import Domain, Extent, Reduction, Stage, Step
comm = mpi_runtime.start().COMM_WORLD
domain = Domain((40, 30), comm)
a, b = domain.field("a", halo=1), domain.field("b")
def spread(box, a, b):
    b[:] = a[1:-1, 1:-1] + a[2:, 1:-1]
def slow(box, b, a):
    if comm.rank == 0:
        time.sleep(0.05)
    a[:] = b
step = Step(domain, [Stage(spread, reads=[(a, Extent.cross(1))], writes=[b]),
                     Stage(slow, reads=[b], writes=[a])],
            strategy="%s", transport="p2p")
step.run(2)
step.draw_timeline(1000)
begin = time.monotonic()
step.run(3)
end = time.monotonic()
events = step.report.timeline
assert all(begin - 1e-3 < e[2] <= e[3] < end + 1e-3 for e in events), (begin, end, events)
waited = sum(e[3] - e[2] for e in events if e[0] == "wait")
assert (waited > 0.08) == (comm.rank == 1), (comm.rank, waited)
assert {e[1] for e in events if e[0] in ("start", "unpack")} == {"a"}
step.draw_timeline(0)
step.run()
assert step.report.timeline == []
domain.close()
print("rank", comm.rank, "done")
"""


@pytest.mark.parametrize("strategy", ["blocking", "dataflow"])
def test_waiting_for_a_late_neighbour(run_on_ranks: RunOnRanks, strategy: str) -> None:
    output = run_on_ranks(2, WAITS % strategy).stdout
    assert output.count("done") == 2


def test_a_clock_that_runs_ahead_is_set_back() -> None:
    ahead, slow = 5.0, 0.3
    trips = [(t, t + slow / 4 + ahead, t + slow) for t in (1.0, 2.0)]
    trips.append((3.0, 3.0 + 0.001 + ahead, 3.002))
    assert best_offset(trips) == pytest.approx(-ahead, abs=1e-6)


WRONG: dict[str, tuple[list[str], str]] = {
    "unknown case": (["kelvn", "--out", "drawn"], "'kelvin'"),
    "unknown strategy": (["kelvin-small", "--out", "drawn", "--strategy", "3z"], "'3s'"),
    "unknown transport": (["kelvin-small", "--out", "drawn", "--transport", "owl"], "one of: auto"),
    "no step of stages": (["tiny", "--out", "."], "lapwing.Step"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    options, words = WRONG[what]
    answer = lapwing("timeline", *options)
    assert answer.code == 2, answer.out + answer.err
    assert words in answer.err
    assert answer.err.count("error:") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_model_in_a_file_of_ones_own(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello there")
    answer = lapwing("timeline", "notes", "--out", "t")
    assert answer.code == 2
    assert "valid TOML in UTF-8, or a model in a Python file: FILE.py:CLASS" in answer.err
    own = Path(__file__).parents[2] / "examples" / "10_own_model" / "tide.py"
    drawn = ("--strategy", "blocking,deep:2", "--steps", 2, "--out", "drawn")
    answer = lapwing("timeline", own, "--ranks", 2, *drawn, timeout=100)
    assert answer.code == 0, answer.out + answer.err
    assert (tmp_path / "drawn" / "timeline.png").exists()
