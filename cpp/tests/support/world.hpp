#pragma once
// Domains over all ranks, and fields on them whose cells name themselves: what most MPI tests begin with.

#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "global_cells.hpp"
#include "skipped.hpp"
#include "transport_under_test.hpp"

namespace lapwing::testing {

using Texts = std::vector<std::string>;

inline int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// The best blocks for all ranks.
inline Partition blocks(const Grid& grid) { return block_partition(grid, best_blocks(grid, world_size())); }

inline FieldSpec spec_of(std::string name, const Extent& extent) {
    FieldSpec spec;
    spec.name = std::move(name);
    spec.extents = {extent};
    return spec;
}

inline std::vector<const AnyField*> pointers(const std::vector<AnyField>& fields) {
    std::vector<const AnyField*> all;
    for (const AnyField& field : fields) all.push_back(&field);
    return all;
}

// A domain and its fields for one test, closed at its end.
struct World {
    Domain domain;
    std::vector<AnyField> fields;

    explicit World(Partition partition, std::span<const FieldSpec> specs = {})
        : domain(std::move(partition), MPI_COMM_WORLD, ranks_per_node()) {
        for (const FieldSpec& spec : specs) fields.push_back(field(spec, static_cast<int>(fields.size())));
    }
    ~World() { domain.close(); }

    [[nodiscard]] const Partition& partition() const { return domain.partition(); }
    [[nodiscard]] const Grid& grid() const { return domain.partition().grid(); }
    [[nodiscard]] int rank() const { return domain.rank(); }

    // One more, filled.
    [[nodiscard]] AnyField field(const FieldSpec& spec, int number = 0) const {
        AnyField made(partition(), rank(), spec);
        fill_with_codes(made, grid(), number);
        return made;
    }

    void fill(const std::vector<AnyField>& all) const {
        for (std::size_t f = 0; f < all.size(); ++f) fill_with_codes(all[f], grid(), static_cast<int>(f));
    }
    void check(const std::vector<AnyField>& all) const {
        for (std::size_t f = 0; f < all.size(); ++f) {
            REQUIRE(misplaced(all[f], partition(), static_cast<int>(f)) == Texts{});
        }
    }
    void fill() const { fill(fields); }
    void check() const { check(fields); }
};

// Fills, exchanges and checks fields of a world.
inline void run_and_check(const World& world, const std::vector<AnyField>& fields, Exchange& exchange) {
    world.fill(fields);
    exchange.run();
    world.check(fields);
}

}  // namespace lapwing::testing
