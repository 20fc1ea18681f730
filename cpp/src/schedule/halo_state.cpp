#include "schedule/halo_state.hpp"

#include <algorithm>

namespace lapwing {

bool HaloState::fresh(const Read& read) const {
    return read.extent.empty() ||
           std::ranges::any_of(fresh_[read.field], [&](const Extent& have) { return covers(have, read.extent); });
}

void HaloState::computed(const StageSpec& stage, const Extent& rim) {
    for (int field : stage.writes) {
        // a region leaves the rest of the rim as it was: fresh only if that is
        const bool kept = !rim.empty() && (!stage.region || fresh({field, rim}));
        fresh_[field] = kept ? std::vector<Extent>{rim} : std::vector<Extent>{};
        if (other_of(field) >= 0) fresh_[other_of(field)].clear();
    }
}

}  // namespace lapwing
