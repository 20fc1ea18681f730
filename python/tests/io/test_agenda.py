"""Outputs are due at the right times, for any step, and unchanged after a restart."""

import itertools

import pytest
from lapwing.io.agenda import Agenda


def test_records_and_restarts_at_their_times() -> None:
    agenda = Agenda(dt=20.0, duration=200.0, output_every=60.0, restart_every=100.0, check_every=4)
    assert agenda.last == 10
    due = list(agenda.after(0))
    assert [d.step for d in due] == [3, 4, 5, 6, 8, 9, 10]
    assert [d.step for d in due if d.output] == [3, 6, 9, 10]
    assert [d.step for d in due if d.restart] == [5, 10]


@pytest.mark.parametrize(("every", "steps"), [(0.0, []), (100.0, [5]), (200.0, [])])
def test_no_restart_at_the_end_where_none_is_asked_for(every: float, steps: list[int]) -> None:
    agenda = Agenda(20.0, 200.0, 60.0, every, 4, restart_at_end=False)
    assert [d.step for d in agenda.after(0) if d.restart] == steps
    assert agenda.has_restarts == bool(steps)


def test_a_restart_that_a_step_carries_to_the_end_is_none() -> None:
    agenda = Agenda(0.7, 10.0, 2.0, 9.9, 1000, restart_at_end=False)  # step 15 is the last
    assert not agenda.has_restarts
    assert not any(due.restart for due in agenda.after(0))


def test_steps_that_do_not_divide_the_interval_reach_it_late() -> None:
    agenda = Agenda(dt=0.7, duration=10.0, output_every=2.0, restart_every=0.0, check_every=1000)
    assert agenda.last == 15
    assert [d.step for d in agenda.after(0) if d.output] == [3, 6, 9, 12, 15]


@pytest.mark.parametrize(
    ("dt", "every"),
    list(itertools.product([0.1, 1 / 3, 20.0, 61.7], [0.0, 0.05, 0.3, 60.0, 3600.0])),
)
def test_a_restart_anywhere_changes_nothing(dt: float, every: float) -> None:
    agenda = Agenda(dt, 300 * dt, every, 7 * every, check_every=11)
    whole = list(agenda.after(0))
    assert whole[-1].step == agenda.last == 300
    assert whole[-1].output
    assert whole[-1].restart
    assert [d.step for d in whole] == sorted({d.step for d in whole})
    for first in (1, 10, 99, 299):
        assert list(agenda.after(first)) == [due for due in whole if due.step > first]


def test_records_of_points_have_times_of_their_own() -> None:
    agenda = Agenda(20.0, 200.0, 60.0, 0.0, check_every=100, points_every=40.0)
    due = list(agenda.after(0))
    assert [d.step for d in due if d.points] == [2, 4, 6, 8, 10]
    assert [d.step for d in due if d.output] == [3, 6, 9, 10]
    assert agenda.at_points().is_output_due(4)
    assert not agenda.at_points().is_output_due(3)
    assert not any(d.points for d in Agenda(20.0, 200.0, 60.0, 0.0, 100).after(0))


def test_many_small_steps_round_to_whole_ones() -> None:
    agenda = Agenda(dt=0.1, duration=1e5, output_every=0.3, restart_every=0.0, check_every=10**9)
    steps = [due.step for due in itertools.islice(agenda.after(900_000), 1000)]
    assert steps == list(range(900_003, 900_003 + 3000, 3))
