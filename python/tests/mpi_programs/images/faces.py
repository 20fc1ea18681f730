"""Exchanges and steps between the faces of a cubed sphere. Run by test_faces.py on 1 to 6 ranks.

Arguments: the folder of the slow reference.
"""

import hashlib
import sys
from typing import Any

import numpy as np
from lapwing import (
    Domain,
    Exchange,
    Field,
    FieldSpec,
    Stage,
    Step,
    behind,
    cross,
    cubed_sphere,
    transport_names,
)
from numpy.typing import NDArray

sys.path.insert(0, sys.argv[1])
from model_runs import transports_here
from surface import SWAPPED, Surface, filled_around_face

N, LEVELS, WIDTH = 7, 2, 2
surface = Surface(cubed_sphere(), N)


def values(n: int) -> NDArray[np.float64]:
    i, j, k = np.meshgrid(*map(np.arange, (6 * N, N, LEVELS)), indexing="ij")
    return np.asarray(1.0 + i + 100.0 * j + 10000.0 * k + 1e6 * n)


def make_fields(domain: Domain) -> list[Field]:
    """Scalars, and pairs at all points, vectors and lengths, in all orders of memory."""
    fields = [
        domain.field("t", levels=LEVELS, halo=WIDTH),
        domain.field("psi", levels=LEVELS, halo=WIDTH, location="corner", order="z"),
    ]
    for n, location in enumerate(["center", "xface", "yface", "corner", "xface"]):
        pair = (f"u{n}", f"v{n}")
        for name, point in zip(pair, (location, SWAPPED.get(location, location)), strict=True):
            order = ["x", "z", "yzx"][(n + (name in pair[1])) % 3]
            fields.append(
                domain.field(
                    name,
                    levels=LEVELS,
                    halo=WIDTH,
                    location=point,
                    order=order,
                    vector=n != 4,
                    pair=pair,
                )
            )
    return fields


def expected_in(
    domain: Domain, spec: FieldSpec, whole: dict[str, NDArray[Any]]
) -> list[NDArray[Any]]:
    """What the boxes of this rank hold after an exchange; NaN where nothing comes."""
    (other,) = {*spec.pair} - {spec.name} if spec.pair[0] else {spec.name}
    boxes = []
    for box in domain.boxes:
        face = box.lo[0] // N
        filled = filled_around_face(surface, face, spec, whole[spec.name], whole[other], WIDTH)
        columns = slice(box.lo[0] - face * N, box.hi[0] - face * N + 2 * WIDTH)
        boxes.append(filled[columns, box.lo[1] : box.hi[1] + 2 * WIDTH])
    return boxes


def require_equal(found: NDArray[Any], right: NDArray[Any]) -> None:
    np.testing.assert_array_equal(np.where(np.isnan(right), np.nan, found), right)


def exchange_all(domain: Domain, transport: str) -> None:
    fields = make_fields(domain)
    whole = {field.name: values(n) for n, field in enumerate(fields)}
    exchange = Exchange(fields, transport=transport)
    for _ in range(2):
        for field in fields:
            field.set(lambda i, j, k, given=whole[field.name]: given[i, j, k])
        exchange.run()
        for field in fields:
            for number, right in enumerate(expected_in(domain, field.core.spec, whole)):
                require_equal(field.array(number), right)


def mixed(box, old, tracer):  # type: ignore[no-untyped-def]
    neighbours = old.at(x=-1) + 2 * old.at(x=1) + 3 * old.at(y=-1) + 4 * old.at(y=1)
    tracer[...] = 0.9 * old.at() + 0.01 * neighbours


def one_side(box, tracer, old):  # type: ignore[no-untyped-def]
    old[...] = 0.5 * (tracer.at() + tracer.at(x=-1))


def run(domain: Domain, strategy: str, transport: str) -> str:
    """The digest of a tracer after some steps that read around cells, and on one side alone."""
    tracer, old = (domain.field(name, levels=LEVELS) for name in ("tracer", "old"))
    stages = [
        Stage(one_side, [(tracer, behind("x"))], [old], name="one side"),
        Stage(mixed, [(old, cross(1))], [tracer], name="mixed"),
    ]
    step = Step(domain, stages, strategy=strategy, transport=transport)
    tracer.set(lambda i, j, k: 2.0 + np.sin(1.3 * i + 0.7 * j + k))
    step.run(5)
    whole = tracer.gather()
    digest = "" if whole is None else hashlib.sha256(whole.tobytes()).hexdigest()
    return str(domain.mpi.bcast(digest))


STRATEGIES = [
    *("blocking", "3s", "5s", "6s", "6s(0.3)", "edge-first", "edge-first(B)", "dataflow"),
    *("dataflow(4)", "tiled(2)", "deep(2)", "deep(2)+dataflow", "deep(2)+tiled(2)", "auto"),
]

domain = Domain((6 * N, N), faces=cubed_sphere())
transports = transports_here(transport_names())
for transport in transports:
    exchange_all(domain, transport)
ways = [(strategy, "p2p") for strategy in STRATEGIES]
ways += [("dataflow", transport) for transport in transports]
digests = {run(domain, *way) for way in ways}
assert len(digests) == 1, digests
if domain.rank == 0:
    print("bits", digests.pop())
