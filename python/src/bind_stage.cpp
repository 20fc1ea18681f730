#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
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

void fold(const Reduced& reduced, double number) {
    const Reduction reduction = reduced.reduction();
    (reduction.kind == Reduction::Kind::maximum ? raise_to : lower_to)(*reduction.partial, number);
}

FieldUse use_of(const Domain& domain, std::shared_ptr<AnyField> field, bool read, bool written, bool scattered,
                const Extent& extent, const Reduced* number, std::vector<int> widths) {
    FieldUse use{.domain = &domain, .field = std::move(field), .read = read, .written = written};
    use.scattered = scattered;
    use.extent = extent;
    if (number != nullptr) {
        use.demand = {number->reduction().value, std::move(widths)};
        use.keep = number->keep();
    }
    return use;
}

// The parts of a loop: how many stages it repeats, above which number, and as which iteration.
struct LoopPart {
    int repeats = 0;
    double above = 0.0;
    int iteration = -1;
};

// The callables are borrowed: held here, a model whose kernels are its own methods would never be collected.
Stage stage_of(const std::string& name, const std::vector<FieldUse>& uses, const std::vector<nb::handle>& kernels,
               const std::optional<Box>& region, bool in_any_order, const Extent& rim, const Reduced* reduction,
               nb::handle work, const LoopPart& loop) {
    Stage stage{.name = name, .reads = {}, .writes = {}, .kernel = &call_python, .contexts = {}, .region = region};
    for (const FieldUse& use : uses) stage.declare(use);
    if (reduction != nullptr) stage.declare(*reduction);
    stage.in_place = stage.in_place || in_any_order;
    stage.rim_extent = rim;
    stage.repeats = loop.repeats;
    stage.repeats_above = loop.above;
    stage.iteration = loop.iteration;
    stage.slow_calls = stage.names_errors = true;
    stage.make_contexts = [kernels](std::size_t /*boxes*/) {
        std::vector<std::shared_ptr<void>> all;
        for (const nb::handle& kernel : kernels) all.emplace_back(kernel.ptr(), [](void*) {});
        return all;
    };
    if (work.is_none()) return stage;
    return stage.then([work = work.ptr()] {
        const nb::gil_scoped_acquire lock;
        const nb::handle call(work);
        call();
    });
}

}  // namespace

void lapwing::python::bind_stage(nb::module_& m) {
    nb::class_<Reduced>(m, "ReducedNumber", "A number that all ranks agree on; lapwing.Reduction is for people.")
        .def(
            "__init__", [](Reduced* self, bool largest) { new (self) Reduced(largest ? maximum() : minimum()); },
            "largest"_a, "The largest or the smallest of what is folded in. Local.")
        .def("fold", &fold, "number"_a, "Take a number of this rank into account. Local.")
        .def_prop_ro("value", &Reduced::value, "That of all ranks, NaN before the first and where one is NaN. Local.");
    nb::class_<FieldUse>(m, "FieldUse", "What a kernel does to a field.")
        .def(
            "__init__",
            [](FieldUse* self, const Domain& domain, std::shared_ptr<AnyField> field, bool read, bool written,
               bool scattered, const Extent& extent, const Reduced* number, std::vector<int> widths) {
                new (self) FieldUse(
                    use_of(domain, std::move(field), read, written, scattered, extent, number, std::move(widths)));
            },
            "domain"_a, "field"_a, "read"_a, "written"_a, "scattered"_a, "extent"_a, "number"_a.none() = nb::none(),
            "widths"_a = std::vector<int>{},
            "Whether it is read, how far, and written, beyond the box too; and with a number, the widths in which as "
            "much of its halo travels as the number asks for. Local.");
    nb::class_<Stage>(m, "Stage", "One loop of a model as a step takes it; lapwing.Stage is for people.")
        .def(
            "__init__",
            [](Stage* self, const std::string& name, const std::vector<FieldUse>& uses,
               const std::vector<nb::handle>& kernels, const std::optional<Box>& region, bool in_any_order,
               const Extent& rim, const Reduced* reduction, nb::handle work, int repeats, double above, int iteration) {
                new (self) Stage(stage_of(name, uses, kernels, region, in_any_order, rim, reduction, work,
                                          {repeats, above, iteration}));
            },
            "name"_a, "uses"_a, "kernels"_a, "region"_a.none(), "in_any_order"_a, "rim"_a, "reduction"_a.none(),
            "work"_a.none(), "repeats"_a, "above"_a, "iteration"_a,
            "Name, uses of fields, one callable of a box per owned box, what all ranks do at the end, and what "
            "lapwing.Stage has of these names. Whoever makes it keeps the callables alive. Local.")
        .def_ro("name", &Stage::name, "Name of the stage.");
}
