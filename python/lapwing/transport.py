"""Transports: the names that exchanges, cases and the command line take."""

from __future__ import annotations

from lapwing import _core

__all__ = ["transport_names"]


def transport_names() -> list[str]:
    """Names of all transports, and "auto": the fastest of them, by measurement. Local.

    An MPI or a machine may lack some of them; asked for by name, these raise UserError.
    """
    return ["auto", *_core.transport_names()]
