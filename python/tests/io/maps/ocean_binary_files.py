"""Binary files with the layouts that ocean models and their tools write, made of a known sea.

Each function writes one format, with the companion files and records of the real one, and says
where its layout is described. All numbers are big-endian, as these models write them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ocean_files import TrueSea, mitgcm_fractions, nemo_bottom

_HYCOM_LAND = np.float32(2.0**100)
_HYCOM_WORDS = 4096  # a record is filled to a multiple of them
_HYCOM_POINTS = [f"{point}{name}" for point in "pquv" for name in ("lon", "lat")]
_HYCOM_SIZES = [f"{point}sc{axis}" for point in "pquv" for axis in "xy"]
_HYCOM_GRID = [*_HYCOM_POINTS, "pang", *_HYCOM_SIZES, "cori", "pasp"]


# ---- MITgcm


def write_mitgcm_hfac(folder: Path, sea: TrueSea, bits: int = 32) -> Path:
    """Write hFacC.data and .meta of MITgcm, with XC and YC: fractions [z, y, x]; return .data.

    Layout: `MDS_WRITE_META` of pkg/mdsio/mdsio_write_meta.F of MITgcm, checkpoint 68.
    """
    lon, lat = sea.degrees
    for name, values in (("XC", lon), ("YC", lat)):
        _write_mds(folder / name, values, bits)
    return _write_mds(folder / "hFacC", mitgcm_fractions(sea), bits)


def write_mitgcm_tile(folder: Path, sea: TrueSea) -> Path:
    """Write hFacC.001.001.data and .meta of MITgcm: the western of two tiles of the sea."""
    fractions = mitgcm_fractions(sea)
    half = sea.lon.size // 2
    bounds = [(sea.lon.size, 1, half), (sea.lat.size, 1, sea.lat.size), (3, 1, 3)]
    return _write_mds(folder / "hFacC.001.001", fractions[..., :half], 32, bounds)


def write_mitgcm_bathymetry(path: Path, sea: TrueSea) -> Path:
    """Write a bathyFile of MITgcm: float32 [y, x], heights below zero in water, 0 on land.

    Layout: section 3.8.1 of MITgcm's manual; the file has no header and no companion.
    """
    path.write_bytes(np.where(sea.wet, -sea.depth, 0.0).astype(">f4").tobytes())
    return path


def _write_mds(
    base: Path, values: NDArray[Any], bits: int, bounds: list[tuple[int, int, int]] | None = None
) -> Path:
    """Write NAME.data and NAME.meta; `bounds`: size of all, first and last index, x first."""
    sizes = bounds or [(n, 1, n) for n in reversed(values.shape)]
    rows = ",\n".join(" " + ",".join(f"{n:5d}" for n in row) for row in sizes)
    base.with_name(base.name + ".meta").write_text(
        f" nDims = [ {values.ndim:3d} ];\n dimList = [\n{rows}\n ];\n"
        f" dataprec = [ 'float{bits}' ];\n nrecords = [ {1:10d} ];\n"
    )
    data = base.with_name(base.name + ".data")
    data.write_bytes(values.astype(f">f{bits // 8}").tobytes())
    return data


# ---- HYCOM


def write_hycom_depth(folder: Path, sea: TrueSea) -> Path:
    """Write regional.depth.a and .b and regional.grid.a and .b of HYCOM; return regional.depth.a.

    Layout: topo/src/mod_za.F, topo_clip.f and grid_lonlat.f of HYCOM-tools: float32 records filled
    to 4096 words with 2^100, which also marks land; the sizes stand in regional.grid.b.
    """
    folder.mkdir(exist_ok=True)
    ny, nx = sea.depth.shape
    water = sea.depth[sea.wet]
    (folder / "regional.depth.b").write_text(
        "".join(f"{line:79}\n" for line in ("A sea of waves", "for tests", "", "", ""))
        + f"min,max depth = {water.min():12.5f}{water.max():12.5f}\n"
    )
    lon, lat = sea.degrees
    records = {name: np.zeros_like(lon) for name in _HYCOM_GRID} | {"plon": lon, "plat": lat}
    (folder / "regional.grid.b").write_text(
        f"{nx:5d}    'idm   ' = longitudinal array size\n"
        f"{ny:5d}    'jdm   ' = latitudinal  array size\n"
        "    2    'mapflg' = map flag (-1=unknown,0=mercator,2=uniform,4=f-plane)\n"
        + "".join(f"{k}:  min,max = {v.min():15.5f}{v.max():15.5f}\n" for k, v in records.items())
    )
    (folder / "regional.grid.a").write_bytes(b"".join(map(_hycom_record, records.values())))
    depth = folder / "regional.depth.a"
    depth.write_bytes(_hycom_record(np.where(sea.wet, sea.depth, _HYCOM_LAND)))
    return depth


def _hycom_record(values: NDArray[Any]) -> bytes:
    words = -(-values.size // _HYCOM_WORDS) * _HYCOM_WORDS
    record = np.full(words, _HYCOM_LAND, dtype=">f4")
    record[: values.size] = values.ravel()
    return record.tobytes()


# ---- CICE and POP


def write_cice_kmt_binary(path: Path, sea: TrueSea) -> Path:
    """Write a kmt file of CICE or POP: one record of int32 [y, x], above 0 in the sea, no header.

    Layout: `popgrid` of cicecore's ice_grid.F90 of CICE 6, which reads it by direct access.
    """
    path.write_bytes(nemo_bottom(sea).astype(">i4").tobytes())
    return path
