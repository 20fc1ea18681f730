"""A blob goes round a cubed sphere, over six faces, and keeps its mass.

mpiexec -n 2 python sphere.py
prints: mass kept: True, degrees from its start: 2.7, left of its top: 0.42
"""

import lapwing
import numpy as np

N, STEPS = 24, 480  # cells along a side of a face; steps of one turn about the axis
AXIS = np.array([1.0, -1.0, 1.0]) / np.sqrt(3)  # through two corners of the cube: all faces are met
x, y, z = np.eye(3)
FACES = [  # the middle of each face, and the directions of its x and y
    *((x, y, z), (y, -x, z), (z, -x, -y)),
    *((-x, -z, -y), (-y, -z, x), (-z, y, x)),
]


def corners(face):
    """Points of the sphere [N + 1, N + 1, 3] at equal angles."""
    middle, along_x, along_y = FACES[face]
    t = np.tan(np.linspace(-np.pi / 4, np.pi / 4, N + 1))
    p = middle + t[:, None, None] * along_x + t[None, :, None] * along_y
    return p / np.linalg.norm(p, axis=-1, keepdims=True)


def over_faces(value):
    """value(corners) of all faces, side by side: [6 N, N]."""
    return np.concatenate([value(corners(face)) for face in range(6)])


def stream(p):
    return -2 * np.pi / STEPS * p @ AXIS


area = over_faces(
    lambda p: (
        0.5 * np.linalg.norm(np.cross(p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1]), axis=-1)
    )
)
centers = over_faces(lambda p: p[1:, 1:] + p[:-1, :-1] + p[1:, :-1] + p[:-1, 1:])
centers /= np.linalg.norm(centers, axis=-1, keepdims=True)
# volume through the face towards i + 1, and towards j + 1, each step
flow_x = over_faces(lambda p: stream(p[1:, :-1]) - stream(p[1:, 1:]))
flow_y = over_faces(lambda p: stream(p[1:, 1:]) - stream(p[:-1, 1:]))

domain = lapwing.Domain((6 * N, N), faces=lapwing.cubed_sphere())
tracer = domain.field("tracer")
pair = ("flux_x", "flux_y")  # where x of a face runs along y of the next, they change places
flux_x = domain.field("flux_x", location="xface", vector=True, pair=pair)
flux_y = domain.field("flux_y", location="yface", vector=True, pair=pair)


def part(whole, box):
    return whole[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]


def flow(box, tracer, flux_x, flux_y):
    u, v = part(flow_x, box), part(flow_y, box)
    flux_x[...] = u * np.where(u > 0, tracer.at(), tracer.at(x=1))
    flux_y[...] = v * np.where(v > 0, tracer.at(), tracer.at(y=1))


def advance(box, tracer, flux_x, flux_y):
    gain = flux_x.at(x=-1) - flux_x.at() + flux_y.at(y=-1) - flux_y.at()
    tracer[...] = tracer.at() + gain / part(area, box)


step = lapwing.Step(
    domain,
    [
        lapwing.Stage(flow, [(tracer, lapwing.cross(1))], [flux_x, flux_y]),
        lapwing.Stage(
            advance,
            [tracer, (flux_x, lapwing.behind("x")), (flux_y, lapwing.behind("y"))],
            [tracer],
        ),
    ],
)
tracer.set(lambda i, j: np.exp(-8 * (1 - centers[i, j] @ x)))
before = tracer.gather()
step.run(STEPS)
after = tracer.gather()
if after is not None:
    error = abs((after * area).sum() / (before * area).sum() - 1)
    mean = [((field * area)[..., None] * centers).sum((0, 1)) for field in (before, after)]
    away = np.arccos(np.dot(*mean) / np.prod(np.linalg.norm(mean, axis=1)))
    print(
        f"mass kept: {error < 1e-13}, degrees from its start: {np.degrees(away):.1f},"
        f" left of its top: {after.max() / before.max():.2f}"
    )
