"""Pictures of the documentation, from lapwing's own plans and files.

python docs/images/make_drawings.py                        # all of them
python docs/images/make_drawings.py halo guide/numba       # some
python docs/images/make_drawings.py --out pictures         # into another folder
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
from drawings import (
    cuts,
    develop,
    global_grids,
    grid_files,
    halos,
    kernels,
    machines,
    runs,
    style,
    transposes,
)

FIRST = {**halos.DRAWINGS, **transposes.DRAWINGS, **develop.DRAWINGS}
GUIDE = {
    **cuts.DRAWINGS,
    **global_grids.DRAWINGS,
    **grid_files.DRAWINGS,
    **kernels.DRAWINGS,
    **machines.DRAWINGS,
    **runs.DRAWINGS,
}
HERE = Path(__file__).parent


def draw(name: str, folder: Path) -> None:
    """Draw one picture."""
    guide = name in GUIDE
    path = folder / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(style.GUIDE if guide else style.FIRST):
        figure = GUIDE[name]() if guide else FIRST[name]()
        style.save(figure, path, style.GUIDE_DPI if guide else style.DPI)


def main() -> None:
    """Draw what was asked for."""
    known = [*FIRST, *GUIDE]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the pictures")
    parser.add_argument("--list", action="store_true", help="print the names and draw nothing")
    given = parser.parse_args()
    if unknown := set(given.names) - set(known):
        parser.error(f"no picture {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name in given.names or known:
        print(name) if given.list else draw(name, given.out)


if __name__ == "__main__":
    main()
