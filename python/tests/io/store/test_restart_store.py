"""Stores of restarts: the same bits on any number of ranks, and an intact one at any moment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing import Domain, UserError
from lapwing.base.atomic_file import part_of
from lapwing.base.error import OutsideError
from lapwing.io.records.restarts import check_restart, newest_restart
from lapwing.io.restart import former_of
from lapwing.io.store.restart_store import RestartStore
from store_case import BELONGS, CHUNK, NX, NY, StoreCase, expected, no_file_beyond, store_case

RunOnRanks = Callable[..., Any]

HERE = str(Path(__file__).parent)

FIELDS = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
from lapwing import Domain, Grid, block_partition
from lapwing.io.store.restart_store import RestartStore
from mpi4py import MPI
from store_case import BELONGS, NX, NY, scattered
path, deep = Path(sys.argv[3]), "deep" in sys.argv
ranks = MPI.COMM_WORLD.size
grid = Grid((NX, NY, 4)) if deep else Grid((NX, NY))
domain = Domain(block_partition(grid, (1, 1, ranks)) if deep else scattered(ranks))
levels = 0 if deep else 3
state = {
    "t": domain.field("t", levels=levels, halo=1),
    "n": domain.field("n", levels=levels, dtype=np.int64, order="z"),
    "flags": domain.field("flags", dtype=np.int32),
    "true": domain.field("true", dtype=bool),
    "all": domain.field("all", components=3, dtype=np.float32, order="c"),
}
def nan(i, j, k=0):
    "Not-a-numbers with a payload each, and zeros of both signs."
    bits = np.uint64(0x7FF8_0000_0000_0001) + (i + 100 * j + 10_000 * k).astype(np.uint64)
    return np.where((i + j + k) % 5 == 0, -0.0, bits.view(np.float64))
def number(i, j, k=0):
    return (1 << 60) + i + 100 * j + 10_000 * k
def part(i, j, k=0):
    return (i + 20 * j + 1000 * k)[..., None] + np.array([0.5, 0.25, 0.125])
def flag(i, j, k=0):
    return i - j + 0 * k
def true(i, j, k=0):
    return (i + 2 * j + k) % 3 == 0
rules = {"t": nan, "n": number, "all": part, "flags": flag, "true": true}
wanted = {}
for name, field in state.items():
    field.set(rules[name])
    wanted[name] = [field.core.array(b).copy() for b in range(field.core.count)]
store = RestartStore(domain, path, BELONGS, state, chunk_bytes=900)
if sys.argv[2] == "write":
    store.write(17)
else:
    for field in state.values():
        field.fill(1)
    assert store.read() == 17
    for name, field in state.items():
        for b in range(field.core.count):
            lo = field.core.allocated(b).lo
            box = field.core.owned(b)
            cells = tuple(slice(box.lo[a] - lo[a], box.hi[a] - lo[a]) for a in range(2))
            z = slice(None) if field.spec.levels else slice(box.lo[2] - lo[2], box.hi[2] - lo[2])
            found = np.ascontiguousarray(field.core.array(b)[(*cells, z)])
            assert found.tobytes() == np.ascontiguousarray(wanted[name][b][(*cells, z)]).tobytes()
"""


@pytest.mark.parametrize("kind", ["columns", "deep"])
def test_the_same_bits_on_other_ranks(run_on_ranks: RunOnRanks, tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "r.zarr")
    run_on_ranks(2, FIELDS, HERE, "write", path, kind)
    for ranks in (1, 3, 4):
        run_on_ranks(ranks, FIELDS, HERE, "read", path, kind)


def written(folder: Path, *steps: int) -> tuple[StoreCase, RestartStore]:
    case = store_case()
    store = case.restart(folder / "r.zarr")
    for step in steps:
        case.set(step)
        store.write(step)
    return case, store


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    case, _ = written(tmp_path, 5, 6)
    case.set(0)
    assert case.restart(tmp_path / "r.zarr").read() == 6
    assert np.array_equal(case.fields["sea"].owned.T, expected("sea", 6, 5))
    assert case.restart(tmp_path / "r.zarr.former").read() == 5
    assert np.array_equal(case.fields["sea"].owned.T, expected("sea", 5, 5))


def test_a_torn_one_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path, 1, 2)
    path = tmp_path / "r.zarr"
    torn = path / "sea" / "c" / "0" / "1" / "0" / "0"
    torn.write_bytes(torn.read_bytes()[:7])
    newest, wrong = newest_restart(path, BELONGS)
    assert newest == former_of(path)
    assert len(wrong) == 1
    assert "c/0/1/0/0: got 7 bytes (torn)" in wrong[0]
    torn.unlink()
    with pytest.raises(UserError, match=r"c/0/1/0/0: got no such file; expected a chunk of"):
        check_restart(path, BELONGS)


def test_a_part_is_no_restart(tmp_path: Path) -> None:
    written(tmp_path, 1)
    path = tmp_path / "r.zarr"
    path.rename(part_of(path))
    assert newest_restart(path, BELONGS)[0] == part_of(path)  # complete, except for its name
    (part_of(path) / "zarr.json").unlink()
    with pytest.raises(UserError, match=r"expected an intact r\.zarr"):
        newest_restart(path, BELONGS)


def test_a_complete_part_gets_its_name(tmp_path: Path) -> None:
    """As when a job was killed before the last renaming, and the next one cannot write."""
    case, store = written(tmp_path, 1, 2)
    path = tmp_path / "r.zarr"
    path.rename(part_of(path))
    former_of(path).rename(path)
    with no_file_beyond(100), pytest.raises(OutsideError, match="File too large"):
        store.write(3)
    assert newest_restart(path, BELONGS)[0] == path
    assert store.read() == 2
    assert case.restart(former_of(path)).read() == 1


def test_wrong_requests(tmp_path: Path) -> None:
    case, _ = written(tmp_path, 1)
    path, domain = tmp_path / "r.zarr", case.domain

    def read(path: Path = path, belongs: Any = BELONGS, state: Any = case.fields) -> None:
        RestartStore(domain, path, belongs, state, chunk_bytes=CHUNK).read()

    other = BELONGS.__class__(**vars(BELONGS) | {"settings": {"depth": 6.0}})
    with pytest.raises(UserError, match=r"got a file of a case with depth = 5\.0"):
        read(belongs=other)
    with pytest.raises(UserError, match=r"flow: float64 \(component1=1, .*expected no such field"):
        read(state={"sea": case.fields["sea"], "bottom": case.fields["bottom"]})
    single = {**case.fields, "sea": domain.field("sea", levels=5, dtype=np.float32)}
    with pytest.raises(UserError, match=r"sea: float64 \(.*level5=5.*expected float32 \("):
        read(state=single)
    records = case.records(tmp_path / "a.zarr")
    case.append(records, 0)
    with pytest.raises(UserError, match=r"a store of records; expected one of a restart"):
        read(path=tmp_path / "a.zarr")
    assert tuple(Domain((NX, NY)).partition.grid.size[:2]) == (NX, NY)
