"""Sound in a box: two fields, two stages, and any order of computing and communicating.

mpiexec -n 2 python sound.py dataflow
prints: sound: loudest 0.120518567, on 2 ranks
lapwing verify sound.py --ranks 4
lapwing plan sound.py --strategy dataflow --plot plan.png
"""

import sys

import lapwing
import numpy as np


def flow(box, pressure, potential):
    potential -= pressure


def press(box, potential, pressure):
    # an array that is read with an extent holds the cells around the box as well
    around = potential[2:, 1:-1] + potential[:-2, 1:-1] + potential[1:-1, 2:] + potential[1:-1, :-2]
    pressure -= 0.2 * (around - 4 * potential[1:-1, 1:-1])


class Sound:
    """Sound in a box."""

    grid = (300, 200)

    def create(self, domain, **options):
        pressure, potential = domain.field("pressure"), domain.field("potential")
        stages = [
            lapwing.Stage(flow, reads=[pressure], updates=[potential]),
            lapwing.Stage(press, reads=[(potential, lapwing.Extent.cross(1))], updates=[pressure]),
        ]
        step = lapwing.Step(domain, stages, **options)
        # the fields have memory now
        pressure.set(lambda i, j: np.exp(-((i - 90) ** 2 + (j - 80) ** 2) / 50))
        return step


if __name__ == "__main__":
    strategy = sys.argv[1] if len(sys.argv) > 1 else "blocking"
    step = Sound().create(lapwing.Domain(Sound.grid), strategy=strategy)
    step.run(400)
    pressure, _ = step.report.fields
    if (field := pressure.gather()) is not None:
        print(f"sound: loudest {np.abs(field).max():.9f}, on {pressure.domain.ranks} ranks")
        for name, seconds in zip(step.report.stage_names, step.report.times.compute, strict=True):
            print(f"{name:9}{seconds / step.report.times.steps * 1e6:9.1f} us per step")
        waits = (
            step.report.times.halo_start + step.report.times.halo_wait
        ) / step.report.times.steps
        print(f"{'halos':9}{waits * 1e6:9.1f} us per step")
        print(step.report.choice or step.report.describe_tasks())
