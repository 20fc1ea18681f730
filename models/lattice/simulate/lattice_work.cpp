// The lattice model, as work to simulate.

#include <cmath>
#include <optional>

#include "lapwing_lattice/lattice.hpp"
#include "lapwing_simulate/work.hpp"

namespace lapwing_lattice {

namespace {

using lapwing::Index;

// `solid` is a digit per cell of the grid, not 0 where it is solid.
LatticeSettings settings_of(const nlohmann::json& document) {
    auto settings = document.at("settings").get<LatticeSettings>();
    for (const char digit : document.value("solid", "")) settings.solid.push_back(digit != '0');
    return settings;
}

class LatticeWork final : public lapwing_simulate::Work {
  public:
    LatticeWork(lapwing::Domain& domain, const lapwing_simulate::Request& request, const std::string& strategy)
        : size_(request.grid.size), settings_(settings_of(request.settings)) {
        lapwing_simulate::require_memory(domain, field_bytes(domain, settings_),
                                         "simulate fewer ranks or cells, or lattice.kernel in-place");
        lattice_.emplace(domain, settings_, strategy, request.transport);
        reset();
    }
    std::vector<std::vector<lapwing::Stage>> cycle() override { return lattice_->cycle(); }
    void reset() override {
        lattice_->resume(0);
        for (int b = 0; b < static_cast<int>(lattice_->density.blocks().size()); ++b) stir(b);
        lattice_->start();
    }
    [[nodiscard]] std::vector<const lapwing::Field*> state() const override {
        std::vector<const lapwing::Field*> all;
        for (const lapwing::Field& field : lattice_->populations) all.push_back(&field);
        return all;
    }

  private:
    // Waves everywhere, slow enough for the lattice: every cell changes from the first step on.
    void stir(int block) {
        const lapwing::Box& owned = lattice_->density.blocks()[block].owned;
        const auto density = lattice_->density.view<double>(block);
        for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
            for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                    const auto along = static_cast<double>(i), row = static_cast<double>(j + 3 * k);
                    const bool fluid = is_fluid({i, j, k});
                    density(i, j, k) = fluid ? 1.0 + 0.001 * std::cos(0.7 * along + 0.3 * row) : 1.0;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        const double phase = 0.1 * along + 0.13 * row + static_cast<double>(axis);
                        lattice_->velocity[axis].view<double>(block)(i, j, k) = fluid ? 0.02 * std::sin(phase) : 0.0;
                    }
                }
    }
    [[nodiscard]] bool is_fluid(const lapwing::Index3& cell) const {
        const lapwing::Index place = (cell[2] * size_[1] + cell[1]) * size_[0] + cell[0];
        return settings_.solid.empty() || settings_.solid[place] == 0;
    }

    lapwing::Index3 size_;
    LatticeSettings settings_;
    std::optional<LatticeModel> lattice_;
};

const lapwing_simulate::RegisteredWork lattice("lattice", lapwing_simulate::make<LatticeWork>);

}  // namespace

}  // namespace lapwing_lattice
