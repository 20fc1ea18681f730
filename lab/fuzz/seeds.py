"""Valid inputs of the targets in Python, for a fuzzer to begin with."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import targets
from lapwing.io import journal, restart
from lapwing.partition import layouts
from lapwing_lab.machine import machine

COAST = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=bool)  # [x, y]

TUNED = b"""[[step]]
stages = ["one", "two"]
grid = [8, 6, 1]
partition = "0123456789abcdef"
ranks = 2
ranks_per_node = 2
transport = "p2p"
mpi = "MPICH 5.0.2"
processor = "any"
strategy = "deep:2+dataflow:4"
measured = "some"

[[run]]
case = "some"
settings = "0123456789abcdef"
grid = [8, 6, 1]
ranks = 2
nodes = 1
mpi = "MPICH 5.0.2"
processor = "any"
partition = "block"
blocks = [2, 1, 1]
transport = "p2p"
strategy = "dataflow"
measured = "some"
"""


def uncommented(path: Path) -> str:
    """The text of a TOML file without its comments, which a fuzzer would spend its time on."""
    lines = (line.split("#")[0].rstrip() for line in path.read_text().splitlines())
    return "\n".join(filter(None, lines))


def of_case() -> list[bytes]:
    """The cases that models ship, and settings of the command line."""
    files = [path for one in targets.MODELS.values() for path in one.cases.values()]
    cases = [
        f'model = "{name}"\n{uncommented(path)}'.encode()
        for name, one in targets.MODELS.items()
        for path in one.cases.values()
    ]
    sets = b"\n---\nrun.duration=3h\nstrategy=dataflow:4\nnx=12\n"
    return [
        *cases,
        *(uncommented(path).encode() + sets for path in files[:4]),
        b'model = "coast"' + sets,
    ]


def of_machine() -> list[bytes]:
    """The machine files that lapwing ships."""
    folder = Path(machine.__file__).with_name("machines")
    return [uncommented(path).encode() for path in folder.glob("*.toml")]


def of_mask_npy() -> list[bytes]:
    """Masks of several types and orders."""
    found = []
    for array in (COAST, COAST.astype("f8").T, np.asfortranarray(COAST.astype(">i4"))):
        file = io.BytesIO()
        np.save(file, array)
        found.append(file.getvalue())
    return found


def of_mask_netcdf() -> list[bytes]:
    """Bytes of which a mask on two axes is made, and one without a mask."""
    return [bytes([2, 3, 4, 1, 0, 1, 1, 0, 0, 0, *[1] * 12]), bytes([3, 0, 1, 2, 3, *range(40)])]


def of_layout() -> list[bytes]:
    """A layout of each kind, behind the byte that says which."""
    path = targets.place("seed")
    found = []
    wet = np.kron(COAST, np.ones((8, 8), dtype=bool))
    wet[-1] = wet[:, -1] = False  # HYCOM takes no other sea for a closed one
    for number, kind in enumerate(targets.LAYOUTS):
        layouts.write_layout(kind, wet, (3, 4), path, halo=1)
        found.append(bytes([number]) + path.read_bytes())
    weights = [2, 2, 1, 3, 3, 3, 3, 0, 0, 1, 1, 0, 1]  # of CICE, in 2 x 3 cells, then ranks
    return [*found, *(bytes([len(found) + n, *weights[:8], n, *weights[9:]]) for n in range(2))]


def of_restart() -> list[bytes]:
    """A whole file, and one whose checksum the target makes."""
    path = targets.place("seed")
    restart.write_restart(path, targets.BELONGS, 7, {"u": np.ones((4, 3)), "n": np.zeros(2, int)})
    data = path.read_bytes()
    return [b"\0" + data, b"\1" + data[restart._HEAD_LENGTH :]]


def of_journal() -> list[bytes]:
    """One with two records."""
    path = targets.place("seed.nc")
    kept = journal.Journal(path, {"grid": [2, 2]})
    for step in (1, 2):
        kept.append(journal.Record(step, 1.5, {"u": np.ones((2, 2)), "v": np.zeros(3, "i4")}))
    kept.close()
    return [journal.journal_of(path).read_bytes()]


REGIONS = ("shelf", "40,65,-20,13", "50N,60N,4W,9E")


def of_command_words() -> list[bytes]:
    """Words as people write them."""
    words = ["3h", "20 s", "1e2 ms", "4x2", "1x2x2", "wet=1,dry=0.05,off=5", "1,0.5", "1gbit"]
    return [word.encode() for word in (*words, "60us", "2@100mbit,60us", *REGIONS)]


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "case": of_case,
    "machine": of_machine,
    "mask_npy": of_mask_npy,
    "mask_netcdf": of_mask_netcdf,
    "layout": of_layout,
    "tuned": lambda: [TUNED],
    "restart": of_restart,
    "journal": of_journal,
    "command_words": of_command_words,
}
