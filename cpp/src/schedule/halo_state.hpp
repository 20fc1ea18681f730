#pragma once
// The fresh halos: cells that have arrived, or were computed, since a field was last written.

#include <vector>

#include "lapwing/schedule/schedule.hpp"

namespace lapwing {

class HaloState {
  public:
    explicit HaloState(int fields) : fresh_(fields) {}

    [[nodiscard]] bool fresh(const Read& read) const;
    // A halo of this extent has come; one that was fresh already adds nothing, so that states are finite in number.
    void arrived(const Read& halo) {
        if (!fresh(halo)) fresh_[halo.field].push_back(halo.extent);
    }
    // A stage wrote its fields, on its owned cells and `rim` around them.
    void computed(const StageSpec& stage, const Extent& rim);

    friend bool operator==(const HaloState&, const HaloState&) = default;

  private:
    std::vector<std::vector<Extent>> fresh_;  // one for each field
};

}  // namespace lapwing
