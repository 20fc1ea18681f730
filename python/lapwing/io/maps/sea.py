"""The wet cells of an open file: the rule that says which, applied by blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.maps.choice import choose, maps_of
from lapwing.io.maps.dataset import hidden_in
from lapwing.io.maps.fold import fold_notes
from lapwing.io.maps.formats import MapFormat, known_format
from lapwing.io.maps.meaning.expression import Expression, Term, parse
from lapwing.io.maps.meaning.heights import Direction, direction, size_of
from lapwing.io.maps.meaning.unmarked import Unmarked
from lapwing.io.maps.meaning.water import Water, unexplained, water_of
from lapwing.io.maps.order.axes import Placement, place
from lapwing.io.maps.planes import Planes, Values, first_cell, planes
from lapwing.io.maps.request import MapSource

Cells = NDArray[np.bool_]


class Judged(NamedTuple):
    """A rule's finding about the cells of a block."""

    wet: Cells
    hidden: Cells  # without a value, and so dry
    unknown: Cells | None = None  # cells with a value that the file explains nowhere


@dataclass(frozen=True)
class Rule:
    """The rule that turns values of variables into wet cells."""

    terms: tuple[Term, ...]
    judge: Callable[[Values], Judged]
    condition: str  # "depth > 10", for messages
    notes: tuple[str, ...] = ()
    water: Water | None = None  # the values that are refused, where there are any
    heights: tuple[Unmarked, ...] = ()  # whose sign alone says what is wet


@dataclass(frozen=True)
class Sea:
    """The wet cells [nx, ny] of a file, where they are, and what a run says of them."""

    wet: Cells
    placement: Placement
    notes: tuple[str, ...]


def find_sea(source: MapSource) -> Sea:
    """Read the wet cells of a file. Local.

    Takes a byte per cell, and a block of rows of each variable. UserError as of
    `lapwing.io.mask_file.read_mask`.
    """
    known = known_format(source.data)
    return sea_by(source, _rule(source, known), known)


def sea_by(source: MapSource, rule: Rule, known: MapFormat | None) -> Sea:
    """Read the wet cells that a rule finds. Local."""
    request = source.request
    asked = request.option("wet", request.wet) if request.wet else rule.condition
    found = planes(source, rule.terms, asked)
    placement = place(source, rule.terms[0].name, found.dims, known)
    nx, ny = found.shape if placement.x_first else found.shape[::-1]
    wet = np.empty((nx, ny), dtype=np.bool_, order="F")
    hidden = _fill(source, rule, found, placement.view(wet))
    if not wet.any():
        raise user_error(
            source.subject,
            "no wet cell",
            f"at least one cell where {rule.condition}",
            f"fix the mask, or say what is wet: {source.request.option('wet', 'depth > 0')}",
        )
    notes = [*rule.notes, *placement.notes, *fold_notes(source.data)]
    if hidden:
        names = " or ".join(str(term) for term in rule.terms)
        notes.append(f"{hidden:,} of {wet.size:,} cells have no value of {names}: dry")
    return Sea(wet, placement, tuple(notes))


def _fill(source: MapSource, rule: Rule, found: Planes, target: NDArray[np.generic]) -> int:
    """Store the wet cells in `target`, in the order of the file; the number of hidden ones."""
    count = 0
    for rows, values in found.blocks():
        wet, hidden, unknown = rule.judge(values)
        if rule.water is not None and unknown is not None and unknown.any():
            cell = found.cell(*first_cell(unknown, rows))
            raise unexplained(source, rule.water, values[rule.terms[0]][unknown], cell)
        for one in rule.heights:
            _check_heights(one, found, rows, (values[Term(one.name)], wet))
        target[rows] = wet
        if hidden.any():
            count += int(np.count_nonzero(np.broadcast_to(hidden, target[rows].shape)))
    for one in rule.heights:
        one.require_depths()
    return count


def _check_heights(
    one: Unmarked, found: Planes, rows: slice, block: tuple[NDArray[np.generic], Cells]
) -> None:
    """Refuse numbers in wet cells of a block that are no heights; note the doubtful ones."""
    if not one.may_be_in(block[0]):
        return
    values = np.broadcast_to(block[0], block[1].shape)
    beyond = one.beyond(values, block[1])
    if beyond.any():
        cell = found.cell(*first_cell(beyond, rows))
        raise one.refused(float(np.asarray(values)[beyond][0]), cell)
    doubtful = one.nine(values, block[1])
    if doubtful.any() and not one.cell:
        one.cell = found.cell(*first_cell(doubtful, rows))


# ---- which rule


def _rule(source: MapSource, known: MapFormat | None) -> Rule:
    request = source.request
    if request.wet:
        return by_expression(parse(request.wet, request.option("wet", request.wet)))
    if known is not None and not request.variable:
        if known.wet:
            rule = by_expression(parse(known.wet, known.name), known.note)
            return replace(rule, heights=_heights_in(source, rule))
        return by_values(source, known.variable, known.note)
    return rule_of(source, choose(source))


def _heights_in(source: MapSource, rule: Rule) -> tuple[Unmarked, ...]:
    """The depths and heights whose sign is the rule of a known format."""
    maps = {term.name: source.data[term.name].variable for term in rule.terms if not term.indices}
    return tuple(
        Unmarked(source, name, size_of(one))
        for name, one in maps.items()
        if direction(name, one) is not None
    )


def rule_of(source: MapSource, name: str) -> Rule:
    """Find which cells of a variable are wet: by its values, or as a depth or height. Local."""
    way = direction(name, source.data[name].variable)
    if way is None:
        return by_values(source, name)
    return _by_height(source, name, way)


def by_expression(expression: Expression, *notes: str) -> Rule:
    """Make the rule of an expression. Local."""

    def judge(values: Values) -> Judged:
        return Judged(*expression.cells(values))

    return Rule(
        expression.terms, judge, expression.text, notes or (f"wet where {expression.text}",)
    )


def by_values(source: MapSource, name: str, *notes: str) -> Rule:
    """Make the rule of a map of numbers that stand for water and land. Local."""
    variable, term = source.data[name].variable, Term(name)
    alone = maps_of(source.data) == [name]
    water = water_of(source, name, variable, alone)

    def judge(values: Values) -> Judged:
        wet, unknown = water.judge(values[term])
        return Judged(wet, hidden_in(values[term]), unknown)

    said = (*notes, *((water.why,) if water.why else ()))
    return Rule((term,), judge, f"the mask is {water.described()}", said, water)


def _by_height(source: MapSource, name: str, way: Direction) -> Rule:
    """Make the rule of a depth or height: water lies below 0."""
    term = Term(name)
    sign, why = depth_sign(source, name, way)
    condition = f"{name} {'>' if sign > 0 else '<'} 0"

    def judge(values: Values) -> Judged:
        wet = values[term] > 0 if sign > 0 else values[term] < 0
        return Judged(wet, hidden_in(values[term]))

    heights = (Unmarked(source, name, size_of(source.data[name].variable)),)
    return Rule((term,), judge, condition, (f"wet where {condition}{why}",), heights=heights)


def depth_sign(source: MapSource, name: str, way: Direction | None) -> tuple[float, str]:
    """Find the factor, 1 or -1, that makes depths of a variable, and the reason if it is no word.

    Local. Reads the values where words do not say it. UserError where they do not either.
    """
    if way == "contradiction":
        raise _unclear(source, name, "a name and attributes that contradict each other")
    if way in ("down", "up"):
        return (1.0 if way == "down" else -1.0), ""
    sign = 1.0 if _by_signs(source, name) == "down" else -1.0
    if way == "named":
        if sign < 0:
            raise _all_negative(source, name)
        return sign, ""
    return sign, f", as no value of {name} is {'negative' if sign > 0 else 'positive'}"


def _by_signs(source: MapSource, name: str) -> str:
    """Find which way a variable counts by its values, where all have one sign."""
    low = high = False
    for _, values in planes(source, (Term(name),), name).blocks():
        (only,) = values.values()
        low, high = low or bool((only < 0).any()), high or bool((only > 0).any())
    if low and high:
        raise _unclear(source, name, "values of both signs, and nothing that says which are depths")
    return "up" if low else "down"


def _unclear(source: MapSource, name: str, got: str) -> Exception:
    return user_error(
        source.about(name),
        got,
        "the attribute positive, up or down, or a standard_name",
        f"say it: {source.request.option('wet', f'{name} > 0')}, or "
        f"{source.request.option('wet', f'{name} < 0')}",
    )


def _all_negative(source: MapSource, name: str) -> Exception:
    return user_error(
        source.about(name),
        "no wet cell: no value is above 0, and some are below",
        f"at least one cell where {name} > 0",
        f"say it: {source.request.option('wet', f'{name} < 0')}, or store the attribute positive",
    )
