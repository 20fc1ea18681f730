#include "grid/periodic_image.hpp"

#include <algorithm>

#include "grid/face_image.hpp"

namespace lapwing {

namespace {

Index floor_divide(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Cell (i, j) and cell (x - i, y - j) are one point of the sphere. Centers of a fold through T points turn about
// (0, ny - 1); points that lie half a cell further along an axis have a sum that is less by one.
struct FoldSums {
    Index x, y;
};

FoldSums fold_sums(const Grid& grid, Location location) {
    const Index right = location == Location::xface || location == Location::corner ? 1 : 0;
    const Index up = location == Location::yface || location == Location::corner ? 1 : 0;
    const Index edge = grid.north_fold == NorthFold::f_point ? 1 : 0;
    return {-right - edge, 2 * grid.size[1] - 2 - up + edge};
}

// `box` with rows lo <= j < hi, or with columns lo <= i < hi, at most.
Box within(Box box, int axis, Index lo, Index hi) {
    box.lo[axis] = std::max(box.lo[axis], lo);
    box.hi[axis] = std::min(box.hi[axis], hi);
    return box;
}

// The images of a folded grid: first rows below the fold, then the fold's own row, then rows beyond it.
class FoldedImages {
  public:
    FoldedImages(const Grid& grid, Location location, const Box& box)
        : grid_(grid), sums_(fold_sums(grid, location)), box_(box) {}

    std::vector<Image> find() {
        const bool on_row = sums_.y % 2 == 0;
        const Index beyond = sums_.y / 2 + 1, below = on_row ? beyond - 1 : beyond;
        for (const Index3& offset : periodic_images(grid_, box_)) {
            const Box period = shift(grid_.box(), offset);
            Box here = within(box_, 0, period.lo[0], period.hi[0]);
            if (grid_.periodic[2]) here = within(here, 2, period.lo[2], period.hi[2]);
            add({within(here, 1, here.lo[1], below), offset});
            if (on_row) add_fold_row(within(here, 1, below, beyond), offset);
            add_beyond(within(here, 1, beyond, here.hi[1]), offset);
        }
        return std::move(images_);
    }

  private:
    void add(const Image& image) {
        if (!image.cells.empty()) images_.push_back(image);
    }
    // Adds the cells in the fold's own row whose twin has a smaller i.
    void add_fold_row(const Box& row, const Index3& offset) {
        const Index sum = sums_.x + grid_.size[0];
        const Index first = offset[0] + sum / 2 + 1, last = offset[0] + std::min(grid_.size[0], sum + 1);
        add({within(row, 0, row.lo[0], first), offset});
        add({within(row, 0, first, last), {sum + offset[0], sums_.y, offset[2]}, half_turn});
        add({within(row, 0, last, row.hi[0]), offset});
    }
    // Turned cells of one period lie in two periods of the grid at most.
    void add_beyond(const Box& rows, const Index3& offset) {
        const Index sum = sums_.x + offset[0], cut = sum + 1;
        const Index3 period{grid_.size[0], 0, 0};
        add({within(rows, 0, rows.lo[0], cut), {sum, sums_.y, offset[2]}, half_turn});
        add({within(rows, 0, cut, cut + period[0]), {sum + period[0], sums_.y, offset[2]}, half_turn});
        add({within(rows, 0, cut + period[0], rows.hi[0]), {sum + 2 * period[0], sums_.y, offset[2]}, half_turn});
    }

    const Grid& grid_;
    FoldSums sums_;
    Box box_;
    std::vector<Image> images_;
};

}  // namespace

std::vector<Index3> periodic_images(const Grid& grid, const Box& box) {
    Index3 first{0, 0, 0}, last{0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        if (!grid.periodic[a]) continue;
        first[a] = floor_divide(box.lo[a], grid.size[a]);
        last[a] = floor_divide(box.hi[a] - 1, grid.size[a]);
    }
    std::vector<Index3> offsets;
    for (Index k = first[2]; k <= last[2]; ++k) {
        for (Index j = first[1]; j <= last[1]; ++j) {
            for (Index i = first[0]; i <= last[0]; ++i) {
                offsets.push_back({i * grid.size[0], j * grid.size[1], k * grid.size[2]});
            }
        }
    }
    return offsets;
}

Box Image::in_grid(const Box& box) const {
    Box other;
    for (int a = 0; a < 3; ++a) {
        const int source = turn.source_axis(a);
        const bool against = turn.runs_against(a);
        other.lo[source] = against ? offset[a] - box.hi[a] + 1 : box.lo[a] - offset[a];
        other.hi[source] = against ? offset[a] - box.lo[a] + 1 : box.hi[a] - offset[a];
    }
    return other;
}

Box Image::from_grid(const Box& box) const {
    Box other;
    for (int a = 0; a < 3; ++a) {
        const int source = turn.source_axis(a);
        const bool against = turn.runs_against(a);
        other.lo[a] = against ? offset[a] - box.hi[source] + 1 : box.lo[source] + offset[a];
        other.hi[a] = against ? offset[a] - box.lo[source] + 1 : box.hi[source] + offset[a];
    }
    return other;
}

std::vector<Image> images(const Grid& grid, Location location, const Box& own, const Box& box) {
    if (grid.north_fold != NorthFold::none) return FoldedImages(grid, location, box).find();
    if (!grid.faces.none()) return face_images(grid, location, face_of(grid, own), box);
    std::vector<Image> all;
    for (const Index3& offset : periodic_images(grid, box)) all.push_back({box, offset});
    return all;
}

Index rows_beyond_fold(const Grid& grid, Location location) { return fold_sums(grid, location).y - grid.size[1] + 1; }

Box turned_at_fold(const Grid& grid, Location location, const Box& box) {
    const FoldSums sums = fold_sums(grid, location);
    return Image{box, {sums.x, sums.y, 0}, half_turn}.in_grid(box);
}

}  // namespace lapwing
