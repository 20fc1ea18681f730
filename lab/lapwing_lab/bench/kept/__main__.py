"""`python -m lapwing_lab.bench.kept`: measure for docs/measurements, and fill its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing_lab.bench.kept.measuring import PATIENCE, group_of, measure, measurements
from lapwing_lab.bench.kept.tables import RESULTS, Tables, pages

Names = Annotated[list[str] | None, typer.Argument(help="Groups of lab/kept.toml; else all.")]
Root = Annotated[Path, typer.Option(help="Root of the sources.")]

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command("measure")
def measure_groups(
    groups: Names = None,
    root: Root = Path(),
    invocations: Annotated[int, typer.Option(min=2, help="Of every benchmark.")] = 5,
    patience: Annotated[float, typer.Option(help="s to wait for a quiet machine.")] = PATIENCE,
    only: Annotated[str, typer.Option(help="Measurements with this in their name.")] = "",
) -> None:
    """Run the benchmarks of groups, keep what they find, and fill the tables again."""
    found = measurements(root)
    for name in groups or found:
        wanted = [one for one in group_of(found, name) if only in one.name]
        measure(wanted, root / RESULTS, invocations, patience)
    write_tables(root)


@app.command("tables")
def write_tables(
    root: Root = Path(),
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; 1 where it would.")
    ] = False,
) -> None:
    """Fill the tables of all pages from the kept results."""
    stale = []
    tables = Tables(root)
    for file, text in pages(root).items():
        written = tables.written(text)
        if written != text:
            stale.append(str(file.relative_to(root)))
            if not check:
                file.write_text(written)
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    raise typer.Exit(1 if check and stale else 0)


app()
