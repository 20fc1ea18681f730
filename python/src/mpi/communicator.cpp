#include "communicator.hpp"

#include <cstdint>

namespace nb = nanobind;

namespace lapwing::python {

MPI_Comm handle_of(nb::handle communicator) {
    const nb::object address = nb::module_::import_("mpi4py.MPI").attr("_addressof")(communicator);
    return *reinterpret_cast<MPI_Comm*>(nb::cast<std::uintptr_t>(address));
}

}  // namespace lapwing::python
