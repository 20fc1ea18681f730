"""Compare the exchange of a pair of vectors across a north fold with one on a periodic grid.

mpiexec -n 2 python lab/programs/exchange/north_fold.py [NX NY LEVELS ROUNDS]

Prints, for blocks along x or y, each transport and order of memory, the least time of an exchange
of u and v with a halo of two cells on the periodic grid, and its ratio to one with a fold, of the
least times and the median over alternating rounds.
"""

import sys
from itertools import product
from statistics import median
from time import perf_counter

import lapwing
from lapwing.core.exchange import Exchange
from lapwing.core.partition import Grid, block_partition

GIVEN = [int(word) for word in sys.argv[1:]]
NX, NY, LEVELS, ROUNDS = [*GIVEN, *(120, 60, 40, 40)[len(GIVEN) :]]
EXCHANGES = 50  # in a round


def exchange(grid: Grid, along: str, order: str, transport: str) -> Exchange:
    """The exchange of a pair of vectors on blocks along an axis."""
    blocks = (world.ranks, 1, 1) if along == "x" else (1, world.ranks, 1)
    domain = lapwing.Domain(block_partition(grid, blocks))
    points = (("u", "xface"), ("v", "yface"))
    pair = [
        domain.field(name, levels=LEVELS, halo=2, location=at, order=order, vector=True)
        for name, at in points
    ]
    for field in pair:
        field.set(lambda i, j, k: 1.0 + i + j + k)
    return Exchange(pair, transport=transport)


def seconds(one: Exchange) -> float:
    """The time of an exchange, the mean of some."""
    begin = perf_counter()
    for _ in range(EXCHANGES):
        one.run()
    return (perf_counter() - begin) / EXCHANGES


world = lapwing.Domain((64, 64))
grids = Grid((NX, NY), True), Grid((NX, NY), (True, False), "F")
for along, order, transport in product("xy", "xz", ("shared", "p2p")):
    pair = [exchange(grid, along, order, transport) for grid in grids]
    times: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for one, found in zip(pair, times, strict=True):
            found.append(seconds(one))
    least = min(times[1]) / min(times[0])
    middle = median(b / a for a, b in zip(*times, strict=True))
    if world.rank == 0:
        said = f"{1e6 * min(times[0]):.1f} us, folded {least:.3f} of the least, {middle:.3f} median"
        print(f"blocks along {along}, {transport}, order {order}: periodic {said}", flush=True)
