// The coast model in two dimensions, as work to simulate: the sea of the request, in motion from the start.

#include <cmath>

#include "lapwing_coast/coast.hpp"
#include "lapwing_simulate/work.hpp"

#include "sea.hpp"

namespace lapwing_coast {

namespace {

class CoastWork final : public lapwing_simulate::Work {
  public:
    CoastWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : nx_(request.grid.size[0]),
          depth_(depth_of(request)),
          coast_(domain, request.settings.at("settings").get<CoastSettings>(), depth_,
                 request.settings.at("boundaries").get<std::vector<Boundary>>(), strategy, request.transport,
                 listed_of(request), inputs_of(request)) {
        reset();
    }
    std::vector<lapwing::Stages> cycle() override { return coast_.step().report().cycle(); }
    void begin_step() override { coast_.tick(); }
    // Waves all over the sea: every cell changes from the first step on.
    void reset() override {
        coast_.resume(0);
        for (Field<double>& transport : coast_.mode.transport) transport.fill([](Index, Index, Index) { return 0.0; });
        coast_.mode.sea_level.fill([&](Index i, Index j, Index) {
            return depth_[j * nx_ + i] > 1.0 ? wave(static_cast<double>(i), static_cast<double>(j)) : 0.0;
        });
    }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override {
        const BarotropicMode& mode = coast_.mode;
        return {&mode.sea_level.memory(), &mode.transport[0].memory(), &mode.transport[1].memory()};
    }

  private:
    static double wave(double i, double j) { return 0.1 * std::sin(0.1 * i) * std::cos(0.13 * j); }  // m

    Index nx_;
    std::vector<double> depth_;  // m, of the whole grid
    Coast coast_;
};

const lapwing_simulate::RegisteredWork coast("coast", lapwing_simulate::make<CoastWork>);

}  // namespace

}  // namespace lapwing_coast
