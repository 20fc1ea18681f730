#pragma once
// Named ranges of time, for tools that draw or sum them: NVTX, Caliper, Score-P.

namespace lapwing {

// Functions that a step calls where a part of it begins and ends, with its name: the stage that computes,
// "halo of u, v" while messages are packed and posted, "wait" while this rank has nothing else to do. Ranges of a rank
// do not overlap. Names live as long as the step. Either function may be null.
struct NamedRanges {
    void (*begin)(void* context, const char* name) = nullptr;
    void (*end)(void* context, const char* name) = nullptr;
    void* context = nullptr;

    void enter(const char* name) const {
        if (begin != nullptr) begin(context, name);
    }
    void leave(const char* name) const {
        if (end != nullptr) end(context, name);
    }
};

}  // namespace lapwing
