"""Transposes between distributions in Python, on any number of ranks."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from lapwing import (
    Box,
    Distribution,
    Domain,
    Exchange,
    Field,
    Grid,
    Transpose,
    UserError,
    block_partition,
    fft_partition,
    transpose_methods,
    tri_partition,
    twod_partition,
)
from mpi4py import MPI

world = MPI.COMM_WORLD
nx, ny, nz = 13, 12, 10
px = max(n for n in range(1, world.size + 1) if world.size % n == 0 and n * n <= world.size)
py = world.size // px
columns = block_partition(Grid((nx, ny)), (px, py))
domain = Domain(columns)
twod = twod_partition(columns, levels=nz)
assert twod == twod_partition(Grid((nx, ny, nz)), (px, py))
rows, lines = Distribution(domain, fft_partition(twod)), Distribution(domain, tri_partition(twod))
assert rows.boxes[0].shape[0] == nx, rows
assert lines.boxes[0].shape[1] == ny, lines


def value(i: Any, j: Any, k: Any) -> Any:
    """The value of cell (i, j, k)."""
    return i + 100.0 * j + 10000.0 * k


t = domain.field("t", halo=1, levels=nz)
q = domain.field("q", halo=1, levels=nz, dtype="int32")
t.set(value)
q.set(lambda i, j, k: -value(i, j, k).astype(int))
t_rows, q_rows = rows.field("t", order="yzx"), rows.field("q", order="yzx", dtype="int32")
t_lines = lines.field("t", order="xzy")
back = domain.field("back", halo=2, levels=nz)


def expected(field: Field) -> Any:
    """The values of this rank's box."""
    box = field.core.owned(0)
    axes = [np.arange(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True)]
    return value(*np.meshgrid(*axes, indexing="ij"))


for method in transpose_methods():
    for field in (t_rows, q_rows, t_lines, back):
        field.fill(-1)
    there = Transpose([t, q], [t_rows, q_rows], method=method, groups=2)
    assert there.method in transpose_methods()[1:]
    there.run()
    np.testing.assert_array_equal(t_rows.array(), expected(t_rows))
    np.testing.assert_array_equal(q_rows.array(), -expected(q_rows))
    Transpose(t_rows, t_lines, method=method).run()
    np.testing.assert_array_equal(t_lines.array(), expected(t_lines))
    t_rows.fill(0)
    Transpose(t_lines, t_rows, method=method).run()
    Transpose(t_rows, back, method=method).run()
    np.testing.assert_array_equal(back[domain.box], expected(back))
    assert there.census.messages == 2 * (px - 1)
    assert list(there.plan(0).fields[0].order) == [1, 2, 0, 3]
    assert f"{there.buffer_bytes} bytes of buffers" in repr(there), there

# views as they are stored
stored = t_rows.stored()
assert stored.flags.c_contiguous, stored.strides
np.testing.assert_array_equal(stored, expected(t_rows).transpose(0, 2, 1))
assert t_lines.stored().flags.c_contiguous
pair = rows.field("pair", order="c", components=2)
assert pair.stored().shape[-1] == 2, pair.stored().shape

# groups: work as soon as a part is there, and as soon as it is made
t_rows.fill(-1)
seen: list[int] = []
pipelined = Transpose(t, t_rows, method="p2p", groups=3)


def check(box: Box) -> None:
    """Every cell of the box is there."""
    assert (t_rows[box] != -1).all()
    t_rows[box] *= 2
    seen.append(int(box.volume))


pipelined.run_pipelined(check)
assert sum(seen) == rows.boxes[0].volume
np.testing.assert_array_equal(t_rows.array(), 2 * expected(t_rows))


def make(box: Box) -> None:
    """The values that leave next."""
    t_rows[box] /= 2


back.fill(0)
Transpose(t_rows, back, method="p2p", groups=3).send_pipelined(make)
np.testing.assert_array_equal(back[domain.box], expected(back))

# an active box
active = Box((1, 0, 0), (nx - 1, ny, nz))
inner = Distribution(domain, fft_partition(twod, active)).field("t", order="yzx")
Transpose(t, inner, method="p2p", active=active).run()
np.testing.assert_array_equal(inner.array(), expected(inner))

# a field of another distribution gathers, and exchanges its halo, on that one
whole = t_lines.gather()
if domain.rank == 0:
    np.testing.assert_array_equal(whole, value(*np.ogrid[:nx, :ny, :nz]))
haloed = lines.field("h", halo=1)
haloed.set(value)
haloed.exchange()
assert haloed.stored().size > t_lines.stored().size


def refused(call: Callable[[], object], text: str) -> None:
    """Every rank gets a UserError with the text."""
    try:
        call()
    except UserError as error:
        problem = "" if text in str(error) else f"{text} not in: {error}"
    else:
        problem = f"no error; expected {text}"
    problems = [p for p in world.allgather(problem) if p]
    assert not problems, problems


refused(lambda: Transpose(t, t_rows, method="pigeon"), "expected one of: auto, p2p, alltoallv")
refused(lambda: Transpose(t, q_rows), "one type and number of components")
refused(lambda: Transpose([], []), "sources of a transpose")
for groups in (0, 1025, 2**31 - 1, 2**40):
    text = f"groups of a transpose: got {groups}; expected 1 to 1024"
    refused(partial(Transpose, t, t_rows, groups=groups), text)
refused(lambda: Transpose(t, rows.field("c", components=2)), "number of components")
refused(
    lambda: Distribution(domain, twod_partition(Grid((40, 40, 40)), (world.size + 1, 1))),
    "ranks of a",
)
refused(lambda: rows.field("t", order="yy"), "order of field t")
refused(lambda: twod_partition(columns), "arguments of twod_partition")
if world.size > 1:
    few = twod_partition(Grid((40, 40, world.size - 1)), (world.size, 1))
    refused(lambda: fft_partition(few), "use fewer blocks along x")
    refused(lambda: Transpose([t, t_lines], [t_rows, t_rows]), "sources of a transpose")
    refused(lambda: Exchange([t_rows]), "of the exchange: got one of rank")
os.environ["LAPWING_TRANSPOSE_METHOD"] = "alltoallv"
assert Transpose(t, t_rows).method == "alltoallv"
os.environ["LAPWING_TRANSPOSE_METHOD"] = "fast"
refused(lambda: Transpose(t, t_rows), "LAPWING_TRANSPOSE_METHOD: got fast; expected one of: auto")
if domain.ranks == 1:
    print("skipped: transposes.py: what only several ranks can get wrong")
print(f"rank {domain.rank} is content")
domain.close()
