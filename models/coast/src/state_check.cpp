#include "lapwing_coast/state_check.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace lapwing_coast {

using lapwing::CellAnswer;
using lapwing::Index3;

namespace {

bool is_bad(double value, double floor) { return !std::isfinite(value) || (floor > 0.0 && value <= -floor); }

lapwing::CellQuestion question(const Checked& checked) {
    const auto answer = [&checked](int b) -> std::function<CellAnswer(const Index3&)> {
        const auto values = checked.field.memory().view<const double>(b);
        if (!checked.floor)
            return [values](const Index3& c) {
                const double value = values(c[0], c[1], c[2]);
                return CellAnswer{value, is_bad(value, 0.0)};
            };
        return [values, floors = checked.floor->memory().view<const double>(b)](const Index3& c) {
            const double value = values(c[0], c[1], c[2]);
            return CellAnswer{value, is_bad(value, floors(c[0], c[1]))};
        };
    };
    return {checked.field.name(), &checked.field.memory(), answer};
}

}  // namespace

void check_state(const lapwing::Domain& domain, std::span<const Checked> checked, lapwing::Index step_number,
                 bool drying) {
    std::vector<lapwing::CellQuestion> questions;
    for (const Checked& one : checked) questions.push_back(question(one));
    const auto bad = lapwing::first_bad_cell(domain, questions, step_number);
    if (!bad) return;
    const std::string water = "water in every wet cell";
    const std::string dry = drying ? water : water + " (switch physics.drying on where cells may run dry)";
    const std::string expected = std::isfinite(bad->value) ? dry : "a finite value";
    throw lapwing::StateError("state of the coast model: got " + bad->text + "; expected " + expected +
                              "; run the case again with a smaller time step or a greater depth there");
}

}  // namespace lapwing_coast
