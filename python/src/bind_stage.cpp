#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "lapwing/step.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

// The kernel of every stage made in Python: the context is the Python object to call. What that raises goes through
// the step to its caller.
void call_python(void* context, Box box) {
    const nb::gil_scoped_acquire lock;
    nb::handle(static_cast<PyObject*>(context))(box);
}

// The callables are borrowed: held here, a model whose kernels are its own methods would never be collected.
Stage stage_of(std::string name, const std::vector<std::pair<Field*, Extent>>& reads, std::vector<Field*> writes,
               const std::vector<nb::handle>& kernels, const std::optional<Box>& region) {
    Stage stage;
    stage.name = std::move(name);
    for (const auto& [field, extent] : reads) stage.reads.push_back({field, extent});
    stage.writes = std::move(writes);
    stage.kernel = &call_python;
    for (const nb::handle& kernel : kernels) stage.contexts.push_back(kernel.ptr());
    stage.region = region;
    return stage;
}

}  // namespace

void lapwing::python::bind_stage(nb::module_& m) {
    nb::class_<Stage>(m, "Stage", "One loop of a model as a step takes it; lapwing.Stage is the one for people.")
        .def(
            "__init__",
            [](Stage* self, std::string name, const std::vector<std::pair<Field*, Extent>>& reads,
               std::vector<Field*> writes, const std::vector<nb::handle>& kernels, const std::optional<Box>& region) {
                new (self) Stage(stage_of(std::move(name), reads, std::move(writes), kernels, region));
            },
            "name"_a, "reads"_a, "writes"_a, "kernels"_a, "region"_a.none(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 4>(),
            "Name, fields with how far they are read, fields written, one callable of a box per owned box, and the "
            "region. Whoever makes it keeps the callables alive. Local.")
        .def_ro("name", &Stage::name, "Name of the stage.");
}
