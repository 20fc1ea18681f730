"""Which records a run has at hand, and when it needs the next."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid
from lapwing.io.boundary.boundary_file import BoundaryFile
from lapwing.io.boundary.boundary_values import BoundaryValues


class Noted:
    """A source that keeps what it is asked for."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def fetch(self, record: int) -> None:
        self.said.append(f"fetch {record}")

    def deliver(self, record: int, slot: int) -> None:
        assert slot == record % 2
        self.said.append(f"deliver {record}")


def values_at(*times: float) -> tuple[BoundaryValues, Noted, list[int]]:
    taken: list[int] = []
    file = BoundaryFile(Path("none.nc"), times, {})
    values = BoundaryValues(Domain(Grid((4, 4))), file, ({}, {}), taken.append)
    values.source = source = Noted()
    return values, source, taken


def test_the_next_record_is_asked_for_as_soon_as_one_has_come() -> None:
    values, source, taken = values_at(0, 600, 1200)
    values.reach(0, 60.0)
    assert source.said == ["fetch 0", "deliver 0", "fetch 1", "deliver 1", "fetch 2"]
    assert values.steps_left(0, 60.0) == 10
    values.reach(9, 60.0)
    assert taken == [0, 1]
    values.reach(10, 60.0)
    assert taken == [0, 1, 2]
    assert values.steps_left(10, 60.0) == math.inf  # nothing comes after it
    values.reach(20, 60.0)
    assert taken == [0, 1, 2]


@pytest.mark.parametrize(("step", "taken_first"), [(9, [0, 1]), (10, [1, 2]), (25, [2, 3])])
def test_a_restart_begins_between_the_records_around_it(step: int, taken_first: list[int]) -> None:
    values, source, taken = values_at(0, 600, 1200, 1800)
    values.reach(step, 60.0)
    assert taken == taken_first
    values.forget()  # and goes back
    values.reach(0, 60.0)
    assert taken == [*taken_first, 0, 1]
    asked = [word for word in source.said if word.startswith("fetch")]
    assert len(asked) == len([word for word in source.said if word.startswith("deliver")]) + 1


def test_times_between_steps_and_of_rounded_steps() -> None:
    values, _, taken = values_at(-100, 50, 100.5, 1000)
    values.reach(0, 0.1)
    assert taken == [0, 1]
    assert values.steps_left(0, 0.1) == 500
    assert values.steps_left(499, 0.1) == 1
    values.reach(500, 0.1)
    assert taken == [0, 1, 2]
    assert values.steps_left(500, 0.1) == 505
    values.reach(1004, 0.1)
    assert taken == [0, 1, 2]
    values.reach(1005, 0.1)
    assert taken == [0, 1, 2, 3]


def test_records_that_lie_within_one_step() -> None:
    values, _, taken = values_at(0, 1, 2, 3, 1000)
    values.reach(0, 60.0)
    assert taken == [0, 1]
    assert values.steps_left(0, 60.0) == 1
    values.reach(1, 60.0)
    assert taken == [0, 1, 2, 3, 4]


def test_a_first_record_a_rounding_after_the_start() -> None:
    values, _, taken = values_at(5e-4, 600, 1200)
    values.reach(0, 60.0)
    assert taken == [0, 1]
    values.reach(9, 60.0)
    assert taken == [0, 1]
