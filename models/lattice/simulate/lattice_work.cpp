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
    std::vector<lapwing::Stages> cycle() override { return lattice_->step().report().cycle(); }
    void reset() override {
        lattice_->resume(0);
        stir();
        lattice_->start();
    }
    [[nodiscard]] std::vector<const lapwing::AnyField*> state() const override {
        std::vector<const lapwing::AnyField*> all;
        for (const auto& field : lattice_->populations) all.push_back(field.get());
        return all;
    }

  private:
    // Waves everywhere, slow enough for the lattice: every cell changes from the first step on.
    void stir() {
        const auto along = [](Index i) { return static_cast<double>(i); };
        lattice_->density.fill([&](Index i, Index j, Index k) {
            return is_fluid({i, j, k}) ? 1.0 + 0.001 * std::cos(0.7 * along(i) + 0.3 * along(j + 3 * k)) : 1.0;
        });
        for (std::size_t axis = 0; axis < 3; ++axis)
            lattice_->velocity[axis].fill([&](Index i, Index j, Index k) {
                const double phase = 0.1 * along(i) + 0.13 * along(j + 3 * k) + static_cast<double>(axis);
                return is_fluid({i, j, k}) ? 0.02 * std::sin(phase) : 0.0;
            });
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
