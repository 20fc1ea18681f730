// Heat as work to simulate.
#include "heat.hpp"
#include "lapwing_simulate/work.hpp"

namespace heat {

namespace {

class HeatWork final : public lapwing_simulate::Work {
  public:
    HeatWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : model_(domain, request.settings.get<HeatSettings>(), strategy) {
        reset();
    }
    std::vector<lapwing::Stages> cycle() override { return model_.step().report().cycle(); }
    void reset() override { model_.begin(); }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override { return {&model_.heat.memory()}; }

  private:
    Heat model_;
};

const lapwing_simulate::RegisteredWork registered("heat", lapwing_simulate::make<HeatWork>);

}  // namespace

}  // namespace heat
