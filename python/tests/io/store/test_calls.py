"""`Records` and `Restart`: a program's own fields in files, written and read on any ranks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lapwing
import numpy as np
import pytest
import xarray
from lapwing.io.compare import compare_files

RunOnRanks = Callable[..., Any]

PROGRAM = """
import os, sys
os.fsync = lambda handle: None
from pathlib import Path
import lapwing
folder = Path(sys.argv[1])
with lapwing.Domain((12, 8)) as domain:
    level = domain.field("level", units="m", long_name="height", halo=1)
    speed = domain.field("speed", units="m s-1", location="xface", levels=3)
    depth = domain.field("depth", units="m")
    depth.set(lambda i, j: 10.0 + i + j)
    for name in ("a.zarr", "a.nc"):
        records = lapwing.Records(domain, folder / name, [level, speed], fixed=[depth])
        for step in range(3):
            level.set(lambda i, j: step + 0.1 * i + j)
            speed.set(lambda i, j, k: step - 0.1 * i + j + 100.0 * k)
            records.write(60.0 * step, 10 * step)
        records.close()
        level.fill(0.0)
        speed.fill(0.0)
        assert records.read(60.0) == 10
        assert (level.owned == [[1 + 0.1 * i + j for j in range(domain.box.lo[1], domain.box.hi[1])]
            for i in range(domain.box.lo[0], domain.box.hi[0])]).all()
        inside = speed.owned[: min(domain.box.hi[0], 11) - domain.box.lo[0], :, 2]
        assert (inside > 199).all()  # faces of closed ends are no part of a record
    for name in ("r.zarr", "r.lapwing"):
        restart = lapwing.Restart(domain, folder / name, [level, speed])
        restart.write(7)
        before = level.owned.copy(), speed.owned.copy()
        level.fill(0.0)
        speed.fill(0.0)
        assert restart.read() == 7
        assert (level.owned == before[0]).all() and (speed.owned == before[1]).all()
"""


def test_files_are_the_same_on_any_ranks(run_on_ranks: RunOnRanks, tmp_path: Path) -> None:
    for ranks in (1, 3):
        (tmp_path / str(ranks)).mkdir()
        run_on_ranks(ranks, PROGRAM, str(tmp_path / str(ranks)))
    for name in ("a.zarr", "a.nc"):
        assert compare_files(tmp_path / "1" / name, tmp_path / "3" / name) == []
    assert compare_files(tmp_path / "1" / "a.zarr", tmp_path / "1" / "a.nc") == []
    one, three = ((tmp_path / ranks / "r.lapwing").read_bytes() for ranks in "13")
    assert one == three
    with xarray.open_zarr(tmp_path / "3" / "a.zarr", chunks=None) as data:
        assert data.step.values.tolist() == [0, 10, 20]
        assert data.speed.attrs["units"] == "m s-1"
        assert data.speed.dims == ("time", "level3", "y", "x_xface")


@pytest.mark.parametrize("name", ["a.zarr", "a.nc"])
def test_records_go_on(tmp_path: Path, name: str) -> None:
    with lapwing.Domain((5, 4)) as domain:
        level = domain.field("level")

        def write(first: int, last: int, **more: Any) -> None:
            with lapwing.Records(domain, tmp_path / name, [level], **more) as records:
                for step in range(first, last):
                    level.fill(step)
                    records.write(float(step))

        write(0, 4)
        write(2, 6, keep_until=1.0)
        with xarray.open_dataset(
            tmp_path / name, engine="zarr" if name == "a.zarr" else "netcdf4", decode_times=False
        ) as data:
            assert data.time.values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
            assert data.level.values[:, 2, 2].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_land_keeps_its_values(tmp_path: Path) -> None:
    wet = np.ones((5, 4), dtype=bool)
    wet[2, 2] = False
    for name in ("a.zarr", "a.nc"):
        with lapwing.Domain((5, 4)) as domain:
            level = domain.field("level")
            level.fill(3.0)
            records = lapwing.Records(domain, tmp_path / name, [level], wet=wet)
            records.write(0.0)
            records.close()
            level.fill(-1.0)
            assert records.read(0.0) == 0
            assert level.owned[2, 2] == -1.0
            assert (level.owned == 3.0).sum() == 19


def test_wrong_requests(tmp_path: Path) -> None:
    with lapwing.Domain((5, 4)) as domain:
        level = domain.field("level")

        def records(name: str = "a.zarr", fields: Any = (level,), **more: Any) -> lapwing.Records:
            return lapwing.Records(domain, tmp_path / name, fields, **more)

        wrong: dict[str, dict[str, Any]] = {
            r"got the ending '\.grib'; expected a name that ends in": {"name": "a.grib"},
            r"got the names \['level', 'level'\]; expected one or more, all different": {
                "fields": (level, level)
            },
            r"precision of .*got 'half'": {"precision": "half"},
            r"start of records: got 'today'": {"start": "today"},
            r"wet: got an array \(4, 5\); expected one of \(5, 4\)": {"wet": np.ones((4, 5))},
        }
        for words, request in wrong.items():
            with pytest.raises(lapwing.UserError, match=words):
                records(**request)
        made = records()
        made.write(0.0)
        with pytest.raises(lapwing.UserError, match=r"got 5 s; expected one of 0 "):
            made.read(5.0)
        made.close()
        other = domain.field("other")
        with pytest.raises(
            lapwing.UserError, match=r"a\.zarr: got other: not there; expected float64"
        ):
            records(fields=(other,), keep_until=0.0)
        with pytest.raises(lapwing.UserError, match=r"--restart .*r\.lapwing: got No such file"):
            lapwing.Restart(domain, tmp_path / "r.lapwing", [level]).read()


MEMORY = """
import resource, sys
from pathlib import Path
import lapwing
def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def record(size, levels, name):
    with lapwing.Domain(size) as domain:
        field = domain.field("t", levels=levels)
        field.fill(1.0)
        before = peak()
        with lapwing.Records(domain, Path(sys.argv[1]) / name, [field]) as records:
            records.write(0.0)
        return peak() - before, field.owned.nbytes
record((40, 40), 2, "small.zarr")  # what all of it loads
grown, own = record((2000, 1000), 16, "large.zarr")
slab = own // 16
assert grown < 6 * slab, (grown, own)
"""


def test_a_record_takes_the_memory_of_a_slab(run_on_ranks: RunOnRanks, tmp_path: Path) -> None:
    """Two copies of a rank's share, buffers, and a chunk; a gather would take twice the field."""
    for ranks in (1, 2):
        run_on_ranks(ranks, MEMORY, str(tmp_path))
