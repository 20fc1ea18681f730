#pragma once
// A model that only the tests know: heat that spreads between closed sides.

#include <string>
#include <vector>

#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "heat_settings.hpp"

namespace heat {

// What the kernels need on one owned box.
struct HeatContext {
    lapwing::View<double> heat, next;
    lapwing::Index3 size;  // of the grid
    HeatSettings settings;
};

class Heat {
  public:
    Heat(lapwing::Domain& domain, const HeatSettings& settings);
    void begin();
    [[nodiscard]] std::vector<lapwing::Stage> stages();

    lapwing::Field heat, next;

  private:
    HeatSettings settings_;
    std::vector<HeatContext> contexts_;
};

}  // namespace heat
