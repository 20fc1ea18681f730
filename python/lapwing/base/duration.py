"""Lengths of time as users write them: "20 s", "3h", "2 d"."""

from __future__ import annotations

import re

SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}

EXPECTED = 'a length of time like "20 s", "30 min", "3h" or "2 d"'

_FORM = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Seconds in a text like "3h" or "20 s"; a bare number is seconds. Local.

    ValueError for anything else.
    """
    match = _FORM.fullmatch(text)
    unit = (match[2] or "s") if match else ""
    if match is None or unit not in SECONDS:
        raise ValueError(f"not a length of time: {text!r}")
    return float(match[1]) * SECONDS[unit]


def format_duration(seconds: float) -> str:
    """The shortest text that `parse_duration` turns into exactly this number of seconds. Local."""
    for unit in ("d", "h", "min"):
        count = seconds / SECONDS[unit]
        if seconds != 0 and count.is_integer() and int(count) * SECONDS[unit] == seconds:
            return f"{int(count)} {unit}"
    return f"{seconds:g} s" if float(f"{seconds:g}") == seconds else f"{seconds!r} s"


def format_clock(seconds: float) -> str:
    """A readable time: "12 s", "3:07 min", "2:05 h", "10 d 4 h". Local."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    if whole < 2 * 86400:
        return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def format_rate(per_second: float) -> str:
    """The number per second as text: "3616", "1.4". Local."""
    return f"{per_second:.0f}" if per_second >= 10 else f"{per_second:.2g}"
