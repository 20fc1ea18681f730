#include "lapwing/partition/distribution.hpp"

#include <algorithm>
#include <set>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

Box checked(const Grid& grid, const std::optional<Box>& active) {
    const Box box = active.value_or(grid.box());
    if (!box.empty() && grid.box().contains(box)) return box;
    user_error("active box of a distribution", box, concat("a box with cells, inside ", grid.box()),
               "leave it out for the whole grid");
}

std::vector<Index> cuts_of(const Partition& partition, std::size_t axis) {
    std::set<Index> cuts{partition.grid().size[axis]};
    for (const Subdomain& s : partition.subdomains()) cuts.insert(s.box.lo[axis]);
    return {cuts.begin(), cuts.end()};
}

// Returns the part between ascending cuts that begins at `lo`.
int part_at(const std::vector<Index>& cuts, Index lo) {
    return static_cast<int>(std::ranges::lower_bound(cuts, lo) - cuts.begin());
}

// Throws unless each of `parts` gets something of `cells`.
void check_share(const char* what, Index cells, int parts, const char* each, const char* remedy) {
    if (cells >= parts) return;
    user_error(what, cells, concat("at least ", parts, ", one for each ", each), remedy);
}

void check_levels(const Box& active, const ProcessGrid& processes) {
    check_share("levels to be spread", active.size(2), processes.px(), "rank of a row of processes",
                "use fewer blocks along x and more along y, or more levels");
}

// Part `part` of `parts` of the box along an axis; perhaps empty.
Box part_of(Box box, std::size_t axis, int parts, int part) {
    const auto [lo, hi] = block_range(box.size(static_cast<int>(axis)), parts, part);
    box.hi[axis] = box.lo[axis] + hi;
    box.lo[axis] += lo;
    return box;
}

// The rows of process row jp in the active box.
Box rows_of(Box active, const ProcessGrid& processes, int jp) {
    active.lo[1] = std::max(active.lo[1], processes.y_cuts[jp]);
    active.hi[1] = std::min(active.hi[1], processes.y_cuts[jp + 1]);
    return active;
}

// A box for each rank, where box_of(ip, jp) has cells.
template <class BoxOf>
Partition one_box_each(const Partition& twod, const ProcessGrid& processes, BoxOf&& box_of) {
    std::vector<Subdomain> subdomains;
    for (int jp = 0; jp < processes.py(); ++jp) {
        for (int ip = 0; ip < processes.px(); ++ip) {
            const Box box = box_of(ip, jp);
            if (!box.empty()) subdomains.push_back({processes.rank_at(ip, jp), box});
        }
    }
    return {twod.grid(), twod.ranks(), std::move(subdomains)};
}

}  // namespace

ProcessGrid process_grid(const Partition& twod) {
    ProcessGrid processes{cuts_of(twod, 0), cuts_of(twod, 1), std::vector<int>(twod.subdomains().size(), -1)};
    const std::size_t blocks = processes.px() * processes.py();
    std::set<int> ranks;
    for (const Subdomain& s : twod.subdomains()) ranks.insert(s.rank);
    const bool one_each = ranks.size() == twod.subdomains().size() && std::ssize(ranks) == twod.ranks();
    if (!twod.aligned() || !one_each || twod.subdomains().size() != blocks) {
        user_error("partition to make a distribution of", twod,
                   "blocks between one set of cuts in x and in y with all levels, one for each rank",
                   "use twod_partition, or block_partition with one block along z");
    }
    for (const Subdomain& s : twod.subdomains()) {
        const int ip = part_at(processes.x_cuts, s.box.lo[0]), jp = part_at(processes.y_cuts, s.box.lo[1]);
        processes.ranks[ip + processes.px() * jp] = s.rank;
    }
    return processes;
}

Partition twod_partition(const Grid& grid, int px, int py) { return block_partition(grid, {px, py, 1}); }

Partition twod_partition(const Partition& columns, Index levels) {
    Grid grid = columns.grid();
    if (grid.size[2] != 1 || levels < 1) {
        user_error("partition to be given levels", concat(grid, " and ", levels, " levels"),
                   "a grid without a z axis, and a level at least", "use a grid with a z axis as it is");
    }
    grid.size[2] = levels;
    std::vector<Subdomain> subdomains = columns.subdomains();
    for (Subdomain& s : subdomains) s.box.hi[2] = levels;
    return {grid, columns.ranks(), std::move(subdomains)};
}

Partition fft_partition(const Partition& twod, const std::optional<Box>& active) {
    const ProcessGrid processes = process_grid(twod);
    const Box cells = checked(twod.grid(), active);
    check_levels(cells, processes);
    return one_box_each(twod, processes,
                        [&](int ip, int jp) { return part_of(rows_of(cells, processes, jp), 2, processes.px(), ip); });
}

Partition tri_partition(const Partition& twod, const std::optional<Box>& active) {
    const ProcessGrid processes = process_grid(twod);
    const Box cells = checked(twod.grid(), active);
    check_levels(cells, processes);
    check_share("longitudes to be spread", cells.size(0), processes.py(), "rank of a column of processes",
                "use fewer blocks along y and more along x, or a wider active box");
    return one_box_each(twod, processes, [&](int ip, int jp) {
        return part_of(part_of(cells, 2, processes.px(), ip), 0, processes.py(), jp);
    });
}

Partition level_slab_partition(const Partition& twod, const std::optional<Box>& active) {
    const ProcessGrid processes = process_grid(twod);
    const Box cells = checked(twod.grid(), active);
    const Index rows = processes.py(), slabs = cells.size(2) * rows;
    std::vector<Subdomain> subdomains;
    for (int rank = 0; rank < twod.ranks(); ++rank) {
        auto [slab, end] = block_range(slabs, twod.ranks(), rank);
        while (slab < end) {  // the slabs of one level
            const Index level = slab / rows, next = std::min(end, (level + 1) * rows);
            Box box = cells;
            box.lo[2] = cells.lo[2] + level;
            box.hi[2] = box.lo[2] + 1;
            box.lo[1] = rows_of(cells, processes, static_cast<int>(slab % rows)).lo[1];
            box.hi[1] = rows_of(cells, processes, static_cast<int>((next - 1) % rows)).hi[1];
            if (!box.empty()) subdomains.push_back({rank, box});
            slab = next;
        }
    }
    return {twod.grid(), twod.ranks(), std::move(subdomains)};
}

}  // namespace lapwing
