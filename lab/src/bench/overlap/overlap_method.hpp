#pragma once
// One way to step the model of `lapwing bench overlap`, and what is measured of it.

#include <mpi.h>

#include <functional>
#include <string>
#include <utility>

#include "overlap/overlap_model.hpp"

namespace lapwing::bench {

enum class OverlapPart { step, communicate, compute };

using BeforeEach = std::function<void()>;

// A model, and how its halo travels while it is computed.
class OverlapMethod {
  public:
    OverlapMethod(const Domain& domain, const OverlapWork& work) : domain_(domain), model_(domain, work) {}
    virtual ~OverlapMethod() = default;

    // Seconds of a round on the slowest rank, and in its kernels as the mean of all ranks: the mean of `rounds` rounds
    // in the midst of others, of which one before and one after are not counted. Collective.
    std::pair<double, double> sample(OverlapPart part, int rounds);
    // Returns a number for the state of all ranks after `steps` steps from the beginning. Collective.
    std::uint64_t fingerprint(int steps);
    // True if it steps as it always will from now on; steps until then are measurements of its own.
    [[nodiscard]] virtual bool settled() const { return true; }
    // Describes how it steps, if that was found while it stepped.
    [[nodiscard]] virtual std::string choice() const { return {}; }
    // Does what must precede its destruction. Collective.
    virtual void close() {}
    [[nodiscard]] OverlapModel& model() { return model_; }

  private:
    // Makes `count` steps, each after a call of `before_each`: halos, and the field computed once. Collective.
    virtual void steps(int count, const BeforeEach& before_each) = 0;
    // The halo of the first field alone, packed, moved and unpacked.
    virtual void communicate() = 0;
    // Seconds in the kernels of steps since the method was made.
    [[nodiscard]] virtual double kernel_seconds() const { return model_.seconds(); }
    // The next step is the first one.
    virtual void restart() {}
    void run(OverlapPart part, int count, const BeforeEach& before_each);

    const Domain& domain_;
    OverlapModel model_;
};

}  // namespace lapwing::bench
