"""Strategies as values: the names that steps take."""

import pickle
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import lapwing
import pytest
from lapwing import Strategy, UserError, strategy_names

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

MADE = {
    "blocking": Strategy.blocking(),
    "3s": Strategy.hirlam(3),
    "5s": Strategy.hirlam(5),
    "6s": Strategy.hirlam(6),
    "6s:0.3": Strategy.hirlam(6, alpha=0.3),
    "edge-first": Strategy.edge_first(),
    "edge-first:B": Strategy.edge_first("last"),
    "dataflow": Strategy.dataflow(),
    "dataflow:4": Strategy.dataflow(4),
    "tiled": Strategy.tiled(),
    "tiled:4": Strategy.tiled(4),
    "deep:2": Strategy.deep(2),
    "deep:4": Strategy.deep(4),
    "deep:1+dataflow:4": Strategy.deep(1, then=Strategy.dataflow(4)),
    "deep:2+tiled": Strategy.deep(2, then=Strategy.tiled()),
    "auto": Strategy.auto(),
}


def test_every_name_has_a_value_and_back() -> None:
    assert list(MADE) == strategy_names()
    for name, value in MADE.items():
        assert value == name == str(value)
        assert Strategy(name) == value
        assert pickle.loads(pickle.dumps(value)) == value
        assert eval(repr(value)) == value, repr(value)
    assert repr(MADE["deep:1+dataflow:4"]) == "Strategy.deep(1, then=Strategy.dataflow(4))"
    assert repr(MADE["6s:0.3"]) == "Strategy.hirlam(6, alpha=0.3)"
    assert f"{MADE['3s']}" == "3s"
    assert Strategy.deep(3, then="3s") == "deep:3+3s"


def test_names_need_no_quotes_in_a_shell_and_older_ones_are_taken() -> None:
    for name in strategy_names():
        assert shlex.quote(name.replace("+", "")) == name.replace("+", "")
    for older, name in {
        "1s": "blocking",
        "6s(0.3)": "6s:0.3",
        "edge-first(A)": "edge-first",
        "edge-first:A": "edge-first",
        "edge-first(B)": "edge-first:B",
        "dataflow(4)": "dataflow:4",
        "tiled(32)": "tiled:32",
        "deep(1)+dataflow(4)": "deep:1+dataflow:4",
        "deep(4)+tiled:2": "deep:4+tiled:2",
    }.items():
        assert Strategy(older) == name


@pytest.mark.parametrize("strategy", [Strategy.deep(2, then=Strategy.dataflow(4)), "deep:2"])
def test_steps_take_values_as_names(strategy: str) -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat, new = domain.field("heat"), domain.field("new")
        there = lapwing.Stage(lambda b, heat, new: None, [(heat, 1)], [new], name="there")
        step = lapwing.Step(domain, [there], strategy=strategy)
        assert step.report.strategy == strategy
        step.run(2)
        tried = lapwing.Step(domain, [there], strategy=Strategy.auto())
        tried.settle(Strategy.blocking())
        assert tried.report.strategy == "blocking"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Strategy("deap:2"), "did you mean 'deep:2'?"),
        (lambda: Strategy.deep(0), "steps of deep: got 0"),
        (lambda: Strategy.deep(2, then=Strategy.deep(2)), "deep:2+deep:2"),
        (lambda: Strategy.deep(2, then=Strategy.auto()), "deep:2+auto"),
        (lambda: Strategy.dataflow(1.5), "tiles of dataflow: got 1.5"),  # type: ignore[arg-type]
        (lambda: Strategy.tiled(0), "rows of tiled: got 0"),
        (lambda: Strategy.hirlam(4), "4s"),  # type: ignore[arg-type]
        (lambda: Strategy.hirlam(5, alpha=0.5), "alpha with 6 zones only"),
        (lambda: Strategy.hirlam(6, alpha=1.5), "6s:1.5"),
        (lambda: Strategy.edge_first("B"), "split of edge_first"),  # type: ignore[arg-type]
        (lambda: Strategy(3), "got 3; expected a name"),  # type: ignore[arg-type]
    ],
)
def test_wrong_ones_are_refused(make: Any, words: str) -> None:
    with pytest.raises(UserError) as problem:
        make()
    assert words in str(problem.value)


NARROW = """
import lapwing
domain = lapwing.Domain((400, 400), periodic=True)
narrow, free = domain.field("narrow", halo=1), domain.field("free")
wide = [domain.field(name) for name in ("a", "b")]

def spread(box, old, new):
    new[...] = old.at(x=-1) + old.at(x=+1)

def choice(first, second):
    stages = [
        lapwing.Stage(spread, [(first, 1)], [second], name="there"),
        lapwing.Stage(spread, [(second, 1)], [first], name="back"),
    ]
    step = lapwing.Step(domain, stages, strategy="auto")
    step.run()
    return step.report.choice

print(choice(narrow, free).split("; ")[-1], choice(*wide).count("left out"))
"""


def test_auto_says_what_it_leaves_out_and_why(run_on_ranks: RunOnRanks) -> None:
    """Alike on all ranks, once, and not where there is room for all."""
    said = run_on_ranks(2, NARROW).stdout.splitlines()
    assert len(set(said)) == 1
    assert said[0].startswith("left out, as halos are too narrow: deep:1 (narrow: around(2)), ")
    assert "deep:8+dataflow:4 (narrow: around(16))" in said[0]
    assert said[0].endswith(" 0")
