#!/usr/bin/env bash
# Devito 4.8.23 (PyPI; g++, x86-64): what runs in the same process after an Operator.
#
# Guess:     an Operator changes the fields that it is given.
# Behaviour: its compiled kernel turns on flush-to-zero and denormals-are-zero for the calling thread and leaves them on, so
#            NumPy's arithmetic after op.apply() is another one, comparisons and printing with it.
# Seen:      1e-310 * 1.0 before: 1e-310, after: 0.0; a number kept from before is > 0: False
# Why it matters: a comparison of two models in one process is no longer one: whatever runs second has lost gradual underflow,
#            and x != y no longer implies x - y != 0. Only numbers below 2.2e-308 (float32: 1.2e-38) differ: tails of tracers,
#            spun-down waves and sponges. Run the peer in a process of its own, or set the mode back after it.
# Source:    the generated C: _MM_SET_DENORMALS_ZERO_MODE and _MM_SET_FLUSH_ZERO_MODE at the beginning of Kernel, no reset at
#            its end (print the Operator).
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install devito==4.8.23 setuptools==80.9.0
cd "$folder"
DEVITO_LOGGING=ERROR env/bin/python - <<'PYTHON'
import sys

import numpy as np
from devito import Eq, Grid, Operator, TimeFunction

denormal, one = np.full(1000, 1e-310), np.ones(1000)
before = str((denormal * one).max())
u = TimeFunction(name="u", grid=Grid((64, 64)))
Operator([Eq(u.forward, 0.5 * u)]).apply(time_M=3)
after = str((denormal * one).max())
print(f"1e-310 * 1.0 before: {before}, after: {after}; a number kept from before is > 0: {denormal[0] > 0}")
sys.exit(0 if (before, after) == ("1e-310", "0.0") and not denormal[0] > 0 else "this has changed")
PYTHON
