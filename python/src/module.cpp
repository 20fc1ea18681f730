// lapwing.core._core: glue without logic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include "lapwing/base/version.hpp"

#include <exception>
#include <string>

#include "bindings.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/bad_cell.hpp"
#include "lapwing/mpi/shared_files.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "mpi/communicator.hpp"

namespace nb = nanobind;

namespace {

std::string mpi_library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return {text, static_cast<std::size_t>(length)};
}

int communicator_size(nb::handle communicator) {
    int size = 0;
    MPI_Comm_size(lapwing::python::handle_of(communicator), &size);
    return size;
}

// C++ errors become the classes of lapwing.error, which exist without this extension: the command
// line must be able to report that it cannot be loaded.
void translate_errors() {
    const nb::module_ errors = nb::module_::import_("lapwing.base.error");
    static PyObject* user_error = errors.attr("UserError").inc_ref().ptr();
    static PyObject* outside_error = errors.attr("OutsideError").inc_ref().ptr();
    static PyObject* state_error = errors.attr("StateError").inc_ref().ptr();
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const lapwing::UserError& error) {
            PyErr_SetString(user_error, error.what());
        } catch (const lapwing::OutsideError& error) {
            PyErr_SetString(outside_error, error.what());
        } catch (const lapwing::StateError& error) {
            PyErr_SetString(state_error, error.what());
        }
    });
}

// Python notes signals, and raises what their handlers raise when it is asked to: KeyboardInterrupt.
void raise_signals() {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

NB_MODULE(_core, module) {
    // At exit, Hypothesis and pytest still hold boxes, which hold the whole module, and nanobind would print pages. A
    // plain program is silent with the warnings on, so nothing here leaks.
    nb::set_leak_warnings(false);
    translate_errors();
    lapwing::set_interruption(&raise_signals);
    lapwing::explain_bus_errors();
    lapwing::python::bind_faces(module);
    lapwing::python::bind_partition(module);
    lapwing::python::bind_partition_search(module);
    lapwing::python::bind_plan(module);
    lapwing::python::bind_field(module);
    lapwing::python::bind_domain(module);
    lapwing::python::bind_exchange(module);
    lapwing::python::bind_stage(module);
    lapwing::python::bind_step(module);
    lapwing::python::bind_outline(module);
    lapwing::python::bind_transpose(module);
    lapwing::python::bind_solver(module);
    lapwing::python::bind_store(module);
    module.def("version", &lapwing::version, "The version of the C++ library. Local.");
    module.def("mpi_library_version", &mpi_library_version,
               "What the MPI library that the extension is linked to says about itself. Local; may be called before "
               "MPI is initialised.");
    module.def(
        "unlink_shared_files", &lapwing::unlink_shared_files,
        "Take the names of MPICH's files in /dev/shm, so that a killed job leaves none. Local; after a barrier that "
        "follows MPI_Init on all ranks.");
    module.def("communicator_size", &communicator_size, nb::arg("communicator"),
               "The number of ranks of an mpi4py communicator. Local.");
}
