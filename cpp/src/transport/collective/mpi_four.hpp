#pragma once
// True if the MPI has the persistent collectives of MPI-4. Open MPI 5 has them and calls itself MPI 3.1.

#include <mpi.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define LAPWING_MPI_FOUR 1
#else
#define LAPWING_MPI_FOUR 0
#endif
