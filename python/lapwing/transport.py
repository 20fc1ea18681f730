"""Transports: the names that exchanges, cases and the command line take."""

from __future__ import annotations

import difflib

from lapwing import _core
from lapwing.error import user_error

__all__ = ["check_transport", "transport_names"]


def transport_names() -> list[str]:
    """Names of all transports, and "auto": the fastest of them, by measurement. Local.

    An MPI or a machine may lack some of them; asked for by name, these raise UserError.
    """
    return ["auto", *_core.transport_names()]


def check_transport(what: str, name: str) -> None:
    """Raise UserError for a transport that does not exist; `what` asked for it. Local."""
    names = transport_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]!r}?" if near else "choose one of them"
        raise user_error(what, repr(name), f"one of: {', '.join(names)}", remedy)
