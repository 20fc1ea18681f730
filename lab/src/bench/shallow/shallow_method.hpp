#pragma once
// One way to step the shallow-water model, as the benchmark sees it.

#include <span>
#include <string>

#include "lapwing/mpi/domain.hpp"
#include "shallow/shallow_kernel.hpp"

namespace lapwing::bench {

// Numbers of the model, in SI units.
struct ShallowModel {
    Index nx = 360, ny = 180;  // cells of the whole grid
    double spacing = 5e3, gravity = 9.81, depth = 100, coriolis = 2e-4, beta = 2e-11, friction = 5.0;

    // By the speed of gravity waves, s.
    [[nodiscard]] double dt() const;
    // Numbers of the first step, or of a later one.
    template <class Real>
    [[nodiscard]] ShallowStep<Real> step(bool first) const;
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

// Between a box of a view and values without halo, x fastest. Local.
template <class Real>
void store(std::span<const double> values, const Box& box, View<Real> view);
template <class Real>
void load(const Box& box, View<const Real> view, std::span<double> values);

}  // namespace lapwing::bench
