"""Exchanges of arrays that come and go: mpi_programs/arrays.py, the guide, and JAX."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

PROGRAM = Path(__file__).parents[2] / "mpi_programs" / "arrays.py"
FRAME = PROGRAM.with_name("frame.py")
GUIDE = Path(__file__).parents[4] / "docs" / "guide" / "porting.md"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_each_call_moves_its_arrays(run_on_ranks: Run, ranks: int) -> None:
    output = run_on_ranks(ranks, PROGRAM.read_text()).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_a_ghost_frame_and_masks_travel(run_on_ranks: Run, ranks: int) -> None:
    output = run_on_ranks(ranks, FRAME.read_text()).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


def test_the_guide_runs(run_on_ranks: Run) -> None:
    blocks = GUIDE.read_text().split("```python\n")[1:]
    code = "\n".join(block.split("```", 1)[0] for block in blocks[:3])
    assert "ArrayExchange" in code
    run_on_ranks(2, code)


JAX = """
import jax
import jax.numpy as jnp
import numpy as np
import lapwing
from jax.experimental import io_callback

jax.config.update("jax_enable_x64", True)
domain = lapwing.Domain((8, 6), periodic=True)
halos = lapwing.ArrayExchange(domain, "u", halo=1)
nx, ny = domain.box.shape[:2]
inside = (slice(1, -1),) * 2
i, j = (np.arange(lo, hi) for lo, hi in zip(domain.box.lo[:2], domain.box.hi[:2]))
u = jnp.zeros((nx + 2, ny + 2)).at[inside].set(np.add.outer(i, 10.0 * j))

try:
    halos.run(u)
except lapwing.UserError as error:
    assert "filled" in str(error), error
else:
    raise AssertionError("an immutable array was written")
before = np.array(u)
full = halos.filled(u)
assert isinstance(full, jax.Array)
assert np.array_equal(np.array(u), before)
around = [np.arange(lo - 1, hi + 1) % n for lo, hi, n in zip(domain.box.lo, domain.box.hi, (8, 6))]
assert np.array_equal(np.array(full), np.add.outer(around[0], 10.0 * around[1]))


@jax.jit
def smoothed(u):
    shape = jax.ShapeDtypeStruct(u.shape, u.dtype)
    for _ in range(3):
        u = io_callback(halos.filled, shape, u, ordered=True)
        u = u.at[inside].set(0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]))
    return u


total = domain.mpi.allreduce(float(smoothed(u)[inside].sum()))
if domain.rank == 0:
    print(f"total {total:.6f}")
"""


def test_arrays_of_jax_come_back_filled(run_on_ranks: Run) -> None:
    pytest.importorskip("jax", reason="JAX is not installed: `make jax`")
    totals = {run_on_ranks(ranks, JAX, timeout=100).stdout.strip() for ranks in (1, 2)}
    assert len(totals) == 1
    assert "total" in totals.pop()
