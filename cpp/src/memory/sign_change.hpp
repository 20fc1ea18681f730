#pragma once
// Values that change their sign where they have arrived: components of vectors beyond a north fold.

#include <span>
#include <vector>

#include "lapwing/memory/strided_block.hpp"

namespace lapwing {

// The negated values among the pieces of a message, in their memory: for transports that do not copy values themselves,
// but let MPI put them there. All others change the sign while they copy.
class SignChange {
  public:
    explicit SignChange(std::span<const StridedBlock> pieces);
    void run() const;

  private:
    std::vector<StridedBlock> blocks_;
};

}  // namespace lapwing
