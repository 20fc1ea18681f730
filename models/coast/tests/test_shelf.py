"""The case shelf: its mask, its depth, and the bits of any number of ranks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from lapwing.core.partition import Extent, Grid, Mask, wet_block_partition
from lapwing.core.plan import FieldSpec, halo_plan
from lapwing.io.mask_file import MaskFile, read_mask, write_mask
from lapwing.model import Axis
from lapwing_coast import model

# the fixtures in both conftest.py
Lapwing = Callable[..., Any]
MakeSea = Callable[..., Any]

MASK = Path(model.cases["shelf"]).parent / "shelf_mask.nc"
COARSE = 10  # arc-minutes: a thousandth of the work


def test_mask_is_the_one_of_the_known_figures() -> None:
    wet = read_mask(MASK).wet
    assert wet.shape == (1980, 1500)
    assert f"{100 * wet.mean():.1f}" == "66.9"


def test_messages_without_land_save_a_tenth() -> None:
    """In halos of width 2, where blocks without water got no rank."""
    wet = read_mask(MASK).wet
    grid, mask = Grid(wet.shape), Mask(wet)
    partition = wet_block_partition(grid, mask, 60).partition
    field = FieldSpec("field", extents=[Extent((2, 2, 0), (2, 2, 0))])
    plans = [halo_plan(partition, rank, [field]) for rank in range(partition.ranks)]
    shares = [plan.wet_share(plan.wet_only(mask)) for plan in plans]
    after = sum(share.bytes_after for share in shares)
    assert after < 0.9 * sum(share.bytes_before for share in shares)


def test_known_places(make_sea: MakeSea) -> None:
    """Sea where there is sea, land where there is land, deep where there is the ocean."""
    sea = make_sea("shelf")
    depth = sea.run.variables["depth"].field[sea.domain.box]

    def at(longitude: float, latitude: float) -> float:
        return float(depth[int((longitude + 20) * 60), int((latitude - 40) * 60)])

    for place in [(-4.0, 40.4), (2.3, 48.9), (-18.0, 64.5), (10.0, 61.0)]:  # Madrid to Norway
        assert at(*place) == 0
    assert at(-18.0, 50.0) == depth.max() == 2500
    assert at(-5.0, 44.5) > 2000  # the Bay of Biscay
    assert at(4.2, 60.0) > 200 > at(-6.0, 50.0) > at(3.0, 53.0) > 10


@pytest.fixture
def coarse(tmp_path: Path) -> list[str]:
    """Settings of the case with cells of 10 arc-minutes, long enough for the tide to cross it."""
    mask = read_mask(MASK)
    middle = slice(COARSE // 2, None, COARSE)
    x, y = (
        Axis(axis.values[middle], axis.units, axis.long_name, axis.standard_name)
        for axis in (mask.x, mask.y)
    )
    path = tmp_path / "coarse.nc"
    write_mask(path, MaskFile(mask.wet[middle, middle], x, y, "coarse"), {})
    settings = [f"grid.mask={path}", "grid.spacing_x=11274", "grid.spacing_y=18520"]
    settings += ["tide.north.first=36", "tide.north.end=186", "tide.south.end=67"]
    settings += ["time.step=60", "duration=9h", "output.every=9h", "output.precision=double"]
    settings += ['output.variables=["sea_level", "transport_x", "transport_y"]']
    return [f"--set={setting}" for setting in settings]


@pytest.mark.slow
@pytest.mark.ranks
def test_any_blocks_give_the_bits_of_one_rank(
    lapwing: Lapwing, coarse: list[str], tmp_path: Path
) -> None:
    def run(out: str, *arguments: str) -> None:
        answer = lapwing("run", "shelf", f"--out={out}", *coarse, *arguments, timeout=100)
        assert answer.code == 0, answer.out + answer.err

    run("one")
    for blocks in ("2x2", "4x1"):
        run(blocks, "--ranks=4", f"--blocks={blocks}")
        answer = lapwing("compare", "one/output.nc", f"{blocks}/output.nc")
        assert answer.code == 0, answer.out
    with xarray.open_dataset(tmp_path / "one" / "output.nc") as last:
        level, along = (last[name].values[-1] for name in ("sea_level", "transport_x"))  # [y, x]
    assert 1.5 < np.nanmax(np.abs(level)) < 6.0
    for cut in (49, 98):  # the tide has come to the cuts that matter
        assert np.count_nonzero(np.nan_to_num(along[:, cut])) > 50


@pytest.mark.ranks
@pytest.mark.slow
def test_the_whole_case_starts_on_four_ranks(lapwing: Lapwing) -> None:
    for ranks in (1, 4):
        settings = ["--set=duration=1min", "--set=output.every=1min"]
        answer = lapwing("run", "shelf", f"--ranks={ranks}", f"--out=on-{ranks}", *settings)
        assert answer.code == 0, answer.out + answer.err
    answer = lapwing("compare", "on-1/output.nc", "on-4/output.nc")
    assert answer.code == 0, answer.out
