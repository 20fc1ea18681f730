"""Life on a torus."""

import lapwing
import numpy as np

AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]

with lapwing.Domain((96, 64), periodic=True) as domain:
    now, later = domain.field("now"), domain.field("later")

    def live(box, old, new):
        neighbours = sum(old.at(x=i, y=j) for i, j in AROUND)
        new[...] = (neighbours == 3) | ((neighbours == 2) & (old.at() == 1))

    forth = lapwing.stage(reads=[(now, lapwing.around(1))], writes=[later])(live)
    back = lapwing.stage(reads=[(later, lapwing.around(1))], writes=[now])(live)
    step = lapwing.Step(domain, [forth, back], strategy="dataflow")
    now.set(lambda i, j: (i * i + 3 * j + i * j) % 7 < 3)
    step.run(100)
    if (cells := now.gather()) is not None:
        weights = np.arange(cells.size).reshape(cells.shape)
        print(f"{cells.sum():.0f} alive, checksum {(cells * weights).sum():.0f}")
