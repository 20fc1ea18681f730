"""`python -m lapwing_bench.kept`: measure pages of docs/measurements, and write their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing_bench.kept.measuring import PATIENCE, measure
from lapwing_bench.kept.pages import PAGES

Names = Annotated[list[str] | None, typer.Argument(help=f"Pages: {', '.join(PAGES)}.")]
Root = Annotated[Path, typer.Option(help="Root of the sources.")]
RESULTS = Path("bench", "results")

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command("measure")
def measure_pages(
    pages: Names = None,
    root: Root = Path(),
    invocations: Annotated[int, typer.Option(min=2, help="Of every benchmark.")] = 5,
    patience: Annotated[float, typer.Option(help="s to wait for a quiet machine.")] = PATIENCE,
    only: Annotated[str, typer.Option(help="Measurements with this in their name.")] = "",
) -> None:
    """Run the benchmarks of pages, keep what they find, and write the tables again.

    All pages where none is named.
    """
    for name in pages or PAGES:
        wanted = [one for one in PAGES[name].measurements if only in one.name]
        measure(wanted, root / RESULTS / name, invocations, patience)
    write_tables(pages, root)


@app.command("tables")
def write_tables(
    pages: Names = None,
    root: Root = Path(),
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; 1 where it would.")
    ] = False,
) -> None:
    """Write the tables of pages from the kept results."""
    stale = []
    for name in pages or PAGES:
        page = PAGES[name]
        file = root / page.document
        text = file.read_text()
        made = page.written(text, page.kept(root / RESULTS))
        if made != text:
            stale.append(str(page.document))
            if not check:
                file.write_text(made)
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    raise typer.Exit(1 if check and stale else 0)


app()
