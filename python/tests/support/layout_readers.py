"""Readers of layout files, written from their owners' descriptions, and a small map.

Readers share nothing with lapwing. Each returns which process has a cell as the model would decide,
and fails where the model would stop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import netCDF4
import numpy as np

Array = np.ndarray[Any, Any]

# [y, x] with the north at the top, as on a map: 8 x 6 cells, land in the west and north-east
MAP = """\
....####
....####
...#####
########
...#####
....####
"""


def map_of(text: str) -> Array:
    """The wet cells [nx, ny] of a map whose first line is the north."""
    rows = [[character == "#" for character in line] for line in text.split()]
    return np.array(rows[::-1]).T


class Reading(NamedTuple):
    """The result that a model reads from its file."""

    owner: Array  # [nx, ny]: process from 0, -1 where there is none
    processes: int


class _Owners:
    """Fills the map of owners and refuses a cell that has one already."""

    def __init__(self, wet: Array) -> None:
        self.map = np.full(wet.shape, -1)

    def give(self, process: int, x: tuple[int, int], y: tuple[int, int]) -> None:
        """Hand over the cells from the first to the last, both counted from 1."""
        part = self.map[x[0] - 1 : x[1], y[0] - 1 : y[1]]
        assert part.size, f"process {process} has no cell"
        assert (part == -1).all(), f"process {process} gets cells of another"
        part[:] = process


def _water(wet: Array, x: tuple[int, int], y: tuple[int, int]) -> int:
    """The wet cells from the first to the last, both counted from 1 and cut off at the grid."""
    return int(wet[max(x[0] - 1, 0) : max(x[1], 0), max(y[0] - 1, 0) : max(y[1], 0)].sum())


# ---- MOM6: FMS's mpp_compute_extent and parse_mask_table_2d


def fms_extents(cells: int, parts: int) -> list[tuple[int, int]]:
    """The first and last cell of each part: from the outside in, upper ones mirror lower ones."""
    mirror = parts % 2 == cells % 2 or (parts % 2 == 1 and cells % 2 == 0 and parts < cells // 2)
    found: dict[int, tuple[int, int]] = {}
    first, last, left = 1, cells, parts
    for part in range(parts):
        if part in found:
            continue
        end = first + -(-(last - first + 1) // left) - 1
        found[part] = (first, end)
        left -= 1
        opposite = parts - 1 - part
        if mirror and opposite > part:
            found[opposite] = (max(1 + cells - end, end + 1), max(1 + cells - first, end + 1))
            last = found[opposite][0] - 1
            left -= 1
        first = end + 1
    return [found[part] for part in range(parts)]


def mom6(path: Path, wet: Array, halo: int) -> Reading:
    """A process for each block that the table does not name, i fastest."""
    lines = path.read_text().splitlines()
    count = int(lines[0].split()[0])
    blocks = [int(word) for word in lines[1].replace(",", " ").split()[:2]]
    masked = set()
    for line in lines[2:]:
        if not line.startswith("#") and line[:10].strip():
            i, j = (int(word) for word in line[:128].replace(",", " ").split()[:2])
            masked.add((i, j))
    assert len(masked) == count
    owners = _Owners(wet)
    process = 0
    x, y = fms_extents(wet.shape[0], blocks[0]), fms_extents(wet.shape[1], blocks[1])
    for j in range(1, blocks[1] + 1):
        for i in range(1, blocks[0] + 1):
            if (i, j) not in masked:
                owners.give(process, x[i - 1], y[j - 1])
                process += 1
    return Reading(owners.map, process)


# ---- Fortran namelists, as far as these files use them


def namelist(text: str, group: str) -> dict[str, list[str]]:
    """The names of a group, in lower case, and their values."""
    body = re.search(rf"^ *&{group}\b(.*?)^ *(?:/|&) *$", text, re.MULTILINE | re.DOTALL | re.I)
    assert body, f"no group {group}"
    lines = [line.partition("!")[0] for line in body[1].splitlines()]
    pieces = re.split(r"(\w+)\s*=", " ".join(lines))
    values = [piece.replace(",", " ").split() for piece in pieces[2::2]]
    return {name.lower(): value for name, value in zip(pieces[1::2], values, strict=True)}


# ---- MITgcm: eesupp's open_copy_data_file, exch2's w2_readparms and w2_set_map_tiles


def mitgcm(path: Path, wet: Array, halo: int) -> Reading:
    """A process for each tile that is not blank, x fastest; sizes are in the comments."""
    lines = path.read_text().splitlines()
    records = [line[:200] for line in lines if not line.startswith("#")]
    assert max(map(len, lines)) <= 80
    assert max(record.count(",") for record in records) <= 10
    given = namelist("\n".join(records), "W2_EXCH2_PARM01")
    assert set(given) <= {"w2_mapio", "predeftopol", "dimsfacets", "blanklist"}
    assert [int(n) for n in given["dimsfacets"]] == list(wet.shape)
    notes = dict(re.findall(r"(\w+) = (\d+)", "\n".join(n for n in lines if n.startswith("#"))))
    size = {name: int(notes[name]) for name in ("sNx", "sNy", "OLx", "OLy", "nPx", "nPy")}
    assert size["sNx"] >= size["OLx"] >= halo
    assert size["sNy"] >= size["OLy"] >= halo
    m, n = wet.shape[0] // size["sNx"], wet.shape[1] // size["sNy"]
    assert (m * size["sNx"], n * size["sNy"]) == wet.shape
    assert m * n <= max(2 * size["nPx"] * size["nPy"], int(notes.get("W2_maxNbTiles", 0)))
    blank = {int(tile) for tile in given.get("blanklist", [])}
    owners = _Owners(wet)
    process = 0
    for tile in range(1, m * n + 1):
        if tile not in blank:
            x, y = (tile - 1) % m * size["sNx"], (tile - 1) // m * size["sNy"]
            owners.give(process, (x + 1, x + size["sNx"]), (y + 1, y + size["sNy"]))
            process += 1
    assert process == size["nPx"] * size["nPy"]
    return Reading(owners.map, process)


# ---- NEMO: mppini of 4.2 and of the main branch, mppini and lib_mpp of 4.0, mppini_2 of 3.6

NEMO_NAMES = {
    "nemo": {"jpni", "jpnj", "nn_hls", "ln_nnogather", "ln_listonly"},
    "nemo-4.0": {"cn_mpi_send", "nn_buffer", "jpni", "jpnj", "ln_nnogather"},
    "nemo-3.6": {"cn_mpi_send", "nn_buffer", "jpni", "jpnj", "jpnij", "ln_nnogather"},
}


def nemo_extents(cells: int, parts: int, outside: int) -> list[tuple[int, int]]:
    """The inner cells of each part; `outside` cells at either edge are the halo of the globe."""
    longest = -(-(cells - 2 * outside) // parts)
    longer = 1 + (cells - 2 * outside - 1) % parts
    found, first = [], 1 + outside
    for part in range(parts):
        found.append((first, first + longest - (part >= longer) - 1))
        first = found[-1][1] + 1
    return found


def nemo_of(version: str) -> Callable[[Path, Array, int], Reading]:
    """The reader of a version."""

    def read(path: Path, wet: Array, halo: int) -> Reading:
        """NEMO finds water in the subdomains and one cell around, and counts processes."""
        given = namelist(path.read_text(), "nammpp")
        assert set(given) <= NEMO_NAMES[version]
        m, n = int(given["jpni"][0]), int(given["jpnj"][0])
        outside = 0 if version == "nemo" else 1
        x, y = nemo_extents(wet.shape[0], m, outside), nemo_extents(wet.shape[1], n, outside)
        width = max(2, int(given["nn_hls"][0])) if version == "nemo" else 1
        assert width >= halo or version != "nemo"
        assert min(last - first + 1 for first, last in (*x, *y)) >= width
        owners = _Owners(wet)
        process = 0
        for low, high in y:
            for west, east in x:
                if _water(wet, (west - 1, east + 1), (low - 1, high + 1)):
                    owners.give(process, (west, east), (low, high))
                    process += 1
        told = re.search(r"processes to start.*: (\d+)$", path.read_text(), re.MULTILINE)
        assert told is not None
        assert int(told[1]) == process
        assert int(given.get("jpnij", [str(process)])[0]) == process
        return Reading(owners.map, process)

    return read


# ---- HYCOM: xcspmd of mod_xc_mp.h, partit.f of HYCOM-tools


def _columns(lines: list[str], label: int, count: int) -> list[int]:
    """Take the next numbers off the lines: six characters each, eight on a line."""
    found: list[int] = []
    while len(found) < count:
        line = lines.pop(0)[label:]
        found += [int(line[k : k + 6]) for k in range(0, 6 * min(8, count - len(found)), 6)]
    return found


def hycom(path: Path, wet: Array, halo: int) -> Reading:
    """A process for each tile with cells, row by row; rows are contiguous and none is empty."""
    assert not wet[-1].any(), "periodic domain"
    assert not wet[:, -1].any(), "arctic domain"
    lines = path.read_text().splitlines()
    lines.pop(0)
    npes, m, n, nx, ny, widest, highest, region = _columns(lines, 0, 8)
    lines.pop(0)
    assert ((nx, ny), region) == (wet.shape, 0)
    rows = [(_columns(lines, 12, m), _columns(lines, 12, m)) for _ in range(n)]
    lines.pop(0)
    starts, heights = _columns(lines, 12, n), _columns(lines, 12, n)
    assert [1, *np.cumsum(heights) + 1] == [*starts, ny + 1]
    assert min(heights) >= 6
    assert (widest, highest) == (max(max(widths) for _, widths in rows), max(heights))
    owners = _Owners(wet)
    process = 0
    for (west, widths), south, height in zip(rows, starts, heights, strict=True):
        assert max(widths) > 0, "an empty row"
        for first, width in zip(west, widths, strict=True):
            if width:
                assert width >= 6
                owners.give(process, (first, first + width - 1), (south, south + height - 1))
                process += 1
    assert process == npes
    return Reading(owners.map, process)


def hycom_needs(wet: Array, x: tuple[int, int], y: tuple[int, int]) -> bool:
    """True where HYCOM-tools keep a tile: water in it, or in the six cells beyond its corners.

    Vorticity points between two wet cells that touch by a corner, or at a coast, count as water.
    """
    sea = np.pad(wet, 1)
    here, west, south, both = sea[1:, 1:], sea[:-1, 1:], sea[1:, :-1], sea[:-1, :-1]
    marked = (here | (west & south) | (both & south) | (both & west))[:-1, :-1]
    corners = [(x[0], x[0] + 5), (x[1] - 5, x[1])]
    beyond = [(y[0] - 6, y[0] - 1), (y[1] + 1, y[1] + 6)]
    return any(
        _water(marked, columns, rows)
        for columns, rows in [(x, y), *((c, r) for c in corners for r in beyond)]
    )


# ---- GETM: futils/read_par_setup.F90 and halo_mpi.F90


def getm(path: Path, wet: Array, halo: int) -> Reading:
    """A process a line, with its offsets and eight neighbours that know each other."""
    lines = path.read_text().splitlines()
    assert max(map(len, lines)) <= 255
    rows = [[int(word) for word in line.split()] for line in lines if line[0] not in "#!"]
    (processes,), (width, height, nx, ny) = rows[:2]
    assert (nx, ny) == wet.shape
    assert min(width, height) >= halo
    assert [len(row) for row in rows[2:]] == [11] * processes
    places = {row[0]: (row[1], row[2]) for row in rows[2:]}
    around = {row[0]: row[3:] for row in rows[2:]}
    assert sorted(places) == list(range(processes))
    owners = _Owners(wet)
    for process, (x, y) in places.items():
        owners.give(process, (max(x, 0) + 1, x + width), (max(y, 0) + 1, y + height))
        clockwise = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]
        for side, (di, dj) in enumerate(clockwise):
            other = around[process][side]
            if other == -1:
                assert (x + di * width, y + dj * height) not in places.values()
            else:
                assert around[other][(side + 4) % 8] == process
                assert places[other] == (x + di * width, y + dj * height)
    # a grid in which all have a neighbour to the west or south would be taken as periodic
    assert any(sides[0] == sides[6] == -1 for sides in around.values())
    return Reading(owners.map, processes)


# ---- ROMS: Utility/get_bounds.F and Include/tile.h; CROCO: OCEAN/MPI_Setup.F


def roms_extents(inner: int, parts: int) -> list[tuple[int, int]]:
    """The interior rho points of each tile, counted from 1."""
    chunk = (inner + parts - 1) // parts
    margin = (parts * chunk - inner) // 2
    starts = [1 + part * chunk - margin for part in range(parts)]
    return [(max(start, 1), min(start + chunk - 1, inner)) for start in starts]


def roms(path: Path, wet: Array, halo: int) -> Reading:
    """A process for each tile; the outermost rho points belong to none."""
    lines = [line.partition("!")[0] for line in path.read_text().splitlines()]
    given = {line.split("==")[0].strip(): int(line.split("==")[1]) for line in lines if line}
    assert (given["Lm"] + 2, given["Mm"] + 2) == wet.shape
    x, y = roms_extents(given["Lm"], given["NtileI"]), roms_extents(given["Mm"], given["NtileJ"])
    assert min(last - first + 1 for first, last in (*x, *y)) >= max(2, halo)
    owners = _Owners(wet[1:-1, 1:-1])
    for process in range(given["NtileI"] * given["NtileJ"]):
        owners.give(process, x[process % given["NtileI"]], y[process // given["NtileI"]])
    return Reading(np.pad(owners.map, 1, constant_values=-1), given["NtileI"] * given["NtileJ"])


def croco(path: Path, wet: Array, halo: int) -> Reading:
    """CROCO drops tiles without water in the cells that it exchanges, and compares NNODES."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("!")]
    assert len(lines) == 1
    assert lines[0].startswith("      ")
    assert len(lines[0]) <= 72
    found = dict(re.findall(r"(\w+)=(\d+)", lines[0]))
    m, n, nodes = (int(found[name]) for name in ("NP_XI", "NP_ETA", "NNODES"))
    inner = wet[1:-1, 1:-1]
    x, y = roms_extents(inner.shape[0], m), roms_extents(inner.shape[1], n)
    points = 3 if halo == 3 else 2
    assert min(last - first + 1 for first, last in (*x, *y)) >= points
    owners = _Owners(inner)
    process = 0
    for south, north in y:
        for west, east in x:
            if _water(inner, (west - points, east + points), (south - points, north + points)):
                owners.give(process, (west, east), (south, north))
                process += 1
    assert process == nodes
    return Reading(np.pad(owners.map, 1, constant_values=-1), process)


# ---- CICE: create_blocks, init_domain_distribution, create_distrb_wghtfile


def cice(path: Path, wet: Array, halo: int) -> Reading:
    """Blocks with ocean points are dealt out by weight, back and forth over the processes."""
    with netCDF4.Dataset(path) as file:
        weights = np.asarray(file["wght"][:]).T
        across, along = int(file.block_size_x), int(file.block_size_y)
        processes, most = int(file.nprocs), int(file.max_blocks)
    assert weights.shape == wet.shape
    m, n = (wet.shape[0] - 1) // across + 1, (wet.shape[1] - 1) // along + 1
    ocean = np.zeros((m, n), dtype=int)
    for i, j in np.argwhere(wet):
        ocean[i // across, j // along] += round(float(weights[i, j]))
    unit = ocean.max() // 10 + 1
    work = np.where(ocean > 1, ocean // unit + 2, np.where(ocean == 1, ocean // unit + 1, 0))
    assert work.max() <= 12
    snake = [(i if j % 2 == 0 else m - 1 - i, j) for j in range(n) for i in range(m)]
    dealt = [block for units in range(work.max(), 0, -1) for block in snake if work[block] == units]
    assert len(dealt) <= processes * most
    owners = _Owners(wet)
    for process, (i, j) in enumerate(dealt):  # so few that the dealing never turns back
        x, y = (i * across + 1, (i + 1) * across), (j * along + 1, (j + 1) * along)
        owners.give(process, x, y)
    return Reading(owners.map, len(dealt))


READERS: dict[str, Callable[[Path, Array, int], Reading]] = {
    "mom6": mom6,
    "mitgcm": mitgcm,
    **{version: nemo_of(version) for version in NEMO_NAMES},
    "hycom": hycom,
    "getm": getm,
    "roms": roms,
    "croco": croco,
    "cice": cice,
}
