"""Stores of records: what xarray reads, on any number of ranks, and after any end of a process."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import netCDF4
import pytest
import xarray
from lapwing import UserError
from lapwing.base.error import OutsideError
from lapwing.io.agenda import Agenda
from lapwing.io.compare import compare_files
from lapwing.io.record_file import Earlier
from lapwing.io.store.record_store import find_earlier_store
from store_case import BELONGS, StoreCase, no_file_beyond, require_records, store_case

RunOnRanks = Callable[..., Any]

HERE = str(Path(__file__).parent)

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from lapwing import Domain
from mpi4py import MPI
from store_case import scattered, store_case
ranks = MPI.COMM_WORLD.size
case = store_case(Domain(scattered(ranks)) if "scattered" in sys.argv else None)
store = case.records(Path(sys.argv[2]) / "output.zarr")
for record in range(2):
    case.append(store, record)
    case.restart(Path(sys.argv[2]) / "restart.zarr").write(record)
store.close()
"""


@pytest.fixture
def case() -> Iterator[StoreCase]:
    made = store_case()
    yield made
    made.domain.close()


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_bytes_do_not_depend_on_ranks(run_on_ranks: RunOnRanks, tmp_path: Path) -> None:
    found = []
    for ranks, more in ((1, []), (3, []), (2, ["scattered"]), (4, ["scattered"])):
        folder = tmp_path / f"{ranks}"
        folder.mkdir()
        run_on_ranks(ranks, PROGRAM, HERE, str(folder), *more)
        found.append(content(folder))
    assert len(found[0]) > 60
    assert all(one == found[0] for one in found[1:])
    require_records(tmp_path / "1" / "output.zarr", 2)


def test_xarray_finds_what_a_netcdf_file_says(case: StoreCase, tmp_path: Path) -> None:
    store = case.records(tmp_path / "a.zarr")
    case.append(store, 0)
    store.close()
    with xarray.open_zarr(tmp_path / "a.zarr", chunks=None) as data:
        assert data.attrs["Conventions"] == "CF-1.11"
        assert data.sea.dims == ("time", "level5", "y", "x")
        assert data.flow.dims == ("time", "y", "x_xface")
        assert (data.sea.attrs["units"], data.x_xface.attrs["axis"]) == ("m", "X")
        assert data.x_xface.attrs["c_grid_axis_shift"] == 0.5
        assert data.wet.attrs["flag_values"] == [0, 1]
        assert data.sea.encoding["_FillValue"] == netCDF4.default_fillvals["f8"]
        assert str(data.time.values[0]) == "2000-01-01T00:00:00.000000000"
        assert "step" in data.sea.coords
    assert compare_files(tmp_path / "a.zarr", tmp_path / "a.zarr") == []


def test_lengths_are_repaired(case: StoreCase, tmp_path: Path) -> None:
    """As when a job is killed behind the group's metadata and before an array's own."""
    path = tmp_path / "a.zarr"
    store = case.records(path)
    for record in range(3):
        case.append(store, record)
    old = (path / "sea" / "zarr.json").read_text()
    (path / "sea" / "zarr.json").write_text(old.replace('"shape": [\n  3', '"shape": [\n  7'))
    assert old != (path / "sea" / "zarr.json").read_text()
    store = case.records(path, Earlier(path, [0, 1, 2], 2))
    assert '"shape": [\n  2' in (path / "sea" / "zarr.json").read_text()
    require_records(path, 2)
    with xarray.open_zarr(path, chunks=None, consolidated=False) as data:
        assert data.sea.shape[0] == data.time.size == 2


@pytest.mark.parametrize("limit", [100, 1000])
def test_a_disk_that_is_full_leaves_the_records_before(
    case: StoreCase, tmp_path: Path, limit: int
) -> None:
    """At the first chunk of a map, or at the times when all of its chunks are there."""
    path = tmp_path / "a.zarr"
    store = case.records(path)
    case.append(store, 0)
    with (
        no_file_beyond(limit),
        pytest.raises(OutsideError, match=r"a\.zarr/\S+: got File too large .*MiB free"),
    ):
        case.append(store, 1)
    assert (path / "bottom" / "c" / "0").exists()
    assert (path / "flow" / "c" / "1").exists() == (limit == 1000)  # no further try by this rank
    require_records(path, 1)
    case.append(store, 1)  # there is room again
    require_records(path, 2)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: file.unlink(), r"sea/c/1/2/0/0: got No such file or directory; expected"),
        (lambda file: file.write_bytes(file.read_bytes()[:-9]), r"got \d{3} bytes \(torn\)"),
        (
            lambda file: file.write_bytes(b"\x01" + file.read_bytes()[1:]),
            r"got another checksum \(corrupted\); expected a chunk of \d{3} bytes with its CRC",
        ),
    ],
)
def test_a_damaged_chunk_is_named(
    case: StoreCase, tmp_path: Path, harm: Callable[[Path], Any], words: str
) -> None:
    path = tmp_path / "a.zarr"
    store = case.records(path)
    for record in range(2):
        case.append(store, record)
    harm(path / "sea" / "c" / "1" / "2" / "0" / "0")
    with pytest.raises(UserError, match=words):
        compare_files(path, path)


def test_what_is_no_store_of_the_case_is_refused(case: StoreCase, tmp_path: Path) -> None:
    agenda = Agenda(60.0, 600.0, 60.0, 0.0, 1)
    path = tmp_path / "a.zarr"
    path.mkdir()
    (path / "precious").touch()
    with pytest.raises(UserError, match=r"expected a store that lapwing has written; correct"):
        case.records(path)
    assert (path / "precious").exists()
    shutil.rmtree(path)
    assert find_earlier_store(path, BELONGS, agenda, 2) is None
    other = BELONGS.__class__(**vars(BELONGS) | {"settings": {"depth": 6.0}})
    store = case.records(path, belongs=other)
    case.append(store, 0)
    with pytest.raises(UserError, match=r"a\.zarr: got a file of a case with depth = 6\.0"):
        find_earlier_store(path, BELONGS, agenda, 2)
    with pytest.raises(UserError, match=r"sea: float64 \(time.*expected float32 \(time"):
        case.records(path, Earlier(path, [0], 1), precision="single")


def test_a_new_store_keeps_the_one_before_until_it_is_complete(
    case: StoreCase, tmp_path: Path
) -> None:
    path, former = tmp_path / "a.zarr", tmp_path / "a.zarr.former"
    first = case.records(path)
    for record in range(2):
        case.append(first, record)
    first.close()
    case.records(path)  # killed before it had a record
    require_records(former, 2)
    again = case.records(path)
    require_records(former, 2)
    case.append(again, 0)
    again.close()
    require_records(path, 1)
    assert not former.exists()


def test_times_fill_more_than_one_chunk(case: StoreCase, tmp_path: Path) -> None:
    case.times = 3
    path = tmp_path / "a.zarr"
    store = case.records(path)
    for record in range(4):
        case.append(store, record)
    again = case.records(path, Earlier(path, [0, 1, 2, 3], 4))
    for record in range(4, 8):
        case.append(again, record)
    require_records(path, 8)


def test_two_jobs_on_one_store(case: StoreCase, tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    store = case.records(path)
    case.append(store, 0)
    case.open.clear()  # the other job is alive
    for earlier in (None, Earlier(path, [0], 1)):
        with pytest.raises(UserError, match=r"store .*a\.zarr: got a folder that another job"):
            case.records(path, earlier)
    case.append(store, 1)
    store.close()
    require_records(path, 2)
