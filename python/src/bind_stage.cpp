#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bindings.hpp"
#include "lapwing/step/step.hpp"

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

// A reduction with the memory of its numbers.
struct ReducedNumber {
    Reduction::Kind kind = Reduction::Kind::minimum;
    double partial = 0;
    double value = std::numeric_limits<double>::quiet_NaN();

    void fold(double number) {
        // std::min and std::max may pass over what is not a number
        if (std::isnan(number) || std::isnan(partial)) {
            partial = std::numeric_limits<double>::quiet_NaN();
        } else {
            partial = kind == Reduction::Kind::minimum ? std::min(partial, number) : std::max(partial, number);
        }
    }
};

using DeclaredReads = std::vector<std::pair<AnyField*, Extent>>;

// The callables are borrowed: held here, a model whose kernels are its own methods would never be collected.
Stage stage_of(std::string name, const DeclaredReads& reads, std::vector<AnyField*> writes,
               const std::vector<nb::handle>& kernels, const std::optional<Box>& region, bool in_place,
               const Extent& rim, ReducedNumber* reduction, int repeats, int iteration) {
    Stage stage;
    stage.name = std::move(name);
    for (const auto& [field, extent] : reads) stage.reads.push_back({field, extent});
    stage.writes = std::move(writes);
    stage.kernel = &call_python;
    stage.names_errors = true;
    for (const nb::handle& kernel : kernels) stage.contexts.push_back(kernel.ptr());
    stage.region = region;
    stage.in_place = in_place;
    stage.rim = rim;
    stage.repeats = repeats;
    stage.iteration = iteration;
    if (reduction != nullptr) stage.reduction = Reduction{reduction->kind, &reduction->partial, &reduction->value};
    return stage;
}

}  // namespace

void lapwing::python::bind_stage(nb::module_& m) {
    nb::class_<ReducedNumber>(m, "ReducedNumber", "A number that all ranks agree on; lapwing.Reduction is for people.")
        .def(
            "__init__",
            [](ReducedNumber* self, bool largest) {
                new (self) ReducedNumber{largest ? Reduction::Kind::maximum : Reduction::Kind::minimum};
            },
            "largest"_a, "The largest or the smallest of what is folded in. Local.")
        .def("fold", &ReducedNumber::fold, "number"_a, "Take a number of this rank into account. Local.")
        .def_ro("value", &ReducedNumber::value, "That of all ranks, NaN before the first. Local.");
    nb::class_<Stage>(m, "Stage", "One loop of a model as a step takes it; lapwing.Stage is the one for people.")
        .def(
            "__init__",
            [](Stage* self, std::string name, const DeclaredReads& reads, std::vector<AnyField*> writes,
               const std::vector<nb::handle>& kernels, const std::optional<Box>& region, bool in_place,
               const Extent& rim, ReducedNumber* reduction, int repeats, int iteration) {
                new (self) Stage(stage_of(std::move(name), reads, std::move(writes), kernels, region, in_place, rim,
                                          reduction, repeats, iteration));
            },
            "name"_a, "reads"_a, "writes"_a, "kernels"_a, "region"_a.none() = nb::none(), "in_place"_a = false,
            "rim"_a = Extent{}, "reduction"_a.none() = nb::none(), "repeats"_a = 0, "iteration"_a = -1,
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 9>(),
            "Name, fields with how far they are read, fields written, one callable of a box per owned box, and what "
            "Stage has of these names. Whoever makes it keeps the callables alive. Local.")
        .def_ro("name", &Stage::name, "Name of the stage.");
}
