"""Halo exchanges of fields: one, or several widths of which a step takes the one it needs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from lapwing.base.agreement import all_values
from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Extent, MessagePlan, Pending
from lapwing.core.field import Field
from lapwing.core.fields.field_request import extent_of
from lapwing.core.partition import Mask
from lapwing.core.together import together_on

WIDTH = "extent of a halo variant"


class Corners(Enum):
    """How the values at corners of a halo travel."""

    CHEAPEST = "cheapest"  # whichever of the others costs less
    DIRECT = "direct"  # from diagonal neighbours
    ORDERED = "ordered"  # along one axis after the other: through the neighbours

    @property
    def ordered(self) -> bool | None:
        """As C++ takes it. Local."""
        return None if self is Corners.CHEAPEST else self is Corners.ORDERED


class Direction(Enum):
    """Between which cells values travel."""

    FILL = "fill"  # from owners to halos
    COPY_BACK = "copy back"  # from halos to owners, over what these hold
    ADD_BACK = "add back"  # from halos to owners, added to what these hold


class Messages(Enum):
    """What goes into a message to a neighbour."""

    COMBINED = "combined"  # all fields
    PER_FIELD = "per field"  # a message for each


class HaloExchange(_core.Exchange):
    """The combined halo exchange of `fields`: one message per neighbour rank.

    Collective over their domain; make it once, outside the time loop. `start()` returns a handle
    with `test()` and `wait()`, `run()` does both; a single field has `field.exchange()`.
    `transport`: a name out of `transport_names()`, or "auto", which measures them on copies of the
    fields and takes the fastest, messages combined or one per field; `corners`, `direction`,
    `messages`: see there; `chunk_bytes`: cut longer messages; `threads`: that share the packing of
    large ones; `wet`: leave the land of this mask out of the messages, for fields whose dry cells
    hold a constant. Raises UserError on all ranks when they disagree, a field comes twice or
    belongs to another partition, the MPI or the machine lacks the transport, OutsideError when a
    rank lacks the memory; UserError on a rank alone where the first is no field. Cost of making
    it: some small collectives, the time to plan this rank's own messages and, with "auto", some
    hundred exchanges.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        *,
        transport: str = "auto",
        corners: Corners = Corners.CHEAPEST,
        direction: Direction = Direction.FILL,
        messages: Messages = Messages.COMBINED,
        chunk_bytes: int = 0,
        wet: Mask | None = None,
        threads: int = 1,
    ) -> None:
        """Check the fields, plan the messages and make the buffers."""
        given = [fields] if isinstance(fields, Field) else list(fields)
        domain = _domain_of(given)

        def checked() -> tuple[int, int]:
            check_fields(domain, given)
            for kind, value in ((Corners, corners), (Direction, direction), (Messages, messages)):
                _check_word(kind, value)
            longest = whole_number("chunk_bytes of the exchange", chunk_bytes, 0, 2**62)
            return longest, whole_number("threads of the exchange", threads, 1, 1024)

        chunk, helpers = together_on(domain, checked)
        super().__init__(
            domain,
            [field.core for field in given],
            transport,
            corners.ordered,
            direction is not Direction.FILL,
            direction is Direction.ADD_BACK,
            messages is Messages.PER_FIELD,
            chunk,
            wet,
            helpers,
        )

    def __repr__(self) -> str:
        """Transport, fields and what moves."""
        return f"Halo{super().__repr__()}"


def _domain_of(fields: Sequence[Any]) -> Any:
    """The domain of the first field, the same on all ranks. Collective where there is one."""
    if not fields or not isinstance(fields[0], Field):
        got = repr(fields[0]) if fields else "none"
        raise user_error("fields of the exchange", got, "fields", "pass what field() returned")
    domain: Any = fields[0].domain  # Python's, which knows its communicator
    every = all_values(domain.mpi, repr(domain.partition), "the domains of the other ranks")
    if odd := [rank for rank, theirs in enumerate(every) if theirs != every[0]]:
        raise user_error(
            f"fields of the exchange on rank {odd[0]}",
            f"those of a domain of {every[odd[0]]}",
            f"{every[0]}, as on rank 0",
            "exchange fields of one domain",
        )
    return domain


def _check_word(kind: type[Enum], value: Any) -> None:
    if not isinstance(value, kind):
        names = ", ".join(f"{kind.__name__}.{one.name}" for one in kind)
        what = f"{kind.__name__.lower()} of the exchange"
        raise user_error(what, repr(value), f"one of {names}", "choose one")


def check_fields(domain: Any, fields: Sequence[Any]) -> None:
    """Raise UserError unless they are different fields of this domain. Local."""
    seen: set[int] = set()
    for field in fields:
        if not isinstance(field, Field):
            raise user_error(
                "fields of the exchange", repr(field), "fields", "pass what field() returned"
            )
        rank = field.domain.rank
        if field.partition != domain.partition or rank != domain.rank:
            raise user_error(
                f"field {field.name} of the exchange",
                f"one of rank {rank} of {field.partition!r}",
                f"one of rank {domain.rank} of {domain.partition!r}",
                "exchange fields on the domain that they were made on",
            )
        if id(field.core) in seen:
            raise user_error(
                "fields of the exchange", f"{field.name} twice", "each once", "leave one out"
            )
        seen.add(id(field.core))


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
        corners: Corners,
    ) -> None:
        """Plan one exchange per extent."""
        self._grid = domain.partition.grid
        super().__init__(
            domain, [field.core for field in fields], extents, transport, corners.ordered
        )

    def start(self, extent: int | Extent) -> Pending:
        """Start the narrowest variant that covers `extent`; returns the handle to wait on.

        Local, does not block; the caller promises that all ranks ask alike, or the exchange never
        completes. Halo cells beyond the variant stay as they are. Raises UserError when no variant
        covers the extent, or one is in flight. Cost: one message per neighbour and phase.
        """
        return super().start(extent_of(self._grid, extent, WIDTH))

    def start_agreed(self, extent: int | Extent) -> Pending:
        """Start the narrowest variant that covers what every rank asks for.

        Collective over the domain. Raises UserError on all ranks when no variant does, or one is
        in flight on any of them; where `extent` is none at all, on that rank alone. Cost: one
        reduction of eight numbers, which blocks, and that of `start`.
        """
        return super().start_agreed(extent_of(self._grid, extent, WIDTH))

    def plan(self, extent: int | Extent) -> MessagePlan:
        """What `start` moves for that extent, as this rank sees it. Local; raises as `start`."""
        return super().plan(extent_of(self._grid, extent, WIDTH))
