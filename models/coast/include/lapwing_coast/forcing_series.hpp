#pragma once
// The forcing of the layers from above as it changes in time, everywhere alike. All functions are local.

#include <array>
#include <cstddef>
#include <vector>

#include "lapwing/base/settings.hpp"

namespace lapwing_coast {

// Values at times; a quantity without values stays what LayerSettings says, and so do all where there are no times.
struct ForcingSeries {
    std::vector<double> times;
    std::array<std::vector<double>, 2> wind_stress{};
    std::vector<double> heat_flux;
    std::vector<double> salt_flux;

    static constexpr std::tuple declared{
        lapwing::Setting{"times", &ForcingSeries::times, "since the start of the case, growing, s"},
        lapwing::Setting{"wind_stress", &ForcingSeries::wind_stress, "along x and y, over the density of water, m2/s2"},
        lapwing::Setting{"heat_flux", &ForcingSeries::heat_flux, "of temperature into the sea, K m/s"},
        lapwing::Setting{"salt_flux", &ForcingSeries::salt_flux, "of salinity, g/kg m/s"}};
};

// Throws UserError for times that do not grow, values that are not one per time, and numbers that are not finite.
void check_forcing(const ForcingSeries& forcing);

// A moment between two of the times, or at the first or last where it lies beyond them.
struct Moment {
    std::size_t before = 0, after = 0;  // numbers of the times
    double share = 0;                   // of the later one, 0 to 1
};

// The moment `time` (s) among `times`, of which there is at least one.
Moment moment_at(const std::vector<double>& times, double time);

// The value at a moment, linear between the times; `constant` where there are no values. Equal values at both times
// give their bits.
double value_at(const std::vector<double>& values, const Moment& moment, double constant);

}  // namespace lapwing_coast
