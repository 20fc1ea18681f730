#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

using AnyArray = nb::ndarray<nb::ndim<4>, nb::device::cpu>;

// A NumPy view [x, y, z, component] of a block. It keeps the memory, not the field, alive.
nb::ndarray<nb::numpy> array_of(const AnyField& field, int number) {
    const Block& block = field.blocks().at(number);
    std::size_t shape[4];
    std::int64_t strides[4];
    const std::int64_t size = size_of(field.spec().type);
    for (int a = 0; a < 4; ++a) {
        shape[a] = a == 3 ? field.spec().components : block.allocated.size(a);
        strides[a] = block.strides[a] / size;
    }
    auto* keep = new std::shared_ptr<void>(field.keep());
    nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    return {block.data, 4, shape, owner, strides, python::dtype_of(field.spec().type)};
}

// Holds Python objects for C++; lets them go under the interpreter's lock.
std::shared_ptr<void> kept_by_cpp(nb::object object) {
    return {new nb::object(std::move(object)), [](void* p) {
                nb::gil_scoped_acquire lock;
                delete static_cast<nb::object*>(p);
            }};
}

Block block_of(const AnyArray& array, const FieldSpec& spec, const Box& owned, const Index3& lo) {
    if (array.dtype() != python::dtype_of(spec.type)) {
        user_error("array of field " + spec.name, "another element type", std::string(to_string(spec.type)),
                   "convert the array or declare the field with its type");
    }
    Block block;
    block.owned = spec.with_levels(owned);
    block.allocated.lo = lo;
    for (std::size_t a = 0; a < 3; ++a) {
        block.allocated.hi[a] = lo[a] + array.shape(a);
    }
    for (std::size_t a = 0; a < 4; ++a) {
        block.strides[a] = array.stride(a) * static_cast<Index>(size_of(spec.type));
    }
    block.data = static_cast<std::byte*>(array.data());
    return block;
}

// A field that the domain knows as long as Python has it: where steps are checked, one of no stage is looked at too.
std::shared_ptr<AnyField> known(Domain& domain, AnyField field) {
    auto shared = std::make_shared<AnyField>(std::move(field));
    domain.note_declared(shared);
    return shared;
}

std::shared_ptr<AnyField> declared(Domain& domain, const Partition& partition, const FieldSpec& spec,
                                   bool own_extents) {
    auto field = known(domain, AnyField::declared(partition, domain.rank(), spec));
    if (own_extents) field->keep_extents();
    return field;
}

std::shared_ptr<AnyField> wrap(Domain& domain, const FieldSpec& spec, const std::vector<AnyArray>& arrays,
                               const std::vector<Index3>& lo, nb::object keep) {
    const Partition& partition = domain.partition();
    const auto& mine = partition.subdomains_of(domain.rank());
    if (arrays.size() != mine.size() || lo.size() != mine.size()) {
        user_error("arrays of field " + spec.name, std::to_string(arrays.size()),
                   std::to_string(mine.size()) + ", one per box of this rank", "pass one array per box");
    }
    std::vector<Block> blocks;
    for (std::size_t b = 0; b < arrays.size(); ++b) {
        blocks.push_back(block_of(arrays[b], spec, partition.subdomain(mine[b]).box, lo[b]));
    }
    return known(domain, {partition, domain.rank(), spec, std::move(blocks), kept_by_cpp(std::move(keep))});
}

}  // namespace

nb::dlpack::dtype lapwing::python::dtype_of(ElementType type) {
    switch (type) {
        case ElementType::float32:
            return nb::dtype<float>();
        case ElementType::float64:
            return nb::dtype<double>();
        case ElementType::int32:
            return nb::dtype<std::int32_t>();
        case ElementType::int64:
            return nb::dtype<std::int64_t>();
        case ElementType::boolean:
            return nb::dtype<bool>();
    }
    return nb::dtype<double>();
}

void lapwing::python::bind_field(nb::module_& m) {
    nb::class_<AnyField>(m, "Field", "Memory of a field on one rank, one array per box that the rank owns.")
        .def_static(
            "allocate",
            [](const Partition& p, int rank, const FieldSpec& spec, const Extent& halo) {
                return AnyField(p, rank, spec, halo);
            },
            "partition"_a, "rank"_a, "spec"_a, "halo"_a = Extent{},
            "Allocate zeroed memory for all boxes of a rank. Local. Raises UserError for a bad description or a size "
            "that overflows, OutsideError when the memory is not there.")
        .def_static("declared", &declared, "domain"_a, "partition"_a, "spec"_a, "own_extents"_a = false,
                    "A field on a partition of the domain's ranks, without memory until a step or `give_memory` gives "
                    "it some; `own_extents`: those of the spec stay as they are where memory is wider. Local. Raises "
                    "UserError for a bad description.")
        .def("give_memory", &AnyField::allocate, "halo"_a,
             "Allocate zeroed memory for a declared field, with halos of at least `halo`. Local. Raises as `allocate`.")
        .def_prop_ro("has_memory", &AnyField::has_memory, "Whether it has memory. Local.")
        .def_static(
            "wrap", &wrap, "domain"_a, "spec"_a, "arrays"_a, "lo"_a, "keep"_a,
            nb::sig("def wrap(domain: Domain, spec: FieldSpec, "
                    "arrays: collections.abc.Sequence[numpy.typing.NDArray[typing.Any]], "
                    "lo: collections.abc.Sequence[collections.abc.Sequence[int]], keep: object) -> Field"),
            "Use arrays [x, y, z, component] in place, one per box of the rank; `lo`: global index of the first "
            "cell of each; `keep` lives as long as the memory is needed. Local. Raises UserError for arrays "
            "that do not fit.")
        .def_static("whole", &AnyField::whole, "grid"_a, "spec"_a, "here"_a,
                    "An array of the whole grid, without halo, where `here` is true, and no memory elsewhere. Local. "
                    "Raises UserError for a size that overflows, OutsideError when the memory is not there.")
        .def_prop_ro("spec", &AnyField::spec, "Name, type, shape and extents. Local.")
        .def_prop_ro(
            "count", [](const AnyField& f) { return f.blocks().size(); }, "Number of boxes. Local.")
        .def(
            "owned", [](const AnyField& f, int block) { return f.blocks().at(block).owned; }, "block"_a = 0,
            "The owned box number `block`. Local. Raises IndexError for another number.")
        .def(
            "allocated", [](const AnyField& f, int block) { return f.blocks().at(block).allocated; }, "block"_a = 0,
            "Box number `block` with its halo. Local. Raises IndexError for another number.")
        .def(
            "array", &array_of, "block"_a = 0,
            nb::sig("def array(self, block: int = 0) -> numpy.typing.NDArray[typing.Any]"),
            "Memory of box number `block` as a view [x, y, z, component]. Local. Raises IndexError for another number.")
        .def("modified", &AnyField::modified,
             "Say that something outside the stages of a step wrote the field: its halo is stale. Local, but must be "
             "called on all ranks alike.");
}
