"""Transports: the names that exchanges, cases and the command line take."""

from __future__ import annotations

from lapwing.base.error import user_error
from lapwing.base.names import listed, remedy_for
from lapwing.core import _core

__all__ = ["check_transport", "chosen_transports", "transport_names"]


def transport_names() -> list[str]:
    """Names of all transports, and "auto": the fastest of them, by measurement. Local.

    An MPI or a machine may lack some of them; asked for by name, these raise UserError.
    """
    return ["auto", *_core.transport_names()]


def check_transport(what: str, name: str) -> None:
    """Raise UserError for a transport that does not exist; `what` asked for it. Local."""
    names = transport_names()
    if name not in names:
        expected = f"one of: {', '.join(names)}"
        raise user_error(what, repr(name), expected, remedy_for(name, names))


def chosen_transports(option: str, text: str | None) -> tuple[str, ...]:
    """The transports in a text like "p2p,shared", each once; all for None. Local.

    UserError for unknown ones, and where there is none.
    """
    return listed(option, text, transport_names(), check_transport)
