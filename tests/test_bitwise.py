"""Any number of ranks and any shape of blocks gives the bits of one rank, in people's files."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from lapwing.core._core import block_range

LAPWING = Path(sys.executable).with_name("lapwing")

CASES = {
    "kelvin-small": ("duration=3h", "output.every=1h"),
    # long enough for the tide to have come to every cut from the open sides
    "northsea": ("duration=6h", "output.every=2h"),
}
BLOCKS = [(m, n // m) for n in (2, 3, 4, 6, 9) for m in range(1, n + 1) if n % m == 0]
# those that every `make test` tries: cuts along either axis and both, and a block in the middle
USUAL = {
    "kelvin-small": [(2, 1), (1, 3), (2, 2), (3, 3)],
    "northsea": [(1, 2), (4, 1), (2, 2)],
}


def cuts() -> list[Any]:
    """Every case in every shape; all but the usual ones are marked, for `make test-bitwise`."""
    return [
        pytest.param(
            case,
            blocks,
            id=f"{case}-{blocks[0]}x{blocks[1]}",
            marks=[] if blocks in USUAL[case] else [pytest.mark.every_shape],
        )
        for case in CASES
        for blocks in BLOCKS
    ]


def lapwing(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line and return what it printed."""
    return subprocess.run(
        [LAPWING, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def run(case: str, out: Path, *arguments: str) -> Path:
    """Run the shortened case with double precision output and return its file."""
    settings = [f"--set={key}" for key in (*CASES[case], "output.precision=double")]
    done = lapwing("run", case, f"--out={out}", *settings, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "output.nc"


@pytest.fixture(scope="module", params=CASES)
def one_rank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output file of a case on one rank, in a folder named after the case."""
    case = str(request.param)
    return run(case, tmp_path_factory.mktemp("one-rank") / case)


@pytest.mark.ranks
@pytest.mark.parametrize(("one_rank", "blocks"), cuts(), indirect=["one_rank"])
def test_blocks_give_the_bits_of_one_rank(
    one_rank: Path, blocks: tuple[int, int], tmp_path: Path
) -> None:
    m, n = blocks
    case = one_rank.parent.name
    cut = run(case, tmp_path / case, f"--ranks={m * n}", f"--blocks={m}x{n}")
    done = lapwing("compare", str(one_rank), str(cut))
    assert done.returncode == 0, done.stdout


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("ranks", "speeds"),
    [(4, "alike"), (2, "measured"), pytest.param(9, "alike", marks=pytest.mark.every_shape)],
)
def test_ksection_gives_the_bits_of_one_rank(
    one_rank: Path, ranks: int, speeds: str, tmp_path: Path
) -> None:
    case = one_rank.parent.name
    options = ("--set=run.partition=ksection", f"--set=run.speeds={speeds}")
    cut = run(case, tmp_path / case, f"--ranks={ranks}", *options)
    done = lapwing("compare", str(one_rank), str(cut))
    assert done.returncode == 0, done.stdout


@pytest.mark.ranks
def test_something_crosses_every_cut(one_rank: Path) -> None:
    """Water at rest is the same on both sides of a cut: equal files would say nothing."""
    with xarray.open_dataset(one_rank) as last:
        x, y = (np.nan_to_num(last[f"transport_{axis}"].values[-1]) for axis in "xy")  # [y, x]
    ny, nx = x.shape
    for ranks in (2, 3, 4, 6, 9):
        for part in range(1, ranks):
            i, _ = block_range(nx, ranks, part)
            j, _ = block_range(ny, ranks, part)
            assert np.count_nonzero(x[:, i - 1 : i + 1]) > ny // 10
            assert np.count_nonzero(y[j - 1 : j + 1, :]) > nx // 10


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    """Two runs that differ in one physical constant by one part in 1e12 are told apart."""
    first = run("kelvin-small", tmp_path / "first")
    other = run("kelvin-small", tmp_path / "other", "--set=coriolis=1.200000000001e-4")
    assert lapwing("compare", str(first), str(other)).returncode == 1
