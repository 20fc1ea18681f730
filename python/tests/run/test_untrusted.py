"""Case files and masks from others: they run no code, write nowhere else, fill no memory."""

import pickle
import time
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from command_server import Answer

Lapwing = Callable[..., Answer]


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


def refused(answer: Answer, *words: str) -> None:
    assert answer.code == 2, answer.out + answer.err
    assert "Traceback" not in answer.err
    for word in words:
        assert word in " ".join(answer.err.split()), answer.err


def test_a_mask_runs_no_code(lapwing: Lapwing, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    trap = np.empty((4, 4), dtype=object)
    trap[:] = Trap(mark)
    np.save(tmp_path / "mask.npy", trap, allow_pickle=True)
    (tmp_path / "raw.npy").write_bytes(pickle.dumps(Trap(mark)))
    for name in ("mask.npy", "raw.npy"):
        refused(lapwing("run", "kelvin-small", "--set", f"grid.mask={tmp_path / name}"), name)
        refused(lapwing("partition", name, "-n", "2"), name)
    assert not mark.exists()


@pytest.mark.parametrize("absolute", [False, True])
def test_a_case_writes_nowhere_else(lapwing: Lapwing, tmp_path: Path, absolute: bool) -> None:
    place = str(tmp_path / "escaped.toml") if absolute else "../escaped.toml"
    text = f'model = "coast"\n[run]\nduration = "10min"\nstrategy = "auto"\ntuned = "{place}"\n'
    (tmp_path / "case.toml").write_text(text)
    refused(
        lapwing("run", "case.toml", "--out", "here"),
        "run.tuned", "a file below the folder", f"--set run.tuned={place}",
    )  # fmt: skip
    assert not (tmp_path / place).exists()


def test_a_mask_of_a_few_bytes_fills_no_memory(lapwing: Lapwing, tmp_path: Path) -> None:
    side = 400_000
    with netCDF4.Dataset(tmp_path / "mask.nc", "w") as file:
        for name in ("lat", "lon"):
            file.createDimension(name, side)
        file.createVariable("wet", "i1", ("lat", "lon"), zlib=True, chunksizes=(1000, 1000))
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({side}, {side}), }}"
    header = header.ljust(117) + "\n"
    (tmp_path / "mask.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"\x01"
    )
    for name in ("mask.nc", "mask.npy"):
        assert (tmp_path / name).stat().st_size < 100_000
        began = time.monotonic()
        refused(lapwing("partition", name, "-n", "4"), name)
        refused(lapwing("run", "kelvin-small", "--set", f"grid.mask={name}"), name)
        assert time.monotonic() - began < 10


def test_a_case_that_names_python_runs_it(lapwing: Lapwing, tmp_path: Path) -> None:
    """As docs/trust.md says: such a case is a program."""
    (tmp_path / "own.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    (tmp_path / "case.toml").write_text('model = "own.py:Own"\n')
    refused(lapwing("run", "case.toml", "--out", "here"), "own.py")
    assert (tmp_path / "ran").exists()
