#include "memory/copies/walk.hpp"

#include <algorithm>

namespace lapwing {

namespace {

constexpr Index line = 64;               // bytes
constexpr Index near_memory = 16384;     // bytes: half of a small first-level cache
constexpr Index rows_of_a_plane = 64;    // where long columns are cut into planes
constexpr std::size_t neighbours = 256;  // nests looked through for those next to one: lists can be long

// Bytes that a plane takes in a cache, in whole lines.
Index footprint(const LoopNest& nest) { return nest.shape.rows.count * (nest.shape.run / line + 1) * line; }

bool has_outer(const LoopNest& nest) { return nest.outer[0].count * nest.outer[1].count > 1; }

// True if the planes of the two lie next to each other, one for one.
bool side_by_side(const LoopNest& one, const LoopNest& other) {
    const Loop &here = one.shape.planes, &there = other.shape.planes;
    if (has_outer(one) || has_outer(other) || here.count == 1) return false;
    if (one.shape.transposed || other.shape.transposed) return false;  // few planes make no squares
    if (here.count != there.count || here.a != there.a) return false;
    const auto distance = other.a - one.a;
    return distance < here.a && -distance < here.a;
}

}  // namespace

Walk::Walk(const std::vector<LoopNest>& nests) {
    for (const LoopNest& nest : nests) {
        if (nest.bytes() > 0) cut(nest);
    }
    gather_groups(std::move(nests_));
}

void Walk::move(std::span<const Index> by) {
    for (LoopNest& nest : nests_) {
        nest.a += by[nest.a_memory];
        if (nest.b_memory >= 0) nest.b += by[nest.b_memory];
    }
}

bool Walk::in_long_runs() const {
    return std::ranges::all_of(nests_, [](const LoopNest& nest) { return nest.shape.run >= worth_a_move; });
}

// Gives a nest of one plane several if it is of long columns, which may have neighbours.
void Walk::cut(const LoopNest& nest) {
    const Index rows = nest.shape.rows.count;
    const bool list = nest.shape.a_list != nullptr;
    const bool long_columns = !list && rows >= 4 * rows_of_a_plane && nest.shape.run < line;
    if (turns(nest) > 1 || !long_columns) {
        nests_.push_back(nest);
        return;
    }
    const auto [planes, rest] = with_planes(nest, rows / rows_of_a_plane);
    nests_.push_back(planes);
    if (rest.bytes() > 0) nests_.push_back(rest);
}

// Puts neighbouring nests next to each other.
void Walk::gather_groups(std::vector<LoopNest> from) {
    nests_.clear();
    std::vector<bool> taken(from.size());
    for (std::size_t first = 0; first < from.size(); ++first) {
        if (taken[first]) continue;
        Group group{nests_.size(), 0, turns(from[first])};
        Index bytes = 0;
        const std::size_t end = std::min(from.size(), first + neighbours);
        for (std::size_t n = first; n < end; ++n) {
            if (taken[n] || (n > first && !side_by_side(from[first], from[n]))) continue;
            taken[n] = true;
            nests_.push_back(from[n]);
            bytes += footprint(from[n]);
        }
        group.end = nests_.size();
        if (group.end - group.begin > 1) group.way = Way::in_turns;
        if (group.way == Way::one_nest && !has_outer(from[first])) group.way = Way::one_call;
        group.chunk = std::max(Index{1}, near_memory / bytes);
        groups_.push_back(group);
    }
}

template <CopyFunction Copies::* copy>
void Walk::run_in_turns(const Group& group, std::byte* base) const {
    for (Index lo = 0; lo < group.turns; lo += group.chunk) {
        for (std::size_t n = group.begin; n < group.end; ++n) {
            const LoopNest& nest = nests_[n];
            Shape some = nest.shape;
            some.planes.count = std::min(group.chunk, group.turns - lo);
            (nest.*copy)(nest.a + lo * some.planes.a, base + nest.b + lo * some.planes.b, some);
        }
    }
}

template <CopyFunction Copies::* copy>
void Walk::run(std::byte* base) const {
    for (const Group& group : groups_) {
        const LoopNest& first = nests_[group.begin];
        if (group.way == Way::one_call) {
            (first.*copy)(first.a, base + first.b, first.shape);
        } else if (group.way == Way::one_nest) {
            run_nest<copy>(first, base);
        } else {
            run_in_turns<copy>(group, base);
        }
    }
}

template void Walk::run<&LoopNest::forward>(std::byte* base) const;
template void Walk::run<&LoopNest::backward>(std::byte* base) const;
template void Walk::run<&LoopNest::outward>(std::byte* base) const;

}  // namespace lapwing
