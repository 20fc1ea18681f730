"""Halo on demand in Python. Run by test_halo_variants.py on 1 to 4 ranks."""

import numpy as np
import pytest
from lapwing import Domain, Extent, Field, HaloVariants, UserError
from lapwing.core.mpi_runtime import start

world = start().COMM_WORLD
last = world.rank == world.size - 1
UNTOUCHED = -1

domain = Domain((12, 10), periodic=True)
grid = domain.partition.grid.size


def code(field: Field, width: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """What the array of the field holds once `width` halo cells have arrived."""
    lo, hi = domain.box.lo, domain.box.hi
    halo = 3 if field.name == "wide" else 1
    i, j = (np.arange(lo[a] - halo, hi[a] + halo) for a in range(2))
    reached = [(lo[a] - cells <= width) & (cells < hi[a] + width) for a, cells in enumerate((i, j))]
    codes = np.add.outer(i % grid[0], 100 * (j % grid[1]))
    return np.where(np.logical_and.outer(*reached), codes, UNTOUCHED)


def fill(*fields: Field) -> None:
    for field in fields:
        field.fill(UNTOUCHED)
        field.set(lambda i, j: i + 100 * j)


wide = domain.field("wide", halo=3, dtype="int64")
slim = domain.field("slim", halo=1, dtype="int64")
variants = HaloVariants([wide, slim], [3, 1, Extent((2, 0, 0), (0, 0, 0))])
assert [e.lo[0] for e in variants.extents] == [2, 1, 3]
assert "around(1)" in repr(variants)
for asked, got in ((1, 1), (2, 3), (3, 3), (Extent((0, 1, 0), (1, 0, 0)), 1)):
    fill(wide, slim)
    variants.start(asked).wait()
    for field in (wide, slim):
        np.testing.assert_array_equal(field.array(), code(field, got))
assert variants.plan(1).bytes_sent <= variants.plan(3).bytes_sent
assert variants.buffer_bytes >= 0

# ranks that ask differently
fill(wide, slim)
variants.start_agreed(3 if last else 1).wait()
np.testing.assert_array_equal(wide.array(), code(wide, 3))

with pytest.raises(UserError, match=r"halo of wide, slim: got around\(4\); exp"):
    variants.start(4)
with pytest.raises(UserError, match="plan a variant that reaches as far"):
    variants.start_agreed(4 if last else 1)
with pytest.raises(UserError, match=r"extent of a halo variant: got 1\.5; expected a whole"):
    variants.start(1.5)  # type: ignore[arg-type]
with pytest.raises(UserError, match=r"extent of a halo variant: got around\(4\)"):
    HaloVariants([wide], [1, 4])
with pytest.raises(UserError, match="halo variants: got none; expected at least one extent"):
    HaloVariants([wide], [])
with pytest.raises(UserError, match=r"extent of a halo variant: got 0\.5"):
    HaloVariants([wide], [0.5 if last else 1])  # type: ignore[list-item]
if world.size > 1:
    with pytest.raises(UserError, match=f"halo variants: got .* on rank {world.size - 1}"):
        HaloVariants([wide], [2 if last else 1])

pending = variants.start(1)
with pytest.raises(UserError, match="start while another is unfinished"):
    variants.start(3)
pending.wait()
domain.close()
if world.size == 1:
    print("skipped: halo_variants.py: what only several ranks can get wrong")
print(f"rank {world.rank} is content")
