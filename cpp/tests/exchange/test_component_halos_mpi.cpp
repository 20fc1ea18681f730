// Fields whose components have halos of their own: steps exchange those, and have the bits of a plain loop.
#include "lapwing/step/step.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr Index nx = 12, ny = 10;
const Grid channel{{nx, ny, 1}, {true, false, false}};

// Each component moves by its own offset; the last stays.
constexpr std::array<Index3, 5> offsets{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {1, -1, 0}, {0, 0, 0}}};
constexpr int components = static_cast<int>(offsets.size());

FieldSpec moving(const char* name) {
    FieldSpec spec = spec_of(name, {});
    spec.components = components;
    spec.extents.clear();
    for (const Index3& c : offsets) {
        Extent extent;
        for (std::size_t a = 0; a < 3; ++a) {
            extent.lo[a] = static_cast<int>(std::max<Index>(0, c[a]));
            extent.hi[a] = static_cast<int>(std::max<Index>(0, -c[a]));
        }
        spec.extents.push_back(extent);
    }
    return spec;
}

double first_value(Index i, Index j, int c) { return std::sin(static_cast<double>(3 * i + 7 * j + 11 * c)) + 0.1; }

// Values that moved here, and some of another component that was here.
double mixed(double moved, double other) { return 0.7 * moved + 0.3 * other; }

struct Pair {
    View<double> from, to;
};

void move_and_mix(void* context, Box box) {
    const auto& [from, to] = *static_cast<const Pair*>(context);
    for (int c = 0; c < components; ++c) {
        const Index3& by = offsets[c];
        for_cells(box, [&](const Index3& cell) {
            to(cell[0], cell[1], 0, c) =
                mixed(from(cell[0] - by[0], cell[1] - by[1], 0, c), from(cell[0], cell[1], 0, (c + 1) % components));
        });
    }
}

// Reads the first component to the west only.
void copy_from_west(void* context, Box box) {
    const auto& [from, to] = *static_cast<const Pair*>(context);
    for_cells(box, [&](const Index3& cell) { to(cell[0], cell[1], 0, 0) = from(cell[0] - 1, cell[1], 0, 0); });
}

// The whole grid on every rank; periodic in x, and zero beyond it in y.
struct Plain {
    std::vector<double> values = std::vector<double>(nx * ny * components);
    double& at(Index i, Index j, int c) { return values[(c * ny + j) * nx + i]; }
    double beyond(Index i, Index j, int c) { return j < 0 || j >= ny ? 0.0 : at((i + nx) % nx, j, c); }

    void move_and_mix(Plain& to) {
        for (int c = 0; c < components; ++c) {
            const Index3& by = offsets[c];
            for (Index j = 0; j < ny; ++j)
                for (Index i = 0; i < nx; ++i)
                    to.at(i, j, c) = mixed(beyond(i - by[0], j - by[1], c), at(i, j, (c + 1) % components));
        }
    }
};

// Two fields with room for two steps; halo cells within the grid hold NaN until something comes.
struct Model : World {
    AnyField a, b;
    std::vector<Pair> a_to_b, b_to_a;

    Model() : World(blocks(channel)), a(make("a")), b(make("b")) {
        for (int n = 0; n < std::ssize(a.blocks()); ++n) {
            a_to_b.push_back({a.view<double>(n), b.view<double>(n)});
            b_to_a.push_back({b.view<double>(n), a.view<double>(n)});
        }
    }

    [[nodiscard]] AnyField make(const char* name) const {
        AnyField made(partition(), rank(), moving(name), Extent::horizontal(2));
        for (std::size_t n = 0; n < made.blocks().size(); ++n) {
            const Block& block = made.blocks()[n];
            const auto view = made.view<double>(static_cast<int>(n));
            for_cells(block.allocated, [&](const Index3& cell) {
                if (cell[1] < 0 || cell[1] >= ny) return;
                for (int c = 0; c < components; ++c)
                    view(cell[0], cell[1], 0, c) = block.owned.contains(cell)
                                                       ? first_value(cell[0], cell[1], c)
                                                       : std::numeric_limits<double>::quiet_NaN();
            });
        }
        return made;
    }

    static Stage stage(const char* name, AnyField& from, AnyField& to, const Extent& extent, Kernel kernel,
                       std::vector<Pair>& pairs) {
        Stage made{.name = name, .reads = {{&from, extent}}, .writes = {&to}, .kernel = kernel, .contexts = {}};
        for (Pair& pair : pairs) made.contexts.push_back(&pair);
        return made;
    }
    Stage there() { return stage("there", a, b, Extent::horizontal(1), move_and_mix, a_to_b); }
    Stage back() { return stage("back", b, a, Extent::horizontal(1), move_and_mix, b_to_a); }

    // Bytes that a rank sends in one exchange of such a field.
    [[nodiscard]] double bytes_of(const FieldSpec& spec) const {
        return static_cast<double>(bytes_sent(exchange_plan(partition(), rank(), {&spec, 1})));
    }
};

int different(const AnyField& field, Plain& plain) {
    int count = 0;
    for (std::size_t n = 0; n < field.blocks().size(); ++n) {
        const auto view = field.view<double>(static_cast<int>(n));
        for_cells(field.blocks()[n].owned, [&](const Index3& cell) {
            for (int c = 0; c < components; ++c) count += view(cell[0], cell[1], 0, c) != plain.at(cell[0], cell[1], c);
        });
    }
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return count;
}

}  // namespace

TEST_CASE("components with halos of their own have the bits of the plain loop, by every strategy") {
    for (const char* strategy : {"blocking", "3s", "5s", "6s", "edge-first", "dataflow", "deep:2", "deep:2+dataflow"}) {
        INFO(strategy);
        Model model;
        Plain a, b;
        for (int c = 0; c < components; ++c)
            for (Index j = 0; j < ny; ++j)
                for (Index i = 0; i < nx; ++i) a.at(i, j, c) = first_value(i, j, c);
        Step step(model.domain, std::vector{Stages{model.there()}, Stages{model.back()}}, {strategy, "p2p"});
        for (int n = 0; n < 4; ++n) {
            step.run();
            step.run();
            a.move_and_mix(b);
            b.move_and_mix(a);
            REQUIRE(different(model.a, a) == 0);
            REQUIRE(different(model.b, b) == 0);
        }
    }
}

TEST_CASE("a component travels as far as it is read itself") {
    Model model;
    FieldSpec whole = moving("a");
    whole.extents = {Extent::horizontal(1)};
    Step step(model.domain, std::vector{Stages{model.there()}, Stages{model.back()}}, {"blocking", "p2p"});
    for (int n = 0; n < 2; ++n) step.run();
    CHECK(step.report().volume().bytes == model.bytes_of(moving("a")));
    if (world_size() > 1) CHECK(step.report().volume().bytes < model.bytes_of(whole));
    for (const AnyField* field : {&model.a, &model.b}) {
        const FieldSpec spec = field->spec();
        for (std::size_t n = 0; n < field->blocks().size(); ++n) {
            const Block& block = field->blocks()[n];
            const auto view = field->view<double>(static_cast<int>(n));
            for_cells(block.allocated, [&](const Index3& cell) {
                if (cell[1] < 0 || cell[1] >= ny || block.owned.contains(cell)) return;
                for (int c = 0; c < components; ++c) {
                    CAPTURE(spec.name, cell[0], cell[1], c);
                    REQUIRE(std::isnan(view(cell[0], cell[1], 0, c)) !=
                            needed(model.partition(), spec, block, cell, c));
                }
            });
        }
    }
}

TEST_CASE("where a stage reads less far than the components' halos, less travels") {
    Model model;
    const FieldSpec own = moving("a");
    const Extent west{{1, 0, 0}, {}};
    Step step(model.domain,
              std::vector{Stages{Model::stage("there", model.a, model.b, west, copy_from_west, model.a_to_b)},
                          Stages{Model::stage("back", model.b, model.a, west, copy_from_west, model.b_to_a)}},
              {"blocking", "p2p"});
    for (int n = 0; n < 2; ++n) step.run();
    FieldSpec narrow = own;  // no component travels further than the stage reads
    for (Extent& extent : narrow.extents) extent = Extent{{std::min(extent.lo[0], 1), 0, 0}, {}};
    const double bytes = model.bytes_of(narrow);
    CHECK(step.report().volume().bytes == bytes);
    if (bytes > 0) CHECK(bytes < model.bytes_of(own));
    Plain a, b;
    const auto after = [](Plain& plain, Index steps) {
        for (int c = 0; c < components; ++c)
            for (Index j = 0; j < ny; ++j)
                for (Index i = 0; i < nx; ++i)
                    plain.at(i, j, c) = first_value(c == 0 ? (i + nx - steps) % nx : i, j, c);
    };
    after(b, 1);
    after(a, 2);
    REQUIRE(different(model.a, a) == 0);
    REQUIRE(different(model.b, b) == 0);
}
