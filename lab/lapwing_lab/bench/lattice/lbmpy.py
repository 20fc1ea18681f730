"""lbmpy's kernels of the same patterns, generated for this processor, on arrays of one rank."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lapwing_lab.bench.measure.method import MethodMissingError

Steps = Callable[[int], None]

PULL = "lbmpy-pull"
PATTERNS = {PULL: "pull", "lbmpy-inplace": "aa", "lbmpy-esotwist": "esotwist"}
# values of a cache line, between addresses on the same lines of the nearest cache, and, as in
# lapwing's own lattices, by which populations lie apart within these
LINE, SAME_LINES, APART = 8, 512, 27 * 8


def lbmpy_steps(
    method: str, cells: tuple[int, int, int], tau: tuple[float, float]
) -> tuple[Steps, str]:
    """Return what runs so many steps of a method without neighbours, and the version. Local.

    Compiles. MethodMissingError where lbmpy is not to be had.
    """
    with warnings.catch_warnings():  # packages that it can do without
        warnings.simplefilter("ignore")
        try:
            import lbmpy
            import pystencils as ps

            return _steps(ps, method, cells, tau), str(lbmpy.__version__)
        except ImportError as problem:
            raise MethodMissingError(f"{method} left out: {problem}; `make peer-lbmpy`") from None
        except Exception as problem:  # another version of it, or no compiler
            raise MethodMissingError(f"{method} left out: {problem}") from None


def _steps(ps: Any, method: str, cells: tuple[int, int, int], tau: tuple[float, float]) -> Steps:
    from lbmpy.advanced_streaming import Timestep

    one, pattern = lattice_of(cells), PATTERNS[method]
    if method == PULL:
        pull, other = _kernel(ps, pattern, Timestep.BOTH, tau), lattice_of(cells)
        two_steps = [partial(pull, src=one, dst=other), partial(pull, src=other, dst=one)]
    else:
        kernels = (_kernel(ps, pattern, step, tau) for step in (Timestep.EVEN, Timestep.ODD))
        two_steps = [partial(kernel, src=one) for kernel in kernels]

    def run(steps: int) -> None:
        for _ in range(steps // 2):
            for step in two_steps:
                step()

    return run


def lattice_of(cells: tuple[int, int, int]) -> Any:
    """Populations at rest with a layer around, x fastest and directions slowest. Local.

    Rows begin on cache lines, and populations on others of the nearest cache, as lapwing's do.
    """
    nx, ny, nz = (n + 2 for n in cells)
    row = -(-nx // LINE) * LINE
    population = -(-(row * ny * nz - APART) // SAME_LINES) * SAME_LINES + APART
    memory = np.full(19 * population + LINE, 1.0 / 19.0)
    first = -(memory.ctypes.data // memory.itemsize) % LINE
    strides = [memory.itemsize * values for values in (1, row, row * ny, population)]
    return np.lib.stride_tricks.as_strided(memory[first:], (nx, ny, nz, 19), strides)


def _kernel(ps: Any, pattern: str, step: Any, tau: tuple[float, float]) -> Any:
    from lbmpy import LBMConfig, LBMOptimisation, LBStencil, Method, Stencil, create_lb_update_rule

    source, target = (
        ps.fields(f"{name}(19): double[3D]", layout="fzyx") for name in ("src", "dst")
    )
    config = LBMConfig(
        stencil=LBStencil(Stencil.D3Q19),
        method=Method.TRT,
        relaxation_rates=[1.0 / tau[0], 1.0 / tau[1]],
        compressible=True,
        zero_centered=False,
        streaming_pattern=pattern,
        timestep=step,
    )
    places = LBMOptimisation(symbolic_field=source, symbolic_temporary_field=target)
    rule = create_lb_update_rule(lbm_config=config, lbm_optimisation=places)
    choice = ps.CreateKernelConfig(target=_target(ps))
    choice.cpu.vectorize.enable = choice.target.is_vector_cpu()
    choice.cpu.vectorize.assume_inner_stride_one = True
    return ps.create_kernel(rule, choice).compile()


def _target(ps: Any) -> Any:
    """The widest registers of this processor; pystencils' own guess needs one more package."""
    file = Path("/proc/cpuinfo")
    words = file.read_text().split() if file.exists() else []
    if "avx512f" in words:
        return ps.Target.X86_AVX512
    return ps.Target.X86_AVX if "avx2" in words else ps.Target.GenericCPU
