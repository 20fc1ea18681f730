"""The text of the layout files that `lapwing.partition.layouts` writes, and its reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lapwing.base.error import UserError, user_error

Edges = tuple[list[int], list[int]]  # along x and y: first cells of the blocks, and the end


@dataclass(frozen=True)
class Layout:
    """Blocks of a grid, and which of them get no rank."""

    kind: str  # the model
    size: tuple[int, int] | None  # cells along x and y; None: the file does not say
    blocks: tuple[int, int]  # along x and y
    dropped: tuple[tuple[int, int], ...]  # block positions (i, j) from 0, x first
    halo: int  # width of the model's halo, cells

    @property
    def ranks(self) -> int:
        """Processes to start: one for every block that is left. Local."""
        return self.blocks[0] * self.blocks[1] - len(self.dropped)


def _headline(layout: Layout) -> str:
    assert layout.size is not None
    (nx, ny), (m, n) = layout.size, layout.blocks
    return (
        f"{nx} x {ny} cells in {m} x {n} blocks, {len(layout.dropped)} of them dropped: "
        f"{layout.ranks} ranks; halo {layout.halo}"
    )


_HEADLINE = re.compile(r"(\d+) x (\d+) cells in \d+ x \d+ blocks.*; halo (\d+)")


def _told(text: str) -> tuple[tuple[int, int] | None, int | None]:
    """Size and halo from the headline, where the file has one."""
    found = _HEADLINE.search(text)
    if found is None:
        return None, None
    return (int(found[1]), int(found[2])), int(found[3])


# ---- FMS: lines 1 and 2 are numbers; from line 3 on, lines that begin with # are skipped


def mom6_lines(layout: Layout, edges: Edges) -> Iterator[str]:
    """The mask_table of FMS. Local."""
    yield str(len(layout.dropped))
    yield "{}, {}".format(*layout.blocks)
    yield f"# {_headline(layout)}"
    yield from (f"{i + 1},{j + 1}" for i, j in layout.dropped)


def parse_mom6(text: str, subject: str) -> Layout:
    """The layout in a mask_table; without a headline of ours the halo is 1, as with check_mask.

    Local. UserError with the number of the line that is wrong.
    """
    lines = text.splitlines()
    count = _numbers(lines, 0, 1, subject)[0]
    m, n = _numbers(lines, 1, 2, subject)
    dropped = [
        _numbers(lines, number, 2, subject)
        for number in range(2, len(lines))
        if lines[number].strip() and not lines[number].startswith("#")
    ]
    if len(dropped) != count:
        raise _wrong(subject, f"{len(dropped)} blocks", f"{count}, as its first line says")
    size, halo = _told(text)
    places = tuple((i - 1, j - 1) for i, j in dropped)
    return Layout("mom6", size, (m, n), places, 1 if halo is None else halo)


def _numbers(lines: list[str], number: int, count: int, subject: str) -> list[int]:
    words = lines[number].replace(",", " ").split() if number < len(lines) else []
    if len(words) != count or not all(re.fullmatch(r"-?\d+", word) for word in words):
        line = repr(lines[number]) if number < len(lines) else "nothing"
        raise _wrong(subject, f"{line} in line {number + 1}", f"{count} whole numbers")
    return [int(word) for word in words]


def _wrong(subject: str, got: str, expected: str) -> UserError:
    return user_error(subject, got, expected, "write the file again, or name the model it is for")


# ---- MITgcm: a namelist; lines that begin with # are comments


def mitgcm_lines(layout: Layout, edges: Edges) -> Iterator[str]:
    """The file data.exch2, with the numbers for SIZE.h as comments. Local."""
    assert layout.size is not None
    (nx, ny), (m, n) = layout.size, layout.blocks
    yield f"# {_headline(layout)}"
    yield "# SIZE.h (with blank tiles nPx counts processes, not columns of tiles):"
    yield f"#   sNx = {nx // m}, sNy = {ny // n}, OLx = {layout.halo}, OLy = {layout.halo},"
    yield f"#   nSx = 1, nSy = 1, nPx = {layout.ranks}, nPy = 1,"
    yield "#   Nx = sNx*nSx*nPx, Ny = sNy*nSy*nPy"
    if m * n > 2 * layout.ranks:
        yield f"# W2_EXCH2_SIZE.h: W2_maxNbTiles = {m * n} or more; its default is too small here"
    yield from (" &W2_EXCH2_PARM01", "  W2_mapIO = 1,", "  preDefTopol = 1,")
    yield f"  dimsFacets = {nx}, {ny},"
    if layout.dropped:
        tiles = sorted(j * m + i + 1 for i, j in layout.dropped)
        yield "  blankList ="
        for first in range(0, len(tiles), 10):
            yield "   " + "".join(f" {tile}," for tile in tiles[first : first + 10])
    yield " &"


def parse_mitgcm(text: str, subject: str) -> Layout:
    """The layout in a data.exch2 of one facet, with SIZE.h numbers in its comments. Local.

    UserError where something is missing or numbers do not agree.
    """
    nx, ny = _after(r"dimsFacets\s*=\s*(\d+)\s*,\s*(\d+)", text, subject, "dimsFacets")
    snx, sny = _after(r"sNx\s*=\s*(\d+)\D+sNy\s*=\s*(\d+)", text, subject, "sNx and sNy")
    (halo,) = _after(r"OLx\s*=\s*(\d+)", text, subject, "OLx")
    (active,) = _after(r"nPx\s*=\s*(\d+)", text, subject, "nPx")
    if min(snx, sny, nx, ny) < 1 or nx % snx or ny % sny:
        raise _wrong(subject, f"tiles of {snx} x {sny}", f"a size that divides {nx} x {ny}")
    m, n = nx // snx, ny // sny
    found = re.search(r"^\s*blankList\s*=([\d,\s]*)", text, re.MULTILINE)
    tiles = [int(word) for word in re.findall(r"\d+", found[1])] if found else []
    dropped = tuple(((tile - 1) % m, (tile - 1) // m) for tile in tiles)
    layout = Layout("mitgcm", (nx, ny), (m, n), dropped, halo)
    if layout.ranks != active:
        raise _wrong(subject, f"nPx = {active}", f"{layout.ranks}, the tiles that are not blank")
    return layout


def _after(pattern: str, text: str, subject: str, what: str) -> list[int]:
    found = re.search(pattern, text)
    if found is None:
        raise _wrong(subject, f"no {what}", "it, as a whole number")
    return [int(number) for number in found.groups()]


# ---- NEMO: a namelist; ! begins a comment


def nemo_lines(layout: Layout, edges: Edges) -> Iterator[str]:
    """The block nammpp of namelist_cfg, with the land subdomains in a listing. Local."""
    x, y = edges
    yield f"! {_headline(layout)}"
    yield f"! processes to start, ocean subdomains (jpnij before 4.2): {layout.ranks}"
    yield from ("&nammpp", f"   jpni   = {layout.blocks[0]}", f"   jpnj   = {layout.blocks[1]}")
    yield from (f"   nn_hls = {layout.halo}", "/")
    yield "! land subdomains, which NEMO leaves out itself: ii, ij, inner cells along i and j"
    for i, j in layout.dropped:
        yield f"! {i + 1} {j + 1}  {x[i] + 1}-{x[i + 1]}  {y[j] + 1}-{y[j + 1]}"


def parse_nemo(text: str, subject: str) -> Layout:
    """The layout in a nammpp block with the listing behind it. Local.

    UserError where a number is missing, or the listing has another length than the headline says.
    """
    (m,) = _after(r"\bjpni\s*=\s*(\d+)", text, subject, "jpni")
    (n,) = _after(r"\bjpnj\s*=\s*(\d+)", text, subject, "jpnj")
    (halo,) = _after(r"\bnn_hls\s*=\s*(\d+)", text, subject, "nn_hls")
    (ranks,) = _after(r"ocean subdomains.*: (\d+)", text, subject, "number of processes")
    listed = re.findall(r"^! (\d+) (\d+)  \d+-\d+  \d+-\d+$", text, re.MULTILINE)
    dropped = tuple((int(i) - 1, int(j) - 1) for i, j in listed)
    layout = Layout("nemo", _told(text)[0], (m, n), dropped, halo)
    if layout.ranks != ranks:
        raise _wrong(subject, f"{ranks} processes", f"{layout.ranks}: subdomains without land ones")
    return layout
