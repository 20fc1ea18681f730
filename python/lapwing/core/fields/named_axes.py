"""Arrays that name their axes, as in xarray, which lapwing takes with x first."""

from __future__ import annotations

import re
from typing import Any

from lapwing.base.error import user_error

_X = re.compile(r"x\w*|xi_\w+|nx|n?lon\w*|n?i|\w*_(x|lon|i)|easting")
_Y = re.compile(r"y\w*|eta(_\w+)?|ny|n?lat\w*|n?j|\w*_(y|lat|j)|northing")


def require_x_first(name: str, values: Any) -> None:
    """Refuse an array whose names of axes say that y comes before x.

    Local. `name`: what the values are, for messages; `values`: anything; only arrays with `dims`,
    as in xarray, name their axes. UserError with the call that transposes them.
    """
    axes = getattr(values, "dims", ())
    if not isinstance(axes, tuple) or not all(isinstance(axis, str) for axis in axes):
        return
    x = [n for n, axis in enumerate(axes) if _X.fullmatch(axis.lower())]
    y = [n for n, axis in enumerate(axes) if _Y.fullmatch(axis.lower())]
    if len(x) == len(y) == 1 and y[0] < x[0]:
        turned = list(axes)
        turned[y[0]], turned[x[0]] = axes[x[0]], axes[y[0]]
        raise user_error(
            name,
            f"an array with the axes {', '.join(axes)}",
            "x before y",
            f"pass array.transpose({', '.join(map(repr, turned))})",
        )
