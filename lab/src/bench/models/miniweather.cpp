// One way to step miniWeather's equations, as the benchmark sees it.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"
#include "memory/owned_values.hpp"
#include "models/miniweather_kernel.hpp"

namespace lapwing::bench {

// The stages of Runge and Kutta's along one axis: each begins at the state of the first and takes its tendency from the
// one before. Levels are 0, the state, and two in between.
struct MiniweatherStage {
    std::size_t at, after;
    double share;  // of the time step
};
inline constexpr std::array<MiniweatherStage, 3> miniweather_stages{{{0, 1, 1.0 / 3}, {1, 2, 0.5}, {2, 0, 1.0}}};
inline constexpr std::size_t miniweather_levels = 3;

// The axes in the order of a step: x first in even steps, z first in odd ones.
[[nodiscard]] constexpr std::array<int, 2> miniweather_axes(std::size_t step) {
    return step % 2 == 0 ? std::array{0, 1} : std::array{1, 0};
}

class MiniweatherMethod {
  public:
    virtual ~MiniweatherMethod() = default;
    // Begins with this state of the box of the rank, x fastest, variables slowest. Collective.
    virtual void begin(std::span<const double> state) = 0;
    // Runs so many steps. Collective.
    virtual void run(int steps) = 0;
    // The state after the last step. Local.
    virtual void read(std::span<double> state) const = 0;
    // True if it steps as it always will, and a description of how, if trials find that. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
};

// ---- miniWeather's equations with messages written by hand, as miniWeather has them: two columns of all variables to
// the rank on the left and to that on the right before each stage along x.

class HandMiniweather final : public MiniweatherMethod {
  public:
    // Ranks stand along x. Local.
    HandMiniweather(const Domain& domain, const MiniweatherModel& model);
    void begin(std::span<const double> state) override;
    void run(int steps) override;
    void read(std::span<double> state) const override;

  private:
    // A neighbour, the first column that it reads, and the first of those that come from it.
    struct Side {
        int peer;
        Index send, receive;
        std::vector<double> sent, received;
    };
    [[nodiscard]] const Box& box() const { return levels_[0].blocks()[0].owned; }
    void exchange(std::size_t level);
    void step(std::size_t number);

    MPI_Comm comm_;
    MiniweatherModel model_;
    std::vector<AnyField> levels_;
    std::array<Side, 2> sides_;
    std::size_t steps_ = 0;
};

namespace {

constexpr Index reach = miniweather_reach;

AnyField level_field(const Domain& domain, const char* name) {
    FieldSpec spec;
    spec.name = name;
    spec.components = miniweather_variables;
    spec.extents = {Extent{{reach, 0, 0}, {reach, 0, 0}, false}};
    return AnyField::with_own_pages(domain.partition(), domain.rank(), spec, {}, RowLayout::on_lines);
}

// Calls use(values) for the cells of each row of two columns, variable after variable.
template <class Use>
void each_row(const Box& box, View<double> view, Index column, const Use& use) {
    for (Index v = 0; v < miniweather_variables; ++v) {
        for (Index k = box.lo[1]; k < box.hi[1]; ++k) use(view.row(k, 0, v) + column);
    }
}

}  // namespace

HandMiniweather::HandMiniweather(const Domain& domain, const MiniweatherModel& model)
    : comm_(domain.comm()), model_(model) {
    for (const char* name : {"state", "state_1", "state_2"}) levels_.push_back(level_field(domain, name));
    const int rank = domain.rank(), ranks = domain.ranks();
    const Index lo = box().lo[0], hi = box().hi[0];
    const std::vector<double> columns(reach * miniweather_variables * box().size(1));
    sides_[0] = {(rank + ranks - 1) % ranks, lo, lo - reach, columns, columns};
    sides_[1] = {(rank + 1) % ranks, hi - reach, hi, columns, columns};
}

// A message that leaves on one side arrives on the other one: the tag is the side that it leaves on.
void HandMiniweather::exchange(std::size_t level) {
    const View<double> view = levels_[level].view<double>();
    const auto count = static_cast<int>(sides_[0].sent.size());
    std::array<MPI_Request, 4> requests;
    for (int s = 0; s < 2; ++s) {
        MPI_Irecv(sides_[s].received.data(), count, MPI_DOUBLE, sides_[s].peer, 1 - s, comm_, &requests[s]);
    }
    for (int s = 0; s < 2; ++s) {
        double* to = sides_[s].sent.data();
        each_row(box(), view, sides_[s].send, [&](const double* row) {
            for (Index i = 0; i < reach; ++i) *to++ = row[i];
        });
        MPI_Isend(sides_[s].sent.data(), count, MPI_DOUBLE, sides_[s].peer, s, comm_, &requests[2 + s]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (const Side& side : sides_) {
        const double* from = side.received.data();
        each_row(box(), view, side.receive, [&](double* row) {
            for (Index i = 0; i < reach; ++i) row[i] = *from++;
        });
    }
}

void HandMiniweather::step(std::size_t number) {
    const View<const double> state = levels_[0].view<double>();
    for (const int axis : miniweather_axes(number)) {
        for (const MiniweatherStage& one : miniweather_stages) {
            if (axis == 0) exchange(one.at);
            const View<double> at = levels_[one.at].view<double>(), after = levels_[one.after].view<double>();
            advance(model_, axis, model_.dt * one.share, box(), {state, at, after});
        }
    }
}

void HandMiniweather::begin(std::span<const double> state) {
    steps_ = 0;
    store<double>(state, levels_[0]);
}

void HandMiniweather::run(int steps) {
    for (int n = 0; n < steps; ++n) step(steps_++);
}

void HandMiniweather::read(std::span<double> state) const { load<double>(levels_[0], state); }

// ---- miniWeather's equations as stages of a lapwing::Step.

class StepMiniweather final : public MiniweatherMethod {
  public:
    // Any partition of the grid. Collective; throws UserError where the strategy or the transport is not to be had.
    StepMiniweather(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
                    const std::string& transport);
    void begin(std::span<const double> state) override;
    void run(int steps) override { step_->run(steps); }
    void read(std::span<double> state) const override;
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    [[nodiscard]] Stage advanced(int axis, const MiniweatherStage& of) const;
    [[nodiscard]] Stages stages(std::size_t step) const;

    std::shared_ptr<const MiniweatherModel> model_;
    std::vector<Field<double>> levels_;
    std::optional<Step> step_;
};

namespace {

Extent reach_along(int axis) {
    const Axis along = axis == 0 ? x : y;
    return cross(behind(along, miniweather_reach), ahead(along, miniweather_reach));
}

}  // namespace

// The last stage of an axis writes the state from which the first began.
Stage StepMiniweather::advanced(int axis, const MiniweatherStage& of) const {
    const std::string name = (axis == 0 ? "x" : "z") + std::to_string(of.at + 1);
    const double dt = model_->dt * of.share;
    const Field<double>&at = levels_[of.at], &after = levels_[of.after], &state = levels_[0];
    if (of.at == 0) {
        const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<double> to) {
            advance(*model, axis, dt, box, {from, from, to});
        };
        return stage(name, kernel, reads(at, reach_along(axis)), writes(after));
    }
    if (of.after == 0) {
        const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<double> to) {
            advance(*model, axis, dt, box, {to, from, to});
        };
        return stage(name, kernel, reads(at, reach_along(axis)), updates(after));
    }
    const auto kernel = [model = model_, axis, dt](Box box, View<const double> from, View<const double> before,
                                                   View<double> to) {
        advance(*model, axis, dt, box, {before, from, to});
    };
    return stage(name, kernel, reads(at, reach_along(axis)), reads(state), writes(after));
}

Stages StepMiniweather::stages(std::size_t step) const {
    Stages list;
    for (const int axis : miniweather_axes(step)) {
        for (const MiniweatherStage& one : miniweather_stages) list.push_back(advanced(axis, one));
    }
    return list;
}

StepMiniweather::StepMiniweather(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
                                 const std::string& transport)
    : model_(std::make_shared<MiniweatherModel>(model)) {
    const FieldOptions options{.components = miniweather_variables, .own_pages = true, .rows = RowLayout::on_lines};
    for (const char* name : {"state", "state_1", "state_2"}) levels_.emplace_back(domain, name, options);
    step_.emplace(domain, std::vector{stages(0), stages(1)}, StepOptions{.strategy = strategy, .transport = transport});
}

void StepMiniweather::begin(std::span<const double> state) {
    step_->restart_at(0);
    store<double>(state, levels_[0].memory());
    levels_[0].modified();
}

void StepMiniweather::read(std::span<double> state) const { load<double>(levels_[0].memory(), state); }

namespace {

using Made = std::unique_ptr<MiniweatherMethod>;
using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = std::vector<double>;

std::span<double> span_of(const Values& values) { return {values.data(), values.size()}; }

// Means over cells, and values at faces, by name.
using Columns = std::map<std::string, Numbers>;

void make_background(Background* place, const Columns& cells, const Columns& faces) {
    new (place) Background{cells.at("density"),  faces.at("density"),       faces.at("density_theta"),
                           faces.at("pressure"), cells.at("density_theta"), cells.at("pressure")};
}

void make_model(MiniweatherModel* place, const std::array<Index, 2>& cells, const std::array<double, 2>& widths,
                double dt, const Background& background) {
    new (place) MiniweatherModel{cells[0], cells[1], widths[0], widths[1], dt, background};
}

Made made_step(Domain& domain, const MiniweatherModel& model, const std::string& strategy,
               const std::string& transport) {
    return std::make_unique<StepMiniweather>(domain, model, strategy, transport);
}

Made made_hand(const Domain& domain, const MiniweatherModel& model) {
    return std::make_unique<HandMiniweather>(domain, model);
}

void bind_model(nb::module_& module) {
    nb::class_<Background>(module, "Background", "Air at rest, by height.")
        .def("__init__", &make_background, "cells"_a, "faces"_a,
             "`density`, `density_theta` and `pressure` of each; the density of cells from two below the ground to two "
             "above the top. Local.");
    nb::class_<MiniweatherModel>(module, "MiniweatherModel", "Numbers of miniWeather's equations, in SI units.")
        .def("__init__", &make_model, "cells"_a, "widths"_a, "dt"_a, "background"_a,
             "Cells along x and z, and their widths. Local.");
}

}  // namespace

void bind_miniweather(nb::module_& module) {
    bind_model(module);
    nb::class_<MiniweatherMethod>(module, "MiniweatherMethod", "One way to step miniWeather's equations.")
        .def(
            "begin", [](MiniweatherMethod& method, const Values& state) { method.begin(span_of(state)); }, "state"_a,
            "Begin with a state of the box of the rank, x fastest, variables slowest. Collective.")
        .def("run", &MiniweatherMethod::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read", [](const MiniweatherMethod& method, const Values& state) { method.read(span_of(state)); },
            "state"_a, "Write the state of the box of the rank into an array. Local.")
        .def_prop_ro("settled", &MiniweatherMethod::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &MiniweatherMethod::choice, "How it steps, in words, where trials found that. Local.");
    module.def("step_miniweather", &made_step, "domain"_a, "model"_a, "strategy"_a, "transport"_a,
               nb::keep_alive<0, 1>(), "By stages of a lapwing.Step. Collective; raises UserError.");
    module.def("hand_miniweather", &made_hand, "domain"_a, "model"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along x. Local.");
}

}  // namespace lapwing::bench
