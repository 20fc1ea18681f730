"""Strategies: the names that steps, cases and the command line take."""

from __future__ import annotations

from lapwing.base.error import UserError, user_error
from lapwing.base.names import listed, remedy_for
from lapwing.core import _core

__all__ = ["check_strategy", "chosen_strategies", "strategy_names"]


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
        expected = f"one of: {', '.join(names)}; or another number in brackets"
        raise user_error(what, repr(name), expected, remedy_for(name, names)) from None


def chosen_strategies(option: str, text: str | None) -> tuple[str, ...]:
    """The strategies in a text like "3s,5s", each once; all for None. Local.

    UserError for unknown ones, and where there is none.
    """
    return listed(option, text, strategy_names(), check_strategy)
