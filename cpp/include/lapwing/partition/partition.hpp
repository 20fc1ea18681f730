#pragma once
// Partitions: which rank owns which box. This is pure arithmetic: the partition of 10,000 ranks fits in one process.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/grid/mask.hpp"

namespace lapwing {

// One owned box and its rank. A rank may own several, or none.
struct Subdomain {
    int rank = 0;
    Box box;
    friend bool operator==(const Subdomain&, const Subdomain&) = default;
};

// The subdomains of all ranks on one grid. They never overlap; cells that none of them holds (land) have no owner. A
// subdomain is addressed by its number in `subdomains()`.
class Partition {
  public:
    // Takes any set of boxes. Throws UserError when a rank is outside 0..ranks-1, a box is empty, leaves the grid or
    // crosses from one face to the next, or two boxes overlap (both are named). Local.
    Partition(Grid grid, int ranks, std::vector<Subdomain> subdomains);

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] const std::vector<Subdomain>& subdomains() const { return subdomains_; }
    [[nodiscard]] const Subdomain& subdomain(int number) const { return subdomains_[number]; }

    // Numbers of the subdomains of `rank`, ascending. Throws UserError for a rank outside the partition.
    [[nodiscard]] const std::vector<int>& subdomains_of(int rank) const;

    // Numbers of the subdomains that share a cell with `box`, ascending; no periodic images.
    [[nodiscard]] std::vector<int> overlapping(const Box& box) const;

    // Numbers of the subdomains that share a cell with `box` or with one of its periodic images.
    [[nodiscard]] std::vector<int> overlapping_images(const Box& box) const;

    // True if the subdomains are all the boxes between one set of cuts per axis, each one present:
    // what ordered exchange phases need.
    [[nodiscard]] bool aligned() const { return aligned_; }

    friend bool operator==(const Partition& a, const Partition& b) {
        return a.grid_ == b.grid_ && a.ranks_ == b.ranks_ && a.subdomains_ == b.subdomains_;
    }

  private:
    void index_subdomains();
    void check_disjoint() const;
    [[nodiscard]] bool find_aligned() const;

    Grid grid_;
    int ranks_;
    std::vector<Subdomain> subdomains_;
    std::vector<std::vector<int>> by_rank_;
    Index3 bins_{1, 1, 1};  // a coarse lattice over the grid: bin -> subdomains in it
    std::vector<std::vector<int>> in_bin_;
    bool aligned_ = false;
};

// The half-open range of part `part` when n cells are cut into `parts`: sizes differ by at most
// one, the larger parts come first.
std::pair<Index, Index> block_range(Index n, int parts, int part);

// The factorisation of `ranks` over the axes whose blocks have the least halo per block for a
// halo of `width` cells; of equal ones, the factorisation with the longest rows. An axis gets at most as
// many blocks as it has cells. A grid of faces is cut alike in each. Throws UserError when none fits, and for a number
// of ranks that is no multiple of the faces. Local.
Index3 best_blocks(const Grid& grid, int ranks, int width = 1);

// Throws UserError unless the axis has at least a cell for each of its blocks. Local.
void check_blocks(const Grid& grid, const Index3& blocks, int axis);

// blocks[0] x blocks[1] x blocks[2] boxes, one per rank, x varying fastest. Throws UserError when
// an axis has fewer cells than blocks, or blocks along x are no multiple of the faces. Local.
Partition block_partition(const Grid& grid, const Index3& blocks);

// The best blocks of `grid`, one per rank; on a grid of faces the least number of equal blocks that cut each face alike
// and are shared out evenly, several to a rank where need be. Throws as `best_blocks` does. Local.
Partition best_partition(const Grid& grid, int ranks, int width = 1);

// Throws UserError unless the mask has the columns of the grid. Local.
void check_size(const Mask& mask, const Grid& grid);

// Every owned box shrunk to the bounds of its wet cells. Throws UserError when the mask has
// another size than the grid, or a box has no wet cell (the rank is named). Local.
Partition trimmed(const Partition& partition, const Mask& mask);

// Returns what must match where ranks share a partition: the grid, and a line for each box. Local.
std::string listed_boxes(const Partition& partition);

// Describes it: the grid, the blocks and the smallest and largest box.
std::string to_string(const Partition& partition);

}  // namespace lapwing
