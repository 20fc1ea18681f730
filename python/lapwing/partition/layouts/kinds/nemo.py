"""NEMO: the namelist block `nammpp`; NEMO finds the land itself, so the rest is a listing.

The names in the block differ: 3.6 has jpnij, 4.0 only jpni and jpnj, 4.2 and later nn_hls. A name
that a version does not know stops it. Up to 4.0 the outermost cells belong to no subdomain.

Sources: `src/OCE/LBC/mppini.F90` of 4.2 and of the main branch (`mpp_basesplit`, `mpp_is_ocean`,
`mpp_getnum`); `mppini.F90` and `lib_mpp.F90` of 4.0; `mppini_2.h90` and `lib_mpp.F90` of 3.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lapwing.partition.layouts.kinds.kind import (
    TextKind,
    headline,
    land_list,
    near_equal,
    numbers_after,
    told,
    wrong_file,
)
from lapwing.partition.layouts.layout import Edges, Layout


class Nemo(TextKind):
    """The block of NEMO 4.2, 5 and the main branch, which makes nn_hls at least 2."""

    name, model = "nemo", "NEMO 4.2"
    halo_name = "nn_hls "
    note = "NEMO 4.2 and later; the main branch makes nn_hls at least 2, and blocks are cut for it"

    def width(self, halo: int) -> int:
        """Return at least 2, as the main branch does."""
        return max(2, halo)

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Cut sizes that differ by at most one, larger ones first.

        NEMO looks for water in a block and one cell around, however wide its halo is.
        """
        return near_equal(cells, blocks)

    def block(self, layout: Layout) -> Iterator[str]:
        """Yield what stands in the block behind jpni and jpnj."""
        yield f"   nn_hls = {layout.halo}"

    def halo(self, text: str, subject: str) -> int:
        """Return the width of the halo that a file says."""
        return numbers_after(r"^\s*nn_hls\s*=\s*(\d+)", text, subject, "nn_hls")[0]

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the block, with what is around it as comments."""
        yield f"! {headline(layout)}"
        yield f"! processes to start, one for each ocean subdomain: {layout.ranks}"
        yield f"! {self.note}"
        yield from ("&nammpp", f"   jpni   = {layout.blocks[0]}", f"   jpnj   = {layout.blocks[1]}")
        yield from self.block(layout)
        yield "/"
        yield "! land subdomains, which NEMO leaves out itself: ii, ij, inner cells along i and j"
        yield from land_list(layout, edges)

    def parse(self, text: str, subject: str) -> Layout:
        """Read a nammpp block with the listing behind it."""
        (m,) = numbers_after(r"^\s*jpni\s*=\s*(\d+)", text, subject, "jpni")
        (n,) = numbers_after(r"^\s*jpnj\s*=\s*(\d+)", text, subject, "jpnj")
        halo = self.halo(text, subject)
        (ranks,) = numbers_after(r"ocean subdomain.*: (\d+)", text, subject, "number of processes")
        listed = re.findall(r"^! (\d+) (\d+)  \d+-\d+  \d+-\d+$", text, re.MULTILINE)
        dropped = tuple((int(i) - 1, int(j) - 1) for i, j in listed)
        layout = Layout(self.name, told(text)[0], (m, n), dropped, halo)
        if layout.ranks != ranks:
            expected = f"{layout.ranks}: subdomains without land ones"
            raise wrong_file(subject, f"{ranks} processes", expected)
        return layout


class Nemo40(Nemo):
    """The block of NEMO 4.0, which knows neither nn_hls nor jpnij; its halo is one cell wide."""

    name, model = "nemo-4.0", "NEMO 4.0"
    ring = 1
    note = "NEMO 4.0, where nn_hls is 1 and no name of this block"

    def width(self, halo: int) -> int:
        """Return one cell, whatever was requested."""
        return 1

    def block(self, layout: Layout) -> Iterator[str]:
        """Yield nothing: 4.0 knows no other names."""
        yield from ()

    def halo(self, text: str, subject: str) -> int:
        """Return one cell, as there is no name for it."""
        return 1


class Nemo36(Nemo40):
    """The block of NEMO 3.6, whose jpnij counts the processes."""

    name, model = "nemo-3.6", "NEMO 3.6"
    note = "NEMO 3.6, where the halo is one cell wide (jpreci, jprecj)"

    def block(self, layout: Layout) -> Iterator[str]:
        """Yield the number of processes."""
        yield f"   jpnij  = {layout.ranks}"

    def parse(self, text: str, subject: str) -> Layout:
        """Read the block, and compare its jpnij."""
        layout = super().parse(text, subject)
        (ranks,) = numbers_after(r"^\s*jpnij\s*=\s*(\d+)", text, subject, "jpnij")
        if layout.ranks != ranks:
            raise wrong_file(subject, f"jpnij = {ranks}", f"{layout.ranks}, the processes")
        return layout
