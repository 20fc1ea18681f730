"""Arrays as NumPy writes them, out of files that may hold anything."""

from __future__ import annotations

import tokenize
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

# raised by NumPy for a head that it cannot parse, or arrays that no memory holds
_RAISED = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, RecursionError),
    *(SyntaxError, TypeError, ValueError, tokenize.TokenError),
)


def read_array(file: IO[bytes]) -> NDArray[Any]:
    """The array that begins at the place of the file. Local; ValueError if there is none."""
    try:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
    except _RAISED as problem:
        raise ValueError(str(problem) or type(problem).__name__) from None
