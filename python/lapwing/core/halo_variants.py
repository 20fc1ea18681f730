"""Halo on demand: exchanges of the same fields in several widths, planned beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.core import _core
from lapwing.core._core import Extent, MessagePlan, Pending
from lapwing.core.field import Field
from lapwing.core.field_request import extent_of

WHAT = "extent of a halo variant"


class HaloVariants(_core.HaloVariants):
    """Exchanges of the same fields in several widths; made by `Domain.halo_variants`.

    Extents are cells on every side (corners included) or an Extent. One exchange may be in flight
    at a time: they share halos.
    """

    def __init__(
        self,
        domain: _core.Domain,
        fields: Sequence[Field],
        extents: Sequence[Extent],
        *,
        transport: str,
        ordered: bool | None,
    ) -> None:
        """Plan one exchange per extent."""
        self._grid = domain.partition.grid
        super().__init__(domain, [field.core for field in fields], extents, transport, ordered)

    def start(self, extent: int | Extent) -> Pending:
        """Start the narrowest variant that covers `extent`; returns the handle to wait on.

        Local, does not block; the caller promises that all ranks ask alike, or the exchange never
        completes. Halo cells beyond the variant stay as they are. Raises UserError when no variant
        covers the extent, or one is in flight. Cost: one message per neighbour and phase.
        """
        return super().start(extent_of(self._grid, extent, WHAT))

    def start_agreed(self, extent: int | Extent) -> Pending:
        """Start the narrowest variant that covers what every rank asks for.

        Collective over the domain. Raises UserError on all ranks when no variant does, or one is
        in flight on any of them; where `extent` is none at all, on that rank alone. Cost: one
        reduction of eight numbers, which blocks, and that of `start`.
        """
        return super().start_agreed(extent_of(self._grid, extent, WHAT))

    def plan(self, extent: int | Extent) -> MessagePlan:
        """What `start` moves for that extent, as this rank sees it. Local; raises as `start`."""
        return super().plan(extent_of(self._grid, extent, WHAT))
