"""The lattice model of lapwing: flow by lattice Boltzmann, D3Q19."""

import lapwing.core.domain  # noqa: F401  (loads MPI and lapwing before _kernels)
from lapwing.base import builds

__path__ = [*__path__, *builds.folders(__name__)]

from lapwing_lattice.lattice_model import LatticeModel, model  # entry point `lapwing.models`
from lapwing_lattice.lattice_run import LatticeRun
from lapwing_lattice.settings import LatticeSettings

__all__ = ["LatticeModel", "LatticeRun", "LatticeSettings", "model"]
