"""The kinds of failure a caller can meet, in the form the C++ library throws them.

The binding translates ``lapwing::UserError`` and ``lapwing::OutsideError`` into these; models raise
``StateError``.
"""

from __future__ import annotations

import operator
import re
from typing import Any

# Seconds between the message of a rank and its MPI_Abort: the launcher kills the processes that
# carry its output as well, and a message that is still on its way is lost.
LAST_WORDS = 0.5


class UserError(ValueError):
    """The request was wrong; the text says what it was about, got, expected and the remedy."""


class OutsideError(RuntimeError):
    """Something outside lapwing failed (MPI, memory, a file); the text says what and where."""


class StateError(RuntimeError):
    """The state of a model is not finite: step, field, global index, rank."""


def whole_number(name: str, value: Any, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """`value` as an int, NumPy's integers included. Local.

    Raises UserError for anything else, and outside `least` to `most`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise user_error(name, repr(value), "a whole number", "pass an int") from None
    if not least <= number <= most:
        raise user_error(name, str(number), f"{least} to {most}", "pass a number of that range")
    return number


def beginning(text: str) -> str:
    """A text for a message, only its beginning where it is long. Local."""
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


def shortened(text: str) -> str:
    """A text in quotes for a message, only its beginning where it is long. Local."""
    return repr(text) if len(text) <= 80 else f"{text[:60]!r}... ({len(text)} characters)"


def shown(value: Any) -> str:
    """Any value for a message: as Python writes it, cut short if it is long. Local."""
    try:
        return shortened(value) if isinstance(value, str) else beginning(repr(value))
    except ValueError:  # Python writes no whole numbers of more than 4300 digits
        return "a number of thousands of digits"


_PARTS = re.compile(r"(.*?): got (.*?)[;,] expected (.*?); (.*)", re.DOTALL)


def user_error(name: str, got: str, expected: str, remedy: str) -> UserError:
    """Make a UserError of the four parts in one fixed form. Local."""
    return UserError(_sentence(name, got, expected, remedy))


def outside_error(name: str, got: str, expected: str, remedy: str) -> OutsideError:
    """Make an OutsideError of the same four parts. Local."""
    return OutsideError(_sentence(name, got, expected, remedy))


def state_error(name: str, got: str, expected: str, remedy: str) -> StateError:
    """Make a StateError of the same four parts. Local."""
    return StateError(_sentence(name, got, expected, remedy))


def _sentence(name: str, got: str, expected: str, remedy: str) -> str:
    return f"{name}: got {got}; expected {expected}; {remedy}"


def error_block(text: str) -> str:
    """The text of an error as a block of lines for the terminal, one line per part. Local."""
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return f"error: {text}"
    name, got, expected, remedy = parts.groups()
    return f"error: {name}\n  got:      {got}\n  expected: {expected}\n  remedy:   {remedy}"
