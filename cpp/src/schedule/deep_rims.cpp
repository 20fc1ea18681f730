#include "schedule/deep_rims.hpp"

namespace lapwing {

namespace {

// Returns how far a stage must compute beyond the owned box so that later stages find what they need there, `needed`;
// the stage's own needs are added to that. Fields written by stages without a rim are left out: they have to travel. A
// stage that reduces has no rim, as possibly no rank owns the cells there: their values are no part of its number.
Extent followed_back(const StageSpec& stage, std::vector<Extent>& needed) {
    Extent rim = stage.rim;
    for (int field : stage.writes) {
        if (!stage.reduces && !stage.owned_only) rim = unite(rim, needed[field]);
        // outside a region the values of before are needed still
        if (!stage.region) needed[field] = {};
    }
    for (const Read& read : stage.reads) {
        Extent& wanted = needed[read.field];
        wanted = unite(wanted, sum(rim, read.extent));
    }
    return rim;
}

// True if something may come between this stage and the next where loops run `repetitions` times without.
bool ends_window(const std::vector<StageSpec>& stages, std::size_t s, int repetitions) {
    if (s + 1 == stages.size() || stages[s].iteration < 0) return true;
    const int here = stages[s].iteration, next = stages[s + 1].iteration;
    return next < here || next / repetitions != here / repetitions;  // also where the loop ends, or another begins
}

}  // namespace

Window window_from(const Cycle& cycle, int fields, std::size_t position, int repetitions) {
    Window rims(repetitions);
    std::vector<Extent> needed(fields);  // around the owned box, by what comes later
    for (std::size_t w = rims.size(); w-- > 0;) {
        const auto& stages = cycle[(position + w) % cycle.size()];
        rims[w].resize(stages.size());
        for (std::size_t s = stages.size(); s-- > 0;) rims[w][s] = followed_back(stages[s], needed);
    }
    return rims;
}

Window window_within(const std::vector<StageSpec>& stages, int fields, int repetitions) {
    Window rims{std::vector<Extent>(stages.size())};
    std::vector<Extent> needed;
    for (std::size_t s = stages.size(); s-- > 0;) {
        if (repetitions == 0 || ends_window(stages, s, repetitions)) needed.assign(fields, {});
        rims[0][s] = followed_back(stages[s], needed);
    }
    return rims;
}

}  // namespace lapwing
