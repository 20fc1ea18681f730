"""Strategies: the names that steps, cases and the command line take."""

from __future__ import annotations

from lapwing import _core

__all__ = ["strategy_names"]


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local."""
    return list(_core.strategy_names())
