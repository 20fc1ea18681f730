"""Rank 1 comes late to every step of the coast model. Run by test_census.py."""

import json
import time
from statistics import median

from lapwing.commands.census import Census, gather_census
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import start
from lapwing.run.request import Request, make_setup

DELAY = 0.02  # s
world = start().COMM_WORLD
plan = make_setup(Request("kelvin-small", leaves_results=False), world.size)
domain = Domain(plan.partition, world)
run = plan.case.model.create(
    domain, plan.case.settings, plan.geometry, strategy="blocking", transport="p2p"
)
run.step.observe()
run.advance(4)
found: list[Census] = []
for _ in range(8):
    run.step.reset_times()
    world.Barrier()
    # after the reduction with which a run begins, which would wait for rank 1 as well
    run.step.run(1, lambda: time.sleep(DELAY) if world.rank == 1 else None)
    census = gather_census(domain, run.step)
    if census is not None:
        found.append(census)
if world.rank == 0:
    # medians over the steps: one that the system interrupted proves nothing
    parts = {
        part: [
            median(sum(getattr(row, part)[rank] for row in census.exchanges) / DELAY
                   for census in found)
            for rank in range(world.size)
        ]
        for part in ("late", "transfer")
    }  # fmt: skip
    print(json.dumps(parts))
domain.close()
