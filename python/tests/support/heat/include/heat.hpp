#pragma once
// A model that only the tests know: heat that spreads between closed sides.

#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "heat_settings.hpp"

namespace heat {

class Heat {
  public:
    Heat(lapwing::Domain& domain, const HeatSettings& settings, const std::string& strategy);
    void begin();
    [[nodiscard]] const lapwing::Step& step() const { return step_; }

    lapwing::Field<double> heat, next;

  private:
    HeatSettings settings_;
    lapwing::Step step_;
};

}  // namespace heat
