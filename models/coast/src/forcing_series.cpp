#include "lapwing_coast/forcing_series.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lapwing/base/error.hpp"

#include "lapwing_coast/setup_check.hpp"

namespace lapwing_coast {

namespace {

std::array<const std::vector<double>*, 4> quantities(const ForcingSeries& forcing) {
    return {&forcing.wind_stress[0], &forcing.wind_stress[1], &forcing.heat_flux, &forcing.salt_flux};
}

void require_finite(const std::vector<double>& values) {
    const auto bad = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
    if (bad != values.end())
        lapwing::user_error("forcing series", text(*bad), "finite numbers", "correct times and values");
}

}  // namespace

void check_forcing(const ForcingSeries& forcing) {
    require_finite(forcing.times);
    const auto falls = std::ranges::adjacent_find(forcing.times, std::greater_equal<>());
    if (falls != forcing.times.end())
        lapwing::user_error("times of the forcing", text(falls[0]) + " s and then " + text(falls[1]) + " s",
                            "each later than the one before", "sort the times and drop those that stand twice");
    for (const std::vector<double>* values : quantities(forcing)) {
        require_finite(*values);
        if (!values->empty() && values->size() != forcing.times.size())
            lapwing::user_error("forcing series", std::to_string(values->size()) + " values",
                                std::to_string(forcing.times.size()) + ", one per time, or none",
                                "give every time its value");
    }
}

Moment moment_at(const std::vector<double>& times, double time) {
    const std::size_t later = std::ranges::upper_bound(times, time) - times.begin();
    if (later == 0) return {};
    if (later == times.size()) return {later - 1, later - 1, 0};
    return {later - 1, later, (time - times[later - 1]) / (times[later] - times[later - 1])};
}

double value_at(const std::vector<double>& values, const Moment& moment, double constant) {
    if (values.empty()) return constant;
    return values[moment.before] + moment.share * (values[moment.after] - values[moment.before]);
}

}  // namespace lapwing_coast
