#!/usr/bin/env bash
# numcodecs 0.16.6 (PyPI; zarr's filter bitround), BitRound of float32 that holds the NaN which CUDA makes.
#
# Guess:     rounding the mantissa of a NaN leaves a NaN, as netCDF-C's BitRound does with these.
# Behaviour: the half bit that is added for rounding carries out of the mantissa and through the exponent. 0x7fffffff, a NaN
#            with all bits set, becomes -0.0, and 0xffffffff becomes 0.0. NumPy's own NaN, 0x7fc00000, survives, so tests
#            with np.nan pass. All keepbits from 0 to 22 do it; 23 rounds nothing.
# Seen:      bits of NaN      7fffffff  ffffffff  7fc00000
#            numcodecs        -0.0      0.0       nan
#            netCDF-C         nan       nan       nan
# Why it matters: 0x7fffffff is the float32 NaN of NVIDIA's GPUs. A field that blew up on a GPU is stored as calm water,
#            with no NaN left in the archive, and land that was marked on the GPU by NaN turns to sea of elevation 0.
# Source:    CUDA C++ Programming Guide, Compute Capabilities, Floating-Point Standard (0x7fffffff); numcodecs' documentation
#            of BitRound says that it drops mantissa bits of floats and excepts no value.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install numcodecs==0.16.6 netCDF4==1.7.5.1.post1 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import netCDF4
import numpy as np
from numcodecs import BitRound

bits = np.array([0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000], "u4")
field = bits.view("f4")
codec = BitRound(keepbits=10)
by_numcodecs = np.asarray(codec.decode(codec.encode(field)))
with netCDF4.Dataset("field.nc", "w") as file:
    file.createDimension("x", field.size)
    rounded = {"significant_digits": 10, "quantize_mode": "BitRound"}  # for BitRound these are bits
    file.createVariable("field", "f4", ("x",), zlib=True, **rounded)[:] = field
with netCDF4.Dataset("field.nc") as file:
    file.set_auto_mask(False)
    by_netcdf = file["field"][:]
print("bits of NaN", *(f"{one:08x}" for one in bits))
print("numcodecs  ", *by_numcodecs)
print("netCDF-C   ", *by_netcdf)
zeros = by_numcodecs[0] == 0 and by_numcodecs[1] == 0 and np.isnan(by_numcodecs[2])
sys.exit(0 if zeros and np.isnan(by_netcdf).all() else "this has changed")
PYTHON
