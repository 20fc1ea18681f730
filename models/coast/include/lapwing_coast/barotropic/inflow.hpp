#pragma once
// Water that comes from outside the sea: rivers into single cells, and rain less evaporation everywhere.

#include <array>
#include <vector>

#include "lapwing/base/settings.hpp"

#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/layer_shape.hpp"
#include "lapwing_coast/metrics.hpp"

namespace lapwing_coast {

// A river, which enters the whole column of a cell.
struct River {
    int i = 0, j = 0;
    double discharge = 0;
    std::vector<double> discharges;
    double salinity = 0;
    std::vector<double> temperature;

    static constexpr std::tuple declared{
        lapwing::Setting{"i", &River::i, "cell along x"},
        lapwing::Setting{"j", &River::j, "cell along y"},
        lapwing::Setting{"discharge", &River::discharge, "m3/s"},
        lapwing::Setting{"discharges", &River::discharges, "at the times of Inflow instead, or none, m3/s"},
        lapwing::Setting{"salinity", &River::salinity, "g/kg"},
        lapwing::Setting{"temperature", &River::temperature, "one number, degC; none: as the sea's"}};
};

// All rivers, and the rain. Rates are linear between the times.
struct Inflow {
    std::vector<River> rivers;
    std::vector<double> times;
    double rain = 0;
    std::vector<double> rain_times, rains;

    static constexpr std::tuple declared{
        lapwing::Setting{"rivers", &Inflow::rivers, ""},
        lapwing::Setting{"times", &Inflow::times, "of the rivers, since the start of the case, growing, s"},
        lapwing::Setting{"rain", &Inflow::rain, "less evaporation, that adds volume, m/s"},
        lapwing::Setting{"rain_times", &Inflow::rain_times, "as times, s"},
        lapwing::Setting{"rains", &Inflow::rains, "at rain_times instead, or none, m/s"}};

    [[nodiscard]] bool has_rain() const { return rain != 0 || !rains.empty(); }
};

// The rates of a step.
struct InflowRates {
    std::vector<double> rivers;  // m3/s
    double rain = 0;             // m/s
};

// The cell of a river as a kernel's box may see it: also beyond an axis that closes on itself. Calls use(i, j) for each
// image in the box.
struct RiverCells {
    lapwing::Index3 size{};
    std::array<bool, 3> periodic{};

    template <class Use>
    void for_images(const Box& box, const River& river, const Use& use) const {
        const Index nx = periodic[0] ? size[0] : 0, ny = periodic[1] ? size[1] : 0;
        for (Index j = river.j - ny; j <= river.j + ny; j += ny > 0 ? ny : 1)
            for (Index i = river.i - nx; i <= river.i + nx; i += nx > 0 ? nx : 1)
                if (i >= box.lo[0] && i < box.hi[0] && j >= box.lo[1] && j < box.hi[1]) use(i, j);
    }
};

// Raises the sea level (m) in the cells of a box by what comes in within a time step:
//
//   level <- level + dt (rain + discharge / area)
//
// `depth` (m) is 0 on land. Reads nothing around a cell. Local.
struct RaiseLevel {
    const std::vector<River>* rivers = nullptr;
    const InflowRates* rates = nullptr;  // of the step
    RiverCells cells;
    double time_step = 0;  // s
    double over_area = 0;  // 1 over the area of a cell, 1/m2; not used where metrics vary

    void operator()(Box box, View<double> sea_level, View<const double> depth, const Views& over_area_at = {}) const;
};

// Takes what comes in within a step of the layers into the columns of a box, a river into all layers by their
// thickness, rain into the uppermost:
//
//   h <- h + h_in,  then  c <- c + (c_in - c) h_in / h
//
// one source after the other, so that h c grows by h_in c_in, and a constant keeps its bits where c_in is the same.
// Rain has no salt, and the temperature of the sea. All fields are 3D; thickness is m, or m3 where metrics vary. Reads
// nothing around a cell. Local.
struct TakeInflow {
    RaiseLevel water;  // of a step of the layers
    Index levels = 1;
    LayerShape shape{};

    void operator()(Box box, View<double> thickness, View<double> temperature, View<double> salinity,
                    View<const double> depth, const Views& area = {}) const;
};

}  // namespace lapwing_coast
