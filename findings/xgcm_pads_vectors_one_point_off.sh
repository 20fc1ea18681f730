#!/usr/bin/env bash
# xgcm 0.10.1 (PyPI): xgcm.padding.pad of a staggered component of a vector, from a face whose axes are turned.
#
# Guess:     a plane in two faces, the northern one turned by a quarter (its X runs north, its Y west). The flow to the east
#            at a point of the side's first row is U = x. The southern face, padded at its north, then holds U = x there.
# Behaviour: sign and component are right, the place is not: xgcm turns the northern face's values round as if they lay at
#            centers. Points at right ends are left ends when they are turned, so each lands one point too far east.
# Seen:      x of the points   [1. 2. 3. 4. 5.]
#            padded, so far    [0. 1. 2. 3. 4.]
# Why it matters: differences and interpolations across such sides (half of the sides of a cubed sphere, also those of LLC
#            grids) mix velocities of neighbours: vorticity and divergence along the side are wrong by a gradient times dx,
#            without a message. Tracers, at centers, are right.
# Source:    xgcm/padding.py, _pad_face_connections: the source slice is flipped along the side for every position alike.
#
# Exits with 1 if that changes. The last point has no owner in these two faces.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install xgcm==0.10.1 xarray==2025.7.1 numpy==2.2.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import numpy as np
import xarray as xr
import xgcm
from xgcm.padding import pad

n = 5
edge = np.arange(1.0, n + 1)  # of cells, at their right ends along the first axis
u, v = np.zeros((2, n, n)), np.zeros((2, n, n))  # [face, along X, along Y]
u[0] = edge[:, None]  # south: X runs east, and U = x
v[1] = -(n - edge)[None, :]  # north: Y runs west from x = n, so its component is -U
data = xr.Dataset(
    {"u": (("face", "x_right", "y"), u), "v": (("face", "x", "y_right"), v)}, coords={"face": [0, 1]}
)
links = {"face": {0: {"Y": (None, (1, "X", False))}, 1: {"X": ((0, "Y", False), None)}}}
grid = xgcm.Grid(
    data,
    coords={"X": {"center": "x", "right": "x_right"}, "Y": {"center": "y", "right": "y_right"}},
    face_connections=links,
    autoparse_metadata=False,
    padding="fill",
)
padded = pad(
    {"X": data.u}, grid, padding_width={"X": (0, 0), "Y": (0, 1)}, padding="fill", fill_value=np.nan,
    other_component={"Y": data.v},
)
found = padded.transpose("face", "x_right", "y").values[0, :, n]
print("x of the points ", edge)
print("padded, so far  ", found)
sys.exit(0 if np.array_equal(found, edge - 1) else "this has changed")
PYTHON
