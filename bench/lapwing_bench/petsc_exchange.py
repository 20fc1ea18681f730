"""The method `petsc`: ghost points of PETSc's DMDA through petsc4py, when it is installed."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from lapwing_bench._core import ExchangeWork
from lapwing_bench.python_method import Array, PythonMethod


class PetscExchange(PythonMethod):
    """Local vectors of a two-dimensional DMDA, exchanged in place.

    The levels of a field are the components of a cell where levels are contiguous in memory; else,
    as DMDA stores nothing in any other order, a third axis that is not cut.
    """

    def __init__(self, comm: MPI.Comm, work: ExchangeWork) -> None:
        """Make the DMDA and a local vector per field. Collective."""
        from petsc4py import PETSc

        levels, (blocks_x, blocks_y) = max(1, work.levels), work.blocks
        flat = work.levels == 0 or work.levels_fastest
        sizes = (blocks_x * work.nx, blocks_y * work.ny) + (() if flat else (levels,))
        periodic, ghosted = PETSc.DM.BoundaryType.PERIODIC, PETSc.DM.BoundaryType.NONE
        if not flat:
            # ghost levels come with a third axis, whatever is asked for
            raise ImportError("DMDA has ghost cells on all axes or none")
        self.dm = PETSc.DMDA().create(
            dim=len(sizes),
            dof=levels if flat else 1,
            sizes=sizes,
            proc_sizes=(blocks_x, blocks_y) + (() if flat else (1,)),
            boundary_type=(periodic, periodic) + (() if flat else (ghosted,)),
            stencil_type=PETSc.DMDA.StencilType.BOX,
            stencil_width=work.width,
            comm=comm,
        )
        self.vectors = [self.dm.createLocalVec() for _ in range(work.fields)]
        super().__init__(comm, work, [self._view(vector.array, work) for vector in self.vectors])

    @staticmethod
    def _view(values: Array, work: ExchangeWork) -> Array:
        shape = (work.ny + 2 * work.width, work.nx + 2 * work.width, max(1, work.levels))
        return np.asarray(values).reshape(shape).transpose(1, 0, 2)

    def exchange(self) -> None:
        """Fill the halos of all fields."""
        for vector in self.vectors:
            self.dm.localToLocal(vector, vector)
