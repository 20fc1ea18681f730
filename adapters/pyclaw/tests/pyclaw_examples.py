"""PyClaw's own examples, coarser, for a few steps on ranks; and their table in the guide.

Arguments: a folder for the results, and "serial" for PyClaw itself; or "table" alone, which prints
the rows of docs/guide/pyclaw.md, for the refused ones. Run by test_examples.py.
"""

import importlib
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pyclaw_runs import of_all_ranks, run_all

STEPS = 4  # between outputs, rejected ones too
TABLE = Path(__file__).with_name("pyclaw_examples.toml")
EXAMPLES: dict[str, dict[str, Any]] = tomllib.loads(TABLE.read_text())


@contextmanager
def coarse(pyclaw: Any, factor: int) -> Iterator[None]:
    """Within it, `Dimension` and `Domain` of a module make axes of fewer cells."""
    dimension, domain = pyclaw.Dimension, pyclaw.Domain

    def axis(lower: float, upper: float, cells: int, **options: Any) -> Any:
        return dimension(lower, upper, cells // factor, **options)

    def product(*arguments: Any) -> Any:
        *ends, cells = arguments
        return domain(*ends, [n // factor for n in cells] if ends else cells)

    pyclaw.Dimension, pyclaw.Domain = axis, product
    try:
        yield
    finally:
        pyclaw.Dimension, pyclaw.Domain = dimension, domain


def set_up(path: str, settings: dict[str, Any], pyclaw: Any) -> Any:
    """The controller of an example; a module that runs when it is imported is held back."""
    *folder, last = path.split(".")
    if len(folder) == 2:
        module = importlib.import_module(f"clawpack.pyclaw.examples.{'.'.join(folder)}")
        if hasattr(module, "pyclaw"):
            vars(module)["pyclaw"] = pyclaw
        return getattr(module, last)(**settings)
    run, pyclaw.Controller.run = pyclaw.Controller.run, lambda claw: None
    try:
        return importlib.import_module(f"clawpack.pyclaw.examples.{path}").claw
    finally:
        pyclaw.Controller.run = run


def controller(example: dict[str, Any], pyclaw: Any) -> Any:
    """The controller of an example, for few steps between two outputs."""
    settings = {**example.get("with", {}), **example.get("quietly", {})}
    with coarse(pyclaw, example.get("coarser", 1)):
        claw = set_up(example["path"], settings, pyclaw)
    claw.output_style, claw.nstepout, claw.num_output_times = 3, STEPS, 2
    return claw


def options(example: dict[str, Any]) -> str:
    """The options of an example in the guide."""
    return ", ".join(f"`{name}={value!r}`" for name, value in example.get("with", {}).items())


def rows() -> Iterator[str]:
    """The rows of the guide: one for each example that several ranks refuse."""
    for example in EXAMPLES.values():
        if "refused" in example:
            yield f"| `{name_of(example)}` | {options(example)} | {example['why']} |"


def name_of(example: dict[str, Any]) -> str:
    """The name of an example in the guide: its module and function, without `setup`."""
    return ".".join(example["path"].split(".")[:2])


def main(folder: str, serial: bool = False) -> None:
    """Run all, but on one rank those only that are not refused on several."""
    alone = len(of_all_ranks(None, serial)) == 1
    wanted = [
        (name, partial(controller, example))
        for name, example in EXAMPLES.items()
        if not (alone and "refused" in example)
    ]
    run_all(wanted, folder, serial)


if __name__ == "__main__":
    if sys.argv[1] == "table":
        print(*rows(), sep="\n")
    else:
        main(sys.argv[1], "serial" in sys.argv)
