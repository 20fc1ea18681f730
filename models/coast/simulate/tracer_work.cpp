// The advection of a tracer in three dimensions, as work to simulate: gyres that differ from layer to layer, and a
// tracer that is different in every cell.

#include <cmath>
#include <numbers>

#include "lapwing_coast/tracer/tracer.hpp"
#include "lapwing_simulate/work.hpp"

#include "depth.hpp"

namespace lapwing_coast {

namespace {

using lapwing::Index;

class TracerWork final : public lapwing_simulate::Work {
  public:
    TracerWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : advection_(domain, request.settings.at("settings").get<TracerSettings>(), depth_of(request), strategy,
                     request.transport),
          size_(request.grid.size) {
        reset();
    }
    void reset() override {
        for (int b = 0; b < std::ssize(advection_.tracer.blocks()); ++b) fill(b);
        advection_.set_flow();
        advection_.tracer.modified();
    }
    std::vector<std::vector<lapwing::Stage>> cycle() override { return advection_.cycle(); }
    [[nodiscard]] std::vector<const lapwing::Field*> state() const override { return {&advection_.tracer}; }

  private:
    // Of the corner towards larger indices, m3/s in a layer: 0 on the rim of the grid.
    [[nodiscard]] double stream(Index i, Index j) const {
        const auto wave = [](Index n, Index cells) {
            return std::sin(std::numbers::pi * static_cast<double>(n + 1) / static_cast<double>(cells));
        };
        return 1e4 * wave(i, size_[0]) * wave(j, size_[1]);
    }
    // Gyres do not diverge; along x, water goes one way in the upper layers and comes back in the lower ones.
    void fill(int block) {
        const lapwing::Box owned = advection_.tracer.spec().with_levels(advection_.tracer.blocks()[block].owned);
        const auto tracer = advection_.tracer.view<double>(block);
        const auto x = advection_.flow_x.view<double>(block), y = advection_.flow_y.view<double>(block);
        const auto& s = advection_.settings();
        for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                    const double back = 2 * k < s.levels ? -0.01 : 0.01;  // m2/s
                    x(i, j, k) = (stream(i, j - 1) - stream(i, j)) / s.spacing_y + back * (i + 1 < size_[0] ? 1 : 0);
                    y(i, j, k) = (stream(i, j) - stream(i - 1, j)) / s.spacing_x;
                    tracer(i, j, k) = std::sin(0.7 * static_cast<double>(i + 3 * j + 5 * k));
                }
    }

    TracerAdvection advection_;
    lapwing::Index3 size_;
};

const lapwing_simulate::RegisteredWork tracer("tracer", lapwing_simulate::make<TracerWork>);

}  // namespace

}  // namespace lapwing_coast
