#!/usr/bin/env bash
# cfgrib 0.9.15.1 (PyPI; eccodes 2.50.0, xarray 2026.9.0): regular lat-lon GRIB2 that is not scanned eastward row by row.
#
# Guess:     xarray's engine cfgrib puts every value where ecCodes, which reads the file for it, says that it lies: the
#            scanning mode is one octet of the grid definition. (cfgrib does follow jScansPositively.)
# Behaviour: iScansNegatively is forgotten: the longitudes are sorted to run east, the values are not, so the field is its own
#            mirror image. jPointsAreConsecutive is, too: columns are read as rows. Shape and coordinates look right.
# Seen:      4 x 3 points whose value is their longitude; values of the first row by cfgrib at 0, 1, 2, 3 degrees east
#            eastward rows          [0. 1. 2. 3.]
#            iScansNegatively       [3. 2. 1. 0.]
#            jPointsAreConsecutive  [0. 0. 0. 1.]
#            ecCodes' own longitudes equal the values in all three
# Why it matters: winds and fluxes that force a model come from other places, without a message, and near the middle of the
#            domain they look plausible. Compare one field with codes_get_array(message, "longitudes"), or rewrite the file to
#            the usual scanning mode first.
# Source:    WMO GRIB2 flag table 3.4, scanning mode; cfgrib/dataset.py of 0.9.15.1 reads both keys and uses neither when it
#            shapes the values. An earlier relative, alternate rows (ecmwf/cfgrib issue 295), is handled.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --only-binary :all: cfgrib==0.9.15.1 eccodes==2.50.0 eccodeslib==2.50.0.33 \
    xarray==2026.9.0 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import eccodes
import numpy as np
import xarray as xr

GRID = {"Ni": 4, "Nj": 3, "longitudeOfLastGridPointInDegrees": 3, "latitudeOfFirstGridPointInDegrees": 2}
GRID |= {"latitudeOfLastGridPointInDegrees": 0, "iDirectionIncrementInDegrees": 1, "jDirectionIncrementInDegrees": 1}
MODES = {
    "eastward rows": {},
    "iScansNegatively": {
        "iScansNegatively": 1, "longitudeOfFirstGridPointInDegrees": 3, "longitudeOfLastGridPointInDegrees": 0,
    },
    "jPointsAreConsecutive": {"jPointsAreConsecutive": 1},
}
EXPECTED = {
    "eastward rows": [0, 1, 2, 3], "iScansNegatively": [3, 2, 1, 0], "jPointsAreConsecutive": [0, 0, 0, 1],
}
right = True
for name, mode in MODES.items():
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    for key, value in (GRID | mode).items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set_values(message, np.zeros(12))  # now the message has as many points as its grid
    longitudes = eccodes.codes_get_array(message, "longitudes")
    eccodes.codes_set_values(message, longitudes)  # the value of a point is its longitude
    with open("field.grib", "wb") as file:
        eccodes.codes_write(message, file)
    right &= np.allclose(eccodes.codes_get_values(message), longitudes, rtol=0, atol=1e-6)
    with xr.open_dataset("field.grib", engine="cfgrib", backend_kwargs={"indexpath": ""}) as data:
        field = next(iter(data.data_vars.values()))
        row = np.round(field.isel(latitude=0).values, 6)
        right &= np.array_equal(field.longitude, [0, 1, 2, 3]) and np.array_equal(row, EXPECTED[name])
    print(f"{name:22s} {row}")
sys.exit(0 if right else "this has changed")
PYTHON
