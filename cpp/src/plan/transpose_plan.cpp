#include "lapwing/plan/transpose_plan.hpp"

#include <algorithm>
#include <map>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

void check_request(const Partition& from, const Partition& to, int rank, std::span<const FieldSpec> fields,
                   const TransposeShare& share) {
    if (from.grid().size != to.grid().size) {
        user_error("grids of a transpose", concat(from.grid(), " and ", to.grid()), "one grid",
                   "make both distributions of one partition");
    }
    if (from.ranks() != to.ranks()) {
        user_error("ranks of a transpose", concat(from.ranks(), " and ", to.ranks()), "as many on both sides",
                   "make both distributions for the ranks that run");
    }
    for (const Partition* side : {&from, &to})
        require_no_turns(side->grid(), "transpose", "exchange halos: lines of cells end at the fold");
    (void)from.subdomains_of(rank);  // throws for a rank outside
    for (const FieldSpec& field : fields) check(field, from.grid());
    if (share.active && (share.active->empty() || !from.grid().box().contains(*share.active))) {
        user_error("active box of a transpose", *share.active, concat("a box with cells, inside ", from.grid().box()),
                   "leave it out for the whole grid");
    }
    if (share.groups < 1 || share.group < 0 || share.group >= share.groups) {
        user_error("group of a transpose", concat(share.group, " of ", share.groups),
                   "one of at least 1 group, numbered from 0", "leave groups out for one exchange of all levels");
    }
}

class TransposePlanner {
  public:
    TransposePlanner(const Partition& from, const Partition& to, std::span<const FieldSpec> fields,
                     const TransposeShare& share)
        : from_(from),
          to_(to),
          fields_(fields),
          share_(share),
          cuts_target_(share.groups > 1 && levels_spread_in_target(from, to)) {}

    // Appends what subdomain `source` gives to subdomain `target`; both ranks call this with the same numbers.
    void append(int source, int target, std::vector<Piece>& pieces) const {
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            const Box box = shared(fields_[f], from_.subdomain(source).box, to_.subdomain(target).box);
            if (!box.empty())
                pieces.push_back({static_cast<int>(f), source, target, box, box, 0, fields_[f].components});
        }
    }

  private:
    // Cells of the field in both boxes, the group and the active box.
    [[nodiscard]] Box shared(const FieldSpec& field, const Box& source, const Box& target) const {
        Box from = field.with_levels(source), to = field.with_levels(target);
        Box& cut = cuts_target_ ? to : from;
        cut = level_group(cut, share_.groups, share_.group);
        const Box both = intersect(from, to);
        return share_.active ? intersect(both, field.with_levels(*share_.active)) : both;
    }

    const Partition &from_, &to_;
    std::span<const FieldSpec> fields_;
    TransposeShare share_;
    bool cuts_target_;
};

}  // namespace

bool levels_spread_in_target(const Partition& from, const Partition& to) {
    const auto most_levels = [](const Partition& partition) {
        Index most = 0;
        for (const Subdomain& s : partition.subdomains()) most = std::max(most, s.box.size(2));
        return most;
    };
    return most_levels(to) <= most_levels(from);
}

Box level_group(const Box& box, int groups, int group) {
    const auto [lo, hi] = block_range(box.size(2), groups, group);
    Box part = box;
    part.lo[2] = box.lo[2] + lo;
    part.hi[2] = box.lo[2] + hi;
    return part;
}

MessagePlan transpose_plan(const Partition& from, const Partition& to, int rank, std::span<const FieldSpec> fields,
                           const TransposeShare& share) {
    check_request(from, to, rank, fields, share);
    const TransposePlanner planner(from, to, fields, share);
    Phase phase;
    std::map<int, std::vector<Piece>> sends, receives;
    for (int mine : from.subdomains_of(rank)) {
        for (int target : to.overlapping(from.subdomain(mine).box)) {
            const int peer = to.subdomain(target).rank;
            planner.append(mine, target, peer == rank ? phase.copies : sends[peer]);
        }
    }
    for (int mine : to.subdomains_of(rank)) {
        for (int source : from.overlapping(to.subdomain(mine).box)) {
            const int peer = from.subdomain(source).rank;
            if (peer != rank) planner.append(source, mine, receives[peer]);
        }
    }
    phase.sends = messages_to(std::move(sends));
    phase.receives = messages_to(std::move(receives));
    std::ranges::sort(phase.copies, wire_order);
    return {rank, {fields.begin(), fields.end()}, {std::move(phase)}, Arrival::replace};
}

TransposeCensus& TransposeCensus::operator+=(const TransposeCensus& other) {
    messages += other.messages;
    bytes += other.bytes;
    copied += other.copied;
    buffer_bytes += other.buffer_bytes;
    return *this;
}

TransposeCensus census_of(const MessagePlan& plan) {
    return {messages_sent(plan), bytes_sent(plan), bytes_copied(plan), packed_bytes(plan)};
}

}  // namespace lapwing
