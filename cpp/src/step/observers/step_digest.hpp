#pragma once
// The digests that `lapwing verify -- PROGRAM` needs from a program in any language: steps that run as the environment
// says, and that write down what their fields hold.

#include <memory>
#include <string>

#include "lapwing/mpi/domain.hpp"
#include "step/step_stages.hpp"

namespace lapwing {

// Returns the options with the strategy of LAPWING_STRATEGY and the transport of LAPWING_TRANSPORT, where these are
// set. Rank 0 prints what they replace. Local.
StepOptions as_environment_says(const Domain& domain, StepOptions options);

// A file of this step and rank, in the folder that LAPWING_DIGESTS names. After each run it has, for each field, how
// many cells this rank owns and a sum over their bits, by global index: sums of all ranks are the same however the grid
// is cut.
class StepDigest {
  public:
    // Null where the environment names no folder. Throws OutsideError where it cannot be written. Local.
    static std::unique_ptr<StepDigest> of_environment(const Domain& domain);
    explicit StepDigest(std::string path) : path_(std::move(path)) {}
    // Writes the digest after `steps` steps of stages on a grid. Throws OutsideError if the file cannot be written.
    // Local.
    void note(const StepStages& stages, const Grid& grid, Index steps) const;

  private:
    std::string path_;
};

}  // namespace lapwing
