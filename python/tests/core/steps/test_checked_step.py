"""Checked steps in Python: fields that a kernel uses and its stage does not name."""

from collections.abc import Callable
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Box, Domain, Field, UserError

Kernel = Callable[..., object]


def peeks(other: Field) -> Kernel:
    def kernel(box: Box, new: Any) -> None:
        new[...] = np.asarray(other)

    return kernel


def peeks_by_box(other: Field) -> Kernel:
    def kernel(box: Box, new: Any) -> None:
        new[...] = other[box]

    return kernel


def spoils(other: Field) -> Kernel:
    def kernel(box: Box, new: Any) -> None:
        new[...] = other.owned[...] = 1.0

    return kernel


def made_in(domain: Domain, kind: str) -> Field:
    """A field that no stage uses, its memory lapwing's or the user's."""
    if kind == "wrapped":
        return domain.wrap("other", np.zeros(domain.box.grow(lapwing.around(1)).shape[:2]))
    return domain.field("other", halo=None if kind == "declared" else 1)


@pytest.mark.parametrize("kind", ["declared", "allocated", "wrapped"])
@pytest.mark.parametrize(
    ("kernel", "use"), [(peeks, "read"), (peeks_by_box, "read"), (spoils, "write")]
)
def test_a_kernel_that_uses_a_field_of_no_stage_is_found(
    kernel: Callable[[Field], Kernel], use: str, kind: str
) -> None:
    with lapwing.Domain((12, 10)) as domain:
        new, other = domain.field("new"), made_in(domain, kind)
        other.fill(1.0)
        step = lapwing.Step(domain, [lapwing.Stage(kernel(other), writes=[new], name="sly")])
        step.check()
        words = f"got a {use} of field other, which it does not declare; expected {use}s: other"
        with pytest.raises(UserError, match=words):
            step.run()


def test_a_field_of_another_stage_is_found_as_well() -> None:
    with lapwing.Domain((12, 10)) as domain:
        new, other = domain.field("new"), domain.field("other")

        @lapwing.stage(writes=[other])
        def honest(box: Box, other: Any) -> None:
            other[...] = 2.0

        stages = [honest, lapwing.Stage(spoils(other), writes=[new], name="sly")]
        step = lapwing.Step(domain, stages)
        step.check()
        with pytest.raises(UserError, match="stage sly: got a write of field other"):
            step.run()


def test_a_dropped_field_is_checked_no_more() -> None:
    with lapwing.Domain((12, 10)) as domain:
        new, other = domain.field("new"), domain.field("other", halo=1)
        kept = other.array()

        @lapwing.stage(writes=[new])
        def fill(box: Box, new: Any) -> None:
            new[...] = kept[1, 1]

        del other
        step = lapwing.Step(domain, [fill])
        step.check()
        step.run()
