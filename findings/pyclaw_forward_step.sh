#!/usr/bin/env bash
# Clawpack 5.14.0 (PyClaw; NumPy 2.4.6, gfortran): the shipped example euler_2d/shock_forward_step, as it is but shorter.
#
# Guess: a supersonic flow (Mach 3) over a step; a run that returns its status has computed one.
# Behaviour: every cell is NaN, from the first steps on, and run() returns as after a success. The number of steps differs
#   from run to run: the example takes 4 waves of a Riemann solver that sets 2, so speeds are also what was in memory.
# Output seen in one run (another had 1 step instead of 15):
#   num_waves = 4: NaN in 102400 of 102400 values after 15 steps, status: cflmax, dtmin, dtmax, numsteps
#   num_waves = 2: NaN in 102400 of 102400 values after 1 steps, status: cflmax, dtmin, dtmax, numsteps
# Why it matters: no error, warning or exit code tells of it, and a maximum over speeds that forgets NaN gives a CFL number
#   that looks right (0.9), or 0, which the solver accepts.
# Source: riemann/src/rpn2_euler_hlle_with_walls.f90 has c_l = dsqrt(gamma1*H_l-u_l**2/2.); the sound speed is
#   sqrt(gamma1*(H-u**2/2)), and for this inflow (H = 7, u = 3, gamma1 = 0.4) the root of 0.4*7-4.5 is NaN.
#   riemann/riemann/static.py says num_waves 2 for this solver, the example sets 4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
echo "numpy==2.4.6" > "$folder/pins.txt"
PIP_CONSTRAINT="$folder/pins.txt" "$folder/venv/bin/pip" install --quiet --no-deps numpy==2.4.6 Clawpack==5.14.0
PIP_CONSTRAINT="$folder/pins.txt" "$folder/venv/bin/pip" install --quiet matplotlib==3.11.2 scipy==1.17.1  # the examples import them
cd "$folder"
venv/bin/python - <<'PROGRAM'
import logging
import sys

import numpy as np
from clawpack.pyclaw.examples.euler_2d import shock_forward_step

logging.disable(logging.CRITICAL)
wrong = []
for waves in (4, 2):  # as the example sets it, and as its Riemann solver has it
    claw = shock_forward_step.setup(disable_output=True, tfinal=0.1, num_output_times=1)
    claw.solver.num_waves = waves
    status = claw.run()
    q = claw.frames[-1].q
    print(
        f"num_waves = {waves}: NaN in {np.isnan(q).sum()} of {q.size} values after "
        f"{status['numsteps']} steps, status: {', '.join(status)}"
    )
    wrong.append(np.isnan(q).all())
sys.exit(0 if all(wrong) else "this has changed")
PROGRAM
