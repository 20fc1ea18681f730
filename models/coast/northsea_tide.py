"""Print amplitude and phase of M2 at places on the coast, from the output of the case `northsea`.

lapwing run northsea --out out/northsea
python models/coast/northsea_tide.py out/northsea/output.nc
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import xarray
from lapwing_coast.harmonics import harmonics
from numpy.typing import NDArray

PERIOD = 44714.16  # of M2, s
SPAN = 2 * PERIOD  # at the end of the run, after the start has died down, s

# degrees_east, degrees_north; rough observed amplitude (m) and phase lag (degrees), only to see
# whether the model is in the right ocean: its depth is synthetic
PLACES = {
    "Aberdeen": (-2.08, 57.14, 1.3, 25),
    "North Shields": (-1.44, 55.01, 1.6, 87),
    "Immingham": (-0.19, 53.63, 2.2, 161),
    "Lowestoft": (1.75, 52.47, 0.7, 258),
    "Dover": (1.32, 51.11, 2.25, 332),
    "Den Helder": (4.74, 52.97, 0.7, 172),
    "Esbjerg": (8.40, 55.47, 0.65, 35),
    "Bergen": (5.30, 60.40, 0.4, 297),
}


def nearest(tide: NDArray[np.complex128], data: xarray.Dataset, lon: float, lat: float) -> complex:
    """Return the value [lat, lon] of the wet cell nearest to a place."""
    away = np.hypot(
        data["lat"].values[:, None] - lat, (data["lon"].values - lon) * np.cos(np.radians(lat))
    )
    return complex(tide.ravel()[np.where(np.isfinite(tide), away, np.inf).argmin()])


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("output", type=Path, help="the output.nc of a run of three days")
    with xarray.open_dataset(parser.parse_args().output, decode_times=False) as data:
        seconds = np.asarray(data["time"].values, dtype=np.float64)
        last = seconds >= seconds[-1] - SPAN
        level = np.asarray(data["sea_level"].values[last])
        [tide] = harmonics(seconds[last], level, [PERIOD])
        print(f"{'M2':15s}  model       observed, roughly")
        for name, (lon, lat, amplitude, phase) in PLACES.items():
            found = nearest(tide, data, lon, lat)
            lag = np.degrees(np.angle(found)) % 360
            print(f"{name:15s}  {abs(found):4.2f} m {lag:3.0f}    {amplitude:4.2f} m {phase:3.0f}")


if __name__ == "__main__":
    main()
