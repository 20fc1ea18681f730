// Solvers, reductions and the census through C: the bits of the C++ ones, and what is said of wrong arguments.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lapwing/c/lapwing.h"
#include "lapwing/lapwing.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/solver/helmholtz.hpp"
#include "lapwing/solver/implicit_diffusion.hpp"
#include "run_catch.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

constexpr int nx = 24, ny = 18, levels = 6;
constexpr lapwing_grid sheet{{nx, ny, 1}, {0, 0, 0}};
constexpr double shifts[levels] = {0.1, 0.3, 0.01, 2.0, 0.7, 0.05}, spacing[2] = {2.0, 1.5};

bool last() { return world_rank() == world_size() - 1; }

double first(Index i, Index j, Index k) { return std::sin(static_cast<double>(1 + 7 * i + 3 * j * j + 11 * k)); }

void said(int code, const std::string& words) {
    REQUIRE_THAT(code == LAPWING_OK ? "nothing" : lapwing_message(), Contains(words));
    REQUIRE(code == LAPWING_USER_ERROR);
}

lapwing_equation equation() {
    return {.factors = shifts,
            .factor_count = levels,
            .spacing = {spacing[0], spacing[1]},
            .ends = {"periodic", "neumann"},
            .method = "p2p",
            .groups = 2};
}

// A field of levels in C, with the values of `first`.
struct Sheet {
    lapwing_domain* domain = nullptr;
    lapwing_field* field = nullptr;

    explicit Sheet(int type = LAPWING_FLOAT64) {
        REQUIRE(lapwing_domain_create(MPI_Comm_c2f(MPI_COMM_WORLD), &sheet, nullptr, &domain) == LAPWING_OK);
        field = declared("p", type);
        REQUIRE(lapwing_field_allocate(field) == LAPWING_OK);
        if (type == LAPWING_FLOAT64) set();
    }
    ~Sheet() {
        lapwing_field_free(field);
        lapwing_domain_close(domain);
        lapwing_domain_free(domain);
    }
    lapwing_field* declared(const char* name, int type = LAPWING_FLOAT64) {
        const lapwing_field_spec spec{
            .name = name, .type = type, .levels = levels, .components = 1, .order = {0, 1, 2, 3}};
        lapwing_field* made = nullptr;
        REQUIRE(lapwing_field_declare(domain, &spec, &made) == LAPWING_OK);
        return made;
    }
    void set() {
        lapwing_block block{};
        REQUIRE(lapwing_field_block(field, 0, &block) == LAPWING_OK);
        const lapwing_view view = lapwing_view_of(&block);
        for (Index k = 0; k < levels; ++k)
            for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
                for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
                    LAPWING_AT(double, view, i, j, k) = first(i, j, k);
    }
    [[nodiscard]] std::vector<double> gather() const {
        std::vector<double> values(world_rank() == 0 ? nx * ny * levels : 0);
        const auto count = static_cast<int64_t>(values.size());
        REQUIRE(lapwing_field_gather(field, values.data(), count) == LAPWING_OK);
        return values;
    }
};

// The result of a C++ solver for the same values.
template <class Solve>
std::vector<double> solved(const Solve& solve) {
    Domain domain(MPI_COMM_WORLD, {nx, ny});
    Field<double> field(domain, "p", FieldOptions{.levels = levels});
    field.allocate();
    field.fill(first);
    solve(domain, field.memory());
    std::vector<double> values = field.gather();
    domain.close();
    return values;
}

constexpr std::array ends{Ends::periodic, Ends::neumann};

// The Helmholtz equation by lines of the caller's own.
struct OwnSolver {
    lapwing_line_transform* transform = nullptr;
    std::vector<double> waves = std::vector<double>(nx);
    int calls = 0;

    static void forward(void* context, const lapwing_lines* rows) {
        auto& self = *static_cast<OwnSolver*>(context);
        ++self.calls;
        REQUIRE(rows->points == nx);
        REQUIRE(rows->strides[0] == 1);
        REQUIRE(lapwing_line_transform_forward(self.transform, rows->values, rows->count) == LAPWING_OK);
    }
    static void backward(void* context, const lapwing_lines* rows) {
        auto& self = *static_cast<OwnSolver*>(context);
        REQUIRE(lapwing_line_transform_backward(self.transform, rows->values, rows->count) == LAPWING_OK);
    }
    static void across(void* context, const lapwing_lines* columns) {
        const auto& self = *static_cast<OwnSolver*>(context);
        REQUIRE(columns->points == ny);
        REQUIRE(columns->strides[0] == 1);
        REQUIRE(columns->strides[1] == columns->stride);
        const lapwing_box& box = columns->box;
        std::vector<double> diagonal;
        const double beside = -1.0 / (spacing[1] * spacing[1]);
        for (int j = 0; j < ny; ++j)
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    diagonal.push_back((j == 0 || j == ny - 1 ? 1.0 : 2.0) / (spacing[1] * spacing[1]) +
                                       (shifts[k] + self.waves[static_cast<std::size_t>(i)]));
        lapwing_tridiagonal* system = nullptr;
        REQUIRE(lapwing_tridiagonal_create(diagonal.data(), ny, columns->count, beside, &system) == LAPWING_OK);
        REQUIRE(lapwing_tridiagonal_solve(system, columns->values, columns->stride) == LAPWING_OK);
        lapwing_tridiagonal_free(system);
    }
};

}  // namespace

TEST_CASE("a Helmholtz equation in C has the bits of C++, and its difference equation holds") {
    const std::vector<double> expected = solved([](Domain& domain, AnyField& field) {
        Helmholtz(domain, domain.partition(), field, shifts, {spacing[0], spacing[1]}, ends).solve();
    });
    Sheet on;
    const lapwing_equation given = equation();
    lapwing_helmholtz* made = nullptr;
    REQUIRE(lapwing_helmholtz_create(on.domain, on.field, &given, &made) == LAPWING_OK);
    REQUIRE(lapwing_helmholtz_solve(made) == LAPWING_OK);
    const std::vector<double> p = on.gather();
    REQUIRE(p == expected);
    on.set();
    REQUIRE(lapwing_helmholtz_solve(made) == LAPWING_OK);
    REQUIRE(on.gather() == expected);
    lapwing_helmholtz_free(made);
    if (world_rank() != 0) return;
    const auto at = [&](Index i, Index j, Index k) {
        j = std::clamp<Index>(j, 0, ny - 1);
        return p[static_cast<std::size_t>((i + nx) % nx + nx * (j + ny * k))];
    };
    double worst = 0;
    for (Index k = 0; k < levels; ++k)
        for (Index j = 0; j < ny; ++j)
            for (Index i = 0; i < nx; ++i) {
                const double here = at(i, j, k);
                const double left = shifts[k] * here - (at(i - 1, j, k) - 2 * here + at(i + 1, j, k)) / 4.0 -
                                    (at(i, j - 1, k) - 2 * here + at(i, j + 1, k)) / 2.25;
                worst = std::max(worst, std::abs(left - first(i, j, k)));
            }
    REQUIRE(worst < 1e-12);
}

TEST_CASE("implicit diffusion in C has the bits of C++") {
    const std::vector<double> expected = solved([](Domain& domain, AnyField& field) {
        ImplicitDiffusion(domain, domain.partition(), {&field}, shifts, {spacing[0], spacing[1]}, 4, ends).apply();
    });
    Sheet on;
    const lapwing_equation given = equation();
    lapwing_implicit_diffusion* made = nullptr;
    REQUIRE(lapwing_implicit_diffusion_create(on.domain, &on.field, 1, &given, 4, &made) == LAPWING_OK);
    REQUIRE(lapwing_implicit_diffusion_apply(made) == LAPWING_OK);
    REQUIRE(on.gather() == expected);
    lapwing_implicit_diffusion_free(made);
    said(lapwing_implicit_diffusion_create(on.domain, &on.field, 1, &given, 3, &made), "order of the diffusion: got 3");
    said(lapwing_implicit_diffusion_create(on.domain, &on.field, last() ? 0 : 1, &given, 4, &made),
         "fields of a line solver: got none");
}

TEST_CASE("lines of the caller's own make the same solver, bit by bit") {
    const std::vector<double> expected = solved([](Domain& domain, AnyField& field) {
        Helmholtz(domain, domain.partition(), field, shifts, {spacing[0], spacing[1]}, ends).solve();
    });
    Sheet on;
    OwnSolver own;
    REQUIRE(lapwing_line_transform_create(nx, "periodic", &own.transform) == LAPWING_OK);
    REQUIRE(lapwing_line_transform_eigenvalues(own.transform, spacing[0], own.waves.data()) == LAPWING_OK);
    lapwing_line_solver* made = nullptr;
    REQUIRE(lapwing_line_solver_create(on.domain, &on.field, 1, nullptr, 2, 0, &made) == LAPWING_OK);
    REQUIRE(lapwing_line_solver_run(made, OwnSolver::forward, OwnSolver::across, OwnSolver::backward, &own) ==
            LAPWING_OK);
    REQUIRE(own.calls > 0);
    REQUIRE(on.gather() == expected);
    said(lapwing_line_solver_run(made, OwnSolver::forward, nullptr, OwnSolver::backward, &own),
         "work on lines: got null");
    lapwing_line_solver_free(made);
    REQUIRE(lapwing_line_solver_create(on.domain, &on.field, 1, "p2p", 1, 1, &made) == LAPWING_OK);
    const auto nothing = [](void*, const lapwing_lines*) {};
    const auto along_y = [](void*, const lapwing_lines* columns) {
        REQUIRE(columns->strides[1] == 1);
        REQUIRE(columns->stride == ny);
    };
    on.set();
    const std::vector<double> before = on.gather();
    REQUIRE(lapwing_line_solver_run(made, nothing, along_y, nothing, nullptr) == LAPWING_OK);
    REQUIRE(on.gather() == before);
    lapwing_line_solver_free(made);
    lapwing_line_transform_free(own.transform);
}

TEST_CASE("wrong solvers are named on all ranks, where one alone is wrong too") {
    Sheet on, other, single(LAPWING_FLOAT32);
    lapwing_helmholtz* made = nullptr;
    const auto create = [&](const lapwing_equation& given) {
        return lapwing_helmholtz_create(on.domain, on.field, &given, &made);
    };
    lapwing_equation given = equation();
    given.factor_count = 3;
    said(create(given), "shift of the Helmholtz equation: got (3,) values; expected one finite number, or 6");
    given = equation();
    given.factors = last() ? nullptr : shifts;
    said(create(given), "factors of an equation: got null");
    given = equation();
    given.ends[0] = last() ? "open" : "periodic";
    said(create(given), "ends along x: got open; expected");
    given = equation();
    given.ends[1] = nullptr;
    said(create(given), "ends along y: got null");
    given.ends[1] = "periodic";
    said(create(given), "ends along y: got periodic");
    given = equation();
    given.spacing[1] = last() ? 0.0 : 1.0;
    said(create(given), "spacing along y: got 0");
    given = equation();
    given.method = "pigeon";
    said(create(given), "pigeon");
    for (const int groups : {0, 1025, std::numeric_limits<int>::max()}) {
        given = equation();
        given.groups = last() ? groups : 1;
        said(create(given), "groups of a transpose: got " + std::to_string(groups) + "; expected 1 to 1024");
    }
    given = equation();
    given.factor_count = 0;
    said(create(given), "shift of the Helmholtz equation");
    given = equation();
    said(lapwing_helmholtz_create(on.domain, last() ? nullptr : on.field, &given, &made),
         "field of a solver: got null");
    said(lapwing_helmholtz_create(on.domain, on.field, nullptr, &made), "equation: got null");
    said(lapwing_helmholtz_create(on.domain, on.field, &given, nullptr), "place for the solver: got null");
    said(lapwing_helmholtz_create(on.domain, other.field, &given, &made), "one of another domain");
    said(lapwing_helmholtz_create(single.domain, single.field, &given, &made), "got float32");
    lapwing_field* bare = on.declared("bare");
    said(lapwing_helmholtz_create(on.domain, bare, &given, &made), "bare");
    lapwing_field_free(bare);
    said(lapwing_helmholtz_create(on.domain, bare, &given, &made), "field of a solver: got one that was freed");
    lapwing_transpose* transpose = nullptr;
    said(lapwing_transpose_create(&on.field, &other.field, 1, nullptr, last() ? 1025 : 1, &transpose),
         "groups of a transpose: got 1025; expected 1 to 1024");
    REQUIRE(made == nullptr);
    said(lapwing_helmholtz_solve(nullptr), "Helmholtz equation: got null");
    said(lapwing_implicit_diffusion_apply(nullptr), "implicit diffusion: got null");
}

TEST_CASE("wrong lines are named") {
    lapwing_line_transform* transform = nullptr;
    said(lapwing_line_transform_create(0, "neumann", &transform), "points of a line: got 0");
    said(lapwing_line_transform_create(5, "open", &transform), "ends of a line: got open");
    said(lapwing_line_transform_forward(nullptr, nullptr, 1), "transform: got null");
    lapwing_tridiagonal* system = nullptr;
    double values[6] = {3, 3, 3, 3, 3, 3};
    said(lapwing_tridiagonal_create(values, 0, 2, 1.0, &system), "diagonal of tridiagonal systems: got 0 points");
    said(lapwing_tridiagonal_create(nullptr, 3, 2, 1.0, &system), "diagonal: got null");
    REQUIRE(lapwing_tridiagonal_create(values, 3, 2, 1.0, &system) == LAPWING_OK);
    said(lapwing_tridiagonal_solve(system, values, 1), "stride of right-hand sides: got 1; expected at least 2");
    lapwing_tridiagonal_free(system);
    said(lapwing_tridiagonal_solve(system, values, 2), "tridiagonal system: got one that was freed");
}

TEST_CASE("a handle that was freed is an error, and freeing it again is fine") {
    Sheet on;
    lapwing_domain* domain = nullptr;
    REQUIRE(lapwing_domain_create(MPI_Comm_c2f(MPI_COMM_WORLD), &sheet, nullptr, &domain) == LAPWING_OK);
    REQUIRE(lapwing_domain_close(domain) == LAPWING_OK);
    for (int n = 0; n < 2; ++n) lapwing_domain_free(domain);
    said(lapwing_domain_close(domain), "domain: got one that was freed");
    REQUIRE(lapwing_domain_ranks(domain) == 0);
    REQUIRE(lapwing_domain_boxes(domain) == 0);
    const lapwing_equation given = equation();
    lapwing_helmholtz* made = nullptr;
    REQUIRE(lapwing_helmholtz_create(on.domain, on.field, &given, &made) == LAPWING_OK);
    lapwing_field* field = on.field;
    lapwing_field_free(field);  // the solver keeps what it needs
    REQUIRE(lapwing_helmholtz_solve(made) == LAPWING_OK);
    for (int n = 0; n < 2; ++n) lapwing_helmholtz_free(made);
    said(lapwing_helmholtz_solve(made), "Helmholtz equation: got one that was freed");
    said(lapwing_field_modified(field), "field: got one that was freed");
    lapwing_transpose* transpose = nullptr;
    said(lapwing_transpose_create(&field, &field, 1, nullptr, 1, &transpose), "first source: got one that was freed");
    lapwing_reduction* number = nullptr;
    REQUIRE(lapwing_reduction_create(LAPWING_MAXIMUM, &number) == LAPWING_OK);
    lapwing_reduction_free(number);
    REQUIRE(lapwing_reduction_partial(number) == nullptr);
    REQUIRE(std::isnan(lapwing_reduction_value(number)));
}

TEST_CASE("numbers and fields are reduced over all ranks") {
    Sheet on;
    double result = 0;
    const double mine = world_rank() + 1.0, ranks = world_size();
    REQUIRE(lapwing_domain_reduce(on.domain, LAPWING_MINIMUM, mine, &result) == LAPWING_OK);
    REQUIRE(result == 1.0);
    REQUIRE(lapwing_domain_reduce(on.domain, LAPWING_MAXIMUM, mine, &result) == LAPWING_OK);
    REQUIRE(result == ranks);
    REQUIRE(lapwing_domain_reduce(on.domain, LAPWING_SUM, mine, &result) == LAPWING_OK);
    REQUIRE(result == ranks * (ranks + 1) / 2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const int kind : {LAPWING_MINIMUM, LAPWING_MAXIMUM, LAPWING_SUM}) {
        REQUIRE(lapwing_domain_reduce(on.domain, kind, last() ? nan : 1.0, &result) == LAPWING_OK);
        REQUIRE(std::isnan(result));
    }
    REQUIRE(lapwing_field_reduce(on.field, LAPWING_SUM, &result) == LAPWING_OK);
    double expected = 0;
    solved([&](Domain& domain, AnyField& field) { expected = total(domain, Total::sum, field); });
    REQUIRE(result == expected);
    REQUIRE(lapwing_field_reduce(on.field, LAPWING_MAXIMUM, &result) == LAPWING_OK);
    REQUIRE(result <= 1.0);
    said(lapwing_domain_reduce(on.domain, last() ? 3 : 0, mine, &result), "kind of a reduction: got 3");
    said(lapwing_field_reduce(on.field, LAPWING_SUM, last() ? nullptr : &result), "place for the result: got null");
    lapwing_field* bare = on.declared("bare");
    said(lapwing_field_reduce(bare, LAPWING_SUM, &result), "bare");
    lapwing_field_free(bare);
}

TEST_CASE("ranks require the same text of all") {
    Sheet on;
    REQUIRE(lapwing_domain_require_same(on.domain, "width", "2") == LAPWING_OK);
    REQUIRE(lapwing_domain_require_same(on.domain, nullptr, nullptr) == LAPWING_OK);
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    said(lapwing_domain_require_same(on.domain, "width", last() ? "3" : "2"), "width: got 3 on rank");
    said(lapwing_domain_require_same(on.domain, "width", last() ? nullptr : "2"), "expected 2, as on rank 0");
}

TEST_CASE("a step that is observed tells its exchanges") {
    Sheet on;
    lapwing_field* other = on.declared("q");
    const lapwing_extent ahead{{0, 0, 0}, {1, 0, 0}, 0};
    const lapwing_use there[] = {{.field = other, .access = LAPWING_WRITES},
                                 {.field = on.field, .access = LAPWING_READS, .extent = ahead}};
    const lapwing_use back[] = {{.field = on.field, .access = LAPWING_UPDATES}};
    const lapwing_kernel idle = [](void*, const lapwing_box*, const lapwing_view*) {};
    lapwing_stage stages[2]{};
    stages[0] = {.name = "there", .kernel = idle, .uses = there, .use_count = 2};
    stages[1] = {.name = "back", .kernel = idle, .uses = back, .use_count = 1};
    Sheet declared;  // of a step the halos of declared fields, without memory so far
    lapwing_step* step = nullptr;
    said(lapwing_step_create(on.domain, stages, 2, nullptr, &step), "field p");  // allocated without halo
    lapwing_field* p = on.declared("p");
    const lapwing_use reads[] = {{.field = other, .access = LAPWING_WRITES},
                                 {.field = p, .access = LAPWING_READS, .extent = ahead}};
    const lapwing_use writes[] = {{.field = p, .access = LAPWING_UPDATES}};
    stages[0].uses = reads;
    stages[1].uses = writes;
    REQUIRE(lapwing_step_create(on.domain, stages, 2, nullptr, &step) == LAPWING_OK);
    const lapwing_census_entry* entries = nullptr;
    int count = -1;
    REQUIRE(lapwing_step_census(step, &entries, &count) == LAPWING_OK);
    REQUIRE(count == 0);
    REQUIRE(lapwing_step_observe(step, 1) == LAPWING_OK);
    REQUIRE(lapwing_step_run(step, 4) == LAPWING_OK);
    REQUIRE(lapwing_step_census(step, &entries, &count) == LAPWING_OK);
    REQUIRE(count == 1);
    REQUIRE(std::string(entries[0].stage) == "there");
    REQUIRE(std::string(entries[0].fields) == "p");
    REQUIRE(std::string(entries[0].needless).empty());
    REQUIRE(entries[0].steady == 1);
    REQUIRE(entries[0].position == 0);
    REQUIRE(entries[0].runs == 4);
    if (world_size() == 1) REQUIRE(entries[0].messages == 0);
    REQUIRE(entries[0].packing >= 0.0);
    REQUIRE(lapwing_step_observe(step, 0) == LAPWING_OK);
    said(lapwing_step_census(step, &entries, nullptr), "place for the count: got null");
    lapwing_step_free(step);
    said(lapwing_step_observe(step, 1), "step: got one that was freed");
    lapwing_field_free(p);
    lapwing_field_free(other);
}
