"""Halo exchanges of fields, and of arrays that come and go."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lapwing.base.agreement import all_values
from lapwing.base.error import UserError, user_error
from lapwing.core import _core
from lapwing.core._core import Corners, Direction, ExchangeOptions, Extent, Pending
from lapwing.core.field import Field
from lapwing.core.fields.field_request import spec_of
from lapwing.core.fields.given_values import as_given, in_place
from lapwing.core.partition import Mask
from lapwing.core.together import together_on

logger = logging.getLogger(__name__)


class Exchange(_core.Exchange):
    """The combined halo exchange of `fields`: one message per neighbour rank.

    Collective over their domain; make it once, outside the time loop. `start()` returns a handle
    with `test()` and `wait()`, `run()` does both; a single field has `field.exchange()`.
    `transport`: a name from `transport_names()`, or "auto", which measures them on copies of the
    fields and takes the fastest; `corners`, `direction`: see there; `wet`: leave the land of this
    mask out of the messages, for fields whose dry cells hold a constant; `wet_form`: how pieces
    with land change, as in `set_land`. Raises UserError on all ranks when they disagree, a
    field comes twice or belongs to another partition, the MPI or the machine lacks the transport,
    OutsideError when a rank lacks the memory; UserError on one rank alone if the first is no field.
    Cost of making it: some small collectives, the time to plan this rank's own messages and, with
    "auto", some hundred exchanges.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        *,
        transport: str = "auto",
        corners: Corners = Corners.CHEAPEST,
        direction: Direction = Direction.FILL,
        wet: Mask | None = None,
        wet_form: str = "lists",
    ) -> None:
        """Check the fields, plan the messages and make the buffers."""
        given = [fields] if isinstance(fields, Field) else list(fields)
        domain = _domain_of(given)

        def checked() -> ExchangeOptions:
            check_fields(domain, given)
            _check_word(Corners, corners)
            _check_word(Direction, direction)
            check_form(wet_form)
            return ExchangeOptions(transport, corners, direction, wet, wet_form)

        options = together_on(domain, checked)
        super().__init__(domain, [field.core for field in given], options)
        logger.debug("rank %d: %r", domain.rank, self)


class ArrayExchange(_core.ArrayExchange):
    """The halo exchange of arrays that come and go: `run` and `start` get them with each call.

    Collective over `domain`; make it once, outside the time loop. `fields`: a name for each array
    of a call, all described alike by `halo`, `dtype`, `levels`, `components`, `location`,
    `order`, `vector`, `pair` and `frame` (see `Domain.field`), or a FieldSpec if arrays differ. An
    array holds the box of this rank and its halo, [i, j(, k)(, component)], with any strides; axes
    of length 1 may be missing. If a rank owns several boxes, or none, pass lists of arrays.
    `transport`, `corners`: as in Exchange, but only transports that pack: not datatype, direct or
    pull, and shared reads nothing in place. Raises UserError on all ranks when they disagree or a
    field is described wrongly. Cost of a call, compared with Exchange: about a microsecond, 0.3 us
    per array, and some more if strides differ from the previous call.
    """

    def __init__(
        self,
        domain: Any,
        *fields: str | _core.FieldSpec,
        halo: int | Extent | Sequence[Extent] = 1,
        dtype: DTypeLike = np.float64,
        levels: int = 0,
        components: int = 1,
        location: str = "center",
        order: str = "x",
        vector: bool = False,
        pair: tuple[str, str] | None = None,
        frame: bool = False,
        transport: str = "auto",
        corners: Corners = Corners.CHEAPEST,
    ) -> None:
        """Plan the messages and make the buffers."""

        def described(field: str | _core.FieldSpec) -> _core.FieldSpec:
            if isinstance(field, _core.FieldSpec):
                return field
            grid = domain.partition.grid
            return spec_of(
                grid,
                field,
                halo,
                dtype,
                levels,
                components,
                location,
                order,
                vector=vector,
                pair=pair,
                frame=frame,
            )

        def checked() -> list[_core.FieldSpec]:
            if not fields:
                remedy = "name the arrays: ArrayExchange(domain, 'u', 'v')"
                raise user_error("fields of the exchange", "none", "at least one", remedy)
            _check_word(Corners, corners)
            return [described(field) for field in fields]

        specs = together_on(domain, checked)
        super().__init__(domain, specs, ExchangeOptions(transport, corners))
        self._names = [spec.name for spec in specs]
        self._boxes = len(domain.boxes)
        self._kept: list[NDArray[Any]] = []
        logger.debug("rank %d: %r", domain.rank, self)

    def start(self, *arrays: Any) -> Pending:
        """Pack and post the halos of these arrays, one per field; returns the handle to wait on.

        Local, does not block; every neighbour must start it too. Arrays are NumPy's, or others
        with memory of the CPU that DLPack hands over, and writable. The exchange holds on to them
        until its next start. Raises UserError, before anything is sent, for another number of
        arrays, another shape or type, arrays that must not be written, and while a former start is
        unfinished.
        """
        self._take([self._host(n, one) for n, one in enumerate(self._each(arrays))])
        return super().start()

    def run(self, *arrays: Any) -> None:
        """Fill the halos of these arrays: start and wait. Raises what `start` raises."""
        self._take([self._host(n, one) for n, one in enumerate(self._each(arrays))])
        super().run()

    def filled(self, *arrays: Any) -> Any:
        """Copies of these arrays with their halos filled, one or a tuple; meant for JAX.

        They are arrays of the same library if it has an array namespace, as JAX has, else NumPy's.
        Blocks until all neighbours have called it. Raises what `start` raises. Cost: a `run` and a
        copy of each array.
        """
        given = self._each(arrays)
        copies = [np.array(self._host(n, one), order="K") for n, one in enumerate(given)]
        self._take(copies)
        super().run()
        back = [as_given(one, copy) for one, copy in zip(given, copies, strict=True)]
        if self._boxes != 1:
            groups = [back[n : n + self._boxes] for n in range(0, len(back), self._boxes)]
            return groups[0] if len(arrays) == 1 else tuple(groups)
        return back[0] if len(back) == 1 else tuple(back)

    def _each(self, arrays: Sequence[Any]) -> list[Any]:
        """The arrays one by one; UserError for another number of them."""
        each = list(arrays)
        if self._boxes != 1:
            each = [one for group in arrays for one in group]
        wanted = self.arrays
        if len(each) != wanted:
            names = ", ".join(self._names)
            expected = f"{wanted}, one for each of {names} and box of this rank"
            raise user_error("arrays of the exchange", str(len(each)), expected, "pass all of them")
        return each

    def _take(self, arrays: list[NDArray[Any]]) -> None:
        take = self.take
        for number, array in enumerate(arrays):
            try:
                take(number, array)
            except TypeError:
                raise self._refusal(number, array) from None
        self._kept = arrays

    def _name(self, number: int) -> str:
        return self._names[number // self._boxes]

    def _host(self, number: int, array: Any) -> NDArray[Any]:
        return in_place(self._name(number), array)

    def _refusal(self, number: int, array: NDArray[Any]) -> UserError:
        what = f"array of field {self._name(number)}"
        if not array.flags.writeable:
            remedy = "use `u = exchange.filled(u)`, which returns a copy, as arrays of JAX need it"
            return user_error(what, "one that must not be written", "a writable array", remedy)
        expected = "whole values in native byte order"
        got = f"values {array.dtype} with strides of {array.strides} bytes"
        return user_error(what, got, expected, "convert it with numpy.array(...)")

    def __repr__(self) -> str:
        """Transport, fields and what moves."""
        return f"Array{super().__repr__()}"


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


def check_form(form: Any) -> None:
    """Raise UserError unless it is the name of a form of wet messages. Local."""
    names = _core.wet_form_names()
    if form not in names:
        expected = f"one of {', '.join(names)}"
        raise user_error("form of wet messages", repr(form), expected, "choose one")


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
