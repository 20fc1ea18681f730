"""The coast model of lapwing: depth-integrated flow on the Arakawa C-grid."""

import lapwing.core.domain  # noqa: F401  (loads MPI and lapwing before _kernels)
from lapwing.base import builds

__path__ = [*__path__, *builds.folders(__name__)]

from lapwing_coast.coast_model import CoastModel, model  # entry point `lapwing.models`: coast
from lapwing_coast.run import CoastRun
from lapwing_coast.settings import CoastSettings

__all__ = ["CoastModel", "CoastRun", "CoastSettings", "model"]
