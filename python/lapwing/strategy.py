"""Strategies: the names that steps, cases and the command line take."""

from __future__ import annotations

from lapwing import _core

__all__ = ["strategy_names", "strategy_samples"]


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local."""
    return list(_core.strategy_names())


def strategy_samples() -> list[str]:
    """One strategy of each name, as a step takes it: with a number where the name has one. Local.

    `6s(alpha)` and `deep(k)` are names of many strategies; these are 6s(0.3) and deep(2).
    """
    return [name.replace("(alpha)", "(0.3)").replace("(k)", "(2)") for name in strategy_names()]
