"""Message plans: what moves, computed without MPI for any rank of any partition."""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.core import _core
from lapwing.core._core import FieldSpec, Message, MessagePlan, Partition, Phase, Piece, WetShare

__all__ = [
    "FieldSpec",
    "Message",
    "MessagePlan",
    "Phase",
    "Piece",
    "WetShare",
    "gather_plan",
    "halo_plan",
]


def halo_plan(
    partition: Partition, rank: int, fields: Sequence[FieldSpec], *, ordered: bool = False
) -> MessagePlan:
    """Plan the halo exchange of `fields` as `rank` sees it: one message per neighbour and phase.

    Local. `ordered`: corners travel along one axis after the other instead of directly. Raises
    UserError for a bad field, or ordered corners on a partition that is not aligned. Cost: the
    number of the rank's own neighbours.
    """
    return _core.halo_plan(partition, rank, list(fields), ordered)


def gather_plan(
    partition: Partition, rank: int, fields: Sequence[FieldSpec], *, root: int = 0
) -> MessagePlan:
    """Plan the collection of all owned cells of `fields` on `root`; `reversed()` scatters them.

    Local. Raises UserError for a root outside the partition.
    """
    return _core.gather_plan(partition, rank, list(fields), root)
