#pragma once

#include <mpi.h>
#include <nanobind/nanobind.h>

namespace lapwing::python {

/// The MPI handle inside an mpi4py communicator.
///
/// Local. `communicator`: an mpi4py.MPI.Comm; the handle stays its property. Errors: whatever mpi4py raises for
/// another type. Asking mpi4py at run time instead of compiling against its headers leaves its version free; both
/// sides run the same MPI, which lapwing.mpi_runtime has made sure of.
MPI_Comm handle_of(nanobind::handle communicator);

}  // namespace lapwing::python
