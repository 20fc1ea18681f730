#!/usr/bin/env bash
# eccodes 2.50.0 (PyPI, with ecCodes inside), codes_set_values of GRIB2 values into a new message from a sample.
#
# Guess:     the packing is a choice of size: after packingType = grid_complex the same calls store the same field, to the
#            precision that grid_simple and grid_ccsds choose for it.
# Behaviour: the sample's bitsPerValue is 0. grid_simple and grid_ccsds take that for "choose" and use 24 bits. grid_complex and
#            grid_complex_spatial_differencing, with which NCEP packs, take it literally: every cell is the minimum, without a
#            message. With bitsPerValue = 16, or packingType set after the values, all is well.
# Seen:      temperatures 270 to 300, largest error
#            grid_simple                         0.0 K
#            grid_ccsds                          0.0 K
#            grid_complex                       30.0 K
#            grid_complex_spatial_differencing  30.0 K
#            grid_complex, bitsPerValue 16       0.0 K
# Why it matters: model output that was made smaller this way is a constant, and its minimum, shape and metadata are right. The
#            files are tiny, which is what was wanted of the packing.
# Source:    bitsPerValue of the sample regular_ll_sfc_grib2, which codes_get reads as 0; WMO's GRIB2 data representation
#            templates 5.2 and 5.3 are the two packings.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --only-binary :all: eccodes==2.50.0 eccodeslib==2.50.0.33 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import eccodes
import numpy as np

values = np.linspace(270.0, 300.0, 1200)  # kelvin, 40 x 30 cells


def error(keys: dict[str, str | int]) -> float:
    message = eccodes.codes_grib_new_from_samples("regular_ll_sfc_grib2")
    grid = {"Ni": 40, "Nj": 30, "longitudeOfLastGridPointInDegrees": 39, "latitudeOfFirstGridPointInDegrees": 29}
    grid |= {"latitudeOfLastGridPointInDegrees": 0, "iDirectionIncrementInDegrees": 1, "jDirectionIncrementInDegrees": 1}
    for key, value in (grid | keys).items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set_values(message, values)
    read = eccodes.codes_new_from_message(eccodes.codes_get_message(message))
    return float(abs(eccodes.codes_get_values(read) - values).max())


errors = []
for packing in ("grid_simple", "grid_ccsds", "grid_complex", "grid_complex_spatial_differencing"):
    errors.append(error({"packingType": packing}))
    print(f"{packing:34s} {errors[-1]:4.1f} K")
errors.append(error({"packingType": "grid_complex", "bitsPerValue": 16}))
print(f"{'grid_complex, bitsPerValue 16':34s} {errors[-1]:4.1f} K")
sys.exit(0 if np.allclose(errors, [0, 0, 30, 30, 0], rtol=0, atol=0.01) else "this has changed")
PYTHON
