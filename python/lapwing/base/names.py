"""Names that a user chooses, one or several, from those that there are."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from lapwing.base.error import user_error


def remedy_for(name: str, names: Sequence[str]) -> str:
    """What to do about a name that is none of them: the one that was meant, maybe. Local."""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else "choose one of them"


def listed(
    option: str, text: str | None, names: Sequence[str], check: Callable[[str, str], None]
) -> tuple[str, ...]:
    """The names in a text like "3s,5s", each once; all for None. Local.

    UserError where none is; `check(option, name)` raises it for a name that is unknown.
    """
    if text is None:
        return tuple(names)
    found = dict.fromkeys(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise user_error(
            option,
            repr(text),
            f"names, separated by commas, each one of: {', '.join(names)}",
            "choose some, or leave the option out",
        )
    for name in found:
        check(option, name)
    return tuple(found)
