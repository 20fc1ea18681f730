"""The map of ranks: of lapwing's partitions and of blocks of a model, as other tools read it."""

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray
from lapwing.base.error import UserError
from lapwing.core.partition import (
    Grid,
    Mask,
    Partition,
    assigned_block_partition,
    block_partition,
    ksection_partition,
    wet_block_partition,
)
from lapwing.partition.layouts import (
    check_ranks,
    layout_partition,
    plan_layout,
    ranks_of,
    read_layout,
    read_ranks,
    write_checked_ranks,
    write_layout,
    write_ranks,
)

Array = np.ndarray[Any, Any]


def sea(size: tuple[int, int] = (37, 23)) -> Array:
    """A bay with islands; the north-east is land."""
    x, y = np.meshgrid(*map(np.arange, size), indexing="ij")
    wet = (x + y < 42) & ((x % 7 != 3) | (y % 5 != 2))
    return np.asarray(wet)


def partitions(wet: Array) -> dict[str, Partition]:
    grid, mask = Grid(wet.shape), Mask(wet)
    return {
        "k-section": ksection_partition(grid, mask, 7).partition,
        "blocks": wet_block_partition(grid, mask, 7).partition,
        "assigned": assigned_block_partition(grid, mask, 5).partition,
        "mom6": layout_partition(plan_layout("mom6", wet, (6, 5), 0)),
    }


@pytest.mark.parametrize("method", ["k-section", "blocks", "assigned", "mom6"])
def test_xarray_and_netcdf_read_it(method: str, tmp_path: Path) -> None:
    """Every wet cell has the rank whose box holds it; land without a rank is NaN or -1."""
    wet = sea()
    partition = partitions(wet)[method]
    write_ranks(ranks_of(partition), wet, tmp_path / "ranks.nc")
    expected = np.full(wet.shape, -1)
    for part in partition.subdomains:
        for i in range(part.box.lo[0], part.box.hi[0]):
            for j in range(part.box.lo[1], part.box.hi[1]):
                assert expected[i, j] == -1
                expected[i, j] = part.rank
    assert (expected[wet] >= 0).all()
    with netCDF4.Dataset(tmp_path / "ranks.nc") as file:
        file.set_auto_mask(False)
        assert (expected == file["rank"][:].T).all()
        assert file.ranks == partition.ranks
    with xarray.open_dataset(tmp_path / "ranks.nc") as data:
        decoded = data["rank"].transpose("x", "y")
        assert (np.isnan(decoded) == (expected == -1)).all()
        assert (data["wet"].transpose("x", "y") == wet).all()
        assert data["wet"].attrs["flag_meanings"] == "land sea"
        assert list(data["x"].values) == list(range(1, 38))
    assert (read_ranks(tmp_path / "ranks.nc") == expected).all()
    check_ranks(read_ranks(tmp_path / "ranks.nc"), wet)


def test_blocks_of_rows_are_as_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three rows of 37 cells: 23 rows and blocks of four rows are no multiples."""
    monkeypatch.setattr("lapwing.partition.layouts.rows._CELLS", 3 * 37)
    wet = sea()
    ranks = ranks_of(partitions(wet)["blocks"])
    write_checked_ranks(ranks, wet, tmp_path / "ranks.nc")
    with netCDF4.Dataset(tmp_path / "ranks.nc") as file:
        assert file["rank"].chunking() == [3, 37]
        assert (wet == file["wet"][:].T).all()
    layout = write_layout("cice", wet, (5, 6), tmp_path / "wght.nc")
    assert layout.dropped
    assert read_layout("cice", tmp_path / "wght.nc") == layout


@pytest.mark.parametrize("kind", ["i8", "u4"])
def test_ranks_of_other_types(kind: str, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "ranks.nc", "w") as file:
        file.createDimension("y", 2)
        file.createDimension("x", 3)
        rank = file.createVariable("rank", kind, ("y", "x"))
        rank[:] = [[0, 1, 2], [3, 4, 5]]
        if kind == "i8":
            rank[1, 2] = -7
    ranks = read_ranks(tmp_path / "ranks.nc")
    assert ranks.dtype == np.int32
    assert ranks.tolist() == [[0, 3], [1, 4], [2, -1 if kind == "i8" else 5]]
    with netCDF4.Dataset(tmp_path / "ranks.nc", "a") as file:
        file["rank"][0, 0] = 2**31
    with pytest.raises(UserError, match="got rank 2147483648; expected ranks up to 2147483647"):
        read_ranks(tmp_path / "ranks.nc")


def test_of_three_dimensions() -> None:
    with pytest.raises(UserError, match=r"partition: got 3 cells along z"):
        ranks_of(block_partition(Grid((4, 4, 3)), (2, 1)))


def test_what_is_wrong_is_refused(tmp_path: Path) -> None:
    wet = np.ones((4, 3), dtype=bool)
    ranks = np.zeros((4, 3), dtype=int)
    ranks[1, 2] = ranks[3, 0] = -1
    with pytest.raises(UserError, match=r"no rank for wet cell \(2, 3\), and 1 more"):
        write_ranks(ranks, wet, tmp_path / "ranks.nc")
    with pytest.raises(UserError, match=r"no cell of rank 1"):
        write_ranks(np.where(ranks == 0, 0, 2), wet, tmp_path / "ranks.nc")
    with pytest.raises(UserError, match=r"a map of \(4, 3\); expected \(3, 4\)"):
        write_ranks(ranks, wet.T, tmp_path / "ranks.nc")
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere.nc: got .*No such file"):
        read_ranks(tmp_path / "nowhere.nc")
    with netCDF4.Dataset(tmp_path / "other.nc", "w") as file:
        file.createDimension("x", 3)
    with pytest.raises(UserError, match=r"other.nc: got .*rank.*; expected a NetCDF file with"):
        read_ranks(tmp_path / "other.nc")
    with netCDF4.Dataset(tmp_path / "other.nc", "a") as file:
        file.createVariable("rank", "f4", ("x",))[:] = 1
    with pytest.raises(UserError, match=r"rank of type float32 and 1 dimensions"):
        read_ranks(tmp_path / "other.nc")
