"""Exchanges and steps across a north fold. Run by test_north_fold.py on 1 to 4 ranks.

Arguments: the folder of the serial fill.
"""

import hashlib
import itertools
import sys

import numpy as np
from lapwing import (
    ArrayExchange,
    Domain,
    Exchange,
    Extent,
    FieldSpec,
    Grid,
    Stage,
    Step,
    around,
    behind,
    set_land,
    transport_names,
)
from lapwing.core.partition import Mask, block_partition, ksection_partition
from numpy.typing import NDArray

sys.path.insert(0, sys.argv[1])
from model_runs import transports_here
from plan_executor import filled_across_fold

NX, NY, LEVELS, WIDTH = 12, 9, 3, 2
LOCATIONS = ["center", "xface", "yface", "corner"]
wet = np.random.default_rng(4).random((NX, NY)) > 0.2
wet[7:, -1] = wet[5:0:-1, -1]  # the halves of a row of centers on the fold agree


def domains(fold: str) -> list[Domain]:
    grid = Grid((NX, NY), [True, False], fold)
    ranks = Domain((64, 64)).ranks
    cut = ksection_partition(grid, Mask(np.ones((NX, NY))), ranks).partition
    return [Domain(block_partition(grid, ranks=ranks)), Domain(cut)]


def values(n: int) -> NDArray[np.float64]:
    i, j, k = np.meshgrid(*map(np.arange, (NX, NY, LEVELS)), indexing="ij")
    return np.asarray(1.0 + i + 100.0 * j + 10000.0 * k + 1e6 * n)


def part_around(whole: NDArray[np.float64], domain: Domain, width: int) -> NDArray[np.float64]:
    lo, hi = domain.box.lo, domain.box.hi
    columns = (slice(lo[a] + WIDTH - width, hi[a] + WIDTH + width) for a in range(2))
    return whole[tuple(columns)]


def inside_south(domain: Domain, width: int) -> slice:
    """Rows that are no halo below the grid, where nothing comes."""
    return slice(max(0, width - domain.box.lo[1]), None)


def exchange_all(domain: Domain, fold: str, transport: str) -> None:
    """Scalars and components of vectors at all points, in all orders of memory, together."""
    kinds = list(itertools.product(LOCATIONS, [False, True]))
    fields, expected = [], []
    for n, (location, vector) in enumerate(kinds):
        order = ["x", "z", "yzx"][n % 3]
        field = domain.field(
            f"f{n}", levels=LEVELS, halo=WIDTH, location=location, order=order, vector=vector
        )
        whole = filled_across_fold(values(n), fold, location, WIDTH, -1 if vector else 1)
        fields.append(field)
        expected.append(part_around(whole, domain, WIDTH))
    exchange = Exchange(fields, transport=transport)
    rows = inside_south(domain, WIDTH)
    for _ in range(2):
        for n, field in enumerate(fields):
            field.set(lambda i, j, k, n=n: values(n)[i, j, k])
        exchange.run()
        for field, right in zip(fields, expected, strict=True):
            np.testing.assert_array_equal(field.array()[:, rows], right[:, rows])


def exchange_arrays(domain: Domain, fold: str) -> None:
    """Arrays whose strides change from call to call."""
    both = (WIDTH, WIDTH)
    spec = FieldSpec(
        "u", extents=[Extent(both, both)], levels=LEVELS, location="corner", vector=True
    )
    halos = ArrayExchange(domain, spec)
    right = part_around(filled_across_fold(values(1), fold, "corner", WIDTH, -1), domain, WIDTH)
    box = domain.box
    own = values(1)[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
    for order in ("F", "C", "F"):
        array = np.zeros(right.shape, order=order)
        array[WIDTH:-WIDTH, WIDTH:-WIDTH] = own
        halos.run(array)
        rows = inside_south(domain, WIDTH)
        np.testing.assert_array_equal(array[:, rows], right[:, rows])


def flow(box, tracer, speed, water, flux):  # type: ignore[no-untyped-def]
    """Upwind fluxes through the y faces, with a slope along x, so that corners are read too."""
    here, ahead, v = tracer.at(), tracer.at(y=1), speed.at()
    slope = 0.01 * (tracer.at(x=1, y=1) - tracer.at(x=-1, y=1))
    wet_face = water.at() + water.at(y=1) > 0
    flux[...] = np.where(wet_face, np.where(v > 0, here, ahead) * v + slope * np.abs(v), 0.0)


def spread(box, tracer, flux, speed, water):  # type: ignore[no-untyped-def]
    change = 0.2 * (flux.at(y=-1) - flux.at()) + 0.01 * speed.at(x=-1)
    tracer[...] = np.where(water.at() > 0, tracer.at() + change, tracer.at())


def run(domain: Domain, strategy: str, transport: str, wet_form: str) -> str:
    """The digest of a tracer and a flux after some steps in a sea with land."""
    set_land(domain, Mask(wet), wet_form)
    tracer, water = (
        domain.field(name, levels=LEVELS, constant_on_land=True) for name in ("tracer", "water")
    )
    flux = domain.field("flux", levels=LEVELS, location="yface", constant_on_land=True, vector=True)
    speed = domain.field("speed", location="yface", vector=True, levels=LEVELS)
    one = around(1)
    reads = [(tracer, one), (speed, one), (water, one)]
    stages = [
        Stage(flow, reads, [flux], name="flow"),
        Stage(spread, [tracer, (flux, behind("y")), *reads[1:]], [tracer], name="spread"),
    ]
    step = Step(domain, stages, strategy=strategy, transport=transport)
    tracer.set(lambda i, j, k: 2.0 + np.sin(1.3 * i + 0.7 * j + k))
    speed.set(lambda i, j, k: np.cos(0.9 * i - 1.1 * j + k))
    water.set(lambda i, j, k: 1.0 * wet[i, j] + 0 * k)
    step.run(4)
    digest = hashlib.sha256()
    for field in (tracer, flux):
        whole = field.gather()
        digest.update(b"" if whole is None else np.ascontiguousarray(whole).tobytes())
    return str(domain.mpi.bcast(digest.hexdigest()))


STRATEGIES = [
    *("blocking", "3s", "5s", "6s", "6s(0.3)", "edge-first", "edge-first(B)", "dataflow"),
    *("dataflow(4)", "tiled(2)", "deep(2)", "deep(2)+dataflow", "deep(2)+tiled(2)", "auto"),
]

FORMS = ["off", "clip", "patches", "lists"]

transports = transports_here(transport_names())

for fold in "TF":
    digests = set()
    for n, domain in enumerate(domains(fold)):  # each takes half of the ways
        for transport in transports[n::2]:
            exchange_all(domain, fold, transport)
        exchange_arrays(domain, fold)
        ways = [(strategy, "p2p") for strategy in STRATEGIES]
        ways += [("dataflow", transport) for transport in transports]
        for way, form in zip(ways[n::2], itertools.cycle(FORMS)):
            digests.add(run(domain, *way, form))
            assert len(digests) == 1, (fold, way, form, digests)
    if domain.rank == 0:
        print("bits", fold, digests.pop())
