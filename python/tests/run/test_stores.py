"""`lapwing run --set output.format=zarr`: the same values as NetCDF, after kills too."""

from collections.abc import Callable
from pathlib import Path

import pytest
import xarray
from command_server import Answer

pytestmark = pytest.mark.ranks

Lapwing = Callable[..., Answer]

STORE = ("--set", "output.format=zarr", "--progress", "none")
OFTEN = ("--set", "restart_every=5min")  # 30 steps, restarts after each 5


def same(lapwing: Lapwing, other: str = "here/output.zarr") -> None:
    answer = lapwing("compare", "whole/output.nc", other)
    assert (answer.code, answer.out) == (0, "bitwise equal\n")


def test_a_store_has_the_values_of_the_netcdf_file(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    for ranks in (1, 3):
        answer = lapwing("run", "tiny", "--ranks", ranks, "--out", f"on{ranks}", *STORE)
        assert answer.code == 0, answer.err
        assert f"Zarr        on{ranks}/output.zarr\n" in answer.out
        same(lapwing, f"on{ranks}/output.zarr")
        assert not (tmp_path / f"on{ranks}" / "output.nc").exists()
    one, three = (
        {
            str(path.relative_to(tmp_path / on)): path.read_bytes()
            for name in ("output.zarr", "restart.zarr")
            for path in (tmp_path / on / name).rglob("*")
            if path.is_file()
        }
        for on in ("on1", "on3")
    )
    assert len(one) > 30
    assert one == three
    answer = lapwing("compare", "on1/output.zarr", "whole/restart.lapwing")
    assert answer.code == 2


def test_a_restart_goes_on_in_the_store(lapwing: Lapwing) -> None:
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    half = ("--set", "duration=15min", "--out", "here")
    assert lapwing("run", "tiny", "--ranks", 2, *half, *STORE).code == 0
    more = ("--restart", "here/restart.zarr", "--out", "here")
    answer = lapwing("run", "tiny", "--ranks", 3, *more, *STORE)
    assert answer.code == 0, answer.err
    assert "records of here/output.zarr and appends to them" in answer.out
    same(lapwing)


def require_the_beginning(store: Path, file: Path) -> None:
    """The store holds the first records of a file, and no others."""
    with xarray.open_zarr(store, chunks=None) as left, xarray.open_dataset(file) as whole:
        assert left.time.size < whole.time.size
        if left.time.size > 0:
            assert left.level.equals(whole.level.isel(time=slice(left.time.size)))


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        pytest.param("store", 1, marks=pytest.mark.slow),
        ("record", 3),
        pytest.param("state", 2, marks=pytest.mark.slow),
    ],
)
def test_a_killed_rank_loses_no_record(
    lapwing: Lapwing, tmp_path: Path, moment: str, number: int
) -> None:
    """Killed in a file of a store that begins, a record or a restart; then the run goes on."""
    assert lapwing("run", "tiny", "--out", "whole").code == 0
    environment = {
        "TINY_FAULT": f"{moment}:SIGXFSZ:{number}:0",
        "TINY_FAULT_MARK": str(tmp_path / "mark"),
    }
    job = lapwing(
        "run", "tiny", "--ranks", 2, "--out", "here", *OFTEN, *STORE, environment=environment
    )
    assert job.code != 0
    assert (tmp_path / "mark").exists()
    if moment == "store":  # before it has its name
        assert not (tmp_path / "here" / "output.zarr").exists()
    else:
        require_the_beginning(tmp_path / "here" / "output.zarr", tmp_path / "whole" / "output.nc")
    if any((tmp_path / "here").glob("restart.zarr*")):
        answer = lapwing("run", "--resume", "here", "--ranks", 3)
        if answer.code == 2:  # no restart was complete by then
            assert "no restart" in answer.err or "restart.zarr" in answer.err
            answer = lapwing("run", "tiny", "--out", "here", *STORE)
    else:
        answer = lapwing("run", "tiny", "--out", "here", *STORE)
    assert answer.code == 0, answer.err
    same(lapwing)
    assert not (tmp_path / "here" / "output.zarr.former").exists()


def test_servers_and_other_cases_are_refused(lapwing: Lapwing) -> None:
    answer = lapwing("run", "tiny", "--ranks", 2, "--io-ranks", 1, "--out", "here", *STORE)
    assert answer.code == 2
    assert "all ranks of the model write a store together" in answer.err
    assert lapwing("run", "tiny", "--set", "duration=15min", "--out", "here", *STORE).code == 0
    other = ("--set", "pace=0.5", "--restart", "here/restart.zarr", "--out", "here")
    answer = lapwing("run", "tiny", *other, *STORE)
    assert answer.code == 2
    assert "restart.zarr" in answer.err
    assert "pace = 0.25" in answer.err
