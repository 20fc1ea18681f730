#include "lapwing/plan/halo_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

// Neighbouring components with one extent: they travel in one piece.
struct ComponentGroup {
    int lo, hi;
    Extent extent;
};

std::vector<ComponentGroup> component_groups(const FieldSpec& spec) {
    if (spec.extents.size() == 1) return {{0, spec.components, spec.extents[0]}};
    std::vector<ComponentGroup> groups;
    for (int c = 0; c < spec.components; ++c) {
        if (!groups.empty() && groups.back().extent == spec.extents[c]) {
            groups.back().hi = c + 1;
        } else {
            groups.push_back({c, c + 1, spec.extents[c]});
        }
    }
    return groups;
}

// The messages of one phase: all at once (direct), or along `axis` only, sources being grown along the
// axes of the phases before.
struct PhaseRule {
    bool ordered = false;
    int axis = 0;

    // Halo cells of `box` that this phase fills, `box` itself included.
    [[nodiscard]] std::vector<Box> wanted(const Grid& grid, const Box& box, const Extent& extent) const {
        if (!ordered || !extent.corners) return own_arm(box, extent);
        Box region = box;
        for (int a = 0; a <= axis; ++a) {
            region.lo[a] -= extent.lo[a];
            region.hi[a] += extent.hi[a];
            if (grid.periodic[a]) continue;
            region.lo[a] = std::max<Index>(region.lo[a], 0);
            region.hi[a] = std::min<Index>(region.hi[a], grid.size[a]);
        }
        return {region};
    }

    // Cells that a source can give in this phase: its own and, ordered, halos that came before.
    [[nodiscard]] Box given(const Grid& grid, const Box& box, const Extent& extent) const {
        if (!ordered || !extent.corners || axis == 0) return box;
        return PhaseRule{true, axis - 1}.wanted(grid, box, extent).front();
    }

    // True if `source` may serve `target`: ordered phases stay in one line of boxes along the axis.
    [[nodiscard]] bool serves(const Box& source, const Box& target) const {
        if (!ordered) return true;
        for (int a = 0; a < 3; ++a) {
            if (a != axis && (source.lo[a] != target.lo[a] || source.hi[a] != target.hi[a])) return false;
        }
        return true;
    }

    // True if the image at `offset` belongs to this phase: ordered phases wrap along their axis.
    [[nodiscard]] bool wraps(const Index3& offset) const {
        if (!ordered) return true;
        for (int a = 0; a < 3; ++a) {
            if (a != axis && offset[a] != 0) return false;
        }
        return true;
    }

  private:
    [[nodiscard]] std::vector<Box> own_arm(const Box& box, const Extent& extent) const {
        if (!ordered) return stencil_boxes(box, extent);
        Extent arm;
        arm.lo[axis] = extent.lo[axis];
        arm.hi[axis] = extent.hi[axis];
        return {grow(box, arm)};
    }
};

// Pieces of one field from subdomain `source` to the halo of subdomain `target`. Both sides call
// this with the same arguments, so they agree on pieces and order.
void append_pieces(const Partition& partition, const FieldSpec& spec, int field, int source, int target,
                   const PhaseRule& rule, std::vector<Piece>& pieces) {
    const Grid& grid = partition.grid();
    const Box from = partition.subdomain(source).box;
    const Box to = partition.subdomain(target).box;
    if (!rule.serves(from, to)) return;
    for (const ComponentGroup& group : component_groups(spec)) {
        const Box given = rule.given(grid, from, group.extent);
        for (const Box& wanted : rule.wanted(grid, to, group.extent)) {
            for (const Index3& offset : periodic_images(grid, wanted)) {
                if (!rule.wraps(offset)) continue;
                if (source == target && offset == Index3{0, 0, 0}) continue;
                const Box here = intersect(wanted, shift(given, offset));
                if (here.empty()) continue;
                const Box there = shift(here, {-offset[0], -offset[1], -offset[2]});
                pieces.push_back(
                    {field, source, target, spec.with_levels(there), spec.with_levels(here), group.lo, group.hi});
            }
        }
    }
}

class HaloPlanner {
  public:
    HaloPlanner(const Partition& partition, int rank, std::span<const FieldSpec> fields)
        : partition_(partition), rank_(rank), fields_(fields) {
        for (const FieldSpec& field : fields) reach_ = unite(reach_, field.largest_extent());
    }

    // True if any field is read beyond its box along the axis.
    [[nodiscard]] bool reaches(int axis) const { return reach_.lo[axis] > 0 || reach_.hi[axis] > 0; }

    Phase phase(const PhaseRule& rule) const {
        Phase phase;
        std::map<int, std::vector<Piece>> sends, receives;
        for (const auto& [source, target] : pairs()) {
            const int from = partition_.subdomain(source).rank;
            const int to = partition_.subdomain(target).rank;
            auto& pieces = from == to ? phase.copies : from == rank_ ? sends[to] : receives[from];
            append(source, target, rule, pieces);
        }
        phase.sends = messages_to(std::move(sends));
        phase.receives = messages_to(std::move(receives));
        std::ranges::sort(phase.copies, wire_order);
        return phase;
    }

  private:
    // (source, target) of which at least one is mine and the other near enough to matter.
    std::set<std::pair<int, int>> pairs() const {
        std::set<std::pair<int, int>> found;
        for (int mine : partition_.subdomains_of(rank_)) {
            const Box box = partition_.subdomain(mine).box;
            for (int source : partition_.overlapping_images(grow(box, reach_))) found.emplace(source, mine);
            for (int target : partition_.overlapping_images(grow(box, mirrored(reach_)))) {
                found.emplace(mine, target);
            }
        }
        return found;
    }

    void append(int source, int target, const PhaseRule& rule, std::vector<Piece>& pieces) const {
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            append_pieces(partition_, fields_[f], static_cast<int>(f), source, target, rule, pieces);
        }
    }

    const Partition& partition_;
    int rank_;
    std::span<const FieldSpec> fields_;
    Extent reach_;
};

void check_request(const Partition& partition, int rank, std::span<const FieldSpec> fields, Corners corners) {
    (void)partition.subdomains_of(rank);  // throws for a rank outside
    for (const FieldSpec& field : fields) check(field, partition.grid());
    if (corners == Corners::ordered && !partition.aligned()) {
        user_error("corners", "ordered on a partition with staggered cuts or missing boxes", "an aligned partition",
                   "use direct corners");
    }
}

}  // namespace

Corners best_corners(const Partition& partition) {
    if (!partition.aligned() || partition.subdomains().empty()) return Corners::direct;
    const Box& first = partition.subdomain(0).box;
    int cut_axes = 0;
    for (int a = 0; a < 3; ++a) {
        const auto elsewhere = [&](const Subdomain& s) { return s.box.lo[a] != first.lo[a]; };
        if (std::ranges::any_of(partition.subdomains(), elsewhere)) ++cut_axes;
    }
    return cut_axes <= 1 ? Corners::ordered : Corners::direct;
}

MessagePlan halo_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields, Corners corners) {
    if (corners == Corners::cheapest) corners = best_corners(partition);
    check_request(partition, rank, fields, corners);
    const HaloPlanner planner(partition, rank, fields);
    MessagePlan plan{rank, {fields.begin(), fields.end()}, {}, Arrival::replace};
    if (corners == Corners::direct) {
        plan.phases.push_back(planner.phase({}));
        return plan;
    }
    // The same phases on all ranks, empty or not: collective transports count them.
    for (int axis = 0; axis < 3; ++axis) {
        if (planner.reaches(axis)) plan.phases.push_back(planner.phase({true, axis}));
    }
    return plan;
}

}  // namespace lapwing
