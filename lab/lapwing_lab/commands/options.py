"""Options that several commands of the laboratory have."""

from __future__ import annotations

from typing import Annotated

import typer

Machine = Annotated[
    str, typer.Option(help="Machine file, or the name of a shipped one.", metavar="M.toml")
]

ChargedMpi = Annotated[
    str | None,
    typer.Option(
        help="Whose messages to charge, of those in the machine file. Default: the first.",
        metavar="NAME",
    ),
]
