// Transposes between real ranks, by every method: every cell holds its own global coordinates.
#include "lapwing/exchange/transpose.hpp"
#include "lapwing/partition/distribution.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "count_allocations.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/transport/transport.hpp"
#include "transport/collective/peer_group.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr std::array<int, 4> x_fastest{0, 1, 2, 3}, y_fastest{1, 2, 0, 3}, x_then_levels{0, 2, 1, 3};
const Grid grid{{13, 11, 10}, {}};

FieldSpec spec(const std::string& name, ElementType type, const std::array<int, 4>& order, int components = 1) {
    FieldSpec made = spec_of(name, {});
    made.type = type;
    made.order = order;
    made.components = components;
    return made;
}

// Three fields of different types on one distribution; their owned cells hold their codes where `filled`.
std::vector<AnyField> batch(const Partition& partition, int rank, const std::array<int, 4>& order, bool filled,
                            const Extent& halo = {}) {
    std::vector<AnyField> fields;
    fields.emplace_back(partition, rank, spec("t", ElementType::float64, order), halo);
    fields.emplace_back(partition, rank, spec("u", ElementType::float32, order, 2), halo);
    fields.emplace_back(partition, rank, spec("q", ElementType::int64, order), halo);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        fill_with_codes(fields[f], partition.grid(), static_cast<int>(f));
        if (filled) continue;
        with_type(fields[f].spec().type, [&]<class T>(T) {
            for (std::size_t b = 0; b < fields[f].blocks().size(); ++b) {
                const auto view = fields[f].view<T>(static_cast<int>(b));
                for (int c = 0; c < fields[f].spec().components; ++c) {
                    for_cells(fields[f].blocks()[b].allocated,
                              [&](const Index3& cell) { view(cell[0], cell[1], cell[2], c) = T(untouched); });
                }
            }
        });
    }
    return fields;
}

// Cells of a field that hold something else than the formula says: the code in `cells`, else `untouched`.
int misplaced_in(const AnyField& field, int number, const Box& cells) {
    int wrong = 0;
    with_type(field.spec().type, [&]<class T>(T) {
        for (std::size_t b = 0; b < field.blocks().size(); ++b) {
            const Block& block = field.blocks()[b];
            const auto view = field.view<T>(static_cast<int>(b));
            for (int c = 0; c < field.spec().components; ++c) {
                for_cells(block.allocated, [&](const Index3& cell) {
                    const bool moved = block.owned.contains(cell) && cells.contains(cell);
                    const T want = static_cast<T>(moved ? code(grid, cell, c, number) : Index{untouched});
                    wrong += view(cell[0], cell[1], cell[2], c) != want;
                });
            }
        }
    });
    return wrong;
}

int misplaced_in(const std::vector<AnyField>& fields, const Box& cells) {
    int wrong = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) wrong += misplaced_in(fields[f], static_cast<int>(f), cells);
    return wrong;
}

// px x py blocks for the ranks that run: all of them in a row, in a column, and the squarest.
std::vector<std::pair<int, int>> shapes() {
    const int n = world_size();
    std::vector<std::pair<int, int>> all{{n, 1}};
    if (n > 1) all.emplace_back(1, n);
    const int px = n % 3 == 0 && n > 3 ? 3 : 2;
    if (n > 3 && n % px == 0) all.emplace_back(px, n / px);
    return all;
}

// Methods that this MPI and machine have.
std::vector<std::string> methods_here(const Domain& domain) {
    std::vector<std::string> names;
    for (const std::string& name : transpose_methods()) {
        const auto found = std::ranges::find(transports(), name, &Transport::name);
        if (found != transports().end() && found->unavailable(domain).empty()) names.push_back(name);
    }
    return names;
}

// A domain whose partition transposes do not look at.
struct Ranks {
    Domain domain{block_partition({{world_size(), 1, 1}, {}}, {world_size(), 1, 1}), MPI_COMM_WORLD, ranks_per_node()};
    ~Ranks() { domain.close(); }
};

}  // namespace

TEST_CASE("there and back through all distributions, by every method") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    for (const auto& [px, py] : shapes()) {
        const Partition twod = twod_partition(grid, px, py);
        const Partition fft = fft_partition(twod), tri = tri_partition(twod), slabs = level_slab_partition(twod);
        const std::vector<AnyField> in = batch(twod, rank, x_fastest, true, Extent::horizontal(2));
        for (const std::string& method : methods_here(ranks.domain)) {
            std::vector<AnyField> rows = batch(fft, rank, y_fastest, false),
                                  columns = batch(tri, rank, x_then_levels, false);
            std::vector<AnyField> again = batch(fft, rank, x_fastest, false),
                                  listed = batch(slabs, rank, x_fastest, false);
            std::vector<AnyField> out = batch(twod, rank, x_fastest, false, Extent::horizontal(1));
            const TransposeOptions options{.method = method};
            Transpose first(ranks.domain, twod, fft, pointers(in), pointers(rows), options);
            Transpose second(ranks.domain, fft, tri, pointers(rows), pointers(columns), options);
            Transpose third(ranks.domain, tri, fft, pointers(columns), pointers(again), options);
            Transpose aside(ranks.domain, fft, slabs, pointers(again), pointers(listed), options);
            Transpose last(ranks.domain, slabs, twod, pointers(listed), pointers(out), options);
            REQUIRE(first.method() == method);
            for (Transpose* one : {&first, &second, &third, &aside, &last}) one->run();
            REQUIRE(misplaced_in(rows, grid.box()) == 0);
            REQUIRE(misplaced_in(columns, grid.box()) == 0);
            REQUIRE(misplaced_in(again, grid.box()) == 0);
            REQUIRE(misplaced_in(listed, grid.box()) == 0);
            REQUIRE(misplaced_in(out, grid.box()) == 0);
            // once more, into memory that holds something else
            rows[0].view<double>()(rows[0].blocks()[0].owned.lo[0], rows[0].blocks()[0].owned.lo[1],
                                   rows[0].blocks()[0].owned.lo[2]) = -2;
            const long before = allocations();
            first.run();
            if (method == "p2p" || method == "shared") REQUIRE(allocations() == before);
            REQUIRE(misplaced_in(rows, grid.box()) == 0);
        }
    }
}

TEST_CASE("an active box moves its own cells only") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const Box active{{1, 0, 1}, {12, 11, 10}};
    for (const auto& [px, py] : shapes()) {
        const Partition twod = twod_partition(grid, px, py);
        const std::vector<AnyField> in = batch(twod, rank, x_fastest, true, Extent::horizontal(1));
        for (const bool in_partition : {true, false}) {  // true if the distribution leaves the others out too
            const Partition fft = fft_partition(twod, in_partition ? std::optional(active) : std::nullopt);
            std::vector<AnyField> rows = batch(fft, rank, y_fastest, false);
            std::vector<AnyField> out = batch(twod, rank, x_fastest, false);
            for (const char* method : {"p2p", "alltoallw"}) {
                Transpose there(ranks.domain, twod, fft, pointers(in), pointers(rows),
                                {.method = method, .active = active});
                Transpose back(ranks.domain, fft, twod, pointers(rows), pointers(out), {.method = method});
                there.run();
                REQUIRE(misplaced_in(rows, active) == 0);
                back.run();
                if (in_partition) REQUIRE(misplaced_in(out, active) == 0);
            }
        }
    }
}

TEST_CASE("groups of levels arrive one by one, and leave one by one") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const auto [px, py] = shapes().back();
    const Partition twod = twod_partition(grid, px, py), fft = fft_partition(twod);
    const std::vector<AnyField> in = batch(twod, rank, x_fastest, true);
    for (const std::string& method : methods_here(ranks.domain)) {
        for (int groups : {2, 5}) {
            std::vector<AnyField> rows = batch(fft, rank, y_fastest, false), made = batch(fft, rank, y_fastest, false);
            std::vector<AnyField> out = batch(twod, rank, x_fastest, false);
            const TransposeOptions options{.method = method, .groups = groups};
            Transpose there(ranks.domain, twod, fft, pointers(in), pointers(rows), options);
            REQUIRE(there.groups() == groups);
            const auto view = rows[0].view<double>();
            Index seen = 0;
            int wrong = 0;
            there.run_pipelined([&](const Box& box) {
                for_cells(box, [&](const Index3& cell) {
                    wrong += view(cell[0], cell[1], cell[2]) != static_cast<double>(code(grid, cell, 0));
                });
                seen += box.volume();
            });
            REQUIRE(wrong == 0);
            REQUIRE(seen == fft.subdomain(rank).box.volume());
            REQUIRE(misplaced_in(rows, grid.box()) == 0);
            // back, each group as soon as it is made
            Transpose back(ranks.domain, fft, twod, pointers(made), pointers(out), options);
            Index sent = 0;
            back.send_pipelined([&](const Box& box) {
                const auto t = made[0].view<double>();
                const auto u = made[1].view<float>();
                const auto q = made[2].view<std::int64_t>();
                for_cells(box, [&](const Index3& cell) {
                    const auto [i, j, k] = cell;
                    t(i, j, k) = static_cast<double>(code(grid, cell, 0, 0));
                    for (int c = 0; c < 2; ++c) u(i, j, k, c) = static_cast<float>(code(grid, cell, c, 1));
                    q(i, j, k) = code(grid, cell, 0, 2);
                });
                sent += box.volume();
            });
            REQUIRE(sent == fft.subdomain(rank).box.volume());
            REQUIRE(misplaced_in(out, grid.box()) == 0);
        }
    }
}

TEST_CASE("fields with levels of a 2D domain are transposed as they are") {
    const Partition columns = block_partition({{13, 11, 1}, {}}, best_blocks({{13, 11, 1}, {}}, world_size()));
    World world(columns);
    const Partition twod = twod_partition(columns, grid.size[2]);
    FieldSpec flat = spec("t", ElementType::float64, {2, 0, 1, 3});
    flat.levels = static_cast<int>(grid.size[2]);
    flat.extents = {Extent::horizontal(1)};
    AnyField source(columns, world.rank(), flat);
    const auto view = source.view<double>();
    for_cells(source.blocks()[0].owned,
              [&](const Index3& cell) { view(cell[0], cell[1], cell[2]) = static_cast<double>(code(grid, cell, 0)); });
    const Partition fft = fft_partition(twod);
    AnyField target(fft, world.rank(), spec("t", ElementType::float64, y_fastest));
    const AnyField* const from[] = {&source};
    const AnyField* const to[] = {&target};
    for (const std::string& method : methods_here(world.domain)) {
        Transpose(world.domain, twod, fft, from, to, {.method = method}).run();
        REQUIRE(misplaced_in(target, 0, grid.box()) == 0);
    }
}

TEST_CASE("buffers are those of the plan") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const Partition twod = twod_partition({{64, 48, 24}, {}}, world_size(), 1), fft = fft_partition(twod);
    AnyField source(twod, rank, spec("t", ElementType::float64, x_fastest));
    AnyField target(fft, rank, spec("t", ElementType::float64, y_fastest));
    const AnyField* const from[] = {&source};
    const AnyField* const to[] = {&target};
    for (const std::string& method : methods_here(ranks.domain)) {
        for (int groups : {1, 2}) {
            const Transpose made(ranks.domain, twod, fft, from, to, {.method = method, .groups = groups});
            const TransposeCensus census = made.census();
            REQUIRE(census.messages == groups * (world_size() - 1));
            REQUIRE(census.bytes + census.copied == 8 * twod.subdomain(rank).box.volume());
            if (method == "p2p" || method == "alltoallv") REQUIRE(made.buffer_bytes() == census.buffer_bytes);
            if (method == "alltoallw") REQUIRE(made.buffer_bytes() == 0);
            // two counters a message: the receivers read the source
            const bool large = census.bytes >= 8192 * census.messages && ranks_per_node() == 0;
            if (method == "shared" && large) REQUIRE(made.buffer_bytes() == 128 * census.messages);
            REQUIRE(to_string(made).find(std::to_string(made.buffer_bytes()) + " bytes of buffers") !=
                    std::string::npos);
        }
    }
}

TEST_CASE("auto takes a method, the same on all ranks, and the environment may say which") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const Partition twod = twod_partition(grid, 1, world_size()), tri = tri_partition(twod), fft = fft_partition(twod);
    const std::vector<AnyField> in = batch(fft, rank, y_fastest, true);
    const std::vector<AnyField> out = batch(tri, rank, x_then_levels, false);
    Transpose found(ranks.domain, fft, tri, pointers(in), pointers(out));
    REQUIRE(found.method() != "auto");
    REQUIRE(std::ranges::count(transpose_methods(), found.method()) == 1);
    REQUIRE(found.choice().starts_with("auto took " + found.method()));
    found.run();
    REQUIRE(misplaced_in(out, grid.box()) == 0);
    ::setenv("LAPWING_TRANSPOSE_METHOD", "alltoallv", 1);
    REQUIRE(Transpose(ranks.domain, fft, tri, pointers(in), pointers(out)).method() == "alltoallv");
    const Transpose given(ranks.domain, fft, tri, pointers(in), pointers(out), {.method = "p2p"});
    REQUIRE(given.method() == "p2p");
    REQUIRE(given.choice().empty());
    ::setenv("LAPWING_TRANSPOSE_METHOD", "alltoall", 1);
    REQUIRE_THROWS_WITH(Transpose(ranks.domain, fft, tri, pointers(in), pointers(out)),
                        Catch::Matchers::Contains("LAPWING_TRANSPOSE_METHOD: got alltoall; expected one of: auto, p2p, "
                                                  "alltoallv, alltoallw, onesided, shared"));
    ::unsetenv("LAPWING_TRANSPOSE_METHOD");
}

TEST_CASE("what auto has measured holds for other fields of the same shape on the same domain") {
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const Partition twod = twod_partition(grid, 1, world_size()), tri = tri_partition(twod), fft = fft_partition(twod);
    const std::vector<AnyField> in = batch(fft, rank, y_fastest, true), other = batch(fft, rank, y_fastest, true);
    const std::vector<AnyField> out = batch(tri, rank, x_then_levels, false);
    const Transpose first(ranks.domain, fft, tri, pointers(in), pointers(out));
    // Another way than the usual one is measured twice more, against the usual one alone, and then holds.
    for (int again = 0; again < 2; ++again) {
        const std::string found = Transpose(ranks.domain, fft, tri, pointers(other), pointers(out)).choice();
        REQUIRE((found == first.choice() || std::ranges::count(found, ',') == 1));  // one comma: two ways
    }
    const Transpose third(ranks.domain, fft, tri, pointers(in), pointers(out));
    Transpose fourth(ranks.domain, fft, tri, pointers(other), pointers(out));
    REQUIRE(fourth.choice() == third.choice());  // its times too: nothing was measured again
    fourth.run();
    REQUIRE(misplaced_in(out, grid.box()) == 0);
    const std::vector<AnyField> turned = batch(fft, rank, x_then_levels, true);
    const Transpose another(ranks.domain, fft, tri, pointers(turned), pointers(out));
    const bool measured = first.choice().find("measuring took") != std::string::npos;  // not where ranks share cores
    REQUIRE((another.choice() != third.choice()) == measured);
}

TEST_CASE("groups of ranks are leased and used again") {
    Ranks ranks;
    const Partition twod = twod_partition(grid, world_size(), 1), fft = fft_partition(twod);
    const int rank = ranks.domain.rank();
    const std::vector<AnyField> in = batch(twod, rank, x_fastest, true), out = batch(fft, rank, y_fastest, false);
    for (int n = 0; n < 12; ++n) {
        Transpose(ranks.domain, twod, fft, pointers(in), pointers(out),
                  {.method = n % 2 == 0 ? "alltoallv" : "alltoallw"});
    }
    const auto& groups = ranks.domain.leases().of<PeerGroup>();  // one, or none for a rank alone
    REQUIRE_NOTHROW(groups.require_room(world_size() > 1 ? 2 : 1, "groups"));
    if (world_size() > 1) REQUIRE_THROWS_AS(groups.require_room(1, "groups"), UserError);
    // any plan may use them: halos too
    World world(blocks({{9, 7, 1}, {true, true, false}}));
    std::vector<AnyField> fields;
    fields.push_back(world.field(spec_of("f", Extent::horizontal(2))));
    for (const char* name : {"alltoallv", "alltoallw"}) {
        Exchange exchange(world.domain, pointers(fields), {.transport = name});
        run_and_check(world, fields, exchange);
    }
}

TEST_CASE("wrong requests are refused on all ranks") {
    using Catch::Matchers::Contains;
    Ranks ranks;
    const int rank = ranks.domain.rank();
    const Partition twod = twod_partition(grid, 1, world_size()), fft = fft_partition(twod), tri = tri_partition(twod);
    const std::vector<AnyField> in = batch(twod, rank, x_fastest, true), out = batch(tri, rank, y_fastest, false);
    const auto make = [&](const Partition& to, const std::vector<const AnyField*>& targets,
                          TransposeOptions options = {}) {
        Transpose(ranks.domain, twod, to, pointers(in), targets, options);
    };
    REQUIRE_THROWS_WITH(make(tri, pointers(out), {.method = "pidgeon"}),
                        Contains("method of the transpose: got pidgeon; expected one of: auto, p2p"));
    REQUIRE_THROWS_WITH(make(tri, pointers(out), {.groups = 0}), Contains("groups of a transpose: got 0"));
    REQUIRE_THROWS_WITH(make(tri, pointers(out), {.groups = most_groups + 1}),
                        Contains("groups of a transpose: got 1025; expected 1 to 1024"));
    const auto right = pointers(out);
    const std::vector<const AnyField*> swapped{right[1], right[0], right[2]};
    REQUIRE_THROWS_WITH(make(tri, swapped), Contains("one type and number of components"));
    REQUIRE_THROWS_WITH(make(tri, {right[0]}), Contains("3 sources, 1 targets"));
    if (world_size() > 1) {
        REQUIRE_THROWS_WITH(make(fft, right), Contains("target t of the transpose: got boxes"));
        const std::string mine = rank == 1 ? "p2p" : "alltoallv";
        REQUIRE_THROWS_WITH(make(tri, right, {.method = mine}), Contains("method of the transpose: got p2p on rank 1"));
        REQUIRE_THROWS_WITH(make(tri, right, {.groups = 1 + (rank == 1)}),
                            Contains("cells and fields of the transpose: got 2 groups"));
        std::vector<Subdomain> other = tri.subdomains();
        if (rank == 1) std::swap(other.front(), other.back());  // other numbers, so other memory
        const Partition renumbered(grid, world_size(), other);
        const std::vector<AnyField> there = batch(renumbered, rank, y_fastest, false);
        REQUIRE_THROWS_WITH(make(renumbered, pointers(there)), Contains("target of the transpose"));
    }
    const Partition more = twod_partition(grid, 1, world_size() + 1);
    REQUIRE_THROWS_WITH(make(tri_partition(more), right), Contains("ranks of a transpose"));
    Transpose ready(ranks.domain, twod, tri, pointers(in), right, {.method = "p2p"});
    REQUIRE_THROWS_WITH(ready.wait_group(1), Contains("group of a transpose: got 1; expected 0 <= group < 1"));
    ready.start();
    REQUIRE_THROWS_WITH(ready.start(), Contains("unfinished"));
    ready.wait();
    Transpose halves(ranks.domain, twod, tri, pointers(in), right, {.method = "p2p", .groups = 2});
    halves.start_group(1);
    REQUIRE_THROWS_WITH(halves.start(), Contains("unfinished"));
    halves.wait_group(1);
    REQUIRE_NOTHROW(halves.run());  // so that nothing of the refused start was under way
}

TEST_CASE("fields of a flat grid have as many levels on both sides") {
    Ranks ranks;
    const Partition columns = block_partition(Grid{{13, 11, 1}}, {1, world_size(), 1});
    const auto made = [&](const char* name, int levels) {
        FieldSpec spec;
        spec.name = name;
        spec.levels = levels;
        return AnyField(columns, ranks.domain.rank(), spec);
    };
    const AnyField five = made("five", 5), three = made("three", 3);
    for (const auto& [from, to] : {std::pair{&five, &three}, std::pair{&three, &five}}) {
        const AnyField *const sources[] = {from}, *const targets[] = {to};
        REQUIRE_THROWS_WITH(Transpose(ranks.domain, columns, columns, sources, targets, {.method = "p2p"}),
                            Catch::Matchers::Contains("number of components and levels"));
    }
}
