"""Seconds and memory of `lapwing partition` for a large mask: by default GEBCO's 30 arc-seconds.

python lab/programs/mask_scale.py [--columns 43200] [--ranks 1000] [--methods block,ksection]
    [--threads 2] [--rounds 1] [--with plot,json,mom6]

Writes a file of elevations like GEBCO's to a temporary folder, with half as many rows as columns:
int16, packed, land and sea from a few waves. Cuts it by each method in a process of its own, from
the start of Python to its end, and prints the least seconds of all rounds, waiting included and
not, and the peak memory. The whole earth takes 20 s to write and 0.3 GB of disk.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import netCDF4
import numpy as np
from numpy.typing import NDArray

COLUMNS = 43200  # GEBCO at 30 arc-seconds
ROWS_AT_ONCE = 180
CHUNK = 1440  # columns
SEA_LEVEL = 0.35  # of waves that are 1 high: a third is land
METRES = 2000.0  # height of a wave of 1
# Waves around the earth and from pole to pole, their heights, from oceans to bays
WAVES = ((1, 1, 1.0), (2, 3, 0.8), (3, 2, 0.7), (5, 7, 0.4), (9, 11, 0.3), (31, 27, 0.1))
EXTRAS = {  # what else the command writes
    "plot": ("--plot", "cut.png"),
    "json": ("--json", "cut.json"),
    "mom6": ("--layout", "mom6", "--layout-file", "mask_table"),
}


class Measured(NamedTuple):
    """One run of the command."""

    seconds: float
    computing: float  # s, of all its threads
    peak: int  # bytes


def write_elevations(path: Path, columns: int) -> None:
    """Write elevations of the earth, land and sea. Local."""
    rows = columns // 2
    x = 2 * np.pi * (np.arange(columns, dtype=np.float32) + 0.5) / columns
    along_x = np.stack([h * np.sin(n * x + n * n) for n, _, h in WAVES])
    with netCDF4.Dataset(path, "w") as file:
        _write_axis(file, "lat", "north", rows, 180)
        _write_axis(file, "lon", "east", columns, 360)
        chunks = (min(ROWS_AT_ONCE, rows), min(CHUNK, columns))
        elevation = file.createVariable(
            "elevation", "i2", ("lat", "lon"), zlib=True, complevel=1, chunksizes=chunks
        )
        elevation.standard_name, elevation.units = "height_above_mean_sea_level", "m"
        for first in range(0, rows, ROWS_AT_ONCE):
            block = slice(first, min(first + ROWS_AT_ONCE, rows))
            elevation[block] = _heights(along_x, np.arange(block.start, block.stop), rows)


def _write_axis(file: netCDF4.Dataset, name: str, way: str, cells: int, degrees: int) -> None:
    file.createDimension(name, cells)
    axis = file.createVariable(name, "f8", (name,))
    axis.standard_name = "latitude" if name == "lat" else "longitude"
    axis.units = f"degrees_{way}"
    axis[:] = (np.arange(cells) + 0.5) * degrees / cells - degrees / 2


def _heights(
    along_x: NDArray[np.floating], rows: NDArray[np.int64], all_rows: int
) -> NDArray[np.int16]:
    y = np.pi * (rows.astype(np.float32) + 0.5) / all_rows
    along_y = np.stack([np.cos(n * y + k) for k, (_, n, _) in enumerate(WAVES)], axis=1)
    heights = (along_y.astype(np.float32) @ along_x.astype(np.float32) - SEA_LEVEL) * METRES
    return heights.astype(np.int16)


def measured(words: Sequence[str], folder: Path) -> Measured:
    """Run `lapwing partition` with arguments in a folder. Local; RuntimeError where it fails."""
    began = time.perf_counter()
    with (folder / "said").open("w") as said:
        command = [sys.executable, "-m", "lapwing", "partition", *words]
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)  # the usage of this process alone
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    if child.returncode != 0:
        raise RuntimeError((folder / "said").read_text())
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * kilobyte)


def main() -> None:
    """Write, cut and print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        write_elevations(folder / "earth.nc", asked.columns)
        size = (folder / "earth.nc").stat().st_size
        print(
            f"{asked.columns:,} x {asked.columns // 2:,} cells, {size / 1e6:,.0f} MB in the file, "
            f"written in {time.perf_counter() - began:.0f} s; {asked.ranks} ranks, "
            f"{asked.threads} threads, the least of {asked.rounds}\n"
        )
        print("| method | seconds | of all threads together | peak memory, GB | bytes per cell |")
        print("| --- | --- | --- | --- | --- |")
        for method in asked.methods.split(","):
            _print_row(method, asked, folder)


def _print_row(method: str, asked: argparse.Namespace, folder: Path) -> None:
    words = [
        "earth.nc",
        "-n",
        str(asked.ranks),
        "--method",
        method,
        "--threads",
        str(asked.threads),
    ]
    for extra in filter(None, asked.extras.split(",")):
        words += EXTRAS[extra]
    runs = [measured(words, folder) for _ in range(asked.rounds)]
    seconds = min(run.seconds for run in runs)
    computing = min(run.computing for run in runs)
    peak = max(run.peak for run in runs)
    each = peak / (asked.columns * (asked.columns // 2))
    row = (f"{seconds:.1f}", f"{computing:.1f}", f"{peak / 1e9:.2f}", f"{each:.2f}")
    print(f"| {method} | {' | '.join(row)} |", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--columns", type=int, default=COLUMNS, help="twice the rows")
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--methods", default="block,ksection", help="with commas")
    parser.add_argument("--threads", type=int, default=2, help="of the search")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--with", dest="extras", default="", help=f"files to write: {', '.join(EXTRAS)}"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
