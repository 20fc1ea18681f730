#include <algorithm>
#include <cstring>

#include "c/handles.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing::c {

namespace {

ElementType type_of(int type) {
    switch (type) {
        case LAPWING_FLOAT32:
            return ElementType::float32;
        case LAPWING_FLOAT64:
            return ElementType::float64;
        case LAPWING_INT32:
            return ElementType::int32;
        case LAPWING_INT64:
            return ElementType::int64;
        case LAPWING_BOOL:
            return ElementType::boolean;
    }
    user_error("type of a field", type, "LAPWING_FLOAT32, _FLOAT64, _INT32, _INT64 or _BOOL", "pass one of these");
}

Location location_of(int location) {
    switch (location) {
        case LAPWING_CENTER:
            return Location::center;
        case LAPWING_XFACE:
            return Location::xface;
        case LAPWING_YFACE:
            return Location::yface;
        case LAPWING_CORNER:
            return Location::corner;
    }
    user_error("location of a field", location, "LAPWING_CENTER, _XFACE, _YFACE or _CORNER", "pass one of these");
}

FieldPair pair_of(const lapwing_field_spec& spec) {
    if (spec.pair[0] == nullptr && spec.pair[1] == nullptr) return {};
    return {&needed(spec.pair[0], "name of the field along x"), &needed(spec.pair[1], "name of the field along y")};
}

FieldSpec spec_of(const lapwing_field_spec* given) {
    const lapwing_field_spec& spec = needed(given, "specification of a field");
    return {&needed(spec.name, "name of a field"),
            type_of(spec.type),
            location_of(spec.location),
            spec.levels,
            spec.components,
            {extent_of(spec.halo)},
            std::array<int, 4>{spec.order[0], spec.order[1], spec.order[2], spec.order[3]},
            spec.constant_on_land != 0,
            spec.vector != 0,
            pair_of(spec),
            spec.frame != 0};
}

std::vector<Extent> component_extents_of(const lapwing_field_spec& spec) {
    std::vector<Extent> extents;
    for (int c = 0; c < spec.components; ++c) extents.push_back(extent_of(spec.component_extents[c]));
    return extents;
}

// Whole grids are gathered by type.
template <class T>
void gather_into(Domain& domain, const AnyField& field, void* values, std::size_t count) {
    const FieldSpec& spec = field.spec();
    const auto cells = static_cast<std::size_t>(spec.with_levels(domain.partition().grid().box()).volume());
    together(domain.comm(), [&] {
        if (domain.rank() != 0) return;
        static_cast<void>(needed(static_cast<T*>(values), "place for the values"));
        if (count == cells) return;
        user_error("place for the values of field " + spec.name, concat(count, " values"),
                   concat(cells, ", all cells of the grid times its levels"), "give rank 0 an array of that size");
    });
    const std::vector<T> all = gathered<T>(domain, field);
    std::copy(all.begin(), all.end(), static_cast<T*>(values));
}

}  // namespace

std::optional<Block> block_of(const Domain& domain, const FieldSpec& spec, void* data, const lapwing_box* allocated,
                              const int64_t strides[4]) {
    const std::vector<int>& mine = domain.partition().subdomains_of(domain.rank());
    if (mine.empty()) return {};
    if (mine.size() > 1) {
        user_error("boxes of rank " + std::to_string(domain.rank()), mine.size(), "one, or none",
                   "declare the field, so that lapwing allocates a block for each");
    }
    Block block{mine[0],
                spec.with_levels(domain.partition().subdomain(mine[0]).box),
                spec.with_levels(box_of(needed(allocated, "allocated box"))),
                &needed(static_cast<std::byte*>(data), "memory of a field"),
                {}};
    const auto bytes = static_cast<Index>(size_of(spec.type));
    std::transform(&needed(strides, "strides"), strides + 4, block.strides.begin(),
                   [&](Index values) { return values * bytes; });
    return block;
}

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

int lapwing_field_declare(lapwing_domain* domain, const lapwing_field_spec* given, lapwing_field** field) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        FieldSpec spec = spec_of(given);
        const Extent halo = spec.extents[0];
        const bool own = given->component_extents != nullptr;
        if (own) spec.extents = component_extents_of(*given);
        auto made = std::make_shared<AnyField>(AnyField::declared(on->partition(), on->rank(), std::move(spec), halo));
        if (own) made->keep_extents();
        on->note_declared(made);
        needed(field, "place for the field") = new lapwing_field{on, std::move(made)};
    });
}

int lapwing_field_wrap(lapwing_domain* domain, const lapwing_field_spec* given, void* data,
                       const lapwing_box* allocated, const int64_t strides[4], lapwing_field** field) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        FieldSpec spec = spec_of(given);
        check(spec, on->partition().grid());
        std::vector<Block> blocks;
        if (const auto block = block_of(*on, spec, data, allocated, strides)) blocks.push_back(*block);
        auto made =
            std::make_shared<AnyField>(on->partition(), on->rank(), std::move(spec), std::move(blocks), nullptr);
        needed(field, "place for the field") = new lapwing_field{on, std::move(made)};
    });
}

int lapwing_field_allocate(lapwing_field* field) {
    return coded([&] {
        AnyField& made = *needed(field, "field").field;
        if (!made.has_memory()) made.allocate({});
    });
}

int lapwing_field_block(const lapwing_field* field, int number, lapwing_block* block) {
    return coded([&] {
        const AnyField& made = *needed(field, "field").field;
        made.require_memory();
        const int boxes = static_cast<int>(made.blocks().size());
        if (number < 0 || number >= boxes) {
            user_error("number of a box", number, concat("0 to below ", boxes, ", the boxes of this rank"),
                       "ask lapwing_domain_boxes how many there are");
        }
        const Block& memory = made.blocks()[number];
        lapwing_block& out = needed(block, "place for the block");
        out = {memory.data, given_box(memory.owned), given_box(memory.allocated), {}};
        const auto bytes = static_cast<Index>(size_of(made.spec().type));
        std::ranges::transform(memory.strides, out.strides, [&](Index stride) { return stride / bytes; });
    });
}

int lapwing_field_describe(lapwing_field* field, const char* units, const char* long_name, const char* standard_name) {
    return coded([&] {
        lapwing_field& made = needed(field, "field");
        if (units != nullptr) made.units = units;
        if (long_name != nullptr) made.long_name = long_name;
        if (standard_name != nullptr) made.standard_name = standard_name;
    });
}

int lapwing_field_modified(lapwing_field* field) {
    return coded([&] { needed(field, "field").field->modified(); });
}

int lapwing_field_gather(const lapwing_field* field, void* values, int64_t count) {
    return coded([&] {
        const lapwing_field& from = needed(field, "field");
        require_running_mpi();
        const auto gather = [&]<class T>(T) { gather_into<T>(*from.domain, *from.field, values, count); };
        switch (from.field->spec().type) {
            case ElementType::float32:
                return gather(float{});
            case ElementType::float64:
                return gather(double{});
            case ElementType::int32:
                return gather(std::int32_t{});
            case ElementType::int64:
                return gather(std::int64_t{});
            case ElementType::boolean:
                return gather(bool{});
        }
    });
}

int lapwing_field_reduce(const lapwing_field* field, int kind, double* result) {
    return coded([&] {
        const lapwing_field& from = needed(field, "field");
        require_running_mpi();
        Total what{};
        together(from.domain->comm(), [&] {
            what = total_of(kind);
            static_cast<void>(needed(result, "place for the result"));
        });
        *result = total(*from.domain, what, *from.field);
    });
}

void lapwing_field_free(lapwing_field* field) { give_up(field); }
