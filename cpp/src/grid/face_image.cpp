#include "grid/face_image.hpp"

#include <algorithm>

namespace lapwing {

namespace {

// The image through `a` and then `b`; its cells are the cells of `a`.
Image through(const Image& a, const Image& b) {
    Image both = a;
    both.turn.swapped = a.turn.swapped != b.turn.swapped;
    for (int axis = 0; axis < 3; ++axis) {
        const int middle = a.turn.source_axis(axis);
        const bool against = a.turn.runs_against(axis);
        both.offset[axis] += against ? -b.offset[middle] : b.offset[middle];
        if (axis < 2) both.turn.against[axis] = against != b.turn.runs_against(middle);
    }
    return both;
}

class FaceImages {
  public:
    FaceImages(const Grid& grid, Location location)
        : grid_(grid),
          length_{columns_of_face(grid), grid.size[1]},
          half_{reaches_right(location), reaches_up(location)} {}

    // The images of `way.cells`; `way` leads to cells of `face`, counted from its first column.
    std::vector<Image> find(int face, const Image& way, int hops) const {
        std::vector<Image> found;
        const Box local = way.in_grid(way.cells);
        for (int beyond_y : {-1, 0, 1}) {
            for (int beyond_x : {-1, 0, 1}) {
                Image part = way;
                part.cells = way.from_grid(within(within(local, 0, beyond_x), 1, beyond_y));
                if (part.cells.empty()) continue;
                std::vector<Image> images;
                if (beyond_x == 0 && beyond_y == 0) {
                    images = {through(part, {{}, {-face * length_[0], 0, 0}})};
                } else if (beyond_x != 0 && beyond_y != 0) {
                    images = around_corner(face, part, {side(0, beyond_x), side(1, beyond_y)}, hops);
                } else {
                    images = follow(face, part, beyond_x != 0 ? side(0, beyond_x) : side(1, beyond_y), hops);
                }
                found.insert(found.end(), images.begin(), images.end());
            }
        }
        return found;
    }

  private:
    static Index reaches_right(Location l) { return l == Location::xface || l == Location::corner ? 1 : 0; }
    static Index reaches_up(Location l) { return l == Location::yface || l == Location::corner ? 1 : 0; }
    static Side side(int axis, int end) { return static_cast<Side>(2 * axis + (end > 0 ? 1 : 0)); }

    // The part below (-1), within (0) or above (1) the cells of a face along an axis.
    [[nodiscard]] Box within(Box box, int axis, int part) const {
        if (part < 0) box.hi[axis] = std::min<Index>(box.hi[axis], 0);
        if (part >= 0) box.lo[axis] = std::max<Index>(box.lo[axis], part > 0 ? length_[axis] : 0);
        if (part == 0) box.hi[axis] = std::min(box.hi[axis], length_[axis]);
        return box;
    }

    std::vector<Image> follow(int face, const Image& way, Side side, int hops) const {
        const Connection& link = grid_.faces.beyond(face, side);
        if (link.closed() || hops == 0) return {};
        return find(link.face, through(way, hop(way.turn, side, link)), hops - 1);
    }

    // Point i of an axis lies at 2 i + 1 half cells, or half a cell further; the line where two sides meet is at 0 or
    // at the length of the axis on both.
    [[nodiscard]] Image hop(const Turn& turn, Side side, const Connection& link) const {
        const int axis = axis_of(side), along = 1 - axis;
        const Index length = length_[axis], other = length_[axis_of(link.side)];
        const std::array<Index, 2> half{half_[turn.source_axis(0)], half_[turn.source_axis(1)]};
        Image hop;
        hop.turn.swapped = axis != axis_of(link.side);
        hop.turn.against[axis] = at_upper_end(side) == at_upper_end(link.side);
        hop.turn.against[along] = link.reversed;
        hop.offset[axis] = (at_upper_end(side) ? length : 0);
        if (hop.turn.against[axis]) hop.offset[axis] += (at_upper_end(link.side) ? other : 0) - 1 - half[axis];
        if (!hop.turn.against[axis] && at_upper_end(link.side)) hop.offset[axis] = -other;
        if (link.reversed) hop.offset[along] = length_[along] - 1 - half[along];
        return hop;
    }

    // Cells beyond two sides: both ways must lead to one point. Where three faces meet that is only the point itself.
    std::vector<Image> around_corner(int face, const Image& way, const std::array<Side, 2>& sides, int hops) const {
        std::vector<Image> found = follow(face, way, sides[0], hops);
        if (agree(found, follow(face, way, sides[1], hops))) return found;
        found.clear();
        const Box& cells = way.cells;
        for (Index j = cells.lo[1]; j < cells.hi[1] && cells.size(0) * cells.size(1) > 1; ++j) {
            for (Index i = cells.lo[0]; i < cells.hi[0]; ++i) {
                Image column = way;
                column.cells = {{i, j, cells.lo[2]}, {i + 1, j + 1, cells.hi[2]}};
                const std::vector<Image> one = around_corner(face, column, sides, hops);
                found.insert(found.end(), one.begin(), one.end());
            }
        }
        return found;
    }

    // One column may be reached in two directions, but an xface of it is no yface.
    [[nodiscard]] bool agree(const std::vector<Image>& a, const std::vector<Image>& b) const {
        return std::ranges::equal(a, b, [&](const Image& one, const Image& other) {
            const bool one_column = one.cells.size(0) * one.cells.size(1) == 1;
            const bool same_points = half_[0] == half_[1] || one.turn.swapped == other.turn.swapped;
            return one.cells == other.cells && one.in_grid(one.cells) == other.in_grid(one.cells) &&
                   (one.turn == other.turn || (one_column && same_points));
        });
    }

    const Grid& grid_;
    std::array<Index, 2> length_;
    std::array<Index, 2> half_;  // half cells between centers and points, along x and y
};

}  // namespace

std::vector<Image> face_images(const Grid& grid, Location location, int face, const Box& box) {
    constexpr int most_hops = 4;  // two around a corner; points on a side may belong to the face beyond
    std::vector<Image> all;
    for (const Index3& offset : periodic_images(grid, box)) {
        const Image to_face{box, {face * columns_of_face(grid), 0, offset[2]}};
        for (const Image& image : FaceImages(grid, location).find(face, to_face, most_hops)) all.push_back(image);
    }
    return all;
}

namespace {

// A corner of a face, at the lower (0) or upper (1) end of x and y.
struct FaceCorner {
    int face;
    std::array<int, 2> end;
    friend bool operator==(const FaceCorner&, const FaceCorner&) = default;
};

// The same corner as the face sees it that lies beyond the side at the corner's end of `axis`; itself where none does.
FaceCorner beyond(const Faces& faces, const FaceCorner& corner, int axis) {
    const Connection& link = faces.beyond(corner.face, static_cast<Side>(2 * axis + corner.end[axis]));
    if (link.closed()) return corner;
    FaceCorner other{link.face, {}};
    const int across = axis_of(link.side), end = corner.end[1 - axis];
    other.end[across] = at_upper_end(link.side) ? 1 : 0;
    other.end[1 - across] = link.reversed ? 1 - end : end;
    return other;
}

// All corners that are one point of the surface.
std::vector<FaceCorner> meeting(const Faces& faces, const FaceCorner& corner) {
    std::vector<FaceCorner> all{corner};
    for (std::size_t n = 0; n < all.size(); ++n) {
        for (int axis : {0, 1}) {
            const FaceCorner other = beyond(faces, all[n], axis);
            if (std::ranges::count(all, other) == 0) all.push_back(other);
        }
    }
    return all;
}

// The cells of the grid up to `width` from a corner.
Box cells_at(const Grid& grid, const FaceCorner& corner, Index width) {
    const std::array<Index, 2> length{columns_of_face(grid), grid.size[1]};
    Box box = grid.box();
    for (int axis = 0; axis < 2; ++axis) {
        const Index first = axis == 0 ? corner.face * length[0] : 0;
        box.lo[axis] = first + (corner.end[axis] == 0 ? 0 : std::max<Index>(0, length[axis] - width));
        box.hi[axis] = first + (corner.end[axis] == 0 ? std::min(width, length[axis]) : length[axis]);
    }
    return box;
}

}  // namespace

std::vector<Box> cells_at_corners(const Grid& grid, const Box& own, Index width) {
    std::vector<Box> all;
    for (const std::array<int, 2> end : {std::array{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
        const FaceCorner corner{face_of(grid, own), end};
        if (intersect(cells_at(grid, corner, width), own).empty()) continue;
        for (const FaceCorner& other : meeting(grid.faces, corner)) all.push_back(cells_at(grid, other, width));
    }
    return all;
}

int face_of(const Grid& grid, const Box& box) { return static_cast<int>(box.lo[0] / columns_of_face(grid)); }

}  // namespace lapwing
