#pragma once
// The MPI library of this process, which need not be the one that lapwing was compiled with.

#include <string>

namespace lapwing {

// Returns what MPI_Get_library_version says: name, version and more. Local.
[[nodiscard]] std::string mpi_library();

}  // namespace lapwing
