"""Grids, masks and who owns which box. Plain numbers: nothing here needs MPI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, make_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.atomic_file import is_file
from lapwing.base.error import UserError, user_error, whole_number
from lapwing.base.number_check import positive_numbers
from lapwing.base.settings import Where, convert, read_toml
from lapwing.core import _core
from lapwing.core._core import Box as Box
from lapwing.core._core import CostModel as CostModel
from lapwing.core._core import CutOrders as CutOrders
from lapwing.core._core import Extent as Extent
from lapwing.core._core import KSection as KSection
from lapwing.core._core import Partition as Partition
from lapwing.core._core import PartitionCost as PartitionCost
from lapwing.core._core import Subdomain as Subdomain
from lapwing.core._core import accepted_imbalance as accepted_imbalance
from lapwing.core._core import partition_cost as partition_cost
from lapwing.core._core import trimmed as trimmed
from lapwing.core.fields.wet_cells import wet_cells

_INT_MAX = 2**31 - 1


class Grid(_core.Grid):
    """A structured grid of nx, ny or nz cells; an axis that is left out has one cell.

    Local. `size`: cells per axis, 1 to 3 numbers, x first; `periodic`: one flag per number in
    `size` (or three), true if the axis closes on itself, or one for all of them. Raises UserError
    for sizes that are no whole numbers or below 1, more cells than 64 bits count, and another
    number of flags. A vertical axis that is never cut is not part of the grid: fields have
    `levels`. `north_fold`: the points that the north fold of a tripolar grid passes through, at the
    upper end of y: "T", centers of the last row, or "F", corners along its upper edge. Such a grid
    is periodic in x, not in y, and has an even number of cells along x, or UserError is raised.
    `faces`: connected Faces that the grid is made of: face f of n columns is columns f n to
    (f + 1) n, so nx counts the cells of all of them; raises UserError unless they have equal sizes,
    squares where a side along x meets one along y.
    """

    def __init__(
        self,
        size: Sequence[int],
        periodic: bool | Sequence[bool] = False,
        north_fold: str = "none",
        faces: _core.Faces | None = None,
    ) -> None:
        """Check the sizes and fill up to three axes."""
        if not isinstance(size, Iterable):
            raise user_error("grid size", repr(size), "1 to 3 numbers", "give (nx,) or (nx, ny)")
        cells = [whole_number("grid size", n) for n in size]
        axes = len(cells)
        if not 1 <= axes <= 3:
            raise UserError(
                f"grid size: got {axes} axes; expected 1 to 3; give (nx,), (nx, ny) or (nx, ny, nz)"
            )
        flags = [bool(f) for f in periodic] if isinstance(periodic, Iterable) else None
        wraps = [bool(periodic)] * axes if flags is None else flags
        if len(wraps) not in (axes, 3):
            raise UserError(
                f"periodic: got {len(wraps)} flags; expected {axes}, one per axis of the grid, "
                "or 3; give one for every size, or a single one for all"
            )
        if not isinstance(north_fold, str):
            raise user_error("north fold", repr(north_fold), "T, F or none", "give one of these")
        super().__init__([*cells, 1, 1][:3], [*wraps, False, False][:3], north_fold, faces)


class Mask(_core.Mask):
    """The wet columns of a grid.

    Local. `wet`: array [nx, ny], true or 1 where wet, false, 0 or NaN where dry; cells that a
    masked array hides are dry. Raises UserError when no cell is wet, and for other numbers: pass a
    comparison, `depth > 0`.
    """

    def __init__(self, wet: ArrayLike) -> None:
        """Count the wet cells once, so that every later count is four look-ups."""
        array = wet_cells("mask", wet)
        if array.ndim != 2:
            raise UserError(
                f"mask: got an array of {array.ndim} dimensions; expected [nx, ny]; pass one value "
                "per column, x first"
            )
        super().__init__(np.asfortranarray(array).view(np.uint8))


def best_blocks(grid: _core.Grid, ranks: int, width: int = 1) -> tuple[int, int, int]:
    """Blocks per axis for `ranks` ranks with the least halo per block.

    Local. `width`: width of the halo in cells. Raises UserError when no factorisation fits.
    """
    x, y, z = _core.best_blocks(grid, ranks, width)
    return x, y, z


def block_partition(
    grid: _core.Grid,
    blocks: Sequence[int] | None = None,
    *,
    ranks: int | None = None,
    width: int = 1,
) -> Partition:
    """Cut a grid into blocks, one per rank, x varying fastest; sizes differ by at most one cell.

    Local. `blocks`: blocks per axis, x first; or `ranks`: the best blocks for that many and a halo
    of `width` cells; on a grid of faces then several to a rank where ranks are no multiple of the
    faces. Raises UserError when an axis has fewer cells than blocks.
    """
    if (blocks is None) == (ranks is None):
        raise UserError(
            "block_partition: got both or neither of blocks and ranks; expected one of them; "
            "give blocks=(2, 1) or ranks=2"
        )
    if blocks is None:
        assert ranks is not None
        return _core.best_partition(grid, ranks, width)
    numbers = [whole_number("blocks", n) for n in blocks]
    return _core.block_partition(grid, [*numbers, 1, 1][:3])


class Search(Enum):
    """The candidates that a search for a k-section tries."""

    ORDERS = "orders"  # every order of the cuts, the same in all branches
    FULL = "full"  # branches that are cut differently too, then lines that move while that helps
    # the same, but first between nodes where little water is cut, whatever it costs inside
    NODES_FIRST = "nodes first"


def ksection_partition(
    grid: _core.Grid,
    mask: _core.Mask,
    ranks: int,
    model: CostModel | None = None,
    *,
    threads: int = 1,
    search: Search = Search.FULL,
) -> _core.FoundPartition:
    """Search for the cheapest recursive k-section: rectangles of about equal wet work, none dry.

    Local; the same on every rank and in every run. `model`: costs, halo width, ranks per node and
    speeds (CostModel() by default); the ranks of a node get one box; `search`: how much is tried;
    `threads` share the search. Raises UserError for more ranks than wet points, a mask of another
    size and a wrong model. Cost: up to 20 s for a thousand ranks.
    """
    return _core.find_partition(
        grid,
        mask,
        whole_number("ranks", ranks, 1, _INT_MAX),
        model or CostModel(),
        whole_number("threads", threads, 1, 1024),
        search is Search.NODES_FIRST,
        search is not Search.ORDERS,
        search is not Search.ORDERS,
    )


def wet_block_partition(
    grid: _core.Grid, mask: _core.Mask, ranks: int, model: CostModel | None = None
) -> _core.FoundBlocks:
    """Search for the cheapest blocks on at most `ranks` ranks; blocks without water get none.

    Local. Ranks are numbered row by row; boxes are trimmed to their wet bounds. Raises UserError
    for less than one rank, a mask of another size and a wrong model.
    """
    wanted = whole_number("ranks", ranks, 1, _INT_MAX)
    return _core.find_wet_blocks(grid, mask, wanted, model or CostModel())


def assigned_block_partition(
    grid: _core.Grid, mask: _core.Mask, ranks: int, model: CostModel | None = None
) -> _core.FoundBlocks:
    """Search for the cheapest assignment of small wet blocks to ranks, several to each.

    Local. Blocks follow each other along a Hilbert curve, so the blocks of a rank are neighbours,
    and are distributed such that the largest number of wet points on a rank is least. With more
    ranks than wet points, one rank per point is used. Raises UserError for less than one rank, a
    mask of another size and a wrong model.
    """
    wanted = whole_number("ranks", ranks, 1, _INT_MAX)
    return _core.find_assigned_blocks(grid, mask, wanted, model or CostModel())


# cells of land between two waters of a row that stages compute with them: a call of a compiled
# kernel takes as long (`values_of_call` of cpp/src/schedule/land/water.cpp)
_SHORT_GAP = 32
_AT_A_TIME = 1 << 22  # cells


def computed_cells(wet: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells [nx, ny] that stages compute where they leave land out: water, short gaps.

    Local. A gap is land between two waters of a row. Takes a tenth of a second for 3 million cells.
    """
    nx, ny = wet.shape
    computed = np.empty((nx, ny), dtype=np.bool_, order="F")
    columns = np.arange(nx)[:, None]
    none = nx + _SHORT_GAP  # far from every column
    for first in range(0, ny, max(1, _AT_A_TIME // nx)):
        rows = np.s_[:, first : first + max(1, _AT_A_TIME // nx)]
        before = np.maximum.accumulate(np.where(wet[rows], columns, -none), axis=0)
        after = np.minimum.accumulate(np.where(wet[rows], columns, nx + none)[::-1], axis=0)[::-1]
        computed[rows] = after - before <= _SHORT_GAP + 1
    return computed


def balanced_partition(
    grid: _core.Grid,
    wet: NDArray[np.bool_],
    ranks: int,
    model: CostModel,
    search: Callable[[Mask], Partition],
) -> Partition:
    """Search for the cheapest partition by the cells that stages compute, not by their water alone.

    Local if `search` is, which makes the k-section of a mask into `ranks` ranks. Returns that of
    `computed_cells(wet)`, or the best blocks if they cost less and no rank is without. Raises what
    the search raises.
    """
    water, computed = Mask(wet), Mask(computed_cells(wet))
    try:
        found = trimmed(search(computed), water)
    except UserError:  # a box in a gap
        found = search(water)
    blocks = wet_block_partition(grid, water, ranks, model).partition
    if blocks.ranks < ranks or len(blocks.subdomains) < ranks:
        return found
    both = found, with_node_order(blocks, model.ranks_per_node)
    return min(both, key=lambda one: partition_cost(one, computed, model).cost)


def with_node_order(partition: Partition, ranks_per_node: int) -> Partition:
    """Renumber the ranks such that the ranks of a node are neighbours.

    Local. Raises UserError for ranks_per_node < 1.
    """
    per_node = whole_number("ranks_per_node", ranks_per_node, 1, _INT_MAX)
    return _core.node_ordered(partition, per_node)


def weighted_blocks(partition: Partition, speeds: Sequence[float]) -> Partition:
    """Move the cuts between blocks, such that fast ranks get more cells.

    Local. Along each axis the cells are shared out as the speeds of the ranks between two cuts are;
    all cuts still go through the grid, so that every strategy and transpose works on it. `speeds`:
    one per rank, above 0, in any unit. Raises UserError for another number of them, and for a
    partition that is not of such blocks, one per rank.
    """
    return _core.weighted_blocks(partition, [float(speed) for speed in speeds])


# ---- what a partition counts

COSTS = {name: getattr(CostModel(), name) for name in ("wet", "dry", "off", "on", "latency")}
_Costs = make_dataclass("_Costs", [(name, float, cost) for name, cost in COSTS.items()])


def read_costs(option: str, text: str) -> dict[str, Any]:
    """Coefficients from a text like "off=5,on=1" or a machine file; defaults for the rest.

    Local. A machine file is a TOML file whose table [partition] holds some of the names, as
    `lapwing probe` writes it. `option`: the source of the text. UserError for unknown names, values
    that are not numbers, and a file that cannot be read.
    """
    if text.endswith(".toml"):
        given, where = _machine_costs(option, Path(text)), Where(text, path=("partition",))
    else:
        parts = (part.partition("=") for part in filter(None, text.split(",")))
        given = {name.strip(): _number_or_text(value) for name, _, value in parts}
        where = Where(option)
    return asdict(convert(_Costs, given, where))


def read_speeds(text: str, ranks: list[int]) -> list[float]:
    """The speeds of all ranks from a list with commas, or from a file with white space or commas.

    Local; UserError for a file that cannot be read, and another count than the number of ranks.
    """
    words = text
    if is_file(Path(text)):
        words = ",".join(Path(text).read_text(errors="replace").replace(",", " ").split())
    expected = "a file of numbers, or numbers like 1,1,0.5,1, all positive"
    speeds = positive_numbers("--speeds", words, float, expected)
    for count in ranks:
        if count != len(speeds):
            expected = f"{count}, one per rank"
            raise user_error("--speeds", f"{len(speeds)} numbers", expected, "give one per rank")
    return speeds


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _machine_costs(option: str, path: Path) -> Any:
    """The table [partition] of a machine file."""
    try:
        return read_toml(path.read_text()).get("partition", {})
    except (OSError, ValueError) as problem:  # errors of the disk, in UTF-8 or TOML
        remedy = "fix the file or its name"
        raise user_error(f"{option} {path}", str(problem), "a machine file", remedy) from None
