#pragma once
// The lattice model: flow by lattice Boltzmann, D3Q19, on two lattices or in place.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/exchange/field.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/step/typed_stage.hpp"

#include "lapwing_lattice/kernels.hpp"
#include "lapwing_lattice/sides.hpp"

namespace lapwing_lattice {

// All in lattice units: a cell, a step, density about 1.
struct LatticeSettings {
    double tau = 0.8;
    double tau_minus = 0.8;
    std::array<double, 3> force{};
    Sides sides;
    bool in_place = false;
    bool single = false;
    std::vector<std::uint8_t> solid;  // [nx, ny, nz], x fastest: not 0 where solid; empty: nowhere

    static constexpr std::tuple declared{
        lapwing::Setting{"tau", &LatticeSettings::tau,
                         "relaxation time of what is even, steps; viscosity is (tau - 1/2) / 3"},
        lapwing::Setting{"tau_minus", &LatticeSettings::tau_minus, "of what is odd; the same for BGK"},
        lapwing::Setting{"force", &LatticeSettings::force, "on a cell"},
        lapwing::Setting{"sides", &LatticeSettings::sides, "x low, x high, y low, y high, z low, z high"},
        lapwing::Setting{"in_place", &LatticeSettings::in_place, "one lattice (AA pattern) instead of two"},
        lapwing::Setting{"single", &LatticeSettings::single, "float instead of double"}};
};

// About the bytes of populations, with halos of a cell, density and velocity on the boxes of this rank. Local.
double field_bytes(const lapwing::Domain& domain, const LatticeSettings& settings);

// The populations on the boxes of one rank and the step that moves them on.
class LatticeModel {
  public:
    // Without fluid in it: the caller fills `density` and `velocity` and calls `start`. Collective; throws UserError on
    // all ranks for settings that make no sense, differ or need more memory than the node has.
    LatticeModel(lapwing::Domain& domain, const LatticeSettings& settings, const std::string& strategy,
                 const std::string& transport);
    LatticeModel(const LatticeModel&) = delete;  // the kernels point into it
    LatticeModel& operator=(const LatticeModel&) = delete;

    // Puts the populations in equilibrium with density and velocity, and solid cells to what never changes. Local.
    void start();

    // Runs `steps` time steps; density and velocity then belong to the last. Called on all ranks.
    void advance(lapwing::Index steps);

    // Goes on from `step_number`; the caller has put the state of that moment into `populations`. Call it on all ranks.
    void resume(lapwing::Index step_number);

    // Throws StateError on all ranks when a value is not finite, a density is not above 0 or the flow is too fast for
    // the lattice. Collective.
    void check_state();

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    [[nodiscard]] lapwing::Index fluid_cells() const;  // of this rank
    // The lattice of the newest populations. In place: true if population q of a cell lies in component opposite(q);
    // otherwise the populations that left it lie around it.
    [[nodiscard]] std::size_t newest() const { return in_place() ? 0 : step_number_ % 2; }
    [[nodiscard]] bool in_place() const { return settings_.in_place; }

    std::vector<std::shared_ptr<lapwing::AnyField>> populations;  // two, or one in place; of doubles or floats
    lapwing::Field<double> density;
    std::vector<lapwing::Field<double>> velocity;  // along x, y and z

  private:
    // Makes the populations and says what a step does to them.
    template <class T>
    [[nodiscard]] std::vector<lapwing::Stages> declare();
    template <class T>
    [[nodiscard]] LatticeKernel<T> kernel(Pattern pattern, int box);
    template <class T>
    void put_equilibrium();
    [[nodiscard]] std::vector<std::byte*> guarded() const;

    lapwing::Domain& domain_;
    LatticeSettings settings_;
    std::vector<std::shared_ptr<const FluidRows>> rows_;  // by box
    std::unique_ptr<lapwing::Step> step_;
    bool observing_ = false;
    lapwing::Index step_number_ = 0;
};

}  // namespace lapwing_lattice
