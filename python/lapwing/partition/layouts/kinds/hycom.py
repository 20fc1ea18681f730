"""HYCOM: `patch.input`, the tiles in columns of fixed width.

Rows of tiles may cut x differently there; lapwing cuts all rows alike.

Sources: HYCOM-src `mod_xc_mp.h` (`xcspmd`), `bigrid.F90`; HYCOM-tools `topo/src/partit.f`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lapwing.base.error import user_error
from lapwing.partition.layouts.kinds.kind import (
    TextKind,
    Wet,
    headline,
    near_equal,
    told,
    wrong_file,
)
from lapwing.partition.layouts.layout import Edges, Layout

_NAMES = ("npes", "npe", "mpe", "idm", "jdm", "ibig", "jbig", "nreg")
_HALO = 6  # cells, nbdy in HYCOM's sources
_LABEL, _WIDTH, _PER_LINE = 12, 6, 8  # characters, characters of a number, numbers on a line
_CLOSED = 0  # nreg
_MOST_ROWS = 999  # their number has three digits in the file


class Hycom(TextKind):
    """The tiles of HYCOM, for a region of type closed."""

    name, model = "hycom", "HYCOM"
    halo_name = "nbdy "
    cut_rule = f"at most {_MOST_ROWS}"

    def width(self, halo: int) -> int:
        """Return at least the six cells of HYCOM's sources."""
        return max(_HALO, halo)

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut sizes that differ by at most one, larger ones first."""
        return near_equal(cells, blocks) if blocks <= _MOST_ROWS else []

    def rim(self, halo: int) -> tuple[int, int]:
        """Return the halo along y, and one cell along x.

        A tile hands cells of its northern and southern neighbours on to the east and west, so
        HYCOM-tools keep it where these are wet, or where the next cell makes a vorticity point wet.
        """
        return 1, halo

    def check(self, wet: Wet) -> None:
        """Refuse water in the last column and row, which HYCOM takes for a periodic grid."""
        for line, what in ((wet[-1], "column"), (wet[:, -1], "row")):
            if line.any():
                got = f"{int(line.sum())} wet cells in the last {what}"
                expected = "land there, as HYCOM takes water in it for a periodic or arctic grid"
                raise user_error("mask", got, expected, f"add a {what} of land")

    def drops(self, dry: Wet) -> Wet:
        """Keep one tile of a row that is all land: HYCOM stops at an empty row."""
        dropped = dry.copy()
        dropped[0, dry.all(axis=0)] = False
        return dropped

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the names, the numbers, the tiles of each row along x, and the rows along y."""
        assert layout.size is not None
        x, y = ([high - low for low, high in pairwise(e)] for e in edges)
        m, n = layout.blocks
        yield "".join(f"{name:>{_WIDTH}}" for name in _NAMES)
        dropped = set(layout.dropped)
        widest = max(x[i] for i in range(m) if any((i, j) not in dropped for j in range(n)))
        numbers = (layout.ranks, m, n, *layout.size, widest, max(y), _CLOSED)
        yield "".join(f"{number:{_WIDTH}}" for number in numbers)
        yield ""
        for j in range(n):
            kept = [(i, j) not in dropped for i in range(m)]
            starts = [edges[0][i] + 1 if kept[i] else 0 for i in range(m)]
            yield from _columns(f"ispt({j + 1:3}) = ", starts)
            yield from _columns(f"iipe({j + 1:3}) = ", [x[i] * kept[i] for i in range(m)])
        yield ""
        yield from _columns("jspt(  1) = ", [low + 1 for low in edges[1][:-1]])
        yield from _columns("jjpe(  1) = ", y)
        yield ""
        yield headline(layout)  # HYCOM reads no further than the rows

    def parse(self, text: str, subject: str) -> Layout:
        """Read tiles that are cut as lapwing cuts them; the halo is 6 without a headline."""
        lines = _Lines(text.splitlines(), subject)
        lines.skip()
        npes, m, n, nx, ny, *_, region = lines.numbers(len(_NAMES), 0)
        if region != _CLOSED or min(m, n, nx, ny) < 1 or m > nx or n > ny:
            expected = "1 or more tiles along each axis, and nreg = 0, a closed region"
            raise wrong_file(subject, f"{m} x {n} tiles and nreg = {region}", expected)
        lines.skip()
        x, y = (near_equal(*pair) for pair in ((nx, m), (ny, n)))
        dropped = [(i, j) for j in range(n) for i in lines.row(x)]
        lines.skip()
        if lines.row(y):
            raise wrong_file(subject, "jspt or jjpe of 0", "rows that fill the grid")
        halo = told(text)[1]
        layout = Layout(self.name, (nx, ny), (m, n), tuple(dropped), halo or _HALO)
        if layout.ranks != npes:
            raise wrong_file(subject, f"npes = {npes}", f"{layout.ranks}, the tiles with cells")
        if max(Counter(j for _, j in dropped).values(), default=0) == m:
            raise wrong_file(subject, "a row without a tile", "one or more tiles in each row")
        return layout


def _columns(label: str, numbers: Sequence[int]) -> Iterator[str]:
    for first in range(0, len(numbers), _PER_LINE):
        start = label if first == 0 else " " * _LABEL
        yield start + "".join(f"{n:{_WIDTH}}" for n in numbers[first : first + _PER_LINE])


class _Lines:
    """The lines of a file, read one after the other as Fortran's formats read them."""

    def __init__(self, lines: list[str], subject: str) -> None:
        self.lines, self.subject, self.next = lines, subject, 0

    def skip(self) -> str:
        """Return the next line."""
        self.next += 1
        if self.next > len(self.lines):
            raise wrong_file(self.subject, f"{len(self.lines)} lines", "more: it ends too early")
        return self.lines[self.next - 1]

    def numbers(self, count: int, label: int = _LABEL) -> list[int]:
        """Return the numbers in columns of six behind a label, eight a line."""
        found: list[int] = []
        while len(found) < count:
            line = self.skip()
            for place in range(min(_PER_LINE, count - len(found))):
                first = label + place * _WIDTH
                word = line[first : first + _WIDTH].strip()
                if not word.isascii() or not word.isdigit():
                    got = f"{word!r} in line {self.next}, columns {first + 1} to {first + _WIDTH}"
                    raise wrong_file(self.subject, got, "a whole number")
                found.append(int(word))
        return found

    def row(self, sizes: list[int]) -> list[int]:
        """Return which tiles of a row are empty; UserError if other rows are cut differently."""
        starts, lengths = self.numbers(len(sizes)), self.numbers(len(sizes))
        empty, start = [], 1
        for i, size in enumerate(sizes):
            if (starts[i], lengths[i]) == (0, 0):
                empty.append(i)
            elif (starts[i], lengths[i]) != (start, size):
                got = f"a tile of {lengths[i]} cells from {starts[i]} above line {self.next + 1}"
                raise wrong_file(self.subject, got, f"{size} from {start}, as lapwing cuts")
            start += size
        return empty
