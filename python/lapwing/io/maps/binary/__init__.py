"""Binary maps of models, as xarray datasets: MITgcm, HYCOM, and records without a header."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.io.maps.binary.words import given_size
from lapwing.io.maps.request import MapRequest

if TYPE_CHECKING:
    import xarray

_MDS, _HYCOM = (".data", ".meta"), (".a", ".b")
_RECORDS = (".bin", ".kmt", ".ieeei4", ".da", ".box", ".bathy", ".topo", "")
_HEADERS = (b"CDF", b"\x89HDF", b"\x93NUMPY", b"PK")  # NetCDF 3 and 4, NumPy, archives


def is_binary(path: Path) -> bool:
    """True for a file that `open_binary` reads: by its name, or because its header says nothing.

    Local. False where there is no such file: the caller says that.
    """
    if path.suffix in (*_MDS, *_HYCOM):
        return True
    if path.suffix not in _RECORDS or not path.is_file():
        return False
    with path.open("rb") as file:
        return not file.read(8).startswith(_HEADERS)


def open_binary(path: Path, subject: str, request: MapRequest) -> xarray.Dataset:
    """Read a binary map, [y, x] or [z, y, x], with NaN for masked cells.

    Local. `request.size` counts where the file cannot say its size. The attribute `source` names
    what was read. UserError for lengths that do not fit, missing companion files, and tiles.
    """
    from lapwing.io.maps.binary.hycom import open_hycom  # these load xarray: half a second
    from lapwing.io.maps.binary.mitgcm import open_mds
    from lapwing.io.maps.binary.raw import open_record

    given = given_size(request)
    if path.suffix in _MDS:
        return open_mds(path, given, subject)
    if path.suffix in _HYCOM:
        return open_hycom(path, given, subject)
    return open_record(path, given, subject)
