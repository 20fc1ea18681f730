// The shallow-water model of `lapwing bench shallow-water`: with messages by hand, and as a stage of lapwing.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"
#include "memory/aligned_memory.hpp"
#include "models/shallow_kernel.hpp"

namespace lapwing::bench {

// Numbers of the model, in SI units.
struct ShallowModel {
    Index nx = 360, ny = 180;  // cells of the whole grid
    double spacing = 5e3, gravity = 9.81, depth = 100, coriolis = 2e-4, beta = 2e-11, friction = 5.0;

    // By the speed of gravity waves, s.
    [[nodiscard]] double dt() const { return 0.125 * spacing / std::sqrt(gravity * depth); }

    // Numbers of the first step, or of a later one.
    template <class Real>
    [[nodiscard]] ShallowStep<Real> step(bool first) const {
        const auto real = [](double value) { return static_cast<Real>(value); };
        const Real friction_now = first ? Real{0} : real(dt() * friction / (spacing * spacing));
        return {.rows = ny,
                .gravity_x = real(gravity / spacing),
                .gravity_y = real(gravity / spacing),
                .per_dx = real(1 / spacing),
                .per_dy = real(1 / spacing),
                .coriolis = real(coriolis),
                .beta_dy = real(beta * spacing),
                .friction_x = friction_now,
                .friction_y = friction_now,
                .dt = real(dt()),
                .now = real(first ? 1.0 : 1.6),
                .before = real(first ? 0.0 : -0.6)};
    }
};

// h, u and v of the box of a rank, x fastest, without halos.
struct Flow {
    std::span<double> h, u, v;
};

class ShallowMethod {
  public:
    virtual ~ShallowMethod() = default;
    // Begins with this flow, at rest before. Collective.
    virtual void begin(const Flow& flow) = 0;
    // Runs so many steps. Collective.
    virtual void run(int steps) = 0;
    // The flow after the last step. Collective.
    virtual void read(const Flow& flow) = 0;
    // True if it steps as it always will, and a description of how, if trials find that. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
    // The step of its stages; null: none. Local.
    [[nodiscard]] virtual const Step* step() const { return nullptr; }
};

// One box of a rank with its numbers: what all methods have.
template <class Real>
class ShallowState {
  public:
    explicit ShallowState(const ShallowModel& model) : model_(model), number_(model.step<Real>(true)) {}

    [[nodiscard]] const ShallowStep<Real>& number() const { return number_; }
    [[nodiscard]] int level() const { return level_; }  // which of two time levels holds the flow
    void restart() {
        number_ = model_.step<Real>(true);
        level_ = 0;
    }
    [[nodiscard]] bool begins() const { return number_.before == 0; }  // true before the first step
    void stepped() {
        if (number_.before == 0) number_ = model_.step<Real>(false);
        level_ = 1 - level_;
    }

  private:
    ShallowModel model_;
    ShallowStep<Real> number_;
    int level_ = 0;
};

// Copies between a box of a view and values without halo, x fastest. Local.
template <class Real>
void store(std::span<const double> values, const Box& box, View<Real> view) {
    const double* from = values.data();
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) view(i, j) = static_cast<Real>(*from++);
    }
}

template <class Real>
void load(const Box& box, View<const Real> view, std::span<double> values) {
    double* to = values.data();
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) *to++ = static_cast<double>(view(i, j));
    }
}

// ---- The shallow-water model with its communication written by hand: rows to the neighbours in one message each.

template <class Real>
class HandShallow final : public ShallowMethod {
  public:
    // Ranks stand along y. Local.
    HandShallow(const Domain& domain, const ShallowModel& model);
    void begin(const Flow& flow) override;
    void run(int steps) override;
    void read(const Flow& flow) override;

  private:
    // Memory of one field with two cells of halo, rows on cache lines.
    struct Array {
        std::shared_ptr<double> memory;
        View<Real> view;
    };
    // Rows to or from the rank in the south or in the north.
    struct Side {
        int peer = MPI_PROC_NULL;
        Index send = 0, receive = 0;  // first row of u and v that is sent, and where the neighbour's arrive
        std::vector<Real> sent, received;
    };
    [[nodiscard]] Array allocated() const;
    void wrap(const Array& array, Index width) const;
    void pack(Side& side) const;
    void unpack(const Side& side) const;
    void exchange();

    MPI_Comm comm_;
    Box box_;
    ShallowState<Real> state_;
    std::array<std::array<Array, 3>, 2> flow_;  // two time levels of h, u and v
    std::array<Array, 3> tendencies_;
    std::array<Side, 2> sides_;
};

namespace {

constexpr Index halo = 2;

template <class Real>
constexpr Index line = 64 / static_cast<Index>(sizeof(Real));

// Rows of h, u and v that travel, in their order.
constexpr std::array<Index, 3> rows{1, 2, 2};

}  // namespace

template <class Real>
HandShallow<Real>::HandShallow(const Domain& domain, const ShallowModel& model)
    : comm_(domain.comm()),
      box_(domain.partition().subdomains()[domain.partition().subdomains_of(domain.rank())[0]].box),
      state_(model) {
    for (auto& level : flow_) {
        for (Array& array : level) array = allocated();
    }
    for (Array& array : tendencies_) array = allocated();
    const Index lo = box_.lo[1], hi = box_.hi[1], values = 5 * (box_.size(0) + 2 * halo);
    sides_[0] = {domain.rank() > 0 ? domain.rank() - 1 : MPI_PROC_NULL, lo, lo - halo, {}, {}};
    sides_[1] = {domain.rank() + 1 < domain.ranks() ? domain.rank() + 1 : MPI_PROC_NULL, hi - halo, hi, {}, {}};
    for (Side& side : sides_) {
        side.sent.resize(values);
        side.received.resize(values);
    }
}

template <class Real>
typename HandShallow<Real>::Array HandShallow<Real>::allocated() const {
    const Index stride = (box_.size(0) + 2 * line<Real> - 1) / line<Real> * line<Real> + line<Real>;
    const Index values = stride * (box_.size(1) + 2 * halo) + line<Real>;
    auto memory = aligned_doubles((values * static_cast<Index>(sizeof(Real)) + 7) / 8);
    const auto bytes = static_cast<Index>(sizeof(Real));
    Block block;
    block.owned = box_;
    block.allocated = {{box_.lo[0] - line<Real>, box_.lo[1] - halo, 0}, {box_.hi[0] + halo, box_.hi[1] + halo, 1}};
    block.data = reinterpret_cast<std::byte*>(memory.get());
    block.strides = {bytes, stride * bytes, stride * block.allocated.size(1) * bytes, bytes};
    return {memory, View<Real>(block)};
}

// The grid is periodic along x, and each rank has whole rows.
template <class Real>
void HandShallow<Real>::wrap(const Array& array, Index width) const {
    const Index lo = box_.lo[0], hi = box_.hi[0];
    for (Index j = box_.lo[1]; j < box_.hi[1]; ++j) {
        Real* row = array.view.row(j);
        for (Index w = 0; w < width; ++w) {
            row[lo - 1 - w] = row[hi - 1 - w];
            row[hi + w] = row[lo + w];
        }
    }
}

template <class Real>
void HandShallow<Real>::pack(Side& side) const {
    Real* to = side.sent.data();
    for (std::size_t f = 0; f < 3; ++f) {
        const Index first = side.send < side.receive ? side.send + halo - rows[f] : side.send;
        for (Index j = first; j < first + rows[f]; ++j) {
            const Real* row = flow_[state_.level()][f].view.row(j);
            to = std::copy(row + box_.lo[0] - halo, row + box_.hi[0] + halo, to);
        }
    }
}

template <class Real>
void HandShallow<Real>::unpack(const Side& side) const {
    const Real* from = side.received.data();
    for (std::size_t f = 0; f < 3; ++f) {
        const Index first = side.send < side.receive ? side.receive : side.receive + halo - rows[f];
        for (Index j = first; j < first + rows[f]; ++j) {
            const Index values = box_.size(0) + 2 * halo;
            std::copy(from, from + values, flow_[state_.level()][f].view.row(j) + box_.lo[0] - halo);
            from += values;
        }
    }
}

template <class Real>
void HandShallow<Real>::exchange() {
    for (std::size_t f = 0; f < 3; ++f) wrap(flow_[state_.level()][f], rows[f]);
    std::array<MPI_Request, 4> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (std::size_t s = 0; s < 2; ++s) {
        const auto bytes = static_cast<int>(sides_[s].received.size() * sizeof(Real));
        MPI_Irecv(sides_[s].received.data(), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[s]);
    }
    for (std::size_t s = 0; s < 2; ++s) {
        if (sides_[s].peer == MPI_PROC_NULL) continue;
        pack(sides_[s]);
        const auto bytes = static_cast<int>(sides_[s].sent.size() * sizeof(Real));
        MPI_Isend(sides_[s].sent.data(), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[2 + s]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (const Side& side : sides_) {
        if (side.peer != MPI_PROC_NULL) unpack(side);
    }
}

template <class Real>
void HandShallow<Real>::begin(const Flow& flow) {
    state_.restart();
    const std::array values{flow.h, flow.u, flow.v};
    const std::vector<double> zeros(box_.volume(), 0.0);
    for (std::size_t f = 0; f < 3; ++f) {
        store<Real>(values[f], box_, flow_[0][f].view);
        store<Real>(zeros, box_, tendencies_[f].view);
    }
}

template <class Real>
void HandShallow<Real>::run(int steps) {
    for (int n = 0; n < steps; ++n) {
        exchange();
        const auto& [h, u, v] = flow_[state_.level()];
        const auto& [new_h, new_u, new_v] = flow_[1 - state_.level()];
        const auto& [dh, du, dv] = tendencies_;
        step_shallow<Real>(state_.number(), box_,
                           {h.view, u.view, v.view, new_h.view, new_u.view, new_v.view, dh.view, du.view, dv.view});
        state_.stepped();
    }
}

template <class Real>
void HandShallow<Real>::read(const Flow& flow) {
    exchange();
    const std::array values{flow.h, flow.u, flow.v};
    load<Real>(box_, flow_[state_.level()][0].view, values[0]);
    for (int f = 1; f < 3; ++f) {
        const View<Real>& spare = flow_[1 - state_.level()][f].view;
        add_friction<Real>(state_.number(), box_, f - 1, flow_[state_.level()][f].view, spare);
        load<Real>(box_, spare, values[f]);
    }
}

// ---- The shallow-water model as a stage of a lapwing::Step.

template <class Real>
class StepShallow final : public ShallowMethod {
  public:
    // Collective; throws UserError where the strategy or the transport is not to be had.
    StepShallow(Domain& domain, const ShallowModel& model, const std::string& strategy, const std::string& transport);
    void begin(const Flow& flow) override;
    void run(int steps) override;
    void read(const Flow& flow) override;
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }
    [[nodiscard]] const Step* step() const override { return &*step_; }

  private:
    using Fields = std::array<Field<Real>, 3>;  // h, u and v, or their tendencies
    static Fields declared(Domain& domain, const std::string& mark);
    [[nodiscard]] Stage sweep(const Fields& from, const Fields& to);

    ShallowState<Real> state_;
    std::array<Fields, 2> flow_;  // two time levels
    Fields tendencies_;
    std::optional<Step> step_;
    std::array<std::optional<Exchange>, 2> exchanges_;  // of u and v of each level, for `read`
};

template <class Real>
typename StepShallow<Real>::Fields StepShallow<Real>::declared(Domain& domain, const std::string& mark) {
    const auto field = [&](const char* name, Location location) {
        return Field<Real>(domain, name + mark, {.location = location, .rows = RowLayout::on_lines});
    };
    return {field("h", Location::center), field("u", Location::xface), field("v", Location::yface)};
}

template <class Real>
Stage StepShallow<Real>::sweep(const Fields& from, const Fields& to) {
    const auto kernel = [this](Box box, View<const Real> h, View<const Real> u, View<const Real> v, View<Real> new_h,
                               View<Real> new_u, View<Real> new_v, View<Real> dh, View<Real> du, View<Real> dv) {
        step_shallow(state_.number(), box, {h, u, v, new_h, new_u, new_v, dh, du, dv});
    };
    return stage("sweep", kernel, reads(from[0], around(1)), reads(from[1], around(2)), reads(from[2], around(2)),
                 writes(to[0]), writes(to[1]), writes(to[2]), updates(tendencies_[0]), updates(tendencies_[1]),
                 updates(tendencies_[2]));
}

template <class Real>
StepShallow<Real>::StepShallow(Domain& domain, const ShallowModel& model, const std::string& strategy,
                               const std::string& transport)
    : state_(model), flow_{declared(domain, ""), declared(domain, "_next")}, tendencies_(declared(domain, "_change")) {
    const std::vector<Stages> cycle{{sweep(flow_[0], flow_[1])}, {sweep(flow_[1], flow_[0])}};
    step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
    for (std::size_t level = 0; level < 2; ++level) {
        const std::array<const AnyField*, 2> both{&flow_[level][1].memory(), &flow_[level][2].memory()};
        exchanges_[level].emplace(domain, std::span(both), ExchangeOptions{.transport = transport});
    }
}

template <class Real>
void StepShallow<Real>::begin(const Flow& flow) {
    state_.restart();
    step_->restart_at(0);
    const Box& box = flow_[0][0].memory().blocks()[0].owned;
    const std::array values{flow.h, flow.u, flow.v};
    for (std::size_t f = 0; f < 3; ++f) {
        store<Real>(values[f], box, flow_[0][f].memory().template view<Real>());
        flow_[0][f].modified();
        tendencies_[f].fill(Real{0});
    }
}

template <class Real>
void StepShallow<Real>::run(int steps) {
    const auto advance = [&](int some) {
        step_->run(some);
        for (int n = 0; n < some; ++n) state_.stepped();
    };
    const int alone = state_.begins() && steps > 0 ? 1 : 0;  // its numbers differ
    advance(alone);
    advance(steps - alone);
}

template <class Real>
void StepShallow<Real>::read(const Flow& flow) {
    const Fields& fields = flow_[state_.level()];
    exchanges_[state_.level()]->run();
    const Box& box = fields[0].memory().blocks()[0].owned;
    const std::array values{flow.h, flow.u, flow.v};
    load<Real>(box, fields[0].memory().template view<Real>(), values[0]);
    Fields& spare = flow_[1 - state_.level()];
    for (int f = 1; f < 3; ++f) {
        add_friction<Real>(state_.number(), box, f - 1, fields[f].memory().template view<Real>(),
                           spare[f].memory().template view<Real>());
        load<Real>(box, spare[f].memory().template view<Real>(), values[f]);
        spare[f].modified();
    }
}

namespace {

using Made = std::unique_ptr<ShallowMethod>;
using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Flow flow_of(const Values& h, const Values& u, const Values& v) {
    return {{h.data(), h.size()}, {u.data(), u.size()}, {v.data(), v.size()}};
}

Made made_step(Domain& domain, const ShallowModel& model, bool wide, const std::string& strategy,
               const std::string& transport) {
    if (wide) return std::make_unique<StepShallow<double>>(domain, model, strategy, transport);
    return std::make_unique<StepShallow<float>>(domain, model, strategy, transport);
}

Made made_hand(const Domain& domain, const ShallowModel& model, bool wide) {
    if (wide) return std::make_unique<HandShallow<double>>(domain, model);
    return std::make_unique<HandShallow<float>>(domain, model);
}

}  // namespace

void bind_shallow(nb::module_& module) {
    nb::class_<ShallowModel>(module, "ShallowModel", "The model of `lapwing bench shallow-water`, in SI units.")
        .def(nb::init<Index, Index>(), "nx"_a, "ny"_a, "On so many cells along x and y. Local.")
        .def_ro("nx", &ShallowModel::nx, "Cells along x.")
        .def_ro("ny", &ShallowModel::ny, "Cells along y.")
        .def_ro("spacing", &ShallowModel::spacing, "Width of a cell, m.")
        .def_ro("gravity", &ShallowModel::gravity, "Acceleration, m/s2.")
        .def_ro("depth", &ShallowModel::depth, "Mean depth, m.")
        .def_ro("coriolis", &ShallowModel::coriolis, "Coriolis parameter of the first row, 1/s.")
        .def_ro("beta", &ShallowModel::beta, "Its growth along y, 1/(m s).")
        .def_ro("friction", &ShallowModel::friction, "Lateral viscosity, m2/s.")
        .def_prop_ro("dt", &ShallowModel::dt, "Time step, s.");
    nb::class_<ShallowMethod>(module, "ShallowMethod", "One way to step the model, written in C++.")
        .def(
            "begin",
            [](ShallowMethod& method, const Values& h, const Values& u, const Values& v) {
                method.begin(flow_of(h, u, v));
            },
            "h"_a, "u"_a, "v"_a, "Begin with this flow of the box of the rank, x fastest. Collective.")
        .def("run", &ShallowMethod::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read",
            [](ShallowMethod& method, const Values& h, const Values& u, const Values& v) {
                method.read(flow_of(h, u, v));
            },
            "h"_a, "u"_a, "v"_a, "Write the flow of the box of the rank into arrays, x fastest. Collective.")
        .def_prop_ro("settled", &ShallowMethod::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &ShallowMethod::choice, "How it steps, in words, where trials found that. Local.")
        .def_prop_ro("step", &ShallowMethod::step, nb::rv_policy::reference_internal,
                     nb::sig("def step(self) -> lapwing.core._core.Step | None"),
                     "The step of its stages, if it has one. Local.");
    module.def("step_shallow", &made_step, "domain"_a, "model"_a, "wide"_a, "strategy"_a, "transport"_a,
               nb::keep_alive<0, 1>(),
               "By a stage of a lapwing.Step; `wide`: in float64, else float32. Collective; raises UserError.");
    module.def("hand_shallow", &made_hand, "domain"_a, "model"_a, "wide"_a, nb::keep_alive<0, 1>(),
               "With MPI by hand, ranks along y. Local.");
}

}  // namespace lapwing::bench
