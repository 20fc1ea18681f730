"""Layout files of other ocean models: into how many blocks a grid is cut, and which get no rank.

Each model cuts and drops by rules of its own, which are followed here so that the model finds what
the file says; `kinds` has a module for each, which names the model's sources. A map of ranks, which
any tool can read, holds lapwing's own partitions as well.

The edges of the grid are taken as closed: no periodic axis, no fold at the north pole.
"""

from lapwing.partition.layouts.choice import (
    choose_layout,
    choose_planned,
    layout_cost,
    layout_partition,
)
from lapwing.partition.layouts.files import read_layout, write_checked_layout, write_layout
from lapwing.partition.layouts.kinds import KINDS, kind_named
from lapwing.partition.layouts.layout import Layout
from lapwing.partition.layouts.plan import LayoutPlanner, block_edges, check_layout, plan_layout
from lapwing.partition.layouts.rank_map import (
    NO_RANK,
    RANKS,
    check_ranks,
    ranks_of,
    read_ranks,
    write_checked_ranks,
    write_ranks,
)

__all__ = [
    "KINDS",
    "NO_RANK",
    "RANKS",
    "Layout",
    "LayoutPlanner",
    "block_edges",
    "check_layout",
    "check_ranks",
    "choose_layout",
    "choose_planned",
    "kind_named",
    "layout_cost",
    "layout_partition",
    "plan_layout",
    "ranks_of",
    "read_layout",
    "read_ranks",
    "write_checked_layout",
    "write_checked_ranks",
    "write_layout",
    "write_ranks",
]
