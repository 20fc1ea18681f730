"""MITgcm: the `blankList` of `data.exch2`, with the numbers for `SIZE.h` in comments.

Sources: MITgcm `pkg/exch2/w2_e2setup.F`, `w2_set_map_tiles.F`, `w2_readparms.F`,
`exch2_check_depths.F`, `W2_EXCH2_SIZE.h`; `model/src/config_check.F`;
`eesupp/src/open_copy_data_file.F`;
`verification/global_ocean.90x40x15/input.dwnslp/data.exch2.mpi`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lapwing.partition.layouts.kinds.kind import TextKind, headline, numbers_after, wrong_file
from lapwing.partition.layouts.layout import Edges, Layout

_PER_LINE = 10  # tiles
_RECORD = 200  # characters of a line that MITgcm reads; it says nothing of what it cuts off


class Mitgcm(TextKind):
    """The namelist W2_EXCH2_PARM01; lines that begin with # are comments."""

    name, model = "mitgcm", "MITgcm"
    halo_name = "OLx, OLy "
    cut_rule = "a number that divides them, as all tiles of MITgcm have one size"
    cut_remedy = ", or add land to the grid"

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut tiles of one size.

        MITgcm warns of water at an edge without a neighbour, so what a blank tile touches must be
        dry: hence the rim of 1.
        """
        return [] if cells % blocks else [cells // blocks] * blocks

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the numbers for SIZE.h as comments, and the namelist."""
        assert layout.size is not None
        (nx, ny), (m, n) = layout.size, layout.blocks
        yield f"# {headline(layout)}"
        yield "# SIZE.h (with blank tiles nPx counts processes, not columns of tiles):"
        yield f"#   sNx = {nx // m}, sNy = {ny // n}, OLx = {layout.halo}, OLy = {layout.halo},"
        yield f"#   nSx = 1, nSy = 1, nPx = {layout.ranks}, nPy = 1,"
        yield "#   Nx = sNx*nSx*nPx, Ny = sNy*nSy*nPy"
        if m * n > 2 * layout.ranks:
            yield f"# W2_EXCH2_SIZE.h: W2_maxNbTiles = {m * n} or more; its default is too small"
        yield from (" &W2_EXCH2_PARM01", "  W2_mapIO = 1,", "  preDefTopol = 1,")
        yield f"  dimsFacets = {nx}, {ny},"
        if layout.dropped:
            tiles = sorted(j * m + i + 1 for i, j in layout.dropped)
            yield "  blankList ="
            for first in range(0, len(tiles), _PER_LINE):
                yield "   " + "".join(f" {tile}," for tile in tiles[first : first + _PER_LINE])
        yield " &"

    def parse(self, text: str, subject: str) -> Layout:
        """Read a data.exch2 of one facet, with SIZE.h numbers in its comments."""
        _check_lines(text, subject)
        nx, ny = numbers_after(r"dimsFacets\s*=\s*(\d+)\s*,\s*(\d+)", text, subject, "dimsFacets")
        sizes = r"sNx\s*=\s*(\d+)\D+sNy\s*=\s*(\d+)"
        snx, sny = numbers_after(sizes, text, subject, "sNx and sNy")
        (halo,) = numbers_after(r"OLx\s*=\s*(\d+)", text, subject, "OLx")
        (active,) = numbers_after(r"nPx\s*=\s*(\d+)", text, subject, "nPx")
        if min(snx, sny, nx, ny) < 1 or nx % snx or ny % sny:
            raise wrong_file(subject, f"tiles of {snx} x {sny}", f"a size that divides {nx} x {ny}")
        if min(snx, sny) < halo:
            expected = (
                f"at least {halo} cells along both axes, the width {self.halo_name}of the halo"
            )
            raise wrong_file(subject, f"tiles of {snx} x {sny}", expected)
        m, n = nx // snx, ny // sny
        found = re.search(r"^\s*blankList\s*=([\d,\s]*)", text, re.MULTILINE)
        tiles = [int(word) for word in re.findall(r"\d+", found[1])] if found else []
        dropped = tuple(((tile - 1) % m, (tile - 1) // m) for tile in tiles)
        layout = Layout(self.name, (nx, ny), (m, n), dropped, halo)
        if layout.ranks != active:
            expected = f"{layout.ranks}, the tiles that are not blank"
            raise wrong_file(subject, f"nPx = {active}", expected)
        return layout


def _check_lines(text: str, subject: str) -> None:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line.rstrip()) > _RECORD and not line.startswith("#"):
            got = f"{len(line.rstrip())} characters in line {number}"
            raise wrong_file(subject, got, f"at most {_RECORD}, as MITgcm reads no more of a line")
