"""ROMS and CROCO: numbers of tiles; the outermost rho points belong to no tile.

Tiles are chunks of one size that stick out on both sides: the first and the last one shrink. ROMS
drops no land. CROCO does, with MPI_NOLAND, and finds the land itself.

Sources: ROMS `ROMS/Utility/get_bounds.F`, `ROMS/Include/tile.h`; CROCO `OCEAN/MPI_Setup.F`,
`MPI_NOLAND/README`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lapwing.base.error import user_error
from lapwing.partition.layouts.kinds.kind import (
    TextKind,
    Wet,
    headline,
    land_list,
    numbers_after,
    told,
    wrong_file,
)
from lapwing.partition.layouts.layout import Edges, Layout

_HALO = 2  # cells, or 3 with wider stencils


class Roms(TextKind):
    """The numbers of tiles in ROMS's input file."""

    name, model = "roms", "ROMS"
    halo_name = "NghostPoints "
    cut_rule = "a number for which chunks of one size, cut off at both ends, fill them"
    ring = 1

    def width(self, halo: int) -> int:
        """Return at least 2."""
        return max(_HALO, halo)

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut chunks of one size; half of what they are too long is missing at either end."""
        chunk = -(-cells // blocks)
        margin = (blocks * chunk - cells) // 2
        starts = [max(i * chunk - margin, 0) for i in range(blocks)]
        ends = [min((i + 1) * chunk - margin, cells) for i in range(blocks)]
        sizes = [end - start for start, end in zip(starts, ends, strict=True)]
        return sizes if min(sizes) > 0 else []

    def drops(self, dry: Wet) -> Wet:
        """Return none of them."""
        return dry & False

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the lines of the input file."""
        assert layout.size is not None
        yield f"! {headline(layout)}"
        yield "! the outermost rho points belong to no tile; ROMS drops no land"
        yield f"          Lm == {layout.size[0] - 2}  ! interior rho points along xi"
        yield f"          Mm == {layout.size[1] - 2}  ! and along eta"
        yield f"      NtileI == {layout.blocks[0]}"
        yield f"      NtileJ == {layout.blocks[1]}"

    def parse(self, text: str, subject: str) -> Layout:
        """Read the numbers of the first grid in an input file of ROMS."""
        lm, mm, m, n = (
            numbers_after(rf"^\s*{name}\s*==\s*(\d+)", text, subject, name)[0]
            for name in ("Lm", "Mm", "NtileI", "NtileJ")
        )
        halo = told(text)[1]
        return Layout(self.name, (lm + 2, mm + 2), (m, n), (), halo or _HALO)


class Croco(Roms):
    """The numbers in CROCO's param.h, with MPI_NOLAND; a listing says what it drops."""

    name, model = "croco", "CROCO"
    halo_name = "Npts "
    unseen = 1  # CROCO does not look at the outermost rho points

    def width(self, halo: int) -> int:
        """Return 2, or 3 for a CROCO that is compiled with MP_3PTS; UserError for more."""
        if halo > _HALO + 1:
            expected = "at most 3: CROCO's tiles exchange 2 cells, or 3 with MP_3PTS"
            raise user_error("halo", str(halo), expected, "take 2 or 3")
        return max(_HALO, halo)

    def rim(self, halo: int) -> tuple[int, int]:
        """Return the cells that CROCO exchanges: it keeps a tile with water there."""
        return halo, halo

    def drops(self, dry: Wet) -> Wet:
        """Return all of them."""
        return dry

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield a parameter line, with what else to set as comments."""
        assert layout.size is not None
        (nx, ny), (m, n) = layout.size, layout.blocks
        yield f"! {headline(layout)}"
        yield f"! processes to start: {layout.ranks}"
        yield "! cppdefs.h: define MPI and MPI_NOLAND; link the grid file as croco_grd.nc"
        yield f"! param.h, where LLm0 = {nx - 2} and MMm0 = {ny - 2}:"
        yield f"      parameter (NP_XI={m},  NP_ETA={n},  NNODES={layout.ranks})"
        yield "! land tiles, which CROCO leaves out itself: along xi, eta, their rho points"
        yield from land_list(layout, edges)

    def parse(self, text: str, subject: str) -> Layout:
        """Read the parameter line with the listing behind it."""
        m, n, ranks = (
            numbers_after(rf"\b{name}\s*=\s*(\d+)\b", text, subject, name)[0]
            for name in ("NP_XI", "NP_ETA", "NNODES")
        )
        listed = re.findall(r"^! (\d+) (\d+)  \d+-\d+  \d+-\d+$", text, re.MULTILINE)
        dropped = tuple((int(i) - 1, int(j) - 1) for i, j in listed)
        size, halo = told(text)
        layout = Layout(self.name, size, (m, n), dropped, halo or _HALO)
        if layout.ranks != ranks:
            raise wrong_file(subject, f"NNODES={ranks}", f"{layout.ranks}: tiles without land ones")
        return layout
