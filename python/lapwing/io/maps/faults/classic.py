"""NetCDF files of the older format that end too early: the NetCDF library reads zeros there."""

from __future__ import annotations

from pathlib import Path

from lapwing.base.error import user_error

_HEADERS = (b"CDF\x01", b"CDF\x02")
_CUT_SHORT = ("cannot reshape", "divisor of the total size", "buffer is")  # words of NumPy


def require_complete(path: Path, subject: str) -> None:
    """Refuse a file of NetCDF's classic or 64-bit format that ends before its last value.

    Local; maps the file into memory and reads its header. Files of NetCDF 4 are left to their
    library, which finds this itself.
    """
    with path.open("rb") as file:
        if file.read(4) not in _HEADERS:
            return
    from scipy.io import netcdf_file  # its reader stops where the NetCDF library goes on

    try:
        netcdf_file(path, mmap=True).close()
    except Exception as problem:
        if any(words in str(problem) for words in _CUT_SHORT):
            got = f"a file that ends too early, after {path.stat().st_size:,} bytes"
            raise user_error(subject, got, "all values of its header", "copy it again") from None
