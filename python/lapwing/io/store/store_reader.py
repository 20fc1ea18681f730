"""Reads a store: its attributes, and its arrays a record at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, shortened, user_error
from lapwing.core import _core
from lapwing.io.records.layout import ATTRIBUTE
from lapwing.io.restart import Fingerprint

_NAME = "zarr.json"  # of the metadata file of a group or an array
_BROKEN = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


def is_store(path: Path) -> bool:
    """True if a name is that of a store: a folder with the metadata of one. Local."""
    return path.is_dir() and (path / _NAME).is_file()


def _read_group(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The attributes of a store, and the metadata of its arrays by name. Local.

    UserError where there is none that lapwing has written.
    """
    try:
        group = json.loads((path / _NAME).read_text(encoding="utf-8"))
        arrays = dict(group["consolidated_metadata"]["metadata"])
        attributes = dict(group["attributes"])
        if ATTRIBUTE not in attributes:
            raise ValueError(f"no attribute {ATTRIBUTE}")
    except OSError as problem:
        raise _no_store(path, problem.strerror or str(problem)) from None
    except _BROKEN as problem:
        raise _no_store(path, f"{_NAME} with {shortened(str(problem))}") from None
    return attributes, arrays


def _no_store(path: Path, got: str) -> UserError:
    remedy = "correct the name, or move the folder away"
    return user_error(str(path), got, "a store that lapwing has written", remedy)


def _chunk_path(path: Path, name: str, index: tuple[int, ...]) -> Path:
    """The file of a chunk of an array. Local."""
    return path.joinpath(name, "c", *map(str, index))


class StoreArray:
    """An array of a store, with the names of NetCDF variables. Local.

    Each value that is read is checked by the CRC-32C of its chunk: UserError for a chunk that is
    missing, torn or corrupted.
    """

    def __init__(self, path: Path, name: str, about: dict[str, Any]) -> None:
        """Know its form; nothing is read."""
        self._path, self.name = path, name
        self.shape = tuple(int(n) for n in about["shape"])
        self.chunk = [int(n) for n in about["chunk_grid"]["configuration"]["chunk_shape"]]
        self.dtype = np.dtype(about["data_type"])
        size = math.prod(self.chunk) * self.dtype.itemsize
        self.file_bytes = _core.chunk_file_bytes(size)  # of each of its files
        self.dimensions = tuple(about["dimension_names"])
        self.attributes: dict[str, Any] = about["attributes"]
        self.units = str(self.attributes.get("units", ""))

    def __len__(self) -> int:
        """Length of the first dimension."""
        return self.shape[0]

    def __getitem__(self, index: int | slice | Any) -> NDArray[Any]:
        """The values at one index of the first dimension, or all for `...` or a slice."""
        if isinstance(index, int | np.integer):
            return np.asarray(self._read(int(index), int(index) + 1)[0])
        first, last, step = (index if isinstance(index, slice) else slice(None)).indices(len(self))
        return self._read(first, max(first, last))[::step]

    def files(self) -> Iterator[Path]:
        """The files of all its chunks, whether they are there or not."""
        counts = [range(-(-n // c)) for n, c in zip(self.shape, self.chunk, strict=True)]
        return (_chunk_path(self._path, self.name, index) for index in product(*counts))

    def _read(self, first: int, last: int) -> NDArray[Any]:
        """The values from number `first` up to `last` along the first dimension."""
        result = np.empty((last - first, *self.shape[1:]), dtype=self.dtype)
        chunk = np.empty(self.chunk, dtype=self.dtype)
        lows, highs = (first, *[0] * (len(self.shape) - 1)), (last, *self.shape[1:])
        ranges = [
            range(lo // c, -(-hi // c)) for lo, hi, c in zip(lows, highs, self.chunk, strict=True)
        ]
        for index in product(*ranges):
            file = _chunk_path(self._path, self.name, index)
            _core.read_chunk(str(file), chunk.reshape(-1).view(np.uint8))
            within, there = [], []
            for n, c, lo, hi in zip(index, self.chunk, lows, highs, strict=True):
                begin, end = max(n * c, lo), min((n + 1) * c, hi)
                within.append(slice(begin - lo, end - lo))
                there.append(slice(begin - n * c, end - n * c))
            result[tuple(within)] = chunk[tuple(there)]
        return result


class StoreReader:
    """A store as it is at this moment. Local; UserError where lapwing has written none there."""

    def __init__(self, path: Path) -> None:
        """Read its metadata."""
        self.path = path
        self.attributes, self.metadata = _read_group(path)
        self.variables = {
            name: StoreArray(path, name, about) for name, about in self.metadata.items()
        }

        self.groups: dict[str, Any] = {}  # a store of lapwing's has none

    def __enter__(self) -> Self:
        """The reader; nothing is open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    def array(self, name: str) -> StoreArray:
        """An array by its name. KeyError."""
        return self.variables[name]

    def belongs(self) -> Fingerprint:
        """The fingerprint of the case of the store."""
        return Fingerprint(**json.loads(self.attributes[ATTRIBUTE]))

    def form(self) -> dict[str, str]:
        """Type, dimensions and unit of every array, as `Layout.form` says them."""
        form = {}
        for name, array in self.variables.items():
            sizes = [
                f"{d}={n}"
                for d, n in zip(array.dimensions, array.shape, strict=True)
                if d != "time"
            ]
            over_time = ["time"] if "time" in array.dimensions else []
            form[name] = f"{array.dtype} ({', '.join(over_time + sizes)}) in {array.units or '1'}"
        return form
