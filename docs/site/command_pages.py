"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import typer
from lapwing.core.names import strategy_names, transport_names


def commands_as_markdown() -> str:
    """A section per command: what it does, its arguments and its options."""
    from lapwing.__main__ import app

    return "\n\n".join(_sections(typer.main.get_command(app), "lapwing"))


def _sections(command: Any, name: str, parent: Any = None) -> Iterator[str]:
    context = command.context_class(command, info_name=name.split()[-1], parent=parent)
    listed = getattr(command, "list_commands", None)
    if parent is not None:
        yield _section(command, name, context)
    if listed is None or name == "lapwing bench":
        return
    for child in sorted(listed(context)):
        yield from _sections(command.get_command(context, child), f"{name} {child}", context)


def _section(command: Any, name: str, context: Any) -> str:
    depth = "#" * (len(name.split()))
    lines = [f"{depth} {name}", _plain(command.help or "")]
    rows = [row for parameter in command.params if (row := _row(parameter, context))]
    if rows:
        lines += ["| option | what |\n|---|---|\n" + "\n".join(rows)]
    return "\n\n".join(lines)


def _row(parameter: Any, context: Any) -> str:
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return ""
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    metavar = parameter.metavar or ""
    shown = metavar if parameter.param_type_name == "argument" else f"{names} {metavar}".strip()
    help_text = _plain(getattr(parameter, "help", "") or "").replace("\n", " ").replace("|", "\\|")
    shown = shown.replace("|", "\\|")
    return f"| `{shown}` | {help_text} |"


def _plain(text: str) -> str:
    """Help as Markdown: marks of rich become Markdown's, indented examples stay as they are."""
    text = re.sub(r"\[/?b\]", "**", text).replace("\f", "").strip()
    text = re.sub(r"<([^>]+)>", r"`<\1>`", text)
    text = text.replace("{strategies}", ", ".join(strategy_names()))
    text = text.replace("{transports}", ", ".join(transport_names()))
    text = re.sub(r"(?m)^  ", "    ", text)
    commands = r"(?<=\n\n)(?:lapwing|mpiexec) (?:.+\n?)+"
    return re.sub(commands, lambda block: textwrap.indent(block[0], "    "), text)
