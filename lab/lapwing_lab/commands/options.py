"""Options that several commands of the laboratory have."""

from __future__ import annotations

from typing import Annotated

import typer


def _machines(incomplete: str) -> list[str]:
    """Complete the name of a shipped machine. Local."""
    from lapwing_lab.machine.machine import machine_names

    return [name for name in machine_names() if name.startswith(incomplete)]


Machine = Annotated[
    str,
    typer.Option(
        help="Machine file, or the name of a shipped one.",
        metavar="M.toml",
        autocompletion=_machines,
    ),
]

ChargedMpi = Annotated[
    str | None,
    typer.Option(
        help="MPI of the machine file whose message costs to charge. Default: the first.",
        metavar="NAME",
    ),
]
