"""Stores of restarts: the state of a run at one step, written and read by all ranks together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from lapwing.base.error import user_error
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.together import together_on
from lapwing.io.restart import Fingerprint
from lapwing.io.store.store_reader import StoreReader

_REMEDY = "restart the case that wrote the store, or start again without --restart"


class RestartStore:
    """The state of a run in a store that a newer one replaces when it is complete.

    Collective over the domain. OutsideError on all ranks when the disk is full or gone: the store
    before stays. Keeps memory for its share of one slab of a field.
    """

    def __init__(
        self,
        domain: Domain,
        path: Path,
        belongs: Fingerprint,
        state: Mapping[str, Field],
        **sizes: int,
    ) -> None:
        """Take the fields; `sizes`: see `_core.Restart`."""
        self._domain, self._path, self._belongs = domain, path, belongs
        self._fields = [field.core for field in state.values()]
        owner = json.dumps(asdict(belongs), sort_keys=True)
        self._store = _core.Restart(domain, str(path), list(state), self._fields, owner, **sizes)

    @property
    def bytes(self) -> int:
        """The bytes of values that this rank has written. Local."""
        return self._store.bytes

    def write(self, step: int) -> None:
        """Write the present state, complete or not at all."""
        self._store.write(step)

    def read(self) -> int:
        """Put the state into the fields, on any number of ranks; its step.

        UserError on all ranks when the store is not there or of another case or grid, lacks a field
        or has it in another form, or a chunk is missing or damaged.
        """
        root = self._domain.rank == 0
        together_on(self._domain, lambda: _read_about(self._path, self._belongs) if root else None)
        return self._store.read()


def check_restart_store(path: Path, belongs: Fingerprint) -> int:
    """The step of a store, all of whose chunks are there and have their length. Local.

    UserError as of `RestartStore.read`; values are checked when they are read.
    """
    reader, step = _read_about(path, belongs)
    for array in reader.variables.values():
        for file in array.files():
            length = file.stat().st_size if file.is_file() else -1
            if length != array.file_bytes:
                got = f"{length} bytes (torn)" if length >= 0 else "no such file"
                remedy = "take an older copy of the store, or start again without --restart"
                expected = f"a chunk of {array.file_bytes} bytes"
                raise user_error(f"--restart {file}", got, expected, remedy)
    return step


def _read_about(path: Path, belongs: Fingerprint) -> tuple[StoreReader, int]:
    reader = StoreReader(path)
    belongs.check(reader.belongs(), f"--restart {path}", _REMEDY)
    step = reader.attributes.get("lapwing_step")
    if not isinstance(step, int):
        raise user_error(f"--restart {path}", "a store of records", "one of a restart", _REMEDY)
    return reader, step
