"""Records and a restart by the C interface, as a model in C or Fortran writes them."""

import ctypes as c
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.core import _core, mpi_runtime

LOCATIONS = ("center", "xface", "yface", "corner")
TYPES = ("float32", "float64", "int32", "int64")


class Grid(c.Structure):
    _fields_ = (
        ("size", c.c_int64 * 3),
        ("periodic", c.c_int * 3),
        ("north_fold", c.c_int),
        ("faces", c.c_int),
        ("connection_count", c.c_int),
        ("connections", c.c_void_p),
    )


class Extent(c.Structure):
    _fields_ = (("lo", c.c_int * 3), ("hi", c.c_int * 3), ("corners", c.c_int))


class Spec(c.Structure):
    _fields_ = (
        ("name", c.c_char_p),
        ("type", c.c_int),
        ("location", c.c_int),
        ("levels", c.c_int),
        ("components", c.c_int),
        ("order", c.c_int * 4),
        ("halo", Extent),
        ("component_extents", c.c_void_p),
        ("vector", c.c_int),
        ("constant_on_land", c.c_int),
        ("pair", c.c_char_p * 2),
        ("frame", c.c_int),
    )


class Box(c.Structure):
    _fields_ = (("lo", c.c_int64 * 3), ("hi", c.c_int64 * 3))


class Block(c.Structure):
    _fields_ = (
        ("data", c.c_void_p),
        ("owned", Box),
        ("allocated", Box),
        ("strides", c.c_int64 * 4),
    )


class Axis(c.Structure):
    _fields_ = (
        ("values", c.c_void_p),
        ("count", c.c_int64),
        ("units", c.c_char_p),
        ("long_name", c.c_char_p),
        ("standard_name", c.c_char_p),
    )


class Options(c.Structure):
    _fields_ = (
        ("fixed", c.c_int),
        ("start", c.c_char_p),
        ("title", c.c_char_p),
        ("single_precision", c.c_int),
        ("wet", c.c_char_p),
        ("keep", c.c_int),
        ("keep_until", c.c_double),
        ("x", Axis),
        ("y", Axis),
    )


class Library:
    """The C interface on a domain; an error is one of its messages."""

    def __init__(self, size: Sequence[int], periodic: Sequence[bool] = (False, False)) -> None:
        mpi = mpi_runtime.start()
        self._c = c.CDLL(str(Path(_core.__file__).with_name("liblapwing.so")))
        self._c.lapwing_message.restype = c.c_char_p
        grid = Grid((c.c_int64 * 3)(*size, 1), (c.c_int * 3)(*periodic, 0))
        self.domain = c.c_void_p()
        self("domain_create", mpi.COMM_WORLD.py2f(), c.byref(grid), None, c.byref(self.domain))

    def __call__(self, name: str, *arguments: Any) -> None:
        if getattr(self._c, f"lapwing_{name}")(*arguments) != 0:
            raise RuntimeError(self._c.lapwing_message().decode())

    def field(
        self,
        name: str,
        *labels: str,
        dtype: str = "float64",
        location: str = "center",
        levels: int = 0,
    ) -> tuple[c.c_void_p, np.ndarray[Any, Any], Box]:
        """A field, its owned values [x, y, z] and their box."""
        spec = Spec(
            name.encode(),
            TYPES.index(dtype),
            LOCATIONS.index(location),
            levels,
            1,
            (c.c_int * 4)(0, 1, 2, 3),
            Extent((c.c_int * 3)(1, 1, 0), (c.c_int * 3)(1, 1, 0), 1),
        )
        field, block = c.c_void_p(), Block()
        self("field_declare", self.domain, c.byref(spec), c.byref(field))
        self("field_allocate", field)
        texts = [label.encode() or None for label in (*labels, *[""] * (3 - len(labels)))]
        self("field_describe", field, *texts)
        self("field_block", field, 0, c.byref(block))
        kind = np.dtype(dtype)
        held, box = block.allocated, block.owned
        offset = sum((box.lo[a] - held.lo[a]) * block.strides[a] for a in range(3))
        first = block.data + offset * kind.itemsize
        end = [(box.hi[a] - box.lo[a] - 1) * block.strides[a] for a in range(3)]
        memory = (c.c_char * ((sum(end) + 1) * kind.itemsize)).from_address(first)
        shape = [box.hi[a] - box.lo[a] for a in range(3)]
        strides = [block.strides[a] * kind.itemsize for a in range(3)]
        return field, np.ndarray(shape, kind, memory, 0, strides), box

    def records(
        self, path: Path, fields: Sequence[c.c_void_p], fixed: int = 0, **options: Any
    ) -> c.c_void_p:
        """Records of fields, of which the last `fixed` never change."""
        handles, made = (c.c_void_p * len(fields))(*fields), c.c_void_p()
        given = c.byref(Options(fixed, **options))
        count = len(fields)
        self("records_create", self.domain, bytes(path), handles, count, given, c.byref(made))
        return made

    def restart(self, path: Path, fields: Sequence[c.c_void_p]) -> c.c_void_p:
        """The state in fields."""
        handles, made = (c.c_void_p * len(fields))(*fields), c.c_void_p()
        self("restart_create", self.domain, bytes(path), handles, len(fields), c.byref(made))
        return made

    def write(self, records: c.c_void_p, time: float, step: int = -1) -> None:
        """A record."""
        self("records_write", records, c.c_double(time), c.c_int64(step))
