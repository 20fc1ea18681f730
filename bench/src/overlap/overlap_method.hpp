#pragma once
// One way to step the model of `lapwing bench overlap`, and what is measured of it.

#include <mpi.h>

#include <string>

#include "overlap/overlap_model.hpp"

namespace lapwing::bench {

// A model, and how its halo travels while it is computed.
class OverlapMethod {
  public:
    OverlapMethod(const Domain& domain, const OverlapWork& work) : model_(domain, work) {}
    virtual ~OverlapMethod() = default;

    // The next step: halos, and the field computed once. Local calls, but neighbours must step too. `another_follows`:
    // the next call is `step` again, so what belongs to that one may begin.
    virtual void step(bool another_follows) = 0;
    // Whether it steps as it always will from now on; steps until then are measurements of its own.
    [[nodiscard]] virtual bool settled() const { return true; }
    // How it steps, in words, where that was found while it stepped.
    [[nodiscard]] virtual std::string choice() const { return {}; }
    // The halo of the first field alone, packed, moved and unpacked.
    virtual void communicate() = 0;
    // Seconds in kernels since the method was made.
    [[nodiscard]] virtual double kernel_seconds() const { return model_.seconds(); }
    // Fills the model; the next step is the first one.
    virtual void restart() { model_.fill(); }
    // What has to be done before it may be destroyed. Collective.
    virtual void close() {}

    [[nodiscard]] OverlapModel& model() { return model_; }

  private:
    OverlapModel model_;
};

enum class OverlapPart { step, communicate, compute };

// Seconds of a round on the slowest rank, and in its kernels as the mean of all ranks.
struct OverlapSample {
    double seconds = 0, kernels = 0;
};

// The mean of `rounds` rounds in the midst of others: one before and one after are not counted. Collective.
OverlapSample sample(MPI_Comm comm, OverlapMethod& method, OverlapPart part, int rounds);

// A number for the state of all ranks after so many steps from the beginning. Collective.
std::uint64_t fingerprint(MPI_Comm comm, OverlapMethod& method, int steps);

}  // namespace lapwing::bench
