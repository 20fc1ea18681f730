"""A problem of one rank of a domain becomes one of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lapwing.base.error import OutsideError, UserError
from lapwing.core import _core

Result = TypeVar("Result")


def together_on(domain: _core.Domain, work: Callable[[], Result]) -> Result:
    """Run `work` on every rank of a domain; when it raises on one, all raise.

    Collective over the domain; `work` must be local. All raise the problem of the lowest rank that
    has one, named with the rank: a UserError stays one, anything else becomes an OutsideError. One
    reduction when all is well.
    """
    result: Result | None = None
    mine: Exception | None = None
    try:
        result = work()
    except Exception as problem:
        mine = problem
    text = None if mine is None else str(mine) or type(mine).__name__
    try:
        _core.raise_together(domain, text, isinstance(mine, UserError))
    except (UserError, OutsideError) as agreed:
        raise agreed from mine
    return result  # type: ignore[return-value]
