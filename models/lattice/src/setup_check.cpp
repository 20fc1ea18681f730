#include "lapwing_lattice/setup_check.hpp"

#include <cmath>
#include <string>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"

#include "lapwing_lattice/state_check.hpp"

namespace lapwing_lattice {

using lapwing::Domain;
using lapwing::Index3;

namespace {

void check_tau(const char* name, double tau) {
    if (std::isfinite(tau) && tau > 0.5) return;
    lapwing::user_error(name, std::to_string(tau), "more than 0.5, where the viscosity is above 0",
                        "choose a larger viscosity, a lower Reynolds number or a finer grid");
}

void check_side(const Side& side) {
    const auto [x, y, z] = side.velocity;
    const double mach = mach_number(x, y, z);
    if (!(mach <= largest_mach))
        lapwing::user_error("Mach number at a side of the grid", std::to_string(mach),
                            "at most " + std::to_string(largest_mach) + ", beyond which the lattice is compressible",
                            "choose a slower flow on a finer grid");
    if (!(std::isfinite(side.density) && side.density > 0.0))
        lapwing::user_error("density at a side of the grid", std::to_string(side.density), "a finite value above 0",
                            "densities of the lattice are about 1");
}

}  // namespace

void check_settings(const Domain& domain, const LatticeSettings& s) {
    check_tau("tau", s.tau);
    check_tau("tau of what is odd", s.tau_minus);
    for (const double force : s.force)
        if (!std::isfinite(force)) lapwing::user_error("force", std::to_string(force), "a finite value", "correct it");
    for (const Side& side : s.sides) check_side(side);
    const Index3& size = domain.partition().grid().size;
    const std::size_t cells = size[0] * size[1] * size[2];
    if (!s.solid.empty() && s.solid.size() != cells)
        lapwing::user_error("obstacle mask", std::to_string(s.solid.size()) + " cells",
                            std::to_string(cells) + ", those of the grid", "make the mask for this grid");
}

std::string text_of_all(const LatticeSettings& s) {
    return lapwing::text_of(s) + " solid cells " + lapwing::Digest().add(std::as_bytes(std::span(s.solid))).text();
}

}  // namespace lapwing_lattice
