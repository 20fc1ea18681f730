#pragma once
// Distributions: the partitions of one grid between which transposes move fields. Plain boxes, made from a partition
// into columns of processes.
//
// The levels of a field are the z axis of the grid here, so that they can be spread. With px x py columns, rank
// (ip, jp), and sizes that need not divide:
//   twod        block ip of x, block jp of y, all levels
//   fft         all of x, block jp of y, part ip of the levels
//   tri         part jp of x, all of y, part ip of the levels
//   level slabs (level, rows of one jp) in a list, which all ranks share

#include <optional>
#include <vector>

#include "lapwing/partition/partition.hpp"

namespace lapwing {

// The processes of a partition as px rows of blocks by py: where it is cut, and which rank has which block.
struct ProcessGrid {
    std::vector<Index> x_cuts, y_cuts;  // ascending, px + 1 and py + 1 of them
    std::vector<int> ranks;             // rank of block ip + px * jp

    [[nodiscard]] int px() const { return static_cast<int>(x_cuts.size()) - 1; }
    [[nodiscard]] int py() const { return static_cast<int>(y_cuts.size()) - 1; }
    [[nodiscard]] int rank_at(int ip, int jp) const { return ranks[ip + px() * jp]; }
};

// Throws UserError unless the partition is made of blocks between one set of cuts in x and in y, with all levels, one
// for each rank, whatever their numbers. Local.
ProcessGrid process_grid(const Partition& twod);

// px x py blocks with all levels, sizes differing by at most one, rank ip + px * jp: the result of block_partition for
// {px, py, 1}. Throws UserError when an axis has fewer cells than blocks. Local.
Partition twod_partition(const Grid& grid, int px, int py);

// The boxes of a partition of a 2D grid on the grid with `levels` levels, with the same numbers: fields with levels on
// the 2D grid have the memory of fields on the other. Throws UserError for a grid with a z axis, or no level. Local.
Partition twod_partition(const Partition& columns, Index levels);

// Full rows of x: the levels are spread over the px ranks of a row of processes, each of which keeps its rows of y.
// Cells outside `active` have no owner. Throws UserError unless there is a level for each of the px, or when
// `active` is empty or leaves the grid, and what process_grid throws. Local.
Partition fft_partition(const Partition& twod, const std::optional<Box>& active = {});

// Full columns of y: the x indices of a rank of fft_partition are spread over the py ranks of a column of processes,
// each of which has the levels that it has there. Throws as fft_partition does, and unless there is an x index for each
// of the py. Local.
Partition tri_partition(const Partition& twod, const std::optional<Box>& active = {});

// Returns full rows of x: every rank has an equal part of the list of all rows of its process row, level after level,
// in several boxes if the part crosses levels. It serves comparisons: a rank exchanges with nearly all ranks. Throws as
// fft_partition does, except for the number of levels: with fewer slabs than ranks, some ranks have none. Local.
Partition level_slab_partition(const Partition& twod, const std::optional<Box>& active = {});

}  // namespace lapwing
