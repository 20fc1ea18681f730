// Kernels that store past the caches against those that do not.
#include <lapwing_lattice/kernels.hpp>

#include <catch2/catch.hpp>

#include <random>

#include "lapwing/memory/any_field.hpp"

using namespace lapwing_lattice;
using lapwing::AnyField;
using lapwing::Box;
using lapwing::Extent;
using lapwing::Index;
using lapwing::Index3;
using lapwing::View;

namespace {

// A box of a grid that closes on itself, with a halo of whatever comes.
template <class T>
struct Lattices {
    lapwing::Grid grid;
    lapwing::Partition partition;
    std::vector<std::uint8_t> solid;
    AnyField from, to;

    Lattices(const Index3& size, bool obstacles)
        : grid{size, {true, true, true}},
          partition(grid, 1, {{0, grid.box()}}),
          from(AnyField::with_own_pages(partition, 0, spec(), Extent::uniform(1), lapwing::RowLayout::on_lines)),
          to(AnyField::like(from)) {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> noise(0.9, 1.1);
        const View<T> view = from.view<T>();
        const auto& [lo, hi] = from.blocks()[0].allocated;
        for (std::size_t q = 0; q < directions; ++q)
            for (Index k = lo[2]; k < hi[2]; ++k)
                for (Index j = lo[1]; j < hi[1]; ++j)
                    for (Index i = lo[0]; i < hi[0]; ++i) view(i, j, k, q) = T(weight(q) * noise(random));
        if (!obstacles) return;
        for (Index cell = 0; cell < size[0] * size[1] * size[2]; ++cell)
            solid.push_back(noise(random) > 1.095 ? 1 : 0);  // about one of 40: some stretches are long, some short
    }

    static lapwing::FieldSpec spec() {
        lapwing::FieldSpec spec;
        spec.name = "populations";
        spec.type = lapwing::element_type<T>();
        spec.components = static_cast<int>(directions);
        return spec;
    }

    void run(Stores stores, bool observing, const Box& box, const std::array<AnyField, 4>& seen) const {
        const LatticeKernel<T> kernel{
            .pattern = Pattern::pull,
            .forced = true,
            .relaxation{1.7, 1.1, {1e-4, 0, 0}},
            .echoes = make_echoes<T>({}),
            .rows = std::make_shared<const FluidRows>(from.blocks()[0].allocated, grid, Sides{}, solid),
            .observing = &observing,
            .stores = stores};
        std::vector<View<double>> velocity;
        for (std::size_t a = 0; a < 3; ++a) velocity.push_back(seen[a + 1].view<double>());
        kernel(box, from.view<const T>(), to.view<T>(), seen[0].view<double>(), velocity);
    }

    [[nodiscard]] std::array<AnyField, 4> moments() const {
        const auto one = [&] { return AnyField(partition, 0, lapwing::FieldSpec{}); };
        return {one(), one(), one(), one()};
    }
};

// True if all values are the same, what neither wrote included.
template <class T>
bool same(const AnyField& a, const AnyField& b) {
    const View<T> left = a.view<T>(), right = b.view<T>();
    const auto& [lo, hi] = a.blocks()[0].allocated;
    for (Index c = 0; c < a.spec().components; ++c)
        for (Index k = lo[2]; k < hi[2]; ++k)
            for (Index j = lo[1]; j < hi[1]; ++j)
                for (Index i = lo[0]; i < hi[0]; ++i)
                    if (left(i, j, k, c) != right(i, j, k, c)) return false;
    return true;
}

}  // namespace

TEMPLATE_TEST_CASE("stores past the caches write the same values", "", float, double) {
    const Index cells = GENERATE(16, 33, 47, 64);
    const bool obstacles = GENERATE(false, true), observing = GENERATE(false, true);
    const Lattices<TestType> lattices({cells, 5, 4}, obstacles);
    // the whole box, and one whose rows begin and end anywhere
    const Box box = GENERATE_COPY(lattices.grid.box(), Box{{3, 1, 0}, {cells - 2, 5, 3}});
    const auto seen = lattices.moments(), seen_past = lattices.moments();
    lattices.run(Stores::cached, observing, box, seen);
    AnyField cached = AnyField::like(lattices.to);
    std::copy_n(lattices.to.blocks()[0].data, 19 * lattices.to.blocks()[0].strides[3], cached.blocks()[0].data);
    std::fill_n(lattices.to.blocks()[0].data, 19 * lattices.to.blocks()[0].strides[3], std::byte{});
    CHECK_FALSE(same<TestType>(lattices.to, cached));
    lattices.run(Stores::past_caches, observing, box, seen_past);
    CHECK(same<TestType>(lattices.to, cached));
    for (std::size_t n = 0; n < seen.size(); ++n) CHECK(same<double>(seen[n], seen_past[n]));
}
