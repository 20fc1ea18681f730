#include "lapwing_lattice/state_check.hpp"

#include <cmath>
#include <sstream>
#include <vector>

namespace lapwing_lattice {

using lapwing::CellAnswer;
using lapwing::Index3;

namespace {

std::vector<lapwing::CellQuestion> questions(const LatticeModel& model) {
    const auto density = [&](int b) {
        return [values = model.density.memory().view<double>(b)](const Index3& c) {
            const double value = values(c[0], c[1], c[2]);
            return CellAnswer{value, !(std::isfinite(value) && value > 0.0)};
        };
    };
    const auto mach = [&](int b) {
        const auto along = [&](std::size_t axis) { return model.velocity[axis].memory().view<double>(b); };
        return [x = along(0), y = along(1), z = along(2)](const Index3& c) {
            const auto [i, j, k] = c;
            const double number = mach_number(x(i, j, k), y(i, j, k), z(i, j, k));
            return CellAnswer{number, !(number <= largest_mach)};
        };
    };
    const lapwing::AnyField* field = &model.density.memory();
    return {{"density", field, density}, {"Mach number", field, mach}};
}

}  // namespace

double mach_number(double x, double y, double z) { return std::sqrt(3.0 * (x * x + y * y + z * z)); }

void check_state(const lapwing::Domain& domain, const LatticeModel& model) {
    const auto bad = lapwing::first_bad_cell(domain, questions(model), model.step_number());
    if (!bad) return;
    std::ostringstream said;
    said << "state of the lattice model: got " << bad->text << "; expected ";
    if (bad->question == 0) {
        said << "a finite value above 0";
    } else {
        said << "at most " << largest_mach << ", beyond which the lattice is compressible";
    }
    said << "; run the case again with a slower flow or a longer relaxation time";
    throw lapwing::StateError(said.str());
}

}  // namespace lapwing_lattice
