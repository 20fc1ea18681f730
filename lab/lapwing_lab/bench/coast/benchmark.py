"""`lapwing bench coast`: the stages of the coast model against memory and divider of this machine.

The model runs as in any case; its own timers say where each step went, so every kernel is timed
with the caches as the others left them. Every rank computes nx x ny columns; what is printed is one
core's rate, that of the slowest rank.
"""

from __future__ import annotations

from lapwing_lab.bench.coast.kernels import KERNELS
from lapwing_lab.bench.coast.request import CoastRequest
from lapwing_lab.bench.coast.sea import stirred
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.stages import measuring, tables
from lapwing_lab.bench.stages.work import Work


def run(request: CoastRequest) -> int:
    """Measure all works and print the tables. Collective over the world."""
    return tables.tell_works(request, KERNELS, {work: measure(work) for work in request.chosen})


def measure(work: Work) -> list[Result]:
    """Return the times of one sweep of each stage, a step, copies and divisions. Collective."""
    return measuring.measure(work, KERNELS, stirred)
