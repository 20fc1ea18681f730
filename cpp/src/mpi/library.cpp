#include "mpi/library.hpp"

#include <mpi.h>

#include <array>

namespace lapwing {

std::string mpi_library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace lapwing
