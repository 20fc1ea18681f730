"""NetCDF files of the older format that end too early: the NetCDF library reads zeros there.

The header says where each variable begins and how large it is. Its layout follows the "NetCDF
Classic Format Specification" of Unidata, for CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lapwing.base.error import user_error

_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}  # bytes of a type
_LONGEST = 2**20  # bytes of a name or number of entries: more are damage


@dataclass(frozen=True)
class StoredVariable:
    """The place and size of a variable according to the header; by record if it has records."""

    name: str
    begin: int
    size: int  # bytes, per record if it has records
    has_records: bool


@dataclass
class HeaderReader:
    """The header of an open file, from its fourth byte on."""

    file: BinaryIO
    version: int

    def number(self, width: int = 0) -> int:
        """Read a whole number of `width` bytes, or of a count. Local; EOFError at the end."""
        width = width or (8 if self.version == 5 else 4)
        read = self.file.read(width)
        if len(read) < width:
            raise EOFError
        return int.from_bytes(read, "big")

    def count(self) -> int:
        """Read a number of entries or bytes. Local; EOFError for one that no header has."""
        if (found := self.number()) > _LONGEST:
            raise EOFError
        return found

    def text(self) -> str:
        """Read a name. Local."""
        length = self.count()
        return self.file.read(_padded(length))[:length].decode(errors="replace")

    def entries(self) -> int:
        """Read the tag and the length of a list. Local."""
        self.number(4)
        return self.count()

    def skip_attributes(self) -> None:
        """Pass over a list of attributes. Local; EOFError for a type that there is not."""
        for _ in range(self.entries()):
            self.text()
            width = _BYTES.get(self.number(4))
            if width is None:
                raise EOFError
            self.file.seek(_padded(width * self.number()), 1)

    def variable(self, lengths: list[int]) -> StoredVariable:
        """Read the place of a variable; `lengths`: per dimension, 0 for records. Local."""
        name = self.text()
        shape = [lengths[self.count()] for _ in range(self.count())]
        self.skip_attributes()
        width = _BYTES.get(self.number(4), 0)
        self.number()  # its size, which overflows for large ones
        begin = self.number(4 if self.version == 1 else 8)
        has_records = shape[:1] == [0]
        return StoredVariable(name, begin, width * math.prod(shape[has_records:]), has_records)


def require_complete(path: Path, subject: str) -> None:
    """Refuse a file of NetCDF's classic formats that ends before its last value.

    Local; reads the header. UserError names the variable that is cut. Files of NetCDF 4 are left to
    their library, which finds this itself.
    """
    with path.open("rb") as file:
        magic = file.read(4)
        if magic[:3] != b"CDF" or magic[3:] not in (b"\x01", b"\x02", b"\x05"):
            return
        try:
            ends = _ends(HeaderReader(file, magic[3]))
        except (EOFError, IndexError, ValueError, OverflowError, OSError):
            raise user_error(subject, "a damaged header", "NetCDF", "copy it again") from None
    held = path.stat().st_size
    for name, end in ends.items():
        if end > held:
            expected = f"at least {end:,}, where its last value ends"
            raise user_error(f"{subject}, {name}", f"{held:,} bytes", expected, "copy it again")


def _ends(header: HeaderReader) -> dict[str, int]:
    """The byte behind the last value of each variable."""
    streamed = 2**64 - 1 if header.version == 5 else 2**32 - 1
    records = header.number()
    lengths = []
    for _ in range(header.entries()):
        header.text()
        lengths.append(header.number())
    header.skip_attributes()
    variables = [header.variable(lengths) for _ in range(header.entries())]
    sizes = [one.size for one in variables if one.has_records]
    stride = sizes[0] if len(sizes) == 1 else sum(map(_padded, sizes))
    if records == streamed:  # the number of records was never written
        records = 0
    return {
        one.name: one.begin + one.size + (stride * (records - 1) if one.has_records else 0)
        for one in variables
        if records or not one.has_records
    }


def _padded(n: int) -> int:
    return -(-n // 4) * 4
