#!/usr/bin/env bash
# eccodes 2.50.0 (PyPI, with ecCodes inside; x86-64), codes_set_values of GRIB2 values that contain one NaN.
#
# Guess:     NaN is refused, or it is a missing value where the bitmap is on; infinity is refused.
# Behaviour: infinity is refused with EncodingError, and so is a NaN that comes first. A NaN further on is packed as the smallest
#            value of the field: bitmap or not, nothing is raised, and numberOfMissing stays 0.
# Seen:      temperatures 270 to 300, NaN in cell 3, packed with a bitmap
#            grid_simple  270.0, numberOfMissing 0
#            grid_ccsds   270.0, numberOfMissing 0
#            NaN in cell 0: EncodingError
# Why it matters: a model that marks land by NaN, or has blown up in a cell, writes valid weather there: the coldest, calmest
#            or driest of the field, which looks right on a map. Replace NaN by missingValue first, with bitmapPresent = 1.
# Source:    ECMWF, "Missing values cannot be encoded in a GRIB message" (confluence.ecmwf.int/x/CHfxBw): the caller chooses the
#            number that means missing, 9999 if none is set, and GRIB keeps a bitmap. NaN is not mentioned there.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --only-binary :all: eccodes==2.50.0 eccodeslib==2.50.0.33 numpy==2.4.6
cd "$folder"
env/bin/python - 2>/dev/null <<'PYTHON'
import sys

import eccodes
import numpy as np


def packed(packing: str, broken: int) -> tuple[np.ndarray, int]:
    """What a reader gets of a field of 4 x 3 cells with NaN in one cell, and the count of missing cells."""
    values = np.linspace(270.0, 300.0, 12)[[5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]]  # the smallest is in cell 1
    values[broken] = np.nan
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    grid = {"Ni": 4, "Nj": 3, "longitudeOfLastGridPointInDegrees": 3, "latitudeOfFirstGridPointInDegrees": 2}
    grid |= {"latitudeOfLastGridPointInDegrees": 0, "iDirectionIncrementInDegrees": 1, "jDirectionIncrementInDegrees": 1}
    for key, value in (grid | {"packingType": packing, "bitmapPresent": 1}).items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set_values(message, values)
    read = eccodes.codes_new_from_message(eccodes.codes_get_message(message))
    return eccodes.codes_get_values(read), eccodes.codes_get(read, "numberOfMissing")


right = True
for packing in ("grid_simple", "grid_ccsds"):
    values, missing = packed(packing, 3)
    right &= abs(values[3] - 270.0) < 1e-4 and missing == 0
    print(f"{packing:12s} {values[3]:.1f}, numberOfMissing {missing}")
try:
    packed("grid_simple", 0)
    first = "accepted"
except eccodes.EncodingError as problem:
    first = type(problem).__name__
print(f"NaN in cell 0: {first}")
sys.exit(0 if right and first == "EncodingError" else "this has changed")
PYTHON
