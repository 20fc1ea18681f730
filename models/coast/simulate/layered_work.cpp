// The coast model in three dimensions, as work to simulate: a case in the state that the driver puts into it.

#include "lapwing_coast/layers/layered_coast.hpp"
#include "lapwing_simulate/work.hpp"

#include "sea.hpp"

namespace lapwing_coast {

namespace {

class LayeredWork final : public lapwing_simulate::Work {
  public:
    LayeredWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : coast_(domain, request.settings.at("settings").get<CoastSettings>(),
                 request.settings.at("layers").get<LayerSettings>(), depth_of(request),
                 request.settings.at("boundaries").get<std::vector<Boundary>>(),
                 request.settings.at("forcing").get<ForcingSeries>(), listed_of(request), strategy, request.transport,
                 inputs_of(request)) {}
    std::vector<lapwing::Stages> cycle() override { return coast_.step().report().cycle(); }
    void begin_step() override { coast_.tick(); }
    void resume(lapwing::Index step_number) override { coast_.resume(step_number); }
    [[nodiscard]] std::vector<lapwing::AnyField*> restart() override {
        std::vector<lapwing::AnyField*> fields;
        for (Field<double>* field :
             {&coast_.mode.sea_level, &coast_.mode.transport[0], &coast_.mode.transport[1], &coast_.flow[0],
              &coast_.flow[1], &coast_.flow_z(), &coast_.temperature, &coast_.salinity, &coast_.tke,
              &coast_.dissipation, &coast_.viscosity, &coast_.diffusivity})
            fields.push_back(&field->memory());
        return fields;
    }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override {
        return {&coast_.mode.sea_level.memory(), &coast_.flow[0].memory(),  &coast_.flow[1].memory(),
                &coast_.temperature.memory(),    &coast_.salinity.memory(), &coast_.tke.memory()};
    }

  private:
    LayeredCoast coast_;
};

const lapwing_simulate::RegisteredWork layered("coast3d", lapwing_simulate::make<LayeredWork>);

}  // namespace

}  // namespace lapwing_coast
