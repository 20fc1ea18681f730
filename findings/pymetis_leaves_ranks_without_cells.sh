#!/usr/bin/env bash
# PyMetis 2025.2.2 (PyPI, METIS 5 inside): part_graph of a small grid, all weights equal.
#
# Guess:     36 cells in 12 parts are 3 each, give or take one; in any case no part is empty, as METIS balances.
# Behaviour: some parts have no cell. From 9 parts on part_graph takes METIS's k-way method, which is free to leave a part
#            empty; recursive bisection, its choice up to 8 parts, leaves none here. Nothing is raised.
# Seen:      6 x 6 cells in 12 parts, recursive=None: 2 empty, largest 4
#            6 x 6 cells in 12 parts, recursive=True: 0 empty, largest 3
#            8 x 8 cells in 20 parts, recursive=None: 1 empty, largest 4
#            8 x 8 cells in 20 parts, recursive=True: 0 empty, largest 4
# Why it matters: cells may be blocks or tiles of a model, dealt out to ranks or GPUs: one of them then has nothing, and a
#            Cartesian or per-rank array of size 0 where the code asks for a minimum. It shows with few tiles a rank, which is
#            how a strong-scaling study ends. Pass recursive=True there, and check np.bincount(parts, minlength=count).
# Source:    PyMetis' docstring of part_graph: "Return a partition (cutcount, part_vert) into nparts"; METIS manual 5.1, load
#            imbalance of at most 1.03 by default for k-way, which with 3 cells a part would allow 3.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --only-binary pymetis pymetis==2025.2.2 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import numpy as np
import pymetis


def neighbours(n: int) -> list[list[int]]:
    """The cells that share a side with each cell of an n x n grid."""
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    cells = [(j, i) for j in range(n) for i in range(n)]
    return [[(j + b) * n + i + a for b, a in steps if 0 <= j + b < n and 0 <= i + a < n] for j, i in cells]


empty = []
for n, parts in ((6, 12), (8, 20)):
    for recursive in (None, True):
        _, part_of = pymetis.part_graph(parts, adjacency=neighbours(n), recursive=recursive)
        sizes = np.bincount(part_of, minlength=parts)
        empty.append(int((sizes == 0).sum()))
        print(f"{n} x {n} cells in {parts} parts, recursive={recursive}: {empty[-1]} empty, largest {sizes.max()}")
sys.exit(0 if empty[0] > 0 and empty[2] > 0 and empty[1] == empty[3] == 0 else "this has changed")
PYTHON
