"""Binary maps of models, as xarray datasets: MITgcm, HYCOM, and records without a header."""

from __future__ import annotations

from pathlib import Path

import xarray as xr

from lapwing.io.maps.binary.hycom import open_hycom
from lapwing.io.maps.binary.mitgcm import open_mds
from lapwing.io.maps.binary.raw import open_record
from lapwing.io.maps.binary.words import Size

_MDS, _HYCOM = (".data", ".meta"), (".a", ".b")
_RECORDS = (".bin", ".kmt", ".ieeei4", ".da", ".box", ".bathy", ".topo")
_HEADERS = (b"CDF", b"\x89HDF", b"\x93NUMPY", b"PK")  # of NetCDF 3 and 4, NumPy, archives


def is_binary(path: Path) -> bool:
    """True for a file that `open_binary` reads: by its name, or because its header says nothing.

    Local. False where there is no such file: the caller says that.
    """
    if path.suffix in (*_MDS, *_HYCOM):
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        known = file.read(8).startswith(_HEADERS)
    return not known and (path.suffix in _RECORDS or path.suffix == "")


def open_binary(path: Path, size: Size | None, subject: str) -> xr.Dataset:
    """Read a binary map, [y, x] or [z, y, x], with NaN for what is masked.

    Local. `size`: cells along x and y, where the file cannot say them. Its attribute `source` says
    what was read. UserError for lengths that do not fit, missing companion files and tiles.
    """
    if path.suffix in _MDS:
        return open_mds(path, size, subject)
    if path.suffix in _HYCOM:
        return open_hycom(path, size, subject)
    return open_record(path, size, subject)
