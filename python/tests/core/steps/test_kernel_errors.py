"""Errors in kernels are reported in terms of the stage: arguments, numbers, writes."""

import subprocess
from collections.abc import Callable
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Reduction, Stage, UserError, ahead, behind

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_table_of_the_arguments_comes_with_an_error() -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat, place = domain.field("heat"), domain.field("place", levels=3)
        new = domain.field("new")

        def spread(box: Any, warmth: Any, *others: Any) -> None:
            others[1][...] = warmth

        reads: Any = [(heat, ahead("x"), behind("y", 2)), place]
        step = lapwing.Step(domain, [Stage(spread, reads, [new])])
        with pytest.raises(ValueError, match="could not broadcast") as problem:
            step.run()
    place_of_it, table = problem.value.__notes__
    assert place_of_it.startswith("lapwing: in stage spread of step 1, Box[0:12, 0:10")
    assert table.splitlines() == [
        "  argument  field  shape        read around its cells   may be written",
        "  warmth    heat   (13, 12)     ahead(x), behind(y, 2)  no",
        "  number 3  place  (12, 10, 3)  no                      no",
        "  number 4  new    (12, 10)     no                      yes",
    ]


def returning(value: Any) -> Any:
    return lambda box, heat: value


@pytest.mark.parametrize(("value", "got"), [(None, "got nothing"), ("warm", "got 'warm'")])
def test_a_reduction_takes_a_number(value: Any, got: str) -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat = domain.field("heat")
        kernel, most = returning(value), Reduction("maximum")
        step = lapwing.Step(domain, [Stage(kernel, [heat], name="watch", reduction=most)])
        words = f"what the kernel of stage watch returns: {got}; expected a number"
        with pytest.raises(UserError, match=words):
            step.run()


WRONG_ARGUMENTS = """
import lapwing
domain = lapwing.Domain((12, 10))
heat, new = domain.field("heat"), domain.field("new")
last = domain.rank == domain.ranks - 1
def right(box, heat, new): pass
for wrong in (lambda box, heat: 0, lambda box: 0, lambda b, h, n, more: 0):
    stage = lapwing.Stage(wrong if last else right, [heat], [new], name="spread")
    try:
        lapwing.Step(domain, [stage])
    except lapwing.UserError as problem:
        assert "kernel of stage spread: got a function of (b" in str(problem), problem
        assert "expected one of 3 arguments: (box, heat, new);" in str(problem)
    else:
        raise AssertionError
for fits in (right, lambda *all: 0, lambda box, heat, new, scale=2.0: 0, max):
    lapwing.Step(domain, [lapwing.Stage(fits, [heat], [new], name="spread")])
print("refused on all")
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_kernel_takes_an_array_for_each_field(run_on_ranks: RunOnRanks, ranks: int) -> None:
    assert run_on_ranks(ranks, WRONG_ARGUMENTS).stdout == ranks * "refused on all\n"


def rebound(box: Any, heat: Any, new: Any) -> None:
    new = 0.5 * heat  # noqa: F841


def rebound_after_use(box: Any, heat: Any, new: Any) -> None:
    new = new + 0.5 * heat


@pytest.mark.parametrize("kernel", [rebound, rebound_after_use])
def test_a_kernel_that_writes_no_array_but_its_name_is_refused(kernel: Any) -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat, new = domain.field("heat"), domain.field("new")
        words = "argument new in the kernel of stage spread: got new = ..., which names another"
        with pytest.raises(UserError, match=words):
            lapwing.Step(domain, [Stage(kernel, [heat, new], [new], name="spread")])


def in_place(box: Any, heat: Any, new: Any) -> None:
    new += 0.5 * heat


def two_in_place(box: Any, heat: Any, new: Any) -> None:
    new *= 0.5
    heat = heat + 1.0  # not written
    new += heat


def narrowed(box: Any, heat: Any, new: Any) -> None:
    new = np.asarray(new)
    new[...] = heat


def passed_on(box: Any, heat: Any, new: Any) -> None:
    in_place(box, heat, new)


@pytest.mark.parametrize("kernel", [in_place, two_in_place, narrowed, passed_on])
def test_kernels_that_write_their_arrays_are_stages(kernel: Any) -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat, new = domain.field("heat"), domain.field("new")
        step = lapwing.Step(domain, [Stage(kernel, [heat, new], [new])])
        heat.fill(2.0)
        step.run()
        assert new.owned.all()


@pytest.mark.parametrize("way", ["item", "fill", "set", "modified"])
def test_a_kernel_writes_fields_of_its_stage_only(way: str) -> None:
    with lapwing.Domain((12, 10)) as domain:
        heat, new, other = (domain.field(name) for name in ("heat", "new", "other"))
        ways: dict[str, Callable[[Any], None]] = {
            "item": lambda box: other.__setitem__(box, 1.0),
            "fill": lambda box: other.fill(1.0),
            "set": lambda box: other.set(lambda i, j: i + j),
            "modified": lambda box: heat.modified(),  # it reads that one
        }

        def spread(box: Any, heat: Any, new: Any) -> None:
            ways[way](box)

        step = lapwing.Step(domain, [Stage(spread, [heat], [new])])
        words = "written within stage spread: got a field that the stage does not write"
        with pytest.raises(UserError, match=words) as problem:
            step.run()
        assert "expected one of its own: new; add it to the writes" in str(problem.value)
        ways[way](domain.box)  # no kernel runs
        assert np.isfinite(other.owned).all()
