#!/usr/bin/env bash
# cf_xarray 0.11.3 (PyPI), Dataset.cf.decode_vertical_coords of the terrain-following levels of models such as ROMS.
#
# Guess:     z of the lowest level face (s = -1) is minus the depth, at all tides, and z of the highest (s = 0) the surface:
#            CF's three ocean s-coordinates are made so.
# Behaviour: ocean_s_coordinate reaches neither floor nor surface: half of tanh(a (s + 1/2)) is multiplied by tanh(a/2), not
#            divided by it. ocean_s_coordinate_g1 has a floor that rises and falls with the tide: the tide is shared out by
#            1 + s / depth, not by 1 + S / depth, so all levels move with nearly all of it. ocean_s_coordinate_g2 is right.
# Seen:      surface at +2 m, a = 5, b = 0.4, depth_c = 10 m: z in m at s = -1 and at s = 0
#            depth                       20 m              4000 m
#            ocean_s_coordinate       -19.9     1.9    -3978.8   -19.2
#            ocean_s_coordinate_g1    -18.1     2.0    -3998.0     2.0
#            ocean_s_coordinate_g2    -20.0     2.0    -4000.0     2.0
# Why it matters: water that should be there is not, or sections at a fixed depth sample another level: the lowest layer of a
#            shelf loses the tide (here 1.9 of 20 m), the highest one of a deep ocean is 21 m down. Nothing is raised, the
#            standard_name and the shape are right. Compute z by the model's own formula, or compare its ends with the depth.
# Source:    CF conventions 1.11, Appendix D, ocean s-coordinate and its generic form 1: C = (1-b) sinh(a s) / sinh(a) +
#            b [tanh(a (s + 1/2)) / (2 tanh(a/2)) - 1/2], z = S + eta (1 + S / depth); cf_xarray/parametric.py, OceanS and
#            OceanSG1.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install cf_xarray==0.11.3 xarray==2026.9.0 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import cf_xarray  # noqa: F401  (registers Dataset.cf)
import numpy as np
import xarray as xr

TERMS = {
    "ocean_s_coordinate": "s: s eta: eta depth: depth a: a b: b depth_c: depth_c",
    "ocean_s_coordinate_g1": "s: s C: stretch eta: eta depth: depth depth_c: depth_c",
    "ocean_s_coordinate_g2": "s: s C: stretch eta: eta depth: depth depth_c: depth_c",
}
ends = {}
for name, terms in TERMS.items():
    data = xr.Dataset(
        {"stretch": ("s", [-1.0, 0.0]), "a": 5.0, "b": 0.4, "depth_c": 10.0},
        {"s": ("s", [-1.0, 0.0], {"standard_name": name, "formula_terms": terms})},
    )
    data["eta"] = ((), 2.0, {"standard_name": "sea_surface_height_above_geoid"})
    data["depth"] = ("x", [20.0, 4000.0], {"standard_name": "sea_floor_depth_below_geoid"})
    data.cf.decode_vertical_coords(outnames={"s": "z"})
    ends[name] = data["z"].transpose("x", "s").values.ravel()  # floor and surface of each depth
    print(f"{name:22s}", *(f"{z:8.1f}" for z in ends[name]))
expected = [[-19.9, 1.9, -3978.8, -19.2], [-18.1, 2.0, -3998.0, 2.0], [-20.0, 2.0, -4000.0, 2.0]]
sys.exit(0 if np.allclose(list(ends.values()), expected, rtol=0, atol=0.06) else "this has changed")
PYTHON
