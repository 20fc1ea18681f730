// The peer GHEX: a pattern of one domain per rank, all fields in one exchange.
#include <ghex/bulk_communication_object.hpp>
#include <ghex/context.hpp>
#include <ghex/structured/pattern.hpp>
#include <ghex/structured/regular/domain_descriptor.hpp>
#include <ghex/structured/regular/field_descriptor.hpp>
#include <ghex/structured/regular/halo_generator.hpp>
#include <ghex/structured/regular/make_pattern.hpp>
#include <ghex/structured/rma_range_generator.hpp>

#include <algorithm>

#include "peer.hpp"

using namespace lapwing::bench;
namespace regular = ghex::structured::regular;

namespace {

// The bulk object copies what a rank gets from itself directly; a plain communication object sends that too, and
// took 1.6 to 2.6 times as long (2d-60 and 3d-60, two ranks). Layout: for each axis its place in the order of memory,
// the last one contiguous.
template <int... Layout>
class GhexMethod final : public ArrayMethod {
  public:
    GhexMethod(MPI_Comm comm, const ExchangeWork& work)
        : ArrayMethod(comm),
          arrays_(work),
          context_(comm, false),
          domains_{domain_of(work)},
          pattern_(pattern_of(context_, work, domains_)),
          bulk_(context_) {
        const int w = work.width;
        const Cell extents = cell(work.nx + 2 * w, work.ny + 2 * w, work.layers());
        for (int f = 0; f < work.fields; ++f) {
            Field field(domains_[0], arrays_.at(f, -w, -w), cell(w, w, 0), extents);
            bulk_.add_field(pattern_(field));  // keeps a copy of this description
        }
        bulk_.init();
    }

    void exchange() override { bulk_.exchange().wait(); }

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

    static constexpr int axes = sizeof...(Layout);
    using Axes = std::integral_constant<int, axes>;
    using Cell = std::array<int, axes>;
    using Domain = regular::domain_descriptor<int, Axes>;
    using Halos = regular::halo_generator<int, Axes>;
    using Field = regular::field_descriptor<double, ghex::cpu, Domain, gridtools::layout_map<Layout...>>;

    static Cell cell(int x, int y, int z) {
        const std::array<int, 3> all{x, y, z};
        Cell result{};
        std::copy_n(all.begin(), axes, result.begin());
        return result;
    }
    [[nodiscard]] Domain domain_of(const ExchangeWork& work) const {
        const auto [x, y] = work.place_of(rank());
        return {rank(), cell(x * work.nx, y * work.ny, 0),
                cell((x + 1) * work.nx - 1, (y + 1) * work.ny - 1, work.layers() - 1)};
    }
    static auto pattern_of(ghex::context& context, const ExchangeWork& work, std::vector<Domain>& domains) {
        const auto [px, py] = work.blocks;
        const int w = work.width;
        const std::array<int, 2 * axes> widths{w, w, w, w};
        const std::array<bool, axes> periodic{true, true};
        Halos halos(cell(0, 0, 0), cell(px * work.nx - 1, py * work.ny - 1, work.layers() - 1), widths, periodic);
        return ghex::make_pattern<ghex::structured::grid>(context, halos, domains);
    }

    using Pattern = decltype(ghex::make_pattern<ghex::structured::grid>(
        std::declval<ghex::context&>(), std::declval<Halos&>(), std::declval<std::vector<Domain>&>()));
    using Bulk = ghex::bulk_communication_object<ghex::structured::rma_range_generator, Pattern, Field>;

    WorkArrays arrays_;
    ghex::context context_;
    std::vector<Domain> domains_;
    Pattern pattern_;
    Bulk bulk_;
};

std::unique_ptr<Method> make_ghex(MPI_Comm comm, const ExchangeWork& work) {
    if (work.levels == 0) return std::make_unique<GhexMethod<1, 0>>(comm, work);
    if (work.levels_fastest) return std::make_unique<GhexMethod<1, 0, 2>>(comm, work);
    return std::make_unique<GhexMethod<2, 1, 0>>(comm, work);
}

}  // namespace

int main(int argc, char** argv) { return run_peer(argc, argv, "GHEX " LAPWING_PEER_GHEX, make_ghex); }
