"""Stages that Numba compiles: the bits of NumPy, under every strategy. Run by test_numba.py."""

from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Reduction, around, row
from numba import njit


def smooth(box: Any, heat: Any, deep: Any, new: Any) -> None:
    corners = heat.at(x=-1, y=-1) + heat.at(x=+1, y=+1)
    new[...] = 0.4 * (corners + heat.at()) * deep.at(x=+1)[..., 0] + deep.at()[..., 2]


@njit  # type: ignore[untyped-decorator]
def smooth_by_rows(box: Any, heat: Any, deep: Any, new: Any) -> None:
    lo, hi = box
    assert hi[0] - lo[0] == new.shape[0]
    for j in range(hi[1] - lo[1]):
        south, here, north = row(heat, j), row(heat, j + 1), row(heat, j + 2)
        top, bottom, out = row(deep, j, 0), row(deep, j, 2), row(new, j)
        for i in range(hi[0] - lo[0]):
            corners = south[i] + north[i + 2]
            out[i] = 0.4 * (corners + here[i + 1]) * top[i + 1] + bottom[i]


def largest(box: Any, new: Any, heat: Any) -> float:
    heat[...] = new
    return float(np.abs(new).max()) if new.size else 0.0


@njit  # type: ignore[untyped-decorator]
def largest_as_written(box: Any, new: Any, heat: Any) -> float:
    heat[...] = new
    return np.abs(new).max()  # type: ignore[no-any-return]


def run(kernel: Any, back: Any, strategy: str) -> tuple[Any, float]:
    """The field after some steps, on rank 0, and the largest value."""
    with lapwing.Domain((30, 24), periodic=(True, False)) as domain:
        heat, deep = domain.field("heat"), domain.field("deep", levels=3)
        new, most = domain.field("new"), Reduction("maximum")
        reads = [(heat, around(1)), (deep, lapwing.ahead("x"))]
        stages = [
            lapwing.Stage(kernel, reads, [new]),
            lapwing.Stage(back, [new], [heat], reduction=most),
        ]
        step = lapwing.Step(domain, stages, strategy=strategy)
        heat.set(lambda i, j: np.sin(0.7 * i + 0.3 * j * j))
        deep.set(lambda i, j, k: np.cos(0.1 * i * k + j))
        step.run(7)
        return heat.gather(), most.value


wanted, most = run(smooth, largest, "blocking")
for strategy in ("blocking", "5s", "edge-first", "dataflow:4", "deep:3"):
    found, value = run(smooth_by_rows, largest_as_written, strategy)
    assert value == most
    if wanted is not None:
        assert np.ptp(wanted) > 0.1
        assert found.tobytes() == wanted.tobytes(), strategy


@njit  # type: ignore[untyped-decorator]
def double(values: Any) -> None:
    for j in range(values.shape[1]):
        line = row(values, j)
        for i in range(len(line)):
            line[i] *= 2.0


@njit  # type: ignore[untyped-decorator]
def write_both(box: Any, a: Any, b: Any) -> None:
    b[...] = a
    a[0, 0] = 1.0


@njit  # type: ignore[untyped-decorator]
def first_rows(box: Any, a: Any, b: Any) -> None:
    row(b, 0, 0)[0] = 1.0


def refused(
    kind: type[Exception], words: str, kernel: Any, order: str = "x", levels: int = 0
) -> None:
    """A kernel that reads a and writes b."""
    with lapwing.Domain((6, 5), lapwing.core.mpi_runtime.start().COMM_SELF) as domain:
        a = domain.field("a", levels=levels, order=order)
        b = domain.field("b", levels=levels, order=order)
        step = lapwing.Step(domain, [lapwing.Stage(kernel, [a], [b])])
        with pytest.raises(kind, match=words) as problem:
            step.run()
        assert f"in stage {kernel.__name__} of step 1" in "".join(problem.value.__notes__)


refused(Exception, "readonly", write_both)
refused(Exception, "row of a view: 2 axes; give an index for each axis but x", first_rows)
refused(ValueError, "cells along x lie apart", first_rows, "z", 3)

# from a kernel in Python, which may know the time; NumPy has rows too
with lapwing.Domain((6, 5)) as domain:
    field = domain.field("field")

    def grow(box: Any, field: Any) -> None:
        double(field)
        double(field.at())
        row(field, 0)[0] += step.step_number

    step = lapwing.Step(domain, [lapwing.Stage(grow, [field], [field])])
    field.set(lambda i, j: 1.0 + 0 * i * j)
    step.run(2)
    assert field.owned[-1, -1] == 16.0
    assert field.owned[0, 0] == 17.0
    with pytest.raises(lapwing.UserError, match="cells along x lie apart"):
        row(field.owned.T, 0)
print("the bits of NumPy")
