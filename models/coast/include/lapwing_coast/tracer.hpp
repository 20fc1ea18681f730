#pragma once
// Advection of a tracer in three dimensions: one-dimensional steps along x, y, the vertical, y and x, as GETM splits
// it.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <lapwing/domain.hpp>
#include <lapwing/field.hpp>
#include <lapwing/step.hpp>

#include "lapwing_coast/tracer_flow.hpp"
#include "lapwing_coast/tracer_kernels.hpp"

namespace lapwing_coast {

struct TracerSettings {
    double time_step = 200.0;     // s
    double spacing_x = 2000.0;    // m
    double spacing_y = 2000.0;    // m
    int levels = 60;              // layers, of equal thickness in a column
    bool levels_fastest = false;  // memory order: levels, x, y instead of x, y, levels
    Limiter limiter = Limiter::p2_pdm;
};

// A tracer, the flow that carries it, and the step that moves it on. Conserves tracer times thickness to rounding,
// keeps a constant bit for bit, and with both limiters makes no new extreme.
class TracerAdvection {
  public:
    // At rest, with no tracer. `depth` holds the depth of the whole grid (m, 0: land), x fastest. Collective; throws
    // UserError on all ranks for sizes that do not fit the grid, or a setting that makes no sense. `strategy` and
    // `transport` are those of its lapwing::Step.
    TracerAdvection(lapwing::Domain& domain, const TracerSettings& settings, std::span<const double> depth,
                    const std::string& strategy, const std::string& transport);
    TracerAdvection(const TracerAdvection&) = delete;  // the kernels' contexts point into it
    TracerAdvection& operator=(const TracerAdvection&) = delete;

    // Takes over what the caller wrote into flow_x and flow_y: closes the faces of land and of the rim of the grid,
    // where it has one, and computes flow_z and the thicknesses. Throws UserError on all ranks when the flow, summed
    // over the layers, diverges, or more leaves a cell in a fractional step than is in it. Collective.
    void set_flow();

    // Runs `steps` time steps. All ranks alike.
    void advance(lapwing::Index steps);

    // The stages of a step, for callers that run them by other means than `advance`. Local.
    [[nodiscard]] std::vector<std::vector<lapwing::Stage>> cycle();

    [[nodiscard]] const TracerSettings& settings() const { return settings_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    lapwing::Field tracer;     // at cell centres
    lapwing::Field flow_x;     // through x faces, m2/s per layer
    lapwing::Field flow_y;     // through y faces, m2/s per layer
    lapwing::Field thickness;  // of the layers between steps, m

  private:
    struct Fraction {
        int axis;
        double time;  // share of the time step
    };
    static constexpr std::array<Fraction, fractional_steps> fractions{
        {{0, 0.5}, {1, 0.5}, {2, 1.0}, {1, 0.5}, {0, 0.5}}};

    void fill_depth(std::span<const double> depth);
    void make_contexts();
    void close_faces();
    [[nodiscard]] lapwing::Field& thickness_before(std::size_t fraction);
    [[nodiscard]] lapwing::Field& flow_along(int axis);
    [[nodiscard]] lapwing::Stage interface_stage(std::size_t fraction);
    [[nodiscard]] lapwing::Stage update_stage(std::size_t fraction);
    [[nodiscard]] lapwing::Stage flow_stage();

    lapwing::Domain& domain_;
    TracerSettings settings_;
    lapwing::Field flow_z_;                                               // through the tops of the cells, m/s
    std::array<lapwing::Field, 3> interface_;                             // concentrations at the interfaces, by axis
    std::array<lapwing::Field, fractional_steps - 1> between_;            // thicknesses within a step, m
    std::array<lapwing::Field, 2> open_;                                  // 1 at open x and y faces, else 0
    std::array<std::vector<AdvectionContext>, fractional_steps> moving_;  // [fraction][block]
    std::vector<FlowContext> flowing_;                                    // [block]
    std::unique_ptr<lapwing::Step> flow_step_, step_;
};

}  // namespace lapwing_coast
