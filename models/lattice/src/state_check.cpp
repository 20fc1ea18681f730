#include "lapwing_lattice/state_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <lapwing/reduction.hpp>

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Index;
using lapwing::Index3;

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

struct Seen {
    double density = 1.0, mach = 0.0;
    [[nodiscard]] bool is_bad() const { return !(std::isfinite(density) && density > 0.0 && mach <= largest_mach); }
};

class Looker {
  public:
    Looker(const LatticeModel& model, std::size_t block)
        : density_(model.density.view<double>(static_cast<int>(block))) {
        for (std::size_t a = 0; a < 3; ++a) velocity_[a] = model.velocity[a].view<double>(static_cast<int>(block));
    }
    [[nodiscard]] Seen at(const Index3& c) const {
        const auto u = [&](std::size_t a) { return velocity_[a](c[0], c[1], c[2]); };
        return {density_(c[0], c[1], c[2]), mach_number(u(0), u(1), u(2))};
    }

  private:
    lapwing::View<double> density_;
    std::array<lapwing::View<double>, 3> velocity_;
};

Index first_bad(const LatticeModel& model, const Index3& size, std::size_t block) {
    const Looker looker(model, block);
    const Box& owned = model.density.blocks()[block].owned;
    for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                if (looker.at({i, j, k}).is_bad()) return (k * size[1] + j) * size[0] + i;
    return none;
}

std::string shown(double value) {
    if (std::isnan(value)) return "nan";  // its sign says nothing
    std::ostringstream out;
    out << value;
    return out.str();
}

}  // namespace

double mach_number(double x, double y, double z) { return std::sqrt(3.0 * (x * x + y * y + z * z)); }

void check_state(const Domain& domain, const LatticeModel& model) {
    const Index3 size = domain.partition().grid().size;
    const std::size_t blocks = model.density.blocks().size();
    Index mine = none;
    for (std::size_t b = 0; b < blocks; ++b) mine = std::min(mine, first_bad(model, size, b));
    const Index first = lapwing::minimum(domain, mine);
    if (first == none) return;

    const Index3 cell{first % size[0], first / size[0] % size[1], first / (size[0] * size[1])};
    const Box around{cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
    const int owner = domain.partition().subdomain(domain.partition().overlapping(around).front()).rank;
    Seen seen;
    for (std::size_t b = 0; b < blocks; ++b)
        if (model.density.blocks()[b].owned.contains(cell)) seen = Looker(model, b).at(cell);
    const double density = lapwing::value_of(domain, owner, seen.density);
    const double mach = lapwing::value_of(domain, owner, seen.mach);
    const bool too_fast = std::isfinite(density) && density > 0.0 && std::isfinite(mach);
    std::ostringstream said;
    said << "state of the lattice model: got "
         << (too_fast ? "Mach number = " + shown(mach) : "density = " + shown(density)) << " at step "
         << model.step_number() << ", cell (" << cell[0] << ", " << cell[1] << ", " << cell[2] << "), rank " << owner
         << "; expected "
         << (too_fast ? "at most " + shown(largest_mach) + ", beyond which the lattice is compressible"
                      : std::string("a finite value above 0"))
         << "; run the case again with a slower flow or a longer relaxation time";
    throw StateError(said.str());
}

}  // namespace lapwing_lattice
