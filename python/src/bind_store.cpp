#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "lapwing/store/chunk_file.hpp"
#include "lapwing/store/crc32c.hpp"
#include "lapwing/store/record_store.hpp"
#include "lapwing/store/restart.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

using Wet = nb::ndarray<const bool, nb::ndim<2>, nb::device::cpu>;
using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// Name, type, dimensions, shape, attributes and values of an array; name, field and wet places of a map.
using ArrayParts =
    std::tuple<std::string, std::string, std::vector<std::string>, std::vector<Index>, std::string, nb::bytes>;
using MapParts = std::tuple<std::string, AnyField*, Wet>;

std::span<const std::byte> span_of(const nb::bytes& bytes) {
    return std::as_bytes(std::span(bytes.c_str(), bytes.size()));
}

StoreLayout layout_of(const std::string& attributes, const std::vector<ArrayParts>& arrays) {
    StoreLayout layout{attributes};
    for (const auto& [name, type, dimensions, shape, about, values] : arrays) {
        const auto known = span_of(values);
        layout.arrays.push_back({name, type, dimensions, shape, about, {known.begin(), known.end()}});
    }
    return layout;
}

// Wet places are looked at while the store is made, and not kept.
std::vector<StoredMap> maps_of(const std::vector<MapParts>& parts) {
    std::vector<StoredMap> maps;
    for (const auto& [name, field, wet] : parts) {
        const bool* first = wet.data();
        const Index x = wet.stride(0), y = wet.stride(1);
        maps.push_back({name, field, [first, x, y](Index i, Index j) { return !first[i * x + j * y]; }});
    }
    return maps;
}

void bind_records(nb::module_& m) {
    const auto released = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<RecordStore>(m, "RecordStore", "Records of whole maps in a store that all ranks write together.")
        .def(
            "__init__",
            [](RecordStore* self, Domain& domain, std::string path, const std::string& attributes,
               const std::vector<ArrayParts>& arrays, const std::vector<MapParts>& maps, std::optional<Index> keep,
               Index chunk_bytes, Index times) {
                StoreLayout layout = layout_of(attributes, arrays);
                std::vector<StoredMap> stored = maps_of(maps);
                const nb::gil_scoped_release without_lock;
                new (self) RecordStore(domain, std::move(path), std::move(layout), std::move(stored), keep,
                                       {chunk_bytes, times});
            },
            "domain"_a, "path"_a, "attributes"_a, "arrays"_a, "maps"_a, nb::kw_only(), "keep"_a.none(),
            "chunk_bytes"_a = StoreSizes{}.chunk_bytes, "times"_a = StoreSizes{}.times, nb::keep_alive<1, 2>(),
            "Make the store, or go on behind the first `keep` records of the store that is there. Collective over the "
            "domain. `attributes`: JSON; `arrays`: name, type, dimensions, lengths except along time, attributes "
            "and, on rank 0 for arrays that no field fills, values; `maps`: name, field and wet places [nx, ny] of the "
            "arrays that "
            "fields fill; `chunk_bytes`: about the bytes of a chunk of a map; `times`: times per chunk. Raises "
            "UserError on "
            "all ranks for fields that do not fit, an earlier store of other arrays, something else under that name, "
            "and a store that another job writes; OutsideError when the disk refuses. The fields must live as long.")
        .def("write", &RecordStore::write, "time"_a, "step"_a, released,
             "Add the present values of the fields as the record of `time`, s since the start. Collective over the "
             "domain. Raises OutsideError on all ranks when the disk is full or gone; the records before stay.")
        .def("read", &RecordStore::read, "record"_a, released,
             "Put a record into the fields; where it has no value, they keep their own. Collective over the domain. "
             "Raises UserError on all ranks where a chunk is missing or damaged.")
        .def("close", &RecordStore::close, released,
             "Remove the store that had this name before, and let other jobs write here. Collective over the domain.")
        .def("release", &RecordStore::release, "Let other jobs write here, with the records that are visible. Local.")
        .def_prop_ro("times", &RecordStore::times, "The times of the records, s since the start. Local.")
        .def_prop_ro("bytes", &RecordStore::bytes, "The bytes of maps that this rank has written. Local.");
}

void bind_restart(nb::module_& m) {
    const auto released = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Restart>(m, "Restart", "The state of a program in a store that all ranks write and read together.")
        .def(
            "__init__",
            [](Restart* self, Domain& domain, std::string path, std::vector<std::string> names,
               const std::vector<AnyField*>& fields, std::string owner, Index chunk_bytes) {
                std::vector<std::shared_ptr<AnyField>> shared;
                for (AnyField* field : fields) shared.emplace_back(std::shared_ptr<void>(), field);
                const nb::gil_scoped_release without_lock;
                new (self) Restart(domain, std::move(path), std::move(shared),
                                   {std::move(names), std::move(owner), chunk_bytes});
            },
            "domain"_a, "path"_a, "names"_a, "fields"_a, "owner"_a, nb::kw_only(),
            "chunk_bytes"_a = StoreSizes{}.chunk_bytes, nb::keep_alive<1, 2>(),
            "Take the fields of the state, and their names in the store. Collective over the domain. `owner`: the case "
            "that the state is of, as JSON. Raises UserError on all ranks for fields on other boxes, and two of one "
            "name. The fields must live as long.")
        .def("write", &Restart::write, "step"_a, released,
             "Write the state after `step` steps, complete or not at all. Collective over the domain. Raises "
             "OutsideError on all ranks when the disk is full or gone: the state before stays.")
        .def("read", &Restart::read, released,
             "Put the state into the fields, and return its step; the caller compares owners. Collective over the "
             "domain. Raises UserError on all ranks where there is none, it has other fields, or a chunk is missing or "
             "damaged.")
        .def_prop_ro("bytes", &Restart::bytes, "The bytes of fields that this rank has written. Local.");
}

}  // namespace

void lapwing::python::bind_store(nb::module_& m) {
    bind_records(m);
    bind_restart(m);
    m.def(
        "read_chunk",
        [](const std::string& path, const Bytes& values) {
            const nb::gil_scoped_release without_lock;
            read_chunk(path, std::as_writable_bytes(std::span(values.data(), values.size())));
        },
        "path"_a, "values"_a.noconvert(),
        "Read the bytes of the values of a chunk. Local. Raises UserError for a file that is missing, torn or "
        "damaged.");
    m.def("chunk_file_bytes", &chunk_file_bytes, "values"_a,
          "The bytes of a chunk file with that many bytes of `values`. Local.");
    m.def(
        "crc32c", [](const nb::bytes& data) { return crc32c(span_of(data)); }, "data"_a,
        "The CRC-32C (Castagnoli) of some bytes. Local.");
}
