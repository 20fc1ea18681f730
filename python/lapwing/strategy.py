"""Strategies: the names that steps, cases and the command line take."""

from __future__ import annotations

import difflib

from lapwing import _core
from lapwing.error import UserError, user_error

__all__ = ["check_strategy", "strategy_names"]


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local.

    Those with a number stand as examples: 6s(alpha) takes any from 0 to 1, deep(k) and
    dataflow(tiles) any from 1.
    """
    return list(_core.strategy_names())


def check_strategy(what: str, name: str) -> None:
    """Raise UserError for a strategy that no step takes; `what` asked for it. Local."""
    try:
        _core.strategy_name(name)
    except UserError:
        names = strategy_names()
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]!r}?" if near else "choose one of them"
        expected = f"one of: {', '.join(names)}; or another number in brackets"
        raise user_error(what, repr(name), expected, remedy) from None
