// The weather model as work to simulate: a case in the state that the driver puts into it.

#include "lapwing_simulate/work.hpp"
#include "lapwing_weather/weather.hpp"

namespace lapwing_weather {

namespace {

// Lines travel as the halos do, where the case does not say how: SMPI has not all methods that would be measured.
lapwing::LineOptions lines_of(const lapwing_simulate::Request& request) {
    const auto method = request.settings.at("transpose").get<std::string>();
    return {.method = method.empty() ? request.transport : method, .groups = request.settings.at("groups").get<int>()};
}

class WeatherWork final : public lapwing_simulate::Work {
  public:
    WeatherWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : weather_(domain, request.settings.at("settings").get<WeatherSettings>(), strategy, request.transport,
                   lines_of(request)) {}
    std::vector<lapwing::Stages> cycle() override { return weather_.step().report().cycle(); }
    void begin_step() override { weather_.tick(); }
    void resume(lapwing::Index step_number) override { weather_.resume(step_number); }
    [[nodiscard]] std::vector<lapwing::AnyField*> restart() override {
        std::vector<lapwing::AnyField*> fields;
        for (auto* all : {&weather_.states, &weather_.given})
            for (Weather& state : *all)
                for (const DoubleField& field : fields_of(state)) fields.push_back(&field.memory());
        return fields;
    }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override {
        std::vector<const lapwing::AnyField*> fields;
        for (const Weather& state : weather_.states)
            for (const DoubleField& field : fields_of(state)) fields.push_back(&field.memory());
        return fields;
    }

  private:
    WeatherModel weather_;
};

const lapwing_simulate::RegisteredWork weather("weather", lapwing_simulate::make<WeatherWork>);

}  // namespace

}  // namespace lapwing_weather
