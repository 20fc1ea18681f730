// The coast model in two dimensions, as work to simulate: the sea of the request, in motion from the start.

#include <cmath>

#include "lapwing_coast/coast.hpp"
#include "lapwing_simulate/work.hpp"

#include "depth.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

class CoastWork final : public lapwing_simulate::Work {
  public:
    CoastWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : coast_(domain, request.settings.at("settings").get<CoastSettings>(), depth_of(request),
                 request.settings.at("boundaries").get<std::vector<Boundary>>(), strategy, request.transport) {
        reset();
    }
    std::vector<std::vector<lapwing::Stage>> cycle() override { return coast_.cycle(); }
    void begin_step() override { coast_.tick(); }
    void reset() override {
        coast_.resume(0);
        for (lapwing::Field* field : {&coast_.mode.transport[0], &coast_.mode.transport[1]}) {
            for (const lapwing::Block& block : field->blocks()) still(*field, block);
            field->modified();
        }
        stir();
    }
    [[nodiscard]] std::vector<const lapwing::Field*> state() const override {
        return {&coast_.mode.sea_level, &coast_.mode.transport[0], &coast_.mode.transport[1]};
    }

  private:
    static void still(const lapwing::Field& field, const lapwing::Block& block) {
        const auto transport = field.view<double>(static_cast<int>(&block - field.blocks().data()));
        for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
            for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i) transport(i, j) = 0.0;
    }
    static double wave(double i, double j) { return 0.1 * std::sin(0.1 * i) * std::cos(0.13 * j); }  // m
    // Waves all over the sea: every cell changes from the first step on.
    void stir() {
        for (std::size_t b = 0; b < coast_.mode.sea_level.blocks().size(); ++b) {
            const lapwing::Box& owned = coast_.mode.sea_level.blocks()[b].owned;
            const auto level = coast_.mode.sea_level.view<double>(static_cast<int>(b));
            const auto depth = coast_.mode.depth.view<double>(static_cast<int>(b));
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                    level(i, j) = depth(i, j) > 1.0 ? wave(static_cast<double>(i), static_cast<double>(j)) : 0.0;
        }
        coast_.mode.sea_level.modified();
    }

    Coast coast_;
};

const lapwing_simulate::RegisteredWork coast("coast", lapwing_simulate::make<CoastWork>);

}  // namespace

}  // namespace lapwing_coast
