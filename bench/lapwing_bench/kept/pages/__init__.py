"""The pages of docs/measurements that are made from kept results."""

from lapwing_bench.kept.page import Page
from lapwing_bench.kept.pages import (
    by_hand,
    exchange,
    kernels,
    lattice,
    output,
    overlap,
    partitions,
    shallow_water,
    stages,
    transposes,
    zones,
)

PAGES: dict[str, Page] = {
    page.name: page
    for page in (
        *(exchange.PAGE, shallow_water.PAGE, by_hand.PAGE, partitions.PAGE),
        *(*kernels.PAGES, *stages.PAGES),
        *(overlap.PAGE, zones.PAGE, transposes.PAGE, lattice.PAGE, output.PAGE),
    )
}
