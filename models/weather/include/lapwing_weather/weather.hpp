#pragma once
// The weather model: hydrostatic flow of air over a limited area or a channel, explicit or semi-implicit in time.

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_weather/dynamics/columns.hpp"
#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/dynamics/momentum.hpp"
#include "lapwing_weather/dynamics/scalars.hpp"
#include "lapwing_weather/dynamics/semi_implicit.hpp"
#include "lapwing_weather/dynamics/semi_lagrangian.hpp"
#include "lapwing_weather/dynamics/time_filter.hpp"
#include "lapwing_weather/smoothing/relaxation.hpp"
#include "lapwing_weather/smoothing/smoothing.hpp"

namespace lapwing_weather {

struct WeatherSettings {
    double time_step = 60.0;
    double spacing_x = 50000.0;
    double spacing_y = 50000.0;
    double coriolis = 1e-4;
    double beta = 0.0;
    double diffusion = 0.0;
    double filter = 0.05;
    int relaxation = 0;
    bool changing_boundary = false;
    bool moist = false;
    bool semi_lagrangian = false;
    bool implicit_diffusion = false;
    Air air;
    HybridLevels levels;
    VerticalModes modes;

    static constexpr std::tuple declared{
        lapwing::Setting{"time_step", &WeatherSettings::time_step, "s"},
        lapwing::Setting{"spacing_x", &WeatherSettings::spacing_x, "m"},
        lapwing::Setting{"spacing_y", &WeatherSettings::spacing_y, "m"},
        lapwing::Setting{"coriolis", &WeatherSettings::coriolis, "f in the middle of the grid along y, 1/s"},
        lapwing::Setting{"beta", &WeatherSettings::beta, "df/dy, 1/(m s)"},
        lapwing::Setting{"diffusion", &WeatherSettings::diffusion, "coefficient of fourth order, m4/s; 0: none"},
        lapwing::Setting{"filter", &WeatherSettings::filter, "strength of the time filter, 1"},
        lapwing::Setting{"relaxation", &WeatherSettings::relaxation,
                         "width of the frame at the edges, cells; 0: walls, or axes that close"},
        lapwing::Setting{"changing_boundary", &WeatherSettings::changing_boundary,
                         "whether what is given there changes: between two records"},
        lapwing::Setting{"moist", &WeatherSettings::moist, "whether the air has humidity"},
        lapwing::Setting{"semi_lagrangian", &WeatherSettings::semi_lagrangian,
                         "advection along the layers by paths of the air, else centred"},
        lapwing::Setting{"implicit_diffusion", &WeatherSettings::implicit_diffusion,
                         "by whatever `smooth` of the model does, not by `diffusion`"},
        lapwing::Setting{"air", &WeatherSettings::air, ""},
        lapwing::Setting{"levels", &WeatherSettings::levels, ""},
        lapwing::Setting{"modes", &WeatherSettings::modes,
                         "of gravity waves that are stepped implicitly; empty: explicit steps"}};
};

// The state at one time.
struct Weather {
    std::array<lapwing::Field, 2> wind;    // at x and y faces, m/s
    lapwing::Field temperature;            // K
    lapwing::Field pressure;               // of the surface, Pa
    std::vector<lapwing::Field> humidity;  // kg/kg; one where moist, else none
};

// All fields of a state, each with its name.
std::vector<lapwing::Field*> fields_of(Weather& weather);

// The fields on the boxes of one rank and the step that moves them on. Three states rotate: a step filters the middle
// one, computes what the newest does to it, and puts the result in the place of the oldest. Everything that a step
// needs from other ranks is the newest state, so that it travels once.
class WeatherModel {
  public:
    // At rest, without air: the caller puts a state into all three `states` and, with relaxation, `given`. Collective;
    // throws UserError on all ranks for settings that make no sense or differ.
    WeatherModel(lapwing::Domain& domain, const WeatherSettings& settings, const std::string& strategy,
                 const std::string& transport);
    WeatherModel(const WeatherModel&) = delete;  // the kernels' contexts point into it
    WeatherModel& operator=(const WeatherModel&) = delete;

    // Runs `steps` time steps; the first of a case is one of half the length (Euler). All ranks alike.
    void advance(lapwing::Index steps);

    // The stages of a step by position in the cycle of three, for callers that run them by other means than `advance`:
    // they call `tick` before each step. The contexts live as long as the model does. Local.
    [[nodiscard]] std::vector<std::vector<lapwing::Stage>> cycle();
    void tick();

    // Goes on from `step_number`; the caller has put the three states of that moment into `states`. All ranks alike.
    void resume(lapwing::Index step_number);

    // Copies the newest state to `shown` and finds the height of its layers. Local.
    void show();

    // Throws StateError on all ranks when a value is not finite, a pressure or temperature is not above 0, or air or
    // waves cross more of a cell in a step than the scheme can take. Collective.
    void check_state();

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    // Which of the states is the newest. Local.
    [[nodiscard]] std::size_t newest() const { return (step_number_ + 2) % 3; }

    std::vector<Weather> states;          // three
    std::vector<Weather> given;           // one with relaxation: what the edges are drawn to; two where it changes
    std::array<double, 2> given_times{};  // of these two, s since the start of the case
    lapwing::Field surface_geopotential;  // m2/s2
    Weather shown;                        // the newest state at the last `show`
    lapwing::Field height;                // geopotential of the layers then, m2/s2
    // With vertical modes: a level for each, and what solves its Helmholtz equation, p / (dt c)^2 - laplacian(p) = r,
    // in place, on all ranks together; set before the first step.
    std::vector<lapwing::Field> modes;
    std::function<void()> solve;
    // With implicit diffusion: copies of what it filters, and what filters them, likewise.
    std::vector<Weather> smoothed;
    std::function<void()> smooth;

  private:
    void make_contexts(int block);
    void share_out_given(double time);
    void make_step_contexts(std::size_t position, int block);
    [[nodiscard]] lapwing::Stage filter_stage(std::size_t position);
    [[nodiscard]] lapwing::Stage columns_stage(std::size_t position);
    [[nodiscard]] lapwing::Stage momentum_stage(std::size_t position, std::size_t axis);
    [[nodiscard]] lapwing::Stage scalars_stage(std::size_t position);
    [[nodiscard]] std::vector<lapwing::Stage> relaxation_stages(const char* name, Weather& state,
                                                                std::vector<RelaxationContext>& contexts);
    [[nodiscard]] ColumnsContext columns_context(Weather& now, int block);
    [[nodiscard]] FilterContext filter_context(std::size_t position, int block);
    [[nodiscard]] Diffusion diffusion_of(const lapwing::Field& old, int block) const;
    [[nodiscard]] MomentumContext momentum_context(std::size_t position, std::size_t axis, int block);
    [[nodiscard]] ScalarsContext scalars_context(std::size_t position, int block);
    [[nodiscard]] RelaxationContext relaxation_context(Weather& state, int block);
    [[nodiscard]] ImplicitContext implicit_context(std::size_t position, int block);
    [[nodiscard]] std::vector<lapwing::Stage> implicit_stages(std::size_t position);
    [[nodiscard]] std::vector<lapwing::Stage> growth_stages(std::size_t position);
    [[nodiscard]] std::vector<lapwing::Stage> path_stages(std::size_t position);
    [[nodiscard]] std::vector<lapwing::Stage> smoothing_stages(std::size_t position);
    [[nodiscard]] SmoothingContext smoothing_context(std::size_t position, int block);
    [[nodiscard]] lapwing::Stage displacement_stage(std::size_t position);
    [[nodiscard]] DisplacementContext displacement_context(std::size_t position, int block);
    [[nodiscard]] PathContext path_context(std::size_t position, int block);
    [[nodiscard]] Displacements displacements(int block) const;

    lapwing::Domain& domain_;
    WeatherSettings settings_;
    lapwing::Field geopotential_, push_, flow_down_, heating_;  // see ColumnsContext
    lapwing::Field outflow_;
    std::vector<lapwing::Field> divergence_, lift_;  // see ImplicitContext; one each with vertical modes
    std::vector<Weather> on_paths_;  // what paths carry, and how far: two fields; none unless semi-Lagrangian
    std::vector<lapwing::Field> displacements_;
    std::vector<double> work_, implicit_work_;
    double length_ = 0;                       // of this step, from the old state to the new one, s
    double half_length_ = 0;                  // s
    std::array<double, 2> shares_{1.0, 0.0};  // of `given`, at the end of this step
    double widest_here_ = 0, widest_ = 0;     // halo that paths need, of this rank's cells and of all, cells
    double strength_ = 0;                     // of this step's filter
    struct StepContexts {                     // of a position in the cycle, by block
        std::vector<FilterContext> filters;
        std::vector<ColumnsContext> columns;
        std::array<std::vector<MomentumContext>, 2> momentum;
        std::vector<ScalarsContext> scalars;
        std::vector<RelaxationContext> relaxations, inflow;
        std::vector<ImplicitContext> implicit;
        std::vector<DisplacementContext> displacements;
        std::vector<PathContext> paths;
        std::vector<SmoothingContext> smoothing;
    };
    std::array<StepContexts, 3> contexts_;
    std::vector<ColumnsContext> shown_columns_;
    std::unique_ptr<lapwing::Step> step_;
    lapwing::Index step_number_ = 0;
};

}  // namespace lapwing_weather
