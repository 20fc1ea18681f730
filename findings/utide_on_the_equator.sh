#!/usr/bin/env bash
# UTide 0.4.0 (PyPI; NumPy 2.2.6): a tide gauge at latitude 0.
#
# Guess:     solve() on the equator gives what it gives a little north of it: the nodal corrections divide by the sine of the
#            latitude, and the program takes 5 degrees for what is nearer to the equator.
# Behaviour: it takes 5 degrees with the sign of the latitude, which is 0 for 0: every matrix element is NaN, and the answer is
#            "SVD did not converge in Linear Least Squares", without a word on the latitude.
# Seen:      latitude 1e-9: M2 1.035 m; latitude 0: LinAlgError: SVD did not converge in Linear Least Squares
# Why it matters: idealised basins (equatorial planes, f = 0) and gauges given as 0 because their latitude was not needed end
#            there; pass 1e-9 for 0, or nodal=False.
# Source:    utide/harmonics.py, FUV: lat = np.sign(lat) * 5 where abs(lat) < 5.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install utide==0.4.0 numpy==2.2.6 scipy==1.15.3
cd "$folder"
env/bin/python - 2>/dev/null <<'PYTHON'
import sys

import numpy as np
import utide

hours = np.arange(24 * 40)
time = np.datetime64("2024-01-01") + hours.astype("timedelta64[h]")
level = np.cos(2 * np.pi / 12.4206012 * hours - 1.0)  # M2 of 1 m, without nodal corrections


def m2(latitude: float) -> str:
    try:
        found = utide.solve(time, level, lat=latitude, method="ols", conf_int="none", verbose=False)
    except np.linalg.LinAlgError as problem:
        return f"LinAlgError: {problem}"
    return f"M2 {found.A[list(found.name).index('M2')]:.3f} m"


near, there = m2(1e-9), m2(0.0)
print(f"latitude 1e-9: {near}; latitude 0: {there}")
sys.exit(0 if near.startswith("M2 1.0") and "SVD did not converge" in there else "this has changed")
PYTHON
