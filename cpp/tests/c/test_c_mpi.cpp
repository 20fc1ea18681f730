// The C interface against the C++ one that it stands for, and what it says of wrong arguments.
#include "lapwing/c/lapwing.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "lapwing/lapwing.hpp"
#include "run_catch.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr lapwing_grid sheet{{24, 18, 1}, {1, 1, 0}};
constexpr lapwing_extent sides{{1, 0, 0}, {1, 0, 0}, 0};

int world() { return MPI_Comm_c2f(MPI_COMM_WORLD); }

lapwing_field_spec spec_named(const char* name) {
    return {name, LAPWING_FLOAT64, LAPWING_CENTER, 0, 1, {0, 1, 2, 3}, {{1, 1, 0}, {1, 1, 0}, 1}};
}

// A domain that is closed and freed at the end of a test, and a field on it.
struct Sheet {
    lapwing_domain* domain = nullptr;
    lapwing_field* field = nullptr;

    Sheet() {
        REQUIRE(lapwing_domain_create(world(), &sheet, nullptr, &domain) == LAPWING_OK);
        field = declared("a");
    }
    ~Sheet() {
        lapwing_field_free(field);
        lapwing_domain_close(domain);
        lapwing_domain_free(domain);
    }
    [[nodiscard]] lapwing_field* declared(const char* name) const {
        const lapwing_field_spec spec = spec_named(name);
        lapwing_field* made = nullptr;
        REQUIRE(lapwing_field_declare(domain, &spec, &made) == LAPWING_OK);
        return made;
    }
    [[nodiscard]] lapwing_block block() const {
        lapwing_block block{};
        REQUIRE(lapwing_field_block(field, 0, &block) == LAPWING_OK);
        return block;
    }
    // Sets the cells of this rank to value(i, j).
    void fill(const auto& value) const {
        const lapwing_block own = block();
        const lapwing_view view = lapwing_view_of(&own);
        for (Index j = own.owned.lo[1]; j < own.owned.hi[1]; ++j)
            for (Index i = own.owned.lo[0]; i < own.owned.hi[0]; ++i) LAPWING_AT(double, view, i, j, 0) = value(i, j);
        REQUIRE(lapwing_field_modified(field) == LAPWING_OK);
    }
};

double first_value(Index i, Index j) { return 1.0 / static_cast<double>(1 + 7 * i + 3 * j); }

// Smooths along x, in place of the kernel's own box.
void smooth(void* factor, const lapwing_box* box, const lapwing_view* views) {
    for (Index j = box->lo[1]; j < box->hi[1]; ++j)
        for (Index i = box->lo[0]; i < box->hi[0]; ++i)
            LAPWING_AT(double, views[0], i, j, 0) =
                *static_cast<const double*>(factor) *
                (LAPWING_AT(double, views[1], i - 1, j, 0) + LAPWING_AT(double, views[1], i + 1, j, 0));
}

// The named ranges that a drawing tool sees.
struct Ranges {
    std::set<std::string> names;
    std::string open;

    static void begin(void* context, const char* name) {
        auto& ranges = *static_cast<Ranges*>(context);
        ranges.names.insert(name);
        ranges.open += name;
    }
    static void end(void* context, const char* name) {
        std::string& open = static_cast<Ranges*>(context)->open;
        if (open == name) open.clear();
    }
};

void said(int code, const std::string& words) {
    REQUIRE(code == LAPWING_USER_ERROR);
    REQUIRE_THAT(lapwing_message(), Contains(words));
}

}  // namespace

TEST_CASE("a C step has the bits of the C++ step, under every strategy") {
    Domain plain(MPI_COMM_WORLD, {24, 18}, periodic_xy);
    Field<double> a(plain, "a"), b(plain, "b");
    const auto kernel = [](Box box, View<double> to, View<const double> from) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = 0.49 * (from(i - 1, j) + from(i + 1, j));
    };
    Step step(plain, {stage("there", kernel, writes(b), reads(a, cross(ahead(x), behind(x)))),
                      stage("back", kernel, writes(a), reads(b, cross(ahead(x), behind(x))))});
    a.fill(first_value);
    step.run(5);
    const std::vector<double> expected = a.gather();

    double factor = 0.49;
    for (const char* strategy : {"blocking", "edge-first", "dataflow", "deep:2", "tiled", "deep:2+tiled"}) {
        Sheet on;
        lapwing_field* other = on.declared("b");
        const lapwing_use there[] = {{.field = other, .access = LAPWING_WRITES},
                                     {.field = on.field, .access = LAPWING_READS, .extent = sides}};
        const lapwing_use back[] = {{.field = on.field, .access = LAPWING_WRITES},
                                    {.field = other, .access = LAPWING_READS, .extent = sides}};
        lapwing_stage stages[2]{};
        stages[0] = {.name = "there", .kernel = smooth, .context = &factor, .uses = there, .use_count = 2};
        stages[1] = {.name = "back", .kernel = smooth, .context = &factor, .uses = back, .use_count = 2};
        lapwing_step* made = nullptr;
        const lapwing_step_options options{.strategy = strategy, .threads = std::min(2, cores_of_process())};
        REQUIRE(lapwing_step_create(on.domain, stages, 2, &options, &made) == LAPWING_OK);
        on.fill(first_value);
        REQUIRE(lapwing_step_run(made, 5) == LAPWING_OK);
        std::vector<double> values(expected.size());
        REQUIRE(lapwing_field_gather(on.field, values.data(), 24 * 18) == LAPWING_OK);
        REQUIRE(values == expected);

        const char* text = nullptr;
        REQUIRE(lapwing_step_strategy(made, &text) == LAPWING_OK);
        REQUIRE(std::strcmp(text, strategy) == 0);
        Ranges ranges;
        REQUIRE(lapwing_step_name_ranges(made, Ranges::begin, Ranges::end, &ranges) == LAPWING_OK);
        REQUIRE(lapwing_step_run(made, 2) == LAPWING_OK);
        REQUIRE(lapwing_step_name_ranges(made, nullptr, nullptr, nullptr) == LAPWING_OK);
        for (const char* name : {"there", "back", "halo of a"}) REQUIRE(ranges.names.contains(name));
        REQUIRE(ranges.open.empty());
        lapwing_costs costs{};
        REQUIRE(lapwing_step_costs(made, &costs) == LAPWING_OK);
        REQUIRE(costs.steps == 7);
        lapwing_field_free(other);  // before the step that uses it
        REQUIRE(lapwing_step_run(made, 1) == LAPWING_OK);
        lapwing_step_free(made);
    }
    plain.close();
}

TEST_CASE("C kernels find the numbers of their own step, in tiles and threads too") {
    for (const char* strategy : {"blocking", "deep:2+tiled:2"}) {
        Sheet on;
        const lapwing_use all = {.field = on.field, .access = LAPWING_UPDATES};
        double number = 0;
        const auto add = [](void* context, const lapwing_box* box, const lapwing_view* views) {
            for (Index j = box->lo[1]; j < box->hi[1]; ++j)
                for (Index i = box->lo[0]; i < box->hi[0]; ++i) {
                    double& value = LAPWING_AT(double, views[0], i, j, 0);
                    value = 2 * value + *static_cast<const double*>(context);
                }
        };
        lapwing_stage stage{.name = "add", .kernel = add, .context = &number, .uses = &all, .use_count = 1};
        const lapwing_step_options options{.strategy = strategy, .threads = std::min(2, cores_of_process())};
        lapwing_step* step = nullptr;
        REQUIRE(lapwing_step_create(on.domain, &stage, 1, &options, &step) == LAPWING_OK);
        const auto set = [](void* context, int64_t n) {
            *static_cast<double*>(context) = 1.0 + static_cast<double>(n);
        };
        REQUIRE(lapwing_step_run_numbered(step, 4, set, &number) == LAPWING_OK);
        REQUIRE(lapwing_step_run_numbered(step, 1, set, &number) == LAPWING_OK);  // from 0 again
        const lapwing_block block = on.block();
        const lapwing_view view = lapwing_view_of(&block);
        for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
            for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
                REQUIRE(LAPWING_AT(double, view, i, j, 0) == 53);  // 2 (8 + 4 * 2 + 2 * 3 + 4) + 1
        said(lapwing_step_run_numbered(step, 1, nullptr, &number), "sets the numbers of a step: got null");
        said(lapwing_step_run_numbered(step, -1, set, &number), "steps to run: got -1");
        lapwing_step_free(step);
    }
}

TEST_CASE("an exchange outlives the handles of its fields and domain") {
    Sheet on;
    lapwing_exchange* exchange = nullptr;
    REQUIRE(lapwing_field_allocate(on.field) == LAPWING_OK);
    REQUIRE(lapwing_exchange_create(on.domain, &on.field, 1, "p2p", &exchange) == LAPWING_OK);
    const lapwing_block block = on.block();
    const lapwing_view view = lapwing_view_of(&block);
    for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
        for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
            LAPWING_AT(double, view, i, j, 0) = static_cast<double>(i + 100 * j);
    lapwing_field_free(on.field);
    on.field = nullptr;
    int complete = 0;
    REQUIRE(lapwing_exchange_start(exchange) == LAPWING_OK);
    while (complete == 0) REQUIRE(lapwing_exchange_test(exchange, &complete) == LAPWING_OK);
    REQUIRE(lapwing_exchange_wait(exchange) == LAPWING_OK);
    const Index i = block.owned.lo[0] - 1, j = block.owned.hi[1];
    REQUIRE(LAPWING_AT(double, view, i, j, 0) == static_cast<double>((i + 24) % 24 + 100 * (j % 18)));
    lapwing_exchange_free(exchange);
}

TEST_CASE("an exchange takes arrays that come and go") {
    Sheet on;
    lapwing_exchange* exchange = nullptr;
    REQUIRE(lapwing_exchange_create_for_arrays(on.domain, &on.field, 1, "p2p", &exchange) == LAPWING_OK);
    lapwing_box box{};
    REQUIRE(lapwing_domain_box(on.domain, 0, &box) == LAPWING_OK);
    lapwing_box allocated = box;
    for (int a = 0; a < 2; ++a) {
        allocated.lo[a] -= 1;
        allocated.hi[a] += 1;
    }
    const Index nx = allocated.hi[0] - allocated.lo[0], ny = allocated.hi[1] - allocated.lo[1];
    for (const bool x_first : {true, true, false}) {
        std::vector<double> values(static_cast<std::size_t>(nx * ny), -1.0);
        const int64_t strides[4] = {x_first ? 1 : ny, x_first ? nx : 1, nx * ny, nx * ny};
        const auto at = [&](Index i, Index j) -> double& {
            return values[static_cast<std::size_t>((i - allocated.lo[0]) * strides[0] +
                                                   (j - allocated.lo[1]) * strides[1])];
        };
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) at(i, j) = static_cast<double>(i + 100 * j);
        REQUIRE(lapwing_exchange_take(exchange, 0, values.data(), &allocated, strides) == LAPWING_OK);
        REQUIRE(lapwing_exchange_run(exchange) == LAPWING_OK);
        for (Index j = allocated.lo[1]; j < allocated.hi[1]; ++j)
            for (Index i = allocated.lo[0]; i < allocated.hi[0]; ++i)
                REQUIRE(at(i, j) == static_cast<double>((i + 24) % 24 + 100 * ((j + 18) % 18)));
        said(lapwing_exchange_take(exchange, 0, values.data(), &box, strides), "memory of field a");
        said(lapwing_exchange_take(exchange, 1, values.data(), &allocated, strides), "number of an array: got 1");
        said(lapwing_exchange_take(exchange, 0, nullptr, &allocated, strides), "memory of a field: got null");
    }
    said(lapwing_exchange_take(nullptr, 0, nullptr, &allocated, nullptr), "exchange: got null");
    lapwing_exchange_free(exchange);
    said(lapwing_exchange_create_for_arrays(on.domain, &on.field, 1, "direct", &exchange), "transport: got direct");
}

// Corner (i, j) beyond a fold through F points is corner (nx - 2 - i, 2 ny - 2 - j), and so is the eastern half of the
// last row.
TEST_CASE("a component of a vector is exchanged across a north fold") {
    constexpr Index nx = 12, ny = 9;
    constexpr lapwing_grid tripolar{{nx, ny, 1}, {1, 0, 0}, LAPWING_FOLD_F};
    lapwing_domain* domain = nullptr;
    REQUIRE(lapwing_domain_create(world(), &tripolar, nullptr, &domain) == LAPWING_OK);
    lapwing_field_spec spec = spec_named("u");
    spec.location = LAPWING_CORNER;
    spec.vector = 1;
    lapwing_field* field = nullptr;
    REQUIRE(lapwing_field_declare(domain, &spec, &field) == LAPWING_OK);
    REQUIRE(lapwing_field_allocate(field) == LAPWING_OK);
    lapwing_block block{};
    REQUIRE(lapwing_field_block(field, 0, &block) == LAPWING_OK);
    const auto at = [&](Index i, Index j) -> double& {
        return static_cast<double*>(block.data)[(i - block.allocated.lo[0]) * block.strides[0] +
                                                (j - block.allocated.lo[1]) * block.strides[1]];
    };
    for_cells({{block.owned.lo[0], block.owned.lo[1], 0}, {block.owned.hi[0], block.owned.hi[1], 1}},
              [&](const Index3& c) { at(c[0], c[1]) = static_cast<double>(1 + c[0] + 100 * c[1]); });
    lapwing_exchange* exchange = nullptr;
    REQUIRE(lapwing_exchange_create(domain, &field, 1, "p2p", &exchange) == LAPWING_OK);
    REQUIRE(lapwing_exchange_run(exchange) == LAPWING_OK);
    for (Index j = std::max<Index>(0, block.allocated.lo[1]); j < block.allocated.hi[1]; ++j) {
        for (Index i = block.allocated.lo[0]; i < block.allocated.hi[0]; ++i) {
            const Index here = (i + nx) % nx, twin = (2 * nx - 2 - here) % nx;
            const bool turned = j >= ny || (j == ny - 1 && twin < here);
            const Index code = turned ? -(1 + twin + 100 * (2 * ny - 2 - j)) : 1 + here + 100 * j;
            CAPTURE(i, j);
            REQUIRE(at(i, j) == static_cast<double>(code));
        }
    }
    lapwing_exchange_free(exchange);
    lapwing_field_free(field);
    REQUIRE(lapwing_domain_close(domain) == LAPWING_OK);
    lapwing_domain_free(domain);

    constexpr lapwing_grid odd{{7, 9, 1}, {1, 0, 0}, LAPWING_FOLD_T}, unknown{{8, 9, 1}, {1, 0, 0}, 7};
    said(lapwing_domain_create(world(), &odd, nullptr, &domain), "7 cells along x; expected an even number");
    said(lapwing_domain_create(world(), &unknown, nullptr, &domain), "north fold: got 7");
}

// In a ring of faces, one for each rank, the east of each meets the south of the next, and the north the next one's
// west, with indices that run against each other: components of a vector change places.
TEST_CASE("a vector is exchanged between faces") {
    constexpr Index n = 6;
    Sheet on;
    const int ranks = lapwing_domain_ranks(on.domain), rank = lapwing_domain_rank(on.domain);
    std::vector<lapwing_connection> connections;
    for (int face = 0; face < ranks; ++face) {
        const int next = (face + 1) % ranks;
        connections.push_back({face, LAPWING_EAST, next, LAPWING_SOUTH, 1});
        connections.push_back({face, LAPWING_NORTH, next, LAPWING_WEST, 1});
    }
    lapwing_grid ring{{ranks * n, n, 1}, {}, LAPWING_NO_FOLD, ranks, 2 * ranks, connections.data()};
    lapwing_domain* domain = nullptr;
    REQUIRE(lapwing_domain_create(world(), &ring, nullptr, &domain) == LAPWING_OK);
    std::array<lapwing_field*, 2> fields{};
    std::array<lapwing_block, 2> blocks{};
    for (int component = 0; component < 2; ++component) {
        lapwing_field_spec spec = spec_named(component == 0 ? "u" : "v");
        spec.location = component == 0 ? LAPWING_XFACE : LAPWING_YFACE;
        spec.vector = 1;
        spec.pair[0] = "u";
        spec.pair[1] = "v";
        REQUIRE(lapwing_field_declare(domain, &spec, &fields[component]) == LAPWING_OK);
        REQUIRE(lapwing_field_allocate(fields[component]) == LAPWING_OK);
        REQUIRE(lapwing_field_block(fields[component], 0, &blocks[component]) == LAPWING_OK);
    }
    const auto at = [&](int component, Index i, Index j) -> double& {
        const lapwing_block& b = blocks[component];
        return static_cast<double*>(
            b.data)[(i + rank * n - b.allocated.lo[0]) * b.strides[0] + (j - b.allocated.lo[1]) * b.strides[1]];
    };
    const auto code = [](int face, int component, Index i, Index j) {
        return static_cast<double>(1 + i + 100 * j + 10000 * face + 1000 * component);
    };
    for (int component = 0; component < 2; ++component)
        for_cells({{0, 0, 0}, {n, n, 1}},
                  [&](const Index3& c) { at(component, c[0], c[1]) = code(rank, component, c[0], c[1]); });
    lapwing_exchange* exchange = nullptr;
    REQUIRE(lapwing_exchange_create(domain, fields.data(), 2, "p2p", &exchange) == LAPWING_OK);
    REQUIRE(lapwing_exchange_run(exchange) == LAPWING_OK);
    const int next = (rank + 1) % ranks;
    for (Index m = 0; m < n; ++m) {
        CAPTURE(m);
        REQUIRE(at(0, n, m) == code(next, 1, n - 1 - m, 0));
        REQUIRE(at(1, m, n) == code(next, 0, 0, n - 1 - m));
        if (m < n - 1) REQUIRE(at(0, m, n) == -code(next, 1, 0, n - 2 - m));
    }
    lapwing_exchange_free(exchange);
    for (lapwing_field* field : fields) lapwing_field_free(field);
    REQUIRE(lapwing_domain_close(domain) == LAPWING_OK);
    lapwing_domain_free(domain);

    connections.push_back({0, LAPWING_EAST, 0, LAPWING_WEST, 0});
    ring.connections = connections.data();
    ++ring.connection_count;
    said(lapwing_domain_create(world(), &ring, nullptr, &domain), "already; expected each side once");
    connections.back().side = 7;
    said(lapwing_domain_create(world(), &ring, nullptr, &domain), "side of a face: got 7");
    std::array<lapwing_connection, 12> sphere{};
    REQUIRE(lapwing_cubed_sphere(sphere.data()) == LAPWING_OK);
    const lapwing_grid odd{{13, 6, 1}, {}, LAPWING_NO_FOLD, 6, 12, sphere.data()};
    said(lapwing_domain_create(world(), &odd, nullptr, &domain), "13 cells along x; expected a multiple of 6");
    const lapwing_grid many{{13, 6, 1}, {}, LAPWING_NO_FOLD, 2'000'000'000, 0, nullptr};
    said(lapwing_domain_create(world(), &many, nullptr, &domain),
         "faces of the grid: got 2000000000; expected at most 13");
}

TEST_CASE("null handles and places are errors, and freeing null is fine") {
    Sheet on;
    lapwing_domain* domain = nullptr;
    said(lapwing_domain_create(world(), nullptr, nullptr, &domain), "grid: got null");
    said(lapwing_domain_create(world(), &sheet, nullptr, nullptr), "place for the domain: got null");
    said(lapwing_domain_create(MPI_Comm_c2f(MPI_COMM_NULL), &sheet, nullptr, &domain),
         "communicator: got MPI_COMM_NULL");
    said(lapwing_domain_close(nullptr), "domain: got null");
    said(lapwing_field_declare(on.domain, nullptr, &on.field), "specification of a field: got null");
    said(lapwing_field_allocate(nullptr), "field: got null");
    said(lapwing_exchange_run(nullptr), "exchange: got null");
    said(lapwing_step_run(nullptr, 1), "step: got null");
    lapwing_domain_free(nullptr);
    lapwing_field_free(nullptr);
    lapwing_exchange_free(nullptr);
    lapwing_reduction_free(nullptr);
    lapwing_step_free(nullptr);
}

TEST_CASE("wrong arguments are named") {
    Sheet on;
    lapwing_field* field = nullptr;
    lapwing_field_spec spec = spec_named("a");
    spec.type = 7;
    said(lapwing_field_declare(on.domain, &spec, &field), "type of a field: got 7");
    spec = spec_named("a");
    spec.order[3] = 1;
    said(lapwing_field_declare(on.domain, &spec, &field), "order");
    lapwing_reduction* number = nullptr;
    said(lapwing_reduction_create(2, &number), "kind of a reduction: got 2");
    lapwing_box box{};
    said(lapwing_domain_box(on.domain, 1, &box), "number of a box: got 1; expected 0 to below 1");
    lapwing_block block{};
    said(lapwing_field_block(on.field, 0, &block), "a");  // no memory yet
    REQUIRE(lapwing_field_allocate(on.field) == LAPWING_OK);
    double few[3];
    said(lapwing_field_gather(on.field, few, 3), "got 3 values; expected 432");
    const lapwing_box empty{};
    const int64_t strides[4] = {1, 24, 24, 24};
    spec = spec_named("a");
    said(lapwing_field_wrap(on.domain, &spec, few, &empty, strides, &field), "memory of field a");
    said(lapwing_field_wrap(on.domain, &spec, nullptr, &empty, strides, &field), "memory of a field: got null");
}

namespace {

// Adds a stage that smooths from one field to another, from memory that ends with this call.
void add_smoothing(lapwing_step* step, lapwing_field* to, lapwing_field* from, double* factor, int position) {
    const std::string name = "smooth";
    const lapwing_use uses[] = {{.field = to, .access = LAPWING_WRITES},
                                {.field = from, .access = LAPWING_READS, .extent = sides}};
    lapwing_stage stage{.name = name.c_str(), .kernel = smooth, .context = factor, .uses = uses, .use_count = 2};
    stage.position = position;
    REQUIRE(lapwing_step_add(step, &stage) == LAPWING_OK);
}

// The values after six steps of a cycle of two, whose step was made at once or in parts.
std::vector<double> values_of_cycle(const std::string& strategy, bool in_parts) {
    Sheet on;
    double factor = 0.49;
    lapwing_field* other = on.declared("b");
    lapwing_step* step = nullptr;
    const lapwing_step_options options{.strategy = strategy.c_str()};
    if (in_parts) {
        REQUIRE(lapwing_step_begin(on.domain, &options, &step) == LAPWING_OK);
        add_smoothing(step, other, on.field, &factor, 0);
        add_smoothing(step, on.field, other, &factor, 1);
        REQUIRE(lapwing_step_finish(step) == LAPWING_OK);
    } else {
        const lapwing_use there[] = {{.field = other, .access = LAPWING_WRITES},
                                     {.field = on.field, .access = LAPWING_READS, .extent = sides}};
        const lapwing_use back[] = {{.field = on.field, .access = LAPWING_WRITES},
                                    {.field = other, .access = LAPWING_READS, .extent = sides}};
        lapwing_stage stages[2]{};
        stages[0] = {.name = "smooth", .kernel = smooth, .context = &factor, .uses = there, .use_count = 2};
        stages[1] = {.name = "smooth", .kernel = smooth, .context = &factor, .uses = back, .use_count = 2};
        stages[1].position = 1;
        REQUIRE(lapwing_step_create(on.domain, stages, 2, &options, &step) == LAPWING_OK);
    }
    const char* text = nullptr;
    REQUIRE(lapwing_step_strategy(step, &text) == LAPWING_OK);
    REQUIRE(text == strategy);
    on.fill(first_value);
    REQUIRE(lapwing_step_run(step, 6) == LAPWING_OK);
    std::vector<double> values(world_rank() == 0 ? 24 * 18 : 0);
    REQUIRE(lapwing_field_gather(on.field, values.data(), 24 * 18) == LAPWING_OK);
    lapwing_step_free(step);
    lapwing_field_free(other);
    return values;
}

}  // namespace

TEST_CASE("a C step that is begun, given stages and finished has the bits of one that is created") {
    for (const std::string strategy : {"blocking", "dataflow", "deep:2", "deep:2+tiled"})
        REQUIRE(values_of_cycle(strategy, true) == values_of_cycle(strategy, false));
}

TEST_CASE("wrong parts of a step are named on all ranks") {
    Sheet on;
    lapwing_step* step = nullptr;
    said(lapwing_step_begin(nullptr, nullptr, &step), "domain: got null");
    said(lapwing_step_begin(on.domain, nullptr, nullptr), "place for the step: got null");
    REQUIRE(lapwing_step_begin(on.domain, nullptr, &step) == LAPWING_OK);
    said(lapwing_step_finish(step), "step: got no stages; expected at least one stage; add a stage to the step");
    const char* text = nullptr;
    said(lapwing_step_run(step, 1), "step: got one that was begun and not finished");
    said(lapwing_step_describe(step, &text), "step: got one that was begun and not finished");
    said(lapwing_step_restart_at(step, 0), "call lapwing_step_finish");
    REQUIRE(lapwing_step_position(step) == -1);
    const lapwing_use use{.field = on.field, .access = LAPWING_UPDATES};
    lapwing_stage stage{.name = "move", .kernel = smooth, .uses = &use, .use_count = 1};
    said(lapwing_step_add(step, nullptr), "stage of a step: got null");
    stage.position = 2;
    said(lapwing_step_add(step, &stage), "position of stage move: got 2; expected 0 or 1");
    stage.position = 0;
    // an error of one rank is one of all, and adds no stage on any
    stage.kernel = world_rank() == world_size() - 1 ? nullptr : smooth;
    said(lapwing_step_add(step, &stage), "kernel of stage move: got null");
    said(lapwing_step_finish(step), "step: got no stages");
    stage.kernel = smooth;
    REQUIRE(lapwing_step_add(step, &stage) == LAPWING_OK);
    REQUIRE(lapwing_step_finish(step) == LAPWING_OK);
    said(lapwing_step_add(step, &stage), "step: got one that was finished");
    said(lapwing_step_finish(step), "step: got one that was finished");
    REQUIRE(lapwing_step_position(step) == 0);
    lapwing_step_free(step);
    said(lapwing_step_add(step, &stage), "step: got one that was freed");
}

TEST_CASE("wrong stages are named on all ranks") {
    Sheet on;
    lapwing_step* step = nullptr;
    const lapwing_use use{.field = on.field, .access = LAPWING_UPDATES};
    lapwing_stage stage{.name = "move", .uses = &use, .use_count = 1};
    said(lapwing_step_create(on.domain, &stage, 1, nullptr, &step), "kernel of stage move: got null");
    // an error of one rank is one of all
    stage.kernel = world_rank() == world_size() - 1 ? nullptr : smooth;
    said(lapwing_step_create(on.domain, &stage, 1, nullptr, &step), "kernel of stage move: got null");
    stage.kernel = smooth;
    stage.name = nullptr;
    said(lapwing_step_create(on.domain, &stage, 1, nullptr, &step), "name of a stage: got null");
    stage.name = "move";
    const lapwing_use other{.field = on.field, .access = 9};
    stage.uses = &other;
    said(lapwing_step_create(on.domain, &stage, 1, nullptr, &step), "access of a stage to a field: got 9");
    stage.uses = &use;
    const lapwing_step_options sideways{.strategy = "sideways"}, crowded{.threads = 1 << 20};
    said(lapwing_step_create(on.domain, &stage, 1, &sideways, &step), "sideways");
    said(lapwing_step_create(on.domain, &stage, 1, &crowded, &step), "threads of a rank: got 1048576");
    REQUIRE(step == nullptr);
}
