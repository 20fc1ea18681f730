#pragma once
// The fresh halos: cells that have arrived, or were computed, since a field was last written.

#include <utility>
#include <vector>

#include "lapwing/schedule/schedule.hpp"

namespace lapwing {

class HaloState {
  public:
    // `pairs`: for each field the other one whose values its halo takes too, or -1; empty: there is none.
    explicit HaloState(int fields, std::vector<int> pairs = {}) : fresh_(fields), pairs_(std::move(pairs)) {
        pairs_.resize(fresh_.size(), -1);
    }

    [[nodiscard]] bool fresh(const Read& read) const;
    // A halo of this extent has come; one that was fresh already adds nothing, so that states are finite in number.
    void arrived(const Read& halo) {
        if (!fresh(halo)) fresh_[halo.field].push_back(halo.extent);
    }
    // A stage wrote its fields, on its owned cells and `rim` around them.
    void computed(const StageSpec& stage, const Extent& rim);

    // The other field of a pair, or -1.
    [[nodiscard]] int other_of(int field) const { return pairs_[field]; }

    friend bool operator==(const HaloState&, const HaloState&) = default;

  private:
    std::vector<std::vector<Extent>> fresh_;  // one for each field
    std::vector<int> pairs_;
};

}  // namespace lapwing
