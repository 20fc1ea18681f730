"""Files of one rank of a model are refused, and the tool that joins them is named."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from lapwing.base.error import UserError
from lapwing.io.maps.faults.pieces import require_whole
from ocean_files import true_sea, write_mitgcm_grid


def made(
    attributes: Mapping[str, object], of_axis: Mapping[str, object] | None = None
) -> xr.Dataset:
    """A map of 4 x 3 cells with attributes of the file, and of its axis xh."""
    axes = {"xh": ("xh", np.arange(4.0), of_axis or {}), "x": np.arange(4.0)}
    variables = {"wet": (("yh", "xh"), np.ones((3, 4))), "tmask": (("y", "x"), np.ones((3, 4)))}
    return xr.Dataset(variables, axes, attributes)


NEMO = {"DOMAIN_number_total": np.int32(6), "DOMAIN_size_global": np.array([8, 9], "i4")}


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        (made(NEMO), "a piece: 4 of 8 cells along x; .* join them by rebuild_nemo"),
        (made({}, {"domain_decomposition": np.array([1, 9, 1, 4])}), "4 of 9 .* by mppnccombine"),
        (made({"partition": np.array([2, 6, 1, 1])}), "a piece: file 3 of 6; .* by ncjoin"),
    ],
)
def test_pieces(dataset: xr.Dataset, message: str) -> None:
    with pytest.raises(UserError, match=f"MASK f.nc: got .*{message}"):
        require_whole(dataset, "MASK f.nc")


def test_a_tile_of_mnc(tmp_path: Path) -> None:
    sea = true_sea()
    with (
        xr.open_dataset(write_mitgcm_grid(tmp_path / "grid.t001.nc", sea, tile=True)) as tile,
        pytest.raises(UserError, match=r"a piece: 13 of 26 cells along X; .* by gluemncbig"),
    ):
        require_whole(tile, "MASK")
    with xr.open_dataset(write_mitgcm_grid(tmp_path / "grid.nc", sea)) as whole:
        require_whole(whole, "MASK")


@pytest.mark.parametrize(
    "dataset",
    [
        made({}),
        made({"DOMAIN_number_total": np.int32(1)}),
        made({**NEMO, "DOMAIN_size_global": np.array([4, 3], "i4")}),
        made({"partition": "by metis", "MITgcm_mnc_ver": 0.9, "Nx": "many"}),
        made({}, {"domain_decomposition": np.array([1, 4, 1, 4])}),
    ],
)
def test_whole_files_are_not_refused(dataset: xr.Dataset) -> None:
    require_whole(dataset, "MASK")  # raises for a piece
