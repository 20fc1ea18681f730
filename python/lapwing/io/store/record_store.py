"""Stores of records: a record is written by all ranks together, and appears complete or not at all.

The library in C++ writes and reads them; here are their layout, the one of NetCDF files, and the
store that a run goes on with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.io.agenda import Agenda
from lapwing.io.record_file import REMEDY, Earlier, earlier_records
from lapwing.io.records.layout import CHECKSUM, About, ArrayForm, Layout, map_layout
from lapwing.io.restart import Fingerprint
from lapwing.io.store.store_reader import StoreReader
from lapwing.io.variable_description import Description
from lapwing.model.model import Geometry


class RecordStore:
    """Records of whole maps in a store, (time[, level], y, x), under its own name from the start.

    Collective over the domain, except where a method says otherwise. OutsideError on all ranks
    when the disk is full or gone; the records before stay.
    """

    def __init__(
        self,
        domain: Domain,
        path: Path,
        about: About,
        geometry: Geometry,
        variables: Mapping[str, Description],
        fields: Mapping[str, Field],
        earlier: Earlier | None = None,
        **sizes: int,
    ) -> None:
        """Make the store without records, or go on behind those that `earlier` keeps.

        `fields`: those of the variables; `sizes`: see `_core.RecordStore`. UserError on all ranks
        where the earlier store has other variables, or something else than a store of records lies
        under that name.
        """
        self.path, self._fields = path, list(fields.values())
        wet = {name: np.asarray(one.wet, dtype=bool) for name, one in variables.items()}
        layout = map_layout(about, geometry, variables)
        del layout.arrays[CHECKSUM]  # every chunk has its own
        self._store = _core.RecordStore(
            domain,
            str(path),
            _text(layout.attributes),
            [_parts(layout, name, form, domain.rank == 0) for name, form in layout.arrays.items()],
            [(name, field.declared, wet[name]) for name, field in fields.items()],
            keep=None if earlier is None else earlier.kept,
            **sizes,
        )

    @property
    def records(self) -> int:
        """The number of records. Local."""
        return len(self._store.times)

    @property
    def bytes(self) -> int:
        """The bytes of values that this rank has written. Local."""
        return self._store.bytes

    def append(self, time: float, step: int) -> None:
        """Add the present values of the fields as the record of `time` (s since the start)."""
        self._have_memory()
        self._store.write(time, step)

    def read(self, record: int) -> None:
        """Put the values of a record into the fields; their halos are then stale.

        Where the record has no value, fields keep their own. UserError on all ranks when a chunk is
        missing or damaged. Cost: plans of the way back at the first call.
        """
        self._have_memory()
        self._store.read(record)

    def close(self) -> None:
        """Finish: remove the store that had this name before, and let other jobs write here."""
        self._store.close()

    def release(self) -> None:
        """Let other jobs write here, with the records that are visible. Local."""
        self._store.release()

    def _have_memory(self) -> None:
        for field in self._fields:
            field.core  # noqa: B018


def _parts(layout: Layout, name: str, form: ArrayForm, values: bool) -> tuple[Any, ...]:
    """An array as `_core.RecordStore` takes it."""
    known = np.asarray([] if form.values is None or not values else form.values, dtype=form.kind)
    kind = np.dtype(form.kind).name
    attributes = _text(form.attributes)
    return name, kind, list(form.dimensions), layout.sizes(name), attributes, known.tobytes()


def _text(attributes: Mapping[str, Any]) -> str:
    return json.dumps({name: _plain(value) for name, value in attributes.items()})


def _plain(value: Any) -> Any:
    """An attribute as JSON can hold it."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def find_earlier_store(
    path: Path, belongs: Fingerprint, agenda: Agenda, first: int
) -> Earlier | None:
    """The store to go on with when a run continues from step `first`; None if there is none.

    Local, for one rank. UserError when what lies at `path` is no store of lapwing's or belongs to
    another case.
    """
    if not path.exists():
        return None
    reader = StoreReader(path)
    belongs.check(reader.belongs(), str(path), REMEDY)
    steps = reader.array("step")[...].tolist()
    return earlier_records(path, steps, agenda, first) if steps else None
