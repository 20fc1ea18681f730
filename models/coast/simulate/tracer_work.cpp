// The advection of a tracer in three dimensions, as work to simulate: gyres that differ from layer to layer, and a
// tracer that is different in every cell.

#include <cmath>
#include <numbers>

#include "lapwing_coast/tracer/tracer.hpp"
#include "lapwing_simulate/work.hpp"

#include "sea.hpp"

namespace lapwing_coast {

namespace {

class TracerWork final : public lapwing_simulate::Work {
  public:
    TracerWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : advection_(domain, request.settings.at("settings").get<TracerSettings>(), depth_of(request), strategy,
                     request.transport, listed_of(request)),
          size_(request.grid.size) {
        reset();
    }
    void reset() override {
        const auto& s = advection_.settings();
        // Gyres do not diverge; along x, water goes one way in the upper layers and comes back in the lower ones.
        advection_.flow_x.fill([&](Index i, Index j, Index k) {
            const double back = 2 * k < s.levels ? -0.01 : 0.01;  // m2/s
            return (stream(i, j - 1) - stream(i, j)) / s.spacing_y + back * (i + 1 < size_[0] ? 1 : 0);
        });
        advection_.flow_y.fill(
            [&](Index i, Index j, Index) { return (stream(i, j) - stream(i - 1, j)) / s.spacing_x; });
        advection_.tracer.fill(
            [](Index i, Index j, Index k) { return std::sin(0.7 * static_cast<double>(i + 3 * j + 5 * k)); });
        advection_.set_flow();
    }
    std::vector<lapwing::Stages> cycle() override { return advection_.step().report().cycle(); }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override { return {&advection_.tracer.memory()}; }

  private:
    // The stream function at the corner towards larger indices, m3/s in a layer: 0 on the rim of the grid.
    [[nodiscard]] double stream(Index i, Index j) const {
        const auto wave = [](Index n, Index cells) {
            return std::sin(std::numbers::pi * static_cast<double>(n + 1) / static_cast<double>(cells));
        };
        return 1e4 * wave(i, size_[0]) * wave(j, size_[1]);
    }

    TracerAdvection advection_;
    lapwing::Index3 size_;
};

const lapwing_simulate::RegisteredWork tracer("tracer", lapwing_simulate::make<TracerWork>);

}  // namespace

}  // namespace lapwing_coast
