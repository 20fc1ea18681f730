"""Stores by the library in C: the bytes that Python writes, read by xarray, compare and Python."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xarray
from lapwing.io.compare import compare_files

RunOnRanks = Callable[..., Any]
HERE = str(Path(__file__).parent)

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
import lapwing
from c_store import Library
folder = Path(sys.argv[2])
size, periodic = (13, 9), (True, False)
wet = np.ones(size, dtype=bool)
wet[3:6, 4:] = False
x, y = np.linspace(-8.0, 4.0, 13), np.linspace(50.0, 52.0, 9)
FIELDS = {
    "level": (("m", "height of the sea"), {}),
    "speed": (("m s-1",), {"location": "xface", "levels": 3, "dtype": "float32"}),
    "turn": (("s-1",), {"location": "corner"}),
    "count": (("1",), {"dtype": "int32", "levels": 2}),
    "depth": (("m", "", "sea_floor_depth_below_geoid"), {}),
}

def values(record, i, j, k):
    return 1000000 * record + 10000 * k + 100 * j + i

# in C
library = Library(size, periodic)
handles, cells = [], []
for name, (labels, about) in FIELDS.items():
    handle, array, box = library.field(name, *labels, **about)
    handles.append(handle)
    ranges = [np.arange(box.lo[a], box.hi[a]) for a in range(3)]
    cells.append((array, np.meshgrid(*ranges, indexing="ij")))

def set_c(record):
    for array, place in cells:
        array[...] = values(record, *place)

options = dict(title=b"a trial", wet=wet.astype(np.int8).tobytes(order="F"))
options["x"] = (x.ctypes.data, 13, b"degrees_east", b"longitude", b"longitude")
options["y"] = (y.ctypes.data, 9, b"degrees_north", b"latitude", b"latitude")
records = library.records(folder / "c.zarr", handles, 1, **options)
narrow = library.records(folder / "c4.zarr", handles[:2], single_precision=1)
for record in range(2):
    set_c(record)
    library.write(records, 60.0 * record, 10 * record)
    library.write(narrow, 60.0 * record)
library("records_close", records)
library("records_close", narrow)
restart = library.restart(folder / "c_restart.zarr", handles)
library("restart_write", restart, 10)

# in Python
axes = (
    lapwing.Axis(x, "degrees_east", "longitude", "longitude"),
    lapwing.Axis(y, "degrees_north", "latitude", "latitude"),
)
with lapwing.Domain(size, periodic=periodic, axes=axes) as domain:
    def made(name):
        (units, *names), about = FIELDS[name]
        long_name, standard_name = (*names, "", "")[:2]
        labels = {"long_name": long_name, "standard_name": standard_name or None}
        return domain.field(name, units=units, **labels, **about)

    fields = {name: made(name) for name in FIELDS}

    def set_python(record):
        for field in fields.values():
            field.set(lambda i, j, k=0: values(record, i, j, k))

    *changing, depth = fields.values()
    with lapwing.Records(
        domain, folder / "python.zarr", changing, fixed=[depth], title="a trial", wet=wet
    ) as records:
        for record in range(2):
            set_python(record)
            records.write(60.0 * record, 10 * record)
    set_python(5)
    assert lapwing.Restart(domain, folder / "c_restart.zarr", list(fields.values())).read() == 10
    for name, field in fields.items():
        for (array, place), own in zip(cells, FIELDS, strict=True):
            if own == name:
                assert np.array_equal(field.owned.reshape(array.shape), array), name
    lapwing.Restart(domain, folder / "python_restart.zarr", list(fields.values())).write(10)
with lapwing.Domain(size, periodic=periodic) as domain:
    fields = {name: made(name) for name in ("level", "speed")}
    with lapwing.Records(
        domain, folder / "python4.zarr", list(fields.values()), precision="single"
    ) as records:
        for record in range(2):
            set_python(record)
            records.write(60.0 * record)
"""


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("ranks", [1, 3])
def test_c_writes_the_bytes_of_python(run_on_ranks: RunOnRanks, tmp_path: Path, ranks: int) -> None:
    run_on_ranks(ranks, PROGRAM, HERE, str(tmp_path))
    for name, files in (("", 29), ("4", 19), ("_restart", 11)):
        found = content(tmp_path / f"c{name}.zarr")
        expected = content(tmp_path / f"python{name}.zarr")
        assert sorted(found) == sorted(expected)
        assert len(found) == files
        for file, data in expected.items():
            assert found[file] == data, (name, file)
    assert compare_files(tmp_path / "c.zarr", tmp_path / "python.zarr") == []
    with xarray.open_zarr(tmp_path / "c.zarr", chunks=None) as data:
        assert data.step.values.tolist() == [0, 10]
        assert data.speed.dims == ("time", "level3", "lat", "lon_xface")
        assert float(data.level[1].sel(lon=-8.0, lat=52.0)) == 1000800.0
        assert data.depth.attrs["standard_name"] == "sea_floor_depth_below_geoid"
