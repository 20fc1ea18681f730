#pragma once
// Equations that step one value per cell in one sweep in 3D, from one or two time levels of it and a factor that stays.
// Acoustic waves and the diffusion of heat have the same messages and stages; what differs is a Kernel:
//   using Value, static constexpr int reach                    cells that it reads along each axis, on both sides
//   step(box, views) const, stream(box, views) const           a step; the same passes through memory alone

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"
#include "memory/owned_values.hpp"

namespace lapwing::bench {

// The arrays of a step: the values, the factor, and the next values in place of those before. All are laid out
// alike in memory.
template <class T>
struct SweepViews {
    View<const T> now, factor;
    View<T> next;
};

// Returns what a stencil of this many cells reads around a cell.
[[nodiscard]] constexpr Extent star_of(int cells) { return {{cells, cells, cells}, {cells, cells, cells}, false}; }

// One way to step such an equation, as a benchmark sees it.
template <class T>
class SweepMethod {
  public:
    virtual ~SweepMethod() = default;
    // Begins with these values, the same at the time level before, and with this factor, of the box of the rank, x
    // fastest. Collective.
    virtual void begin(std::span<const T> values, std::span<const T> factor) = 0;
    // Runs so many steps. Collective.
    virtual void run(int steps) = 0;
    // The values after the last step. Local.
    virtual void read(std::span<T> values) const = 0;
    // True if it steps as it always will, and a description of how, if trials find that. Local.
    [[nodiscard]] virtual bool settled() const { return true; }
    [[nodiscard]] virtual std::string choice() const { return {}; }
};

// ---- Sweeps with their messages written by hand, and their passes through memory alone.

// The arrays of a rank, in memory as lapwing's are.
template <class Kernel>
class PlainSweep : public SweepMethod<typename Kernel::Value> {
  public:
    using Value = typename Kernel::Value;

    PlainSweep(const Domain& domain, const Kernel& kernel)
        : kernel_(kernel),
          levels_{plane_field(domain, "now"), plane_field(domain, "next")},
          factor_(plane_field(domain, "factor")) {}
    void begin(std::span<const Value> values, std::span<const Value> factor) override {
        level_ = 0;
        for (const AnyField& level : levels_) store<Value>(values, level);
        store<Value>(factor, factor_);
    }
    void read(std::span<Value> values) const override { load<Value>(levels_[level_], values); }

  protected:
    [[nodiscard]] const Kernel& kernel() const { return kernel_; }
    [[nodiscard]] const Box& box() const { return factor_.blocks()[0].owned; }
    [[nodiscard]] const Block& latest() const { return levels_[level_].blocks()[0]; }
    [[nodiscard]] SweepViews<Value> views() const {
        return {levels_[level_].template view<Value>(), factor_.template view<Value>(),
                levels_[1 - level_].template view<Value>()};
    }
    void stepped() { level_ = 1 - level_; }

  private:
    static AnyField plane_field(const Domain& domain, const char* name) {
        FieldSpec spec;
        spec.name = name;
        spec.type = element_type<Value>();
        spec.extents = {star_of(Kernel::reach)};
        return AnyField::with_own_pages(domain.partition(), domain.rank(), spec, {}, RowLayout::on_lines);
    }

    Kernel kernel_;
    std::array<AnyField, 2> levels_;  // two time levels
    AnyField factor_;
    std::size_t level_ = 0;  // that holds the latest
};

// Planes that travel between neighbours along z. They lie one after the other, so they are sent from where they are and
// arrive where they are read.
class PlaneMessages {
  public:
    // Prepares messages of `planes` planes to and from each neighbour of this rank's box. Local.
    PlaneMessages(const Domain& domain, const Box& box, int planes);
    // Starts those of a block; all are there after `wait`. Local calls.
    void start(const Block& block);
    void wait();

  private:
    // A neighbour, the first plane that it reads, and the first of those that come from it.
    struct Side {
        int peer;
        Index send, receive;
    };
    MPI_Comm comm_;
    int planes_;
    std::array<Side, 2> sides_;
    std::array<MPI_Request, 4> requests_{};
};

// Ranks stand along z.
template <class Kernel>
class HandSweep final : public PlainSweep<Kernel> {
  public:
    // `overlaps`: planes that read no halo are computed while messages are on their way. Local.
    HandSweep(const Domain& domain, const Kernel& kernel, bool overlaps)
        : PlainSweep<Kernel>(domain, kernel), messages_(domain, this->box(), Kernel::reach), overlaps_(overlaps) {}
    void run(int steps) override {
        for (int n = 0; n < steps; ++n) {
            step();
            this->stepped();
        }
    }

  private:
    void step() {
        messages_.start(this->latest());
        Box below = this->box(), inner = this->box(), above = this->box();
        below.hi[2] = inner.lo[2] = this->box().lo[2] + Kernel::reach;
        above.lo[2] = inner.hi[2] = this->box().hi[2] - Kernel::reach;
        if (overlaps_) this->kernel().step(inner, this->views());
        messages_.wait();
        if (!overlaps_) return this->kernel().step(this->box(), this->views());
        this->kernel().step(below, this->views());
        this->kernel().step(above, this->views());
    }

    PlaneMessages messages_;
    bool overlaps_;
};

// No neighbours, neither cells nor ranks.
template <class Kernel>
class LimitSweep final : public PlainSweep<Kernel> {
  public:
    using PlainSweep<Kernel>::PlainSweep;
    void run(int steps) override {
        for (int n = 0; n < steps; ++n) {
            this->kernel().stream(this->box(), this->views());
            this->stepped();
        }
    }
};

inline PlaneMessages::PlaneMessages(const Domain& domain, const Box& box, int planes)
    : comm_(domain.comm()), planes_(planes) {
    const Index lo = box.lo[2], hi = box.hi[2];
    const int rank = domain.rank();
    sides_[0] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, lo, lo - planes};
    sides_[1] = {rank + 1 < domain.ranks() ? rank + 1 : MPI_PROC_NULL, hi - planes, hi};
}

inline void PlaneMessages::start(const Block& block) {
    const Index row = block.allocated.lo[1];
    const auto plane = [&](Index k) { return block.at({block.allocated.lo[0], row, k}); };
    const auto bytes = static_cast<int>(planes_ * block.strides[2]);
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Irecv(plane(sides_[s].receive), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests_[s]);
    }
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Isend(plane(sides_[s].send), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests_[2 + s]);
    }
}

inline void PlaneMessages::wait() { MPI_Waitall(4, requests_.data(), MPI_STATUSES_IGNORE); }

// ---- Sweeps as stages of a lapwing::Step.

template <class Kernel>
class StepSweep final : public SweepMethod<typename Kernel::Value> {
  public:
    using Value = typename Kernel::Value;

    // Collective; throws UserError where the strategy or the transport is not to be had.
    StepSweep(Domain& domain, const Kernel& kernel, const std::string& strategy, const std::string& transport)
        : kernel_(kernel),
          levels_{declared(domain, "now"), declared(domain, "next")},
          factor_(declared(domain, "factor")) {
        const std::vector<Stages> cycle{{sweep(0)}, {sweep(1)}};
        step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
    }
    void begin(std::span<const Value> values, std::span<const Value> factor) override {
        step_->restart_at(0);
        for (const Field<Value>& level : levels_) {
            store<Value>(values, level.memory());
            level.modified();
        }
        store<Value>(factor, factor_.memory());
        factor_.modified();
    }
    void run(int steps) override { step_->run(steps); }
    void read(std::span<Value> values) const override { load<Value>(levels_[step_->position()].memory(), values); }
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }

  private:
    // With a halo that the factor, which no cell reads around itself, does not need: all fields are laid out alike. It
    // travels once, as nothing writes it.
    static Field<Value> declared(Domain& domain, const char* name) {
        const Extent halo = star_of(Kernel::reach);
        return {domain, name, FieldOptions{.halo = halo, .own_pages = true, .rows = RowLayout::on_lines}};
    }
    [[nodiscard]] Stage sweep(std::size_t now) const {
        const auto kernel = [kernel = kernel_](Box box, View<const Value> values, View<const Value> factor,
                                               View<Value> next) { kernel.step(box, {values, factor, next}); };
        // declared wider than it is read, so that its halo is as wide as the others where they are wider for `deep`
        return stage("sweep", kernel, reads(levels_[now], star_of(Kernel::reach)),
                     reads(factor_, star_of(Kernel::reach)), updates(levels_[1 - now]));
    }

    Kernel kernel_;
    std::array<Field<Value>, 2> levels_;  // two time levels: the position of the step is the one that holds the latest
    Field<Value> factor_;
    std::optional<Step> step_;
};

// ---- Glue that the modules of sweeps share.

template <class T>
void bind_sweep(nb::module_& module, const char* name, const char* said) {
    using Values = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Method = SweepMethod<T>;
    const auto span_of = [](const Values& values) { return std::span<T>(values.data(), values.size()); };
    nb::class_<Method>(module, name, said)
        .def(
            "begin",
            [span_of](Method& method, const Values& values, const Values& factor) {
                method.begin(span_of(values), span_of(factor));
            },
            "values"_a, "factor"_a,
            "Begin at rest with values and factor of the box of the rank, x fastest. Collective.")
        .def("run", &Method::run, "steps"_a, "Run so many steps. Collective.")
        .def(
            "read", [span_of](const Method& method, const Values& values) { method.read(span_of(values)); }, "values"_a,
            "Write the values of the box of the rank into an array, x fastest. Local.")
        .def_prop_ro("settled", &Method::settled, "Whether it steps as it always will. Local.")
        .def_prop_ro("choice", &Method::choice, "How it steps, in words, where trials found that. Local.");
}

}  // namespace lapwing::bench
