"""A small case of the tests of stores: three fields, two records of which differ everywhere."""

import resource
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray
from lapwing import Axis, Box, Domain, Field, Grid, Partition, Subdomain
from lapwing.io.record_file import Earlier
from lapwing.io.records.layout import About
from lapwing.io.restart import Fingerprint
from lapwing.io.store.record_store import RecordStore
from lapwing.io.store.restart_store import RestartStore
from lapwing.io.variable_description import describe_variable
from lapwing.model import Geometry, Variable

NX, NY, LEVELS, CHUNK = 14, 9, 5, 400
BELONGS = Fingerprint("none", {"depth": 5.0}, [NX, NY, 1], [False] * 3, "")
ABOUT = About("title", "lapwing", "none", "2000-01-01", "double", BELONGS)
WET = np.ones((NX, NY), dtype=bool)
WET[:4, :3] = False


def scattered(ranks: int) -> Partition:
    """Blocks of 5 x 4 cells, of which each rank has several, or none."""
    numbers = [(i, j) for j in range(0, NY, 4) for i in range(0, NX, 5)]
    boxes = [Box((i, j, 0), (min(NX, i + 5), min(NY, j + 4), 1)) for i, j in numbers]
    owners = [n * 7 % max(1, ranks - 1) for n in range(len(boxes))]
    shares = [Subdomain(rank, box) for rank, box in zip(owners, boxes, strict=True)]
    return Partition(Grid((NX, NY)), ranks, shares)


def values(name: str, record: int) -> Callable[..., Any]:
    """The values of a field in a record: no two are equal, and none is in another record."""
    first = 1e6 * record + 1e5 * ["sea", "flow", "bottom"].index(name)
    return lambda i, j, k=0: first + i + 100.0 * j + 1e4 * k


def expected(name: str, record: int, levels: int = 1) -> Any:
    """The values of a map [level, y, x] of a record, on land too."""
    i, j, k = np.meshgrid(np.arange(NX), np.arange(NY), np.arange(levels), indexing="ij")
    return np.asarray(values(name, record)(i, j, k), dtype=np.float64).T


@dataclass
class StoreCase:
    """The fields on a domain, and stores of them in small chunks."""

    domain: Domain
    fields: Mapping[str, Field]
    open: list[RecordStore] = field(default_factory=list)
    times: int = 1024  # in a chunk

    def records(self, path: Path, earlier: Earlier | None = None, **about: Any) -> RecordStore:
        x, y = (Axis(1000.0 * np.arange(float(n)), "m", a) for a, n in (("x", NX), ("y", NY)))
        place = Geometry(Grid((NX, NY)), WET, x, y)
        variables = {
            name: Variable(one, "m", name, fixed=name == "bottom")
            for name, one in self.fields.items()
        }
        described = {name: describe_variable(one, place) for name, one in variables.items()}
        about = vars(ABOUT) | about
        for one in self.open:  # as the system does where a process is killed
            one.release()
        store = RecordStore(
            self.domain,
            path,
            About(**about),
            place,
            described,
            self.fields,
            earlier,
            chunk_bytes=CHUNK,
            times=self.times,
        )
        self.open.append(store)
        return store

    def restart(self, path: Path) -> RestartStore:
        return RestartStore(self.domain, path, BELONGS, self.fields, chunk_bytes=CHUNK)

    def set(self, record: int) -> None:
        for name, one in self.fields.items():
            one.set(values(name, 0 if name == "bottom" else record))

    def append(self, store: RecordStore, record: int) -> None:
        self.set(record)
        store.append(60.0 * record, record)


def store_case(domain: Domain | None = None) -> StoreCase:
    """The case on a domain, in chunks of about 400 bytes. Collective."""
    domain = Domain((NX, NY)) if domain is None else domain
    fields = {
        "sea": domain.field("sea", levels=LEVELS, halo=2),
        "flow": domain.field("flow", location="xface"),
        "bottom": domain.field("bottom", levels=2, dtype=np.float32),
    }
    return StoreCase(domain, fields)


def require_records(path: Path, count: int, first: int = 0) -> None:
    """The store holds these records, and xarray reads each bit of those from `first` on."""
    with xarray.open_zarr(path, chunks=None) as data:
        assert data.time.size == count
        assert data.step.values.tolist() == list(range(count))
        for record in range(first, count):
            found = data.sea[record].values
            assert np.array_equal(np.isnan(found), np.broadcast_to(~WET.T, found.shape))
            assert (found == expected("sea", record, LEVELS))[:, WET.T].all()
            flow = data.flow[record].values
            assert (flow == expected("flow", record)[0])[WET.T].sum() > 80
        assert (data.bottom.values == expected("bottom", 0, 2))[:, WET.T].all()


@contextmanager
def no_file_beyond(limit: int) -> Iterator[None]:
    """Let the system refuse what would make a file longer than this, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
