"""Stages in words: extents, a decorator, fields as arrays, a domain that is closed."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Box, Extent, UserError
from numpy.typing import NDArray

Array = NDArray[Any]
PROGRAMS = Path(__file__).parents[2] / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


def test_words_for_extents() -> None:
    assert lapwing.ahead("x") == Extent((0, 0, 0), (1, 0, 0), corners=False)
    assert lapwing.behind("y", 2) == Extent((0, 2, 0), (0, 0, 0), corners=False)
    assert lapwing.around(2) == Extent.horizontal(2)
    assert lapwing.cross() == Extent.cross(1)
    both = lapwing.cross(lapwing.ahead("x"), lapwing.behind("y"))
    assert both == Extent((0, 1, 0), (1, 0, 0), corners=False)


@pytest.mark.parametrize("corner", [True, False])
def test_several_extents_have_their_corner_and_those_in_a_cross_do_not(corner: bool) -> None:
    parts = (lapwing.ahead("x"), lapwing.behind("y"))
    with lapwing.Domain((12, 8), periodic=True) as domain:
        v, mean = domain.field("v"), domain.field("mean")

        def average(box: Box, v: Any, mean: Array) -> None:
            mean[...] = v.at(x=+1, y=-1)

        reads: Any = [(v, *parts) if corner else (v, lapwing.cross(*parts))]
        step = lapwing.Step(domain, [lapwing.stage(reads=reads, writes=[mean])(average)])
        v.set(lambda i, j: i + 100.0 * j)
        if not corner:
            with pytest.raises(UserError, match=r"field v at\(x=\+1, y=-1\)"):
                step.run()
            return
        step.run()
        whole = np.add.outer(np.arange(12.0), 100.0 * np.arange(8.0))
        np.testing.assert_array_equal(mean.owned, np.roll(whole, (-1, 1), axis=(0, 1)))


@pytest.mark.parametrize(("axis", "cells"), [("i", 1), (0, 1), ("x", -1), ("y", 1.5)])
def test_a_wrong_axis_or_width_is_refused(axis: Any, cells: Any) -> None:
    with pytest.raises(UserError, match=r"axis|cells along"):
        lapwing.ahead(axis, cells)


@pytest.mark.parametrize("parts", [(1, 2), (lapwing.ahead("x"), 1), (1, lapwing.ahead("x"))])
def test_a_cross_is_of_one_number_or_of_extents(parts: Any) -> None:
    with pytest.raises(UserError, match="parts of a cross"):
        lapwing.cross(*parts)


def test_a_kernel_that_asks_for_the_time_needs_that_of_a_step() -> None:
    with lapwing.Domain((12, 8)) as domain:
        stage = lapwing.Stage(lambda box, a, *, time: None, writes=[domain.field("a")])
        with pytest.raises(UserError, match="one that asks for the time, in a step without dt"):
            lapwing.Step(domain, [stage])
        with pytest.raises(UserError, match="dt: got 'x'"):
            lapwing.Step(domain, [stage], dt="x")  # type: ignore[arg-type]
        lapwing.Step(domain, [stage], dt=60)


def test_a_loop_goes_on_above_a_number() -> None:
    assert lapwing.while_above(1) == lapwing.while_above(1.0)
    with pytest.raises(UserError, match="while_above: got 'x'"):
        lapwing.while_above("x")  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["blocking", "deep:2", "auto"])
def test_what_is_scattered_has_an_offset_of_its_own(strategy: str) -> None:
    """However far a halo reaches, for other stages or the strategy."""

    def push(box: Box, z: Any) -> None:
        z.at(x=+1)[...] = np.arange(box.lo[0], box.hi[0])[:, None]

    with lapwing.Domain((12, 8), periodic=True) as domain:
        wide, sent = domain.field("wide"), domain.field("sent", halo=[lapwing.ahead("x")])
        with pytest.raises(
            UserError, match=r"field wide, which stage push scatters: got no offset"
        ):
            lapwing.Step(domain, [lapwing.Stage(push, scatters=[(wide, lapwing.ahead("x"))])])
        step = lapwing.Step(domain, [lapwing.Stage(push, scatters=[sent])], strategy=strategy)
        step.run(3)
        np.testing.assert_array_equal(sent.owned[:, 0], np.roll(np.arange(12.0), 1))


@pytest.mark.parametrize("strategy", ["blocking", "dataflow", "deep:2"])
def test_a_decorated_stage_reads_as_far_as_its_words_say(strategy: str) -> None:
    with lapwing.Domain((12, 8), periodic=True) as domain:
        heat, mean = domain.field("heat"), domain.field("mean")

        @lapwing.stage(reads=[(heat, lapwing.ahead("x"), lapwing.behind("y"))], writes=[mean])
        def average(box: Box, heat: Array, mean: Array) -> None:
            mean[...] = heat[:-1, 1:] + heat[1:, 1:] + heat[:-1, :-1] + heat[1:, :-1]

        assert average.title == "average"
        step = lapwing.Step(domain, [average], strategy=strategy)
        heat.set(lambda i, j: i + 100.0 * j)
        step.run()
        whole = np.add.outer(np.arange(12.0), 100.0 * np.arange(8.0))
        east = np.roll(whole, -1, axis=0)
        expected = whole + east + np.roll(whole, 1, axis=1) + np.roll(east, 1, axis=1)
        np.testing.assert_array_equal(mean.owned, expected)
        np.testing.assert_array_equal(np.asarray(mean), expected)
        assert np.shares_memory(np.asarray(mean), mean.owned)
        assert np.array(mean, dtype=np.float32).dtype == np.float32
    assert domain.closed


def test_a_domain_is_not_closed_where_an_exception_ends_its_block() -> None:
    with pytest.raises(ZeroDivisionError), lapwing.Domain((12, 8)) as domain:
        raise ZeroDivisionError
    assert not domain.closed
    domain.close()


def test_a_clock_is_set_before_each_step() -> None:
    with lapwing.Domain((12, 8)) as domain:
        level = domain.field("level")
        clock = [0.0]

        @lapwing.stage(writes=[level])
        def rise(box: Box, level: Array) -> None:
            level[...] = clock[0]

        def tick() -> None:
            clock[0] += 2.0

        lapwing.Step(domain, [rise]).run(3, tick)
        assert (level.owned == 6.0).all()


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_named_offsets_are_the_cells_of_slices(run_on_ranks: RunOnRanks, ranks: int) -> None:
    program = (PROGRAMS / "named_offsets.py").read_text()
    assert run_on_ranks(ranks, program).stdout.count("the same bits") == ranks


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_words_of_two_axes_serve_a_grid_of_one(run_on_ranks: RunOnRanks, ranks: int) -> None:
    program = (PROGRAMS / "one_axis.py").read_text()
    done = run_on_ranks(ranks, program, timeout=100)
    assert done.stdout.count("neighbours along the long axis") == ranks
