"""GETM: `par_setup.dat`, the offset and the neighbours of every process.

All tiles have one size, and those at the end may reach beyond the grid.

Sources: GETM `src/futils/read_par_setup.F90`, `src/futils/halo_mpi.F90` (`part_domain_mpi`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lapwing.base.error import shortened
from lapwing.partition.layouts.kinds.kind import TextKind, headline, short_last, told, wrong_file
from lapwing.partition.layouts.layout import Edges, Layout

# west, north-west, north and so on, clockwise, as GETM lists them
_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
_HALO = 2  # cells, without a headline
_NONE = -1  # no neighbour
_MOST = 10**6  # tiles of a grid; files that say more are refused

Places = Mapping[tuple[int, int], int]  # the process of a tile


class Getm(TextKind):
    """The tiles of GETM; lines that begin with # or ! are comments."""

    name, model = "getm", "GETM"
    cut_rule = "a number for which tiles of one size, the last one cut off, fill them"

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut tiles of one size; the last tiles count only the cells in the grid."""
        sizes = short_last(cells, blocks)
        return sizes if sizes[-1] > 0 else []

    def narrowest(self, sizes: list[int]) -> int:
        """Return the size of a whole tile: all have memory for that."""
        return max(sizes)

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the number of processes, the sizes, and a line for each process."""
        assert layout.size is not None
        (nx, ny), (m, n) = layout.size, layout.blocks
        width, height = -(-nx // m), -(-ny // n)
        yield f"# {headline(layout)}"
        yield f"{layout.ranks}"
        yield f"{width} {height} {nx} {ny}"
        yield "# process, offsets; neighbours from the west clockwise, -1: none"
        places = _numbered(layout)
        for (i, j), rank in places.items():
            around = (places.get((i + di, j + dj), _NONE) for di, dj in _AROUND)
            yield f"{rank} {i * width} {j * height}  " + " ".join(str(other) for other in around)

    def parse(self, text: str, subject: str) -> Layout:
        """Read tiles whose offsets are multiples of their size."""
        rows = [line for line in text.splitlines() if line[:1] not in ("#", "!") and line.strip()]
        (ranks,) = _words(rows, 0, 1, subject)
        width, height, nx, ny = _words(rows, 1, 4, subject)
        if min(width, height, nx, ny, ranks) < 1:
            raise wrong_file(subject, f"tiles of {width} x {height}", "numbers of 1 or more")
        m, n = -(-nx // width), -(-ny // height)
        if m * n > _MOST or ranks > m * n:
            expected = f"1 to {min(m * n, _MOST)}, the tiles of {nx} x {ny} cells"
            raise wrong_file(subject, f"{ranks} processes", expected)
        tiles = [_words(rows, number, 11, subject) for number in range(2, 2 + ranks)]
        places = {}
        for rank, x, y, *_ in tiles:
            if x % width or y % height or not (0 <= x < nx and 0 <= y < ny):
                expected = f"multiples of {width} and {height} in the grid"
                raise wrong_file(subject, f"offsets {x} {y} of process {rank}", expected)
            places[x // width, y // height] = rank
        _check_neighbours(tiles, places, subject)
        dropped = tuple((i, j) for j in range(n) for i in range(m) if (i, j) not in places)
        halo = told(text)[1]
        return Layout(self.name, (nx, ny), (m, n), dropped, _HALO if halo is None else halo)


def _numbered(layout: Layout) -> dict[tuple[int, int], int]:
    m, n = layout.blocks
    dropped = set(layout.dropped)
    kept = [(i, j) for j in range(n) for i in range(m) if (i, j) not in dropped]
    return {place: rank for rank, place in enumerate(kept)}


def _words(rows: list[str], number: int, count: int, subject: str) -> list[int]:
    row = rows[number] if number < len(rows) else ""
    words = row.split()[:count]
    if len(words) < count or not all(re.fullmatch(r"-?\d+", word) for word in words):
        got = f"{shortened(row)} in line {number + 1} without comments"
        raise wrong_file(subject, got, f"{count} whole numbers")
    return [int(word) for word in words]


def _check_neighbours(tiles: list[list[int]], places: Places, subject: str) -> None:
    """Refuse processes that are missing or there twice, and neighbours that do not touch."""
    if sorted(tile[0] for tile in tiles) != list(range(len(tiles))) or len(places) < len(tiles):
        expected = f"processes 0 to {len(tiles) - 1} on tiles of their own, each once"
        raise wrong_file(subject, "a process or a tile that is missing or twice there", expected)
    found = {tile[0]: tile[3:] for tile in tiles}
    for (i, j), rank in places.items():
        around = [places.get((i + di, j + dj), _NONE) for di, dj in _AROUND]
        if found[rank] != around:
            got = f"neighbours {' '.join(map(str, found[rank]))} of process {rank}"
            raise wrong_file(subject, got, " ".join(map(str, around)))
