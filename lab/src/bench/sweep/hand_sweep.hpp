#pragma once
// Sweeps with their messages written by hand, and their passes through memory alone.

#include <array>

#include "lapwing/mpi/domain.hpp"
#include "memory/owned_values.hpp"
#include "sweep/sweep_method.hpp"

namespace lapwing::bench {

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
    // So many planes to and from each neighbour of the box of this rank. Local.
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

}  // namespace lapwing::bench
