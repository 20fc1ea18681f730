"""Strategies: the names that steps, cases and the command line take."""

from __future__ import annotations

import re

from lapwing import _core

__all__ = ["is_strategy", "strategy_names", "strategy_samples"]

_NUMBERS = {"(alpha)": "(0.3)", "(k)": "(2)"}  # in names that stand for all numbers there


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local."""
    return list(_core.strategy_names())


def strategy_samples() -> list[str]:
    """One strategy of each name, as a step takes it: with a number where the name has one. Local.

    `6s(alpha)` and `deep(k)` are names of many strategies; these are 6s(0.3) and deep(2).
    """
    return [_with_numbers(name, _NUMBERS) for name in strategy_names()]


def is_strategy(text: str) -> bool:
    """Whether a text has the form of a strategy's name, with a number where that has one. Local.

    The step that is given it judges the number.
    """
    anything = dict.fromkeys(map(re.escape, _NUMBERS), r"\([^()]*\)")
    return any(
        re.fullmatch(_with_numbers(re.escape(name), anything), text) for name in strategy_names()
    )


def _with_numbers(name: str, numbers: dict[str, str]) -> str:
    for mark, number in numbers.items():
        name = name.replace(mark, number)
    return name
