#include "lapwing/plan/halo_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "grid/face_image.hpp"
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
    [[nodiscard]] std::vector<Box> wanted(const FieldSpec& spec, const Grid& grid, const Box& box,
                                          const Extent& extent) const {
        if (!ordered || !extent.corners) return own_arm(box, extent);
        Box region = spec.with_frame(box, grid, extent);
        for (int a = 0; a <= axis; ++a) {
            region.lo[a] = box.lo[a] - extent.lo[a];
            region.hi[a] = box.hi[a] + extent.hi[a];
            if (grid.periodic[a] || spec.frame) continue;
            region.lo[a] = std::max<Index>(region.lo[a], 0);
            region.hi[a] = std::min<Index>(region.hi[a], grid.size[a]);
        }
        return {region};
    }

    // Cells that a source can give in this phase: its own with their frame and, ordered, halos that came before.
    [[nodiscard]] Box given(const FieldSpec& spec, const Grid& grid, const Box& box, const Extent& extent) const {
        if (!ordered || !extent.corners || axis == 0) return spec.with_frame(box, grid, extent);
        return PhaseRule{true, axis - 1}.wanted(spec, grid, box, extent).front();
    }

    // True if `source` may serve `target`: ordered phases stay in one line of boxes along the axis.
    [[nodiscard]] bool serves(const Box& source, const Box& target) const {
        if (!ordered) return true;
        for (int a = 0; a < 3; ++a) {
            if (a != axis && (source.lo[a] != target.lo[a] || source.hi[a] != target.hi[a])) return false;
        }
        return true;
    }

    // True if the image belongs to this phase: ordered phases wrap along their axis.
    [[nodiscard]] bool wraps(const Image& image) const {
        if (!ordered) return true;
        for (int a = 0; a < 3; ++a) {
            if (a != axis && image.offset[a] != 0) return false;
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

// On a folded grid a field without a halo receives the cells of its own box that are images of others.
std::vector<Box> with_fold_row(const Grid& grid, std::vector<Box> wanted, const Box& own) {
    if (wanted.empty() && grid.north_fold != NorthFold::none) wanted.push_back(own);
    return wanted;
}

// The cells that `given` fills by an image. The own box is part of every arm; its cells on a fold come with the first.
std::vector<Box> filled(const Image& image, const Box& given, const Box& own, bool first_arm) {
    const Box cells = intersect(image.cells, image.from_grid(given));
    if (cells.empty()) return {};
    return !image.turn.none() && !first_arm ? subtract(cells, own) : std::vector{cells};
}

// Pieces of one field from subdomain `source` to the halo of subdomain `target`. Both sides call
// this with the same arguments, so they agree on pieces and order.
void append_pieces(const Partition& partition, const FieldSpec& spec, int field, int source, int target,
                   const PhaseRule& rule, std::vector<Piece>& pieces) {
    const Grid& grid = partition.grid();
    const Box from = partition.subdomain(source).box;
    const Box to = partition.subdomain(target).box;
    if (!rule.serves(from, to)) return;
    for (const ComponentGroup& group : component_groups(spec)) {
        const Box given = rule.given(spec, grid, from, group.extent);
        const std::vector<Box> wanted = with_fold_row(grid, rule.wanted(spec, grid, to, group.extent), to);
        for (const Box& box : wanted) {
            for (const Image& image : images(grid, spec.location, to, box)) {
                if (!rule.wraps(image) || (source == target && image.itself())) continue;
                for (const Box& here : filled(image, given, to, &box == wanted.data())) {
                    pieces.push_back({.field = field,
                                      .source = source,
                                      .target = target,
                                      .source_box = spec.with_levels(image.in_grid(here)),
                                      .target_box = spec.with_levels(here),
                                      .component_lo = group.lo,
                                      .component_hi = group.hi,
                                      .turn = image.turn});
                }
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
            const Box sources = grow(box, reach_);
            if (!partition_.grid().faces.none()) {
                add_pairs_around(mine, found);
                continue;
            }
            add_pairs(sources, box, mine, found);
            if (partition_.grid().north_fold == NorthFold::none) continue;
            std::set<Location> locations;
            for (const FieldSpec& field : fields_) locations.insert(field.location);
            for (Location location : locations) {
                add_pairs(turned_at_fold(partition_.grid(), location, sources),
                          turned_at_fold(partition_.grid(), location, box), mine, found);
            }
        }
        return found;
    }

    // Holders of the cells `sources` with mine as their target; and mine with those whose halo holds cells of `box`.
    void add_pairs(const Box& sources, const Box& box, int mine, std::set<std::pair<int, int>>& found) const {
        for (int source : partition_.overlapping_images(sources)) found.emplace(source, mine);
        for (int target : partition_.overlapping_images(grow(box, mirrored(reach_)))) found.emplace(mine, target);
    }

    // Mine and the holders of cells around it, beyond sides of faces too, where axes are other ones. A point on a side
    // may belong to the face beyond: one cell more.
    void add_pairs_around(int mine, std::set<std::pair<int, int>>& found) const {
        const Box own = partition_.subdomain(mine).box;
        int width = 0;
        for (int a = 0; a < 2; ++a) width = std::max({width, reach_.lo[a] + 1, reach_.hi[a] + 1});
        Extent around = Extent::horizontal(width);
        around.lo[2] = around.hi[2] = std::max(reach_.lo[2], reach_.hi[2]);
        std::vector<Box> cells = cells_at_corners(partition_.grid(), own, width);
        for (const Image& image : images(partition_.grid(), Location::center, own, grow(own, around)))
            cells.push_back(image.in_grid(image.cells));
        for (const Box& box : cells) {
            for (int other : partition_.overlapping(box)) {
                found.emplace(other, mine);
                found.emplace(mine, other);
            }
        }
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

// Where axes turn, the fields of a pair take values of each other.
void check_pair(const FieldSpec& spec, std::span<const FieldSpec> fields) {
    if (!spec.paired()) return;
    const auto other = std::ranges::find(fields, spec.other_of_pair(), &FieldSpec::name);
    if (other == fields.end())
        user_error("field " + spec.name + " of an exchange", "without " + spec.other_of_pair(),
                   "both fields of its pair: each takes values of the other where faces turn",
                   "exchange both together");
    const auto turned = [](Location l) {
        return l == Location::xface ? Location::yface : l == Location::yface ? Location::xface : l;
    };
    FieldSpec as_this = *other;
    as_this.name = spec.name;
    as_this.location = turned(other->location);
    as_this.extents = spec.extents;
    as_this.order = spec.order;
    as_this.constant_on_land = spec.constant_on_land;
    if (as_this == spec) return;
    user_error("pair of field " + spec.name, to_string(*other),
               "a field with the same type, shape, pair and vector, at "
               "xfaces where the other one is at yfaces",
               "describe both alike");
}

void check_request(const Partition& partition, int rank, std::span<const FieldSpec> fields, Corners corners) {
    (void)partition.subdomains_of(rank);  // throws for a rank outside
    for (const FieldSpec& field : fields) check(field, partition.grid());
    if (!partition.grid().faces.none())
        for (const FieldSpec& field : fields) check_pair(field, fields);
    if (corners == Corners::ordered && !partition.aligned()) {
        user_error("corners", "ordered on a partition with staggered cuts or missing boxes", "an aligned partition",
                   "use direct corners");
    }
    if (corners == Corners::ordered)
        require_no_turns(partition.grid(), "ordered corners", "use direct corners, or those that cost least");
}

}  // namespace

Corners best_corners(const Partition& partition) {
    if (!partition.aligned() || partition.subdomains().empty()) return Corners::direct;
    if (turns(partition.grid())) return Corners::direct;
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
    MessagePlan plan{.rank = rank,
                     .fields = {fields.begin(), fields.end()},
                     .north_fold = partition.grid().north_fold,
                     .faces = partition.grid().faces.count()};
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
