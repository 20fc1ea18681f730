"""`lapwing plan`: every cell once, in an order that the task lists allow, printed and drawn."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing.commands.plan import planned_strategies
from lapwing.commands.tasks.task_order import TaskOrder, task_order
from matplotlib import image

pytestmark = pytest.mark.ranks

STRATEGIES = ("blocking", "3s", "5s", "6s", "6s:0.3", "edge-first", "dataflow", "deep:2")

# the fixtures in conftest.py
Lapwing = Callable[..., Any]
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

ORDERS = f"""
STRATEGIES = {STRATEGIES!r}"""
ORDERS += """
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing.core.domain import Domain
from lapwing.commands.plan import Wanted, _planned
from lapwing.run.request import Request, agree_on_setup
setup = agree_on_setup(Request(case="kelvin-small", leaves_results=False), comm)
domain = Domain(setup.partition, comm)
for strategy in STRATEGIES:
    tasks = _planned(setup, domain, strategy, Wanted((strategy,), comm.rank)).order
    where = {(done.step, done.number): place for place, done in enumerate(tasks.order)}
    for place, done in enumerate(tasks.order):
        for before in done.task.after:
            assert where[done.step, before] < place, (strategy, place)
    (owned,) = tasks.owned
    cells = {}
    for done in tasks.order:
        if done.task.kind == "compute":
            key = done.step, done.task.subject
            cells.setdefault(key, []).append(done.task.box)
    assert len(cells) >= 6, cells
    for (_, stage), boxes in cells.items():
        volume = sum(box.volume for box in boxes)
        assert volume == sum(box.intersect(other).volume for box in boxes for other in boxes)
        if stage != "open_boundary":
            assert sum(box.intersect(owned).volume for box in boxes) == owned.volume
            assert strategy.startswith("deep") or volume == owned.volume
    share = tasks.hidden_share()
    assert (share == 0) == (strategy in ("blocking", "deep:2")), (strategy, share)
    for flight in tasks.flights:
        assert flight.begin < flight.end
domain.close()
if comm.rank == 0:
    print("all", comm.size)
"""


@pytest.mark.parametrize("ranks", [4, 6])
def test_every_cell_once_and_nothing_before_what_it_comes_after(
    run_on_ranks: RunOnRanks, ranks: int
) -> None:
    assert f"all {ranks}" in run_on_ranks(ranks, f"STRATEGIES = {STRATEGIES}" + ORDERS).stdout


def test_printed_and_drawn(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "plan", "kelvin-small", "--strategy", "blocking,dataflow", "--strategy", "deep:2",
        "--rank", 3, "--plot", "plan.png",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.err == ""
    for strategy in ("blocking", "dataflow", "deep:2"):
        assert f"strategy {strategy}, rank 3 of 4" in answer.out
    for words in ("start sea_level", "arrival of", "compute momentum_x", "of the next step"):
        assert words in answer.out
    assert re.search(r"compute continuity +\[\d+:\d+, \d+:\d+, 0:1\]", answer.out)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.png"]
    assert min(image.imread(tmp_path / "plan.png").shape[:2]) > 600


def test_one_rank_exchanges_nothing(lapwing: Lapwing) -> None:
    answer = lapwing("plan", "kelvin-small", "--ranks", 1)
    assert answer.code == 0, answer.err
    assert "strategy blocking, rank 0 of 1" in answer.out


class FakeTask:
    """A task of a list made by hand: what a step would return cannot be ordered otherwise."""

    def __init__(self, kind: str, priority: int, after: list[int], **more: Any) -> None:
        self.kind, self.priority, self.after = kind, priority, after
        self.subject, self.entry, self.phase, self.block, self.later = "a", 0, 0, 0, 0
        self.ahead, self.box = False, None
        self.__dict__ |= more


def by_hand(in_order: bool) -> TaskOrder:
    lists = [
        [
            FakeTask("start", 0, []),
            FakeTask("arrive", 1, [0]),
            FakeTask("compute", 4, [1], entry=1),
            FakeTask("compute", 3, [], entry=1),
            FakeTask("compute", 2, [], entry=1),
            FakeTask("start", 5, [2], ahead=True),
        ]
    ]
    return task_order("any", 0, [], lists, in_order)  # type: ignore[arg-type]


def test_what_is_ready_goes_by_priority_and_messages_come_last() -> None:
    assert [done.number for done in by_hand(in_order=False).order] == [0, 4, 3, 1, 2, 5]
    assert [done.number for done in by_hand(in_order=True).order] == [0, 1, 2, 3, 4, 5]


def test_a_list_may_hold_several_steps() -> None:
    lists = [
        [FakeTask("compute", 0, []), FakeTask("compute", 1, [], entry=1, later=1)],
        [FakeTask("compute", 0, [])],
    ]
    order = task_order("any", 0, [], lists, in_order=True)  # type: ignore[arg-type]
    assert (order.lists, order.steps) == (2, 3)
    assert [done.step for done in order.order] == [0, 1, 2]
    assert [order.steps_of(number) for number in range(2)] == [[0, 1], [2]]


def test_tiles_that_go_through_several_steps_are_one_list(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing(
        "plan", "kelvin-small", "--ranks", 2, "--strategy", "deep:2+tiled:8",
        "--plot", "plan.png", "--json", "plan.json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "tasks of steps 0 to 1, which tiles go through together, of 2" in answer.out
    assert re.search(r"compute continuity of +\[\d+:\d+, \d+:\d+, 0:1\]", answer.out)
    assert re.search(r"\n +step 1 ", answer.out)  # the next line of the same cell
    told = json.loads((tmp_path / "plan.json").read_text())["strategies"][0]
    for rank in told["ranks"]:
        (steps,) = rank["steps"]
        assert steps["steps"] == 2
        assert set(steps["later"]) == {0, 1}
        assert dict(rank["fields"])["sea_level"] == 8
        names = [name for name, _ in rank["fields"]]
        entry = steps["names"].index("continuity")
        assert [names[field] for field in steps["writes"][entry]] == ["sea_level"]


def test_what_left_in_the_step_before_travels_over_its_end() -> None:
    ways = [(flight.begin, flight.end) for flight in by_hand(in_order=False).flights]
    assert ways == [(5, 6), (-1, 3)]


WRONG: dict[str, tuple[list[str], str]] = {
    "unknown case": (["kelvn"], "'kelvin'"),
    "unknown strategy": (["kelvin-small", "--strategy", "3z"], "'3s'"),
    "auto": (["kelvin-small", "--strategy", "auto"], "task list of their own"),
    "no strategy": (["kelvin-small", "--strategy", ","], "one of: blocking"),
    "no such rank": (["kelvin-small", "--rank", "4"], "0 to 3"),
    "no folder": (["kelvin-small", "--plot", "nowhere/plan.png"], "no folder"),
    "no step of stages": (["tiny"], "lapwing.Step"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    options, words = WRONG[what]
    answer = lapwing("plan", *options)
    assert_wrong_request(answer, words)
    assert list(tmp_path.iterdir()) == []


def test_strategies_are_named_once() -> None:
    assert planned_strategies(["3s, 5s", "3s"]) == ("3s", "5s")
