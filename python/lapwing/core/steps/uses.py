"""The uses of its fields by a stage, checked, in the order in which its kernel gets them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Extent
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.fields.field_request import extent_of
from lapwing.core.steps.reach import combined
from lapwing.core.steps.stage import Demand, Reduction, Stage


@dataclass(frozen=True)
class FieldUse:
    """A field of a stage: how far it is read around each cell, and if it is written."""

    field: Field
    extent: Extent  # extent that is read
    read: bool = True
    written: bool = False
    scattered: bool = False
    demand: Demand | None = None

    @property
    def reach(self) -> Extent:
        """The extent of its array beyond the box, for reads and scatters. Local."""
        return combined(self.extent, *self.field.spec.extents) if self.scattered else self.extent

    def bound(self, domain: Domain) -> _core.FieldUse:
        """Returns it as the library takes it. Local."""
        number = None if self.demand is None else self.demand.number
        widths = [] if self.demand is None else list(self.demand.widths)
        return _core.FieldUse(
            domain,
            self.field.declared,
            self.read,
            self.written,
            self.scattered,
            self.extent,
            number,
            widths,
        )


def uses_of(domain: Domain, stage: Stage) -> list[FieldUse]:
    """The uses of its fields by the stage, in the order of its arguments. Local.

    UserError for an invalid use, a field that is named twice or belongs to another domain, and an
    extent beyond its halo.
    """
    uses = _read(domain, stage, "reads", stage.reads)
    for field in _listed(stage, "updates", stage.updates):
        _check_field(domain, stage, "updates", field)
        if any(use.field is field for use in uses):
            raise _twice(stage, "updates", field)
        uses.append(FieldUse(field, Extent(), written=True))
    for field in _listed(stage, "writes", stage.writes):
        _check_field(domain, stage, "writes", field)
        known = [number for number, use in enumerate(uses) if use.field is field]
        if any(uses[number].written for number in known):
            raise _twice(stage, "writes", field)
        for number in known:
            uses[number] = replace(uses[number], written=True)
        if not known:
            uses.append(FieldUse(field, Extent(), read=False, written=True))
    for use in _read(domain, stage, "scatters", stage.scatters):
        if any(use.field is other.field for other in uses):
            raise _twice(stage, "scatters", use.field)
        uses.append(replace(use, written=True, scattered=True))
    if not uses:
        expected, remedy = "at least one", "say what the kernel reads=, updates= and writes="
        raise user_error(f"fields of stage {stage.title}", "none", expected, remedy)
    return uses


def _read(domain: Domain, stage: Stage, what: str, given: Any) -> list[FieldUse]:
    """The fields of a list, each with its extent. Local; UserError for a wrong one."""
    uses: list[FieldUse] = []
    for one in _listed(stage, what, given):
        field, *words = one if isinstance(one, tuple) and one else (one,)
        _check_field(domain, stage, what, field)
        if any(use.field is field for use in uses):
            raise _twice(stage, what, field)
        demand = next((word for word in words if isinstance(word, Demand)), None)
        name = f"extent of field {field.name} in stage {stage.title}"
        reach = [word for word in words if not isinstance(word, Demand)]
        extent = combined(*(extent_of(domain.partition.grid, one, name) for one in reach))
        extent = _where_cells_are(field, extent)
        _check_extent(stage, field, extent)
        if demand is not None:
            demand = _checked(stage, field, demand)
        uses.append(FieldUse(field, extent, demand=demand))
    return uses


def _checked(stage: Stage, field: Field, demand: Demand) -> Demand:
    """The demand with its widths as numbers. Local; UserError for others."""
    name = f"as_wide_as of field {field.name} in stage {stage.title}"
    if not isinstance(demand.number, Reduction):
        raise user_error(name, repr(demand.number), "a Reduction", "pass Reduction('maximum')")
    return Demand(
        demand.number, [whole_number(name, width, 0, 2**31 - 1) for width in demand.widths]
    )


def _twice(stage: Stage, what: str, field: Field) -> Exception:
    one = what in ("updates", "writes")
    remedy = "leave one out" if one else "give it the extent that holds both"
    name = f"{what} of stage {stage.title}"
    return user_error(name, f"field {field.name} twice", "each once", remedy)


def _listed(stage: Stage, what: str, given: Any) -> list[Any]:
    """Return what was given as a list. Local; UserError for anything else."""
    if isinstance(given, Field) or not isinstance(given, Iterable):
        raise user_error(
            f"{what} of stage {stage.title}",
            f"field {given.name}" if isinstance(given, Field) else repr(given),
            "a list of fields",
            "put it in brackets",
        )
    return list(given)


def _check_field(domain: Domain, stage: Stage, what: str, field: Any) -> None:
    """Raise UserError unless it is a field of this domain. Local."""
    if not isinstance(field, Field):
        raise user_error(
            f"{what} of stage {stage.title}",
            repr(field),
            "fields, or (field, extent) where it reads around its cells",
            "pass what domain.field() returned",
        )
    theirs = field.domain
    if theirs is not domain or field.partition != domain.partition:
        other = "another domain" if theirs is not domain else "another distribution"
        raise user_error(
            f"field {field.name} of stage {stage.title}",
            f"one of rank {theirs.rank} of {field.partition!r}, {other}",
            f"one of the step's domain, rank {domain.rank} of {domain.partition!r}",
            "make all fields of a step on the domain of the step",
        )


def _where_cells_are(field: Field, extent: Extent) -> Extent:
    """The extent without axes of one cell that the field's memory has no halo along. Local.

    `cross` and `around` reach along x and y: a wrapped array of a grid of one axis has no y.
    """
    if not field.declared.has_memory:
        return extent
    lo, hi, halo = list(extent.lo), list(extent.hi), field.spec.largest_extent
    for axis in (0, 1):
        if field.partition.grid.size[axis] == 1 and halo.lo[axis] == halo.hi[axis] == 0:
            lo[axis], hi[axis] = min(lo[axis], 0), min(hi[axis], 0)  # below 0 is refused
    return Extent(lo, hi, corners=extent.corners)


def _check_extent(stage: Stage, field: Field, extent: Extent) -> None:
    """Raise UserError where the field's memory ends before the stencil. Local."""
    halo = field.spec.largest_extent
    if not field.declared.has_memory:  # it will be as wide as the stages need
        halo = halo.unite(extent)
    reach, room = (*extent.lo, *extent.hi), (*halo.lo, *halo.hi)
    if any(cells < 0 for cells in reach):
        raise user_error(
            f"extent of field {field.name} in stage {stage.title}",
            repr(extent),
            "0 cells or more per side",
            "count outwards on both sides",
        )
    if any(cells > most for cells, most in zip(reach, room, strict=True)):
        raise user_error(
            f"extent of field {field.name} in stage {stage.title}",
            repr(extent),
            f"at most its halo, {halo!r}",
            "make the step before the field is used, so that it gets the halo it needs, or pass "
            f"halo={max(reach)}",
        )
