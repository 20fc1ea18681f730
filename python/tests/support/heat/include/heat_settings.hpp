#pragma once
// The settings of the heat.

#include <array>

#include "lapwing/base/settings.hpp"

namespace heat {

enum class Start { wave, corner };
inline constexpr lapwing::Names<Start, 2> starts{{{Start::wave, "wave"}, {Start::corner, "corner"}}};
constexpr const auto& names_of(Start) { return starts; }

struct HeatSettings {
    double strength = 0.1;
    Start start = Start::wave;
    std::array<double, 2> weights{1.0, 1.0};

    static constexpr std::tuple declared{
        lapwing::Setting{"strength", &HeatSettings::strength, "share that a neighbour takes in a step, 1"},
        lapwing::Setting{"start", &HeatSettings::start, "where it is warm at first"},
        lapwing::Setting{"weights", &HeatSettings::weights, "of the strength along x and y, 1"}};
};

}  // namespace heat
