"""MOM6, MOM5 and SIS2: the `mask_table` of FMS.

Lines 1 and 2 are the number of masked blocks and the layout; then follows a block per line.

Sources: FMS `mpp/include/mpp_domains_define.inc` (`mpp_compute_extent`) and
`fms2_io/fms_io_utils.F90` (`parse_mask_table_2d`); MOM6 `src/framework/MOM_domains.F90`
(`determine_land_blocks`, `write_auto_mask_file`); `check_mask.c` of MOM5 and FRE-NCtools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lapwing.base.error import shortened
from lapwing.partition.layouts.kinds.kind import TextKind, headline, told, wrong_file
from lapwing.partition.layouts.layout import Edges, Layout

_RECORD = 128  # characters of a line that FMS reads
_BLANKS = 10  # lines that begin with ten blanks are skipped, whatever follows


class Mom6(TextKind):
    """The mask_table of FMS."""

    name, model = "mom6", "MOM6"
    cut_rule = "a number that leaves FMS at least one cell for each"

    def least(self, halo: int) -> int:
        """Return one cell: FMS has no bound."""
        return 1

    def sizes(self, cells: int, blocks: int) -> list[int]:
        """Mirror sizes where numbers allow: from both ends inwards, each the mean of the rest."""
        odd, odd_cells = blocks % 2 == 1, cells % 2 == 1
        mirrored = odd == odd_cells or (odd and blocks < cells // 2)
        low: list[int] = []
        high: list[int] = []
        cells_left, left = cells, blocks
        while left:
            size = -(-cells_left // left)
            low.append(size)
            both = mirrored and left > 1
            if both:
                high.append(size)
            cells_left, left = cells_left - (1 + both) * size, left - (1 + both)
        return low + high[::-1]

    def rim(self, halo: int) -> tuple[int, int]:
        """Return the halo: check_mask and MOM6 drop a block only where that is dry as well."""
        return halo, halo

    def lines(self, layout: Layout, edges: Edges) -> Iterator[str]:
        """Yield the count, the layout, a comment, and the dropped blocks."""
        yield str(len(layout.dropped))
        yield "{}, {}".format(*layout.blocks)
        yield f"# {headline(layout)}"
        yield from (f"{i + 1},{j + 1}" for i, j in layout.dropped)

    def parse(self, text: str, subject: str) -> Layout:
        """Read a table as FMS does; without a headline the halo is 1, as with check_mask.

        After a count of 0 FMS reads nothing else, so the layout may be missing: (0, 0).
        """
        lines = text.split("\n")
        (count,) = _numbers(lines, 0, 1, subject)
        size, halo = told(text)
        if count == 0:
            blocks = _leading(lines[1] if len(lines) > 1 else "", 2) or [0, 0]
            return Layout(self.name, size, (blocks[0], blocks[1]), (), 1 if halo is None else halo)
        m, n = _numbers(lines, 1, 2, subject)
        entries = [number for number in range(2, len(lines)) if not _skipped(lines[number])]
        dropped = [_numbers(lines, number, 2, subject) for number in entries]
        if len(dropped) != count:
            raise wrong_file(subject, f"{len(dropped)} blocks", f"{count}, as its first line says")
        places = tuple((i - 1, j - 1) for i, j in dropped)
        return Layout(self.name, size, (m, n), places, 1 if halo is None else halo)


def _skipped(line: str) -> bool:
    """True for a comment, and for a line that is empty or begins with ten blanks."""
    return line.startswith("#") or not line[:_BLANKS].strip(" \r")


def _leading(line: str, count: int) -> list[int]:
    """Return the first numbers of a line, or none if it does not begin with them."""
    words = re.split(r"[ \t\r]*,[ \t\r]*|[ \t\r]+", line[:_RECORD].strip())[:count]
    if len(words) < count or not all(re.fullmatch(r"[+-]?\d+", word) for word in words):
        return []
    return [int(word) for word in words]


def _numbers(lines: list[str], number: int, count: int, subject: str) -> list[int]:
    line = lines[number] if number < len(lines) else ""
    found = _leading(line, count)
    if not found:
        got = shortened(line) if line else "nothing"
        raise wrong_file(subject, f"{got} in line {number + 1}", f"{count} whole numbers")
    return found
