#pragma once
// The weather model: hydrostatic flow of air over a limited area or a channel, explicit or semi-implicit in time.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/solver/helmholtz.hpp"
#include "lapwing/solver/implicit_diffusion.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_weather/dynamics/columns.hpp"
#include "lapwing_weather/dynamics/hybrid_levels.hpp"
#include "lapwing_weather/dynamics/momentum.hpp"
#include "lapwing_weather/dynamics/semi_implicit.hpp"
#include "lapwing_weather/weather_state.hpp"

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
    double implicit_diffusion = 0.0;
    Air air;
    HybridLevels levels;
    VerticalModes modes;

    static constexpr std::tuple declared{
        lapwing::Setting{"time_step", &WeatherSettings::time_step, "s; below 0: back in time"},
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
                         "coefficient of the same, in steps that nothing limits, m4/s; 0: none"},
        lapwing::Setting{"air", &WeatherSettings::air, ""},
        lapwing::Setting{"levels", &WeatherSettings::levels, ""},
        lapwing::Setting{"modes", &WeatherSettings::modes,
                         "of gravity waves that are stepped implicitly; empty: explicit steps"}};
};

// The fields on the boxes of one rank and the step that moves them on. Three states rotate: a step filters the middle
// one, computes what the newest does to it, and puts the result in the place of the oldest. Everything that a step
// needs from other ranks is the newest state, so that it travels once.
class WeatherModel {
  public:
    // At rest, without air: the caller puts a state into all three `states` and, with relaxation, `given`. Collective;
    // throws UserError on all ranks for settings that make no sense or differ. `lines`: how whole rows and columns come
    // together, for what is implicit.
    WeatherModel(lapwing::Domain& domain, const WeatherSettings& settings, const std::string& strategy,
                 const std::string& transport, const lapwing::LineOptions& lines = {});
    WeatherModel(const WeatherModel&) = delete;  // its kernels point into it
    WeatherModel& operator=(const WeatherModel&) = delete;

    // Runs `steps` time steps; the first of a case is one of half the length (Euler). Call it on all ranks.
    void advance(lapwing::Index steps);

    // Sets what kernels know of the next step, for callers that run the stages by other means than `advance`. Local.
    void tick();

    // Goes on from `step_number`; the caller has put the three states of that moment into `states`. Call it on all
    // ranks.
    void resume(lapwing::Index step_number);

    // Copies the newest state to `shown` and finds the height of its layers. Local.
    void show();

    // Throws StateError on all ranks when a value is not finite, a pressure or temperature is not above 0, or air or
    // waves cross more of a cell in a step than the scheme can take. Collective.
    void check_state();

    [[nodiscard]] lapwing::Index step_number() const { return step_number_; }
    [[nodiscard]] lapwing::Step& step() { return *step_; }
    // Returns the number of the newest state. Local.
    [[nodiscard]] std::size_t newest() const { return (step_number_ + 2) % 3; }

    std::vector<Weather> states;          // three
    std::vector<Weather> given;           // one with relaxation: what the edges are drawn to; two where it changes
    std::array<double, 2> given_times{};  // of these two, s since the start of the case
    DoubleField surface_geopotential;     // m2/s2
    Weather shown;                        // the newest state at the last `show`
    DoubleField height;                   // geopotential of the layers then, m2/s2
    // With vertical modes: a level for each, of which a Helmholtz equation is solved, p / (dt c)^2 - laplacian(p) = r.
    Fields modes;
    // Copies of the fields that implicit diffusion filters.
    std::vector<Weather> smoothed;

  private:
    // The states as a position of the cycle has them; the step puts the next one in the place of the oldest.
    struct Times {
        Weather oldest, old, now;
        [[nodiscard]] const Weather& next() const { return oldest; }
    };
    // The fields that semi-Lagrangian steps advect along trajectories; none in others.
    struct Advected {
        std::array<Fields, 2> wind;
        Fields scalars, pressure, all;
    };

    void begin_step(lapwing::Index step);
    void share_out_given(double time);
    void make_line_solvers(const lapwing::LineOptions& lines);
    [[nodiscard]] std::vector<lapwing::Stages> cycle();
    [[nodiscard]] lapwing::Stages explicit_stages(const Times& at);
    [[nodiscard]] lapwing::Stage momentum_stage(const Times& at, int axis);
    [[nodiscard]] lapwing::Stage scalars_stage(const Times& at);
    [[nodiscard]] lapwing::Stages semi_lagrangian_stages(const Times& at);
    [[nodiscard]] lapwing::Stages increment_stages(const Times& at);
    [[nodiscard]] lapwing::Stages implicit_stages(const Times& at);
    [[nodiscard]] lapwing::Stages smoothing_stages(const Times& at);
    [[nodiscard]] lapwing::Stages relaxation_stages(const char* name, const Fields& fields) const;
    [[nodiscard]] Momentum momentum(int axis, const DoubleField& old, int box) const;
    [[nodiscard]] std::optional<Diffusion> diffusion_of(const DoubleField& old, int box) const;
    [[nodiscard]] LinearWaves linear_waves(int box) const;
    template <class WaveKernel>
    [[nodiscard]] auto on_waves() const;
    // Returns how far diffusion reads around a cell. Local.
    [[nodiscard]] lapwing::Extent diffused() const {
        return settings_.diffusion > 0 ? lapwing::cross(2) : lapwing::Extent{};
    }
    [[nodiscard]] const lapwing::Grid& grid() const { return domain_.partition().grid(); }

    lapwing::Domain& domain_;
    WeatherSettings settings_;
    DoubleField geopotential_, gradient_factor_, vertical_velocity_, heating_, outflow_;  // see ColumnFlow
    Fields divergence_, linear_geopotential_;  // see LinearWaves; one each with vertical modes
    Advected advected_;
    Fields displacements_;                          // two with semi-Lagrangian steps
    lapwing::Reduced widest_ = lapwing::maximum();  // halo that departure points need, cells
    double over_x_, over_y_;                        // 1 over the spacings, 1/m
    double length_ = 0;                             // of this step, from the old state to the next one, s
    double half_length_ = 0;                        // s
    std::array<double, 2> shares_{1.0, 0.0};        // of `given`, at the end of this step
    double strength_ = 0;                           // of this step's filter
    std::unique_ptr<lapwing::Step> step_;
    std::unique_ptr<lapwing::Helmholtz> waves_;                         // of the modes, in place
    std::vector<std::unique_ptr<lapwing::ImplicitDiffusion>> filters_;  // of what is smoothed, likewise
    lapwing::Index step_number_ = 0;
};

}  // namespace lapwing_weather
