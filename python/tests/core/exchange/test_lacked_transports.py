"""Tests leave out the transports that this MPI lacks, and no other."""

from collections.abc import Callable
from typing import Any

from model_runs import LACKED_HERE, transports_here

# prints each transport that is refused as one that is not available, and why
PROGRAM = """
from lapwing import Domain, Exchange, UserError, around, transport_names
domain = Domain((16, 8))
field = domain.field("depth", halo=around(1))
for name in transport_names():
    try:
        Exchange([field], transport=name)
    except UserError as problem:
        assert f"got {name}, which is not available" in str(problem), problem
        if domain.rank == 0:
            print(f"lacks {name}: {problem}")
"""


def test_the_library_refuses_what_tests_leave_out(run_on_ranks: Callable[..., Any]) -> None:
    lines = run_on_ranks(2, PROGRAM).stdout.splitlines()
    refused = dict(line.removeprefix("lacks ").split(": ", 1) for line in lines)
    assert refused.keys() == LACKED_HERE.keys()
    assert all(why in refused[name] for name, why in LACKED_HERE.items())


def test_ways_and_names_are_left_out_alike() -> None:
    names = ["p2p", *LACKED_HERE, "blocking@p2p", *(f"deep:2@{name}" for name in LACKED_HERE)]
    assert transports_here(names) == ["p2p", "blocking@p2p"]
