"""The method `petsc`: ghost points of PETSc's DMDA through petsc4py, when it is installed."""

from __future__ import annotations

from mpi4py import MPI

from lapwing_bench._core import ExchangeWork
from lapwing_bench.python_method import PythonMethod, as_view


class PetscExchange(PythonMethod):
    """Local vectors of a DMDA, exchanged in place.

    Levels are a third axis that is neither cut nor periodic, and so has no ghost points; where they
    are contiguous in memory they are the components of a point of a two-dimensional DMDA.
    """

    def __init__(self, comm: MPI.Comm, work: ExchangeWork) -> None:
        """Make the DMDA and a local vector per field. Collective."""
        from petsc4py import PETSc

        sizes = [blocks * n for blocks, n in zip(work.blocks, (work.nx, work.ny), strict=True)]
        boundary = [PETSc.DM.BoundaryType.PERIODIC] * 2
        third = [] if work.levels == 0 or work.levels_fastest else [work.levels]
        self.dm = PETSc.DMDA().create(
            dof=work.levels if work.levels_fastest else 1,
            sizes=sizes + third,
            proc_sizes=list(work.blocks) + [1 for _ in third],
            boundary_type=boundary + [PETSc.DM.BoundaryType.NONE for _ in third],
            stencil_type=PETSc.DMDA.StencilType.BOX,
            stencil_width=work.width,
            comm=comm,
        )
        self.vectors = [self.dm.createLocalVec() for _ in range(work.fields)]
        super().__init__(comm, work, [as_view(vector.array, work) for vector in self.vectors])

    def exchange(self) -> None:
        """Fill the halos of all fields, one after the other: DMDA combines no vectors."""
        for vector in self.vectors:
            self.dm.localToLocal(vector, vector)
