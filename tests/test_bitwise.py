"""Any number of ranks and any shape of blocks gives the bits of one rank, in people's files."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from lapwing.core._core import block_range

Lapwing = LapwingIn = Callable[..., Any]  # the fixtures in conftest.py
Run = Callable[..., Path]

CASES = {
    "kelvin-small": ("duration=3h", "output.every=1h"),
    # long enough for the tide to have come to every cut from the open sides
    "northsea": ("duration=6h", "output.every=2h"),
}
BLOCKS = [(m, n // m) for n in (2, 3, 4, 6, 9) for m in range(1, n + 1) if n % m == 0]
# those that every `make test` tries: cuts along either axis and both, and a block in the middle
USUAL = {
    "kelvin-small": [(2, 1), (1, 3), (2, 2), (3, 3)],
    "northsea": [(1, 2), (2, 2)],
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


@pytest.fixture(scope="module")
def run(lapwing_in: LapwingIn, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a shortened case with double precision output, run(case, *arguments): its file."""

    def run(case: str, *arguments: str) -> Path:
        settings = [f"--set={key}" for key in (*CASES[case], "output.precision=double")]
        folder = tmp_path_factory.mktemp(case)
        answer = lapwing_in(folder, "run", case, "--out=.", *settings, *arguments, timeout=110)
        assert answer.code == 0, answer.out + answer.err
        return folder / "output.nc"

    return run


@pytest.fixture(scope="module")
def one_rank(run: Run) -> Run:
    """The output file of a case on one rank, one_rank(case), from one run for all tests."""
    return functools.cache(run)


@pytest.mark.ranks
@pytest.mark.parametrize(("case", "blocks"), cuts())
def test_blocks_give_the_bits_of_one_rank(
    lapwing: Lapwing, run: Run, one_rank: Run, case: str, blocks: tuple[int, int]
) -> None:
    m, n = blocks
    cut = run(case, f"--ranks={m * n}", f"--blocks={m}x{n}")
    answer = lapwing("compare", one_rank(case), cut)
    assert answer.code == 0, answer.out


@pytest.mark.ranks
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("ranks", "speeds"),
    [
        (4, "alike"),
        pytest.param(2, "measured", marks=pytest.mark.slow),
        pytest.param(9, "alike", marks=pytest.mark.every_shape),
    ],
)
def test_ksection_gives_the_bits_of_one_rank(
    lapwing: Lapwing, run: Run, one_rank: Run, case: str, ranks: int, speeds: str
) -> None:
    options = ("--set=run.partition=ksection", f"--set=run.speeds={speeds}")
    answer = lapwing("compare", one_rank(case), run(case, f"--ranks={ranks}", *options))
    assert answer.code == 0, answer.out


@pytest.mark.parametrize("case", CASES)
def test_something_crosses_every_cut(one_rank: Run, case: str) -> None:
    """Water at rest is the same on both sides of a cut: equal files would say nothing."""
    with xarray.open_dataset(one_rank(case)) as last:
        x, y = (np.nan_to_num(last[f"transport_{axis}"].values[-1]) for axis in "xy")  # [y, x]
    ny, nx = x.shape
    for ranks in (2, 3, 4, 6, 9):
        for part in range(1, ranks):
            i, _ = block_range(nx, ranks, part)
            j, _ = block_range(ny, ranks, part)
            assert np.count_nonzero(x[:, i - 1 : i + 1]) > ny // 10
            assert np.count_nonzero(y[j - 1 : j + 1, :]) > nx // 10


def test_the_comparison_can_fail(lapwing: Lapwing, run: Run, one_rank: Run) -> None:
    """Two runs that differ in one physical constant by one part in 1e12 are told apart."""
    other = run("kelvin-small", "--set=coriolis=1.200000000001e-4")
    assert lapwing("compare", one_rank("kelvin-small"), other).code == 1
