"""When a run cuts its grid again: the decision, by given times."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Grid, Mask, Partition, block_partition
from lapwing.run.balance.moments import steps_between
from lapwing.run.balance.rebalance import Rebalance

NX, NY = 48, 32
HALVES = block_partition(Grid((NX, NY)), (2, 1))


def setup(wet: Any, partition: Partition, blocks: tuple[int, ...] | None = (2, 1, 1)) -> Any:
    geometry = SimpleNamespace(wet=wet, mask=Mask(wet))
    return SimpleNamespace(geometry=geometry, partition=partition, blocks=blocks)


@pytest.fixture
def balance() -> Rebalance:
    return Rebalance(setup(np.ones((NX, NY), dtype=bool), HALVES), 5, 1.0)


def test_cuts_where_the_steps_that_are_left_gain_more_than_it_costs(balance: Rebalance) -> None:
    """Ranks that take 3 and 1 s gain 1 s of a step."""
    assert balance.found(HALVES, [3.0, 1.0], making=90.0, left=80) is None
    found = balance.found(HALVES, [3.0, 1.0], making=70.0, left=80)
    assert found is not None
    assert [one.box.lo[0] for one in found.subdomains] == [0, 16]


@pytest.mark.parametrize("seconds", [[1.0, 1.0], [1.08, 1.0], [0.0, 0.0]])
def test_does_not_cut_where_little_is_gained(balance: Rebalance, seconds: list[float]) -> None:
    """However long the run and however cheap a cut: times of ranks are never quite the same."""
    assert balance.found(HALVES, seconds, making=0.0, left=10**9) is None


def test_does_not_cut_the_one_block_of_a_rank() -> None:
    whole = block_partition(Grid((NX, NY)), (1, 1))
    alone = Rebalance(setup(np.ones((NX, NY), dtype=bool), whole, (1, 1, 1)), 5, 0.0)
    assert alone.found(whole, [3.0], making=0.0, left=10**9) is None


def test_a_run_without_blocks_gets_rectangles_trimmed_to_their_water() -> None:
    wet = np.ones((NX, NY), dtype=bool)
    wet[:6] = False
    balance = Rebalance(setup(wet, HALVES, None), 5, 0.0)
    found = balance.found(HALVES, [3.0, 1.0], making=0.0, left=10)
    assert found is not None
    assert found.subdomains[0].box.lo[0] == 6


def step(*compute: float) -> Any:
    return SimpleNamespace(report=SimpleNamespace(times=SimpleNamespace(compute=compute)))


def test_moments_and_the_median_of_samples(balance: Rebalance) -> None:
    from mpi4py.MPI import COMM_SELF

    assert [balance.until(n) for n in (0, 3, 5, 9)] == [5, 2, 5, 1]
    assert not balance.is_due(5), "there are no times yet"
    told: list[Any] = []
    balance.found = lambda *given: told.append(given)  # type: ignore[method-assign]
    for total, steps in ((2.0, 1), (6.0, 2), (106.0, 2)):  # 2, 2 and, on a busy core, 50 s
        balance.sample(step(total / 2, total / 2), steps)
    assert balance.is_due(5)
    assert not balance.is_due(6)
    assert balance.better(COMM_SELF, HALVES, 7) is None
    assert told == [(HALVES, [2.0], 1.0, 7)]
    assert not balance.is_due(10)


def test_a_cut_is_counted_and_its_cost_known(balance: Rebalance) -> None:
    balance.sample(step(4.0), 1)
    balance.note_cut(0.25)
    balance.note_cut(0.5)
    assert (balance.cuts, balance.spent, balance.making) == (2, 0.75, 0.5)
    balance.sample(step(1.0), 1)
    assert balance._samples[-1] == 1.0, "the new step counts from 0"


@pytest.mark.parametrize(
    ("every", "dt", "steps"), [(3600.0, 60.0, 60), (0.3, 0.1, 3), (60.0, 60.0, 1)]
)
def test_steps_between_moments(every: float, dt: float, steps: int) -> None:
    assert steps_between(every, dt) == steps


@pytest.mark.parametrize(("every", "remedy"), [(90.0, "set it to 120"), (10.0, "set it to 60")])
def test_moments_between_steps_are_refused(every: float, remedy: str) -> None:
    with pytest.raises(UserError, match=f"run.rebalance: got {every:g} s; .*{remedy}"):
        steps_between(every, 60.0)
