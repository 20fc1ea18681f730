"""The kinds of layout files, one module for each model."""

from lapwing.base.error import user_error
from lapwing.partition.layouts.kinds.cice import Cice
from lapwing.partition.layouts.kinds.getm import Getm
from lapwing.partition.layouts.kinds.hycom import Hycom
from lapwing.partition.layouts.kinds.kind import Kind
from lapwing.partition.layouts.kinds.mitgcm import Mitgcm
from lapwing.partition.layouts.kinds.mom6 import Mom6
from lapwing.partition.layouts.kinds.nemo import Nemo, Nemo36, Nemo40
from lapwing.partition.layouts.kinds.roms import Croco, Roms

_ALL = (Mom6, Mitgcm, Nemo, Nemo40, Nemo36, Hycom, Getm, Roms, Croco, Cice)
_KINDS: dict[str, Kind] = {kind.name: kind() for kind in _ALL}
KINDS = tuple(_KINDS)


def kind_named(name: str) -> Kind:
    """Return the kind of that name. Local; UserError if there is none."""
    if name not in _KINDS:
        known = f"one of {', '.join(_KINDS)}, or ranks, a map of the rank of each cell"
        raise user_error("--layout", repr(name), known, "choose one of these")
    return _KINDS[name]
