// Halo plans of grids of faces: every cell gets the value of the point of the surface where it lies, once, from the
// field along its axis and with its sign; so it does in other messages.

#include <optional>
#include <set>

#include "input/fuzz_plans.hpp"
#include "lapwing/plan/chunks.hpp"
#include "lapwing/plan/halo_plan.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

// A point of the surface in half cells of a face, and the directions along which x and y run there.
struct Point {
    int face = 0;
    std::array<Index, 2> at{};
    std::array<std::array<int, 2>, 2> along{{{1, 0}, {0, 1}}};
};

bool right_of_center(Location l) { return l == Location::xface || l == Location::corner; }
bool above_center(Location l) { return l == Location::yface || l == Location::corner; }

// The surface as a walker sees it: point by point, across one side at a time.
class Surface {
  public:
    explicit Surface(const Grid& grid) : grid_(grid), half_{2 * columns_of_face(grid), 2 * grid.size[1]} {}

    // The point of a cell of face `face`, on the face where it has its owner.
    std::optional<Point> find(int face, const Index3& cell, Location l) const {
        Point point{.face = face};
        point.at[0] = 2 * (cell[0] - face * columns_of_face(grid_)) + (right_of_center(l) ? 2 : 1);
        point.at[1] = 2 * cell[1] + (above_center(l) ? 2 : 1);
        return owned(point, 4);
    }
    Index3 cell_of(const Point& p, Index k) const {
        return {p.face * columns_of_face(grid_) + (p.at[0] - 1) / 2, (p.at[1] - 1) / 2, k};
    }

  private:
    // A face owns the points on its upper sides.
    bool below(const Point& p, std::size_t a) const { return p.at[a] <= 0; }
    bool above(const Point& p, std::size_t a) const { return p.at[a] > half_[a]; }

    std::optional<Point> owned(const Point& p, int sides) const {
        const bool x = below(p, 0) || above(p, 0), y = below(p, 1) || above(p, 1);
        if (!x && !y) return p;
        if (sides == 0) return std::nullopt;
        if (x != y) return crossed(p, x ? 0 : 1, sides);
        const std::optional<Point> one = crossed(p, 0, sides), other = crossed(p, 1, sides);
        if (!one || !other || one->face != other->face || one->at != other->at) return std::nullopt;
        return one;
    }

    // Walks from the side at `axis` by the distance that the point lies beyond it.
    std::optional<Point> crossed(const Point& p, std::size_t axis, int sides) const {
        const bool upper = above(p, axis);
        const Connection& link = grid_.faces.beyond(p.face, static_cast<Side>(2 * axis + (upper ? 1 : 0)));
        if (link.closed()) return std::nullopt;
        const Index distance = upper ? p.at[axis] - half_[axis] : -p.at[axis];
        const auto into = static_cast<std::size_t>(axis_of(link.side));
        Point q{.face = link.face};
        q.at[into] = at_upper_end(link.side) ? half_[into] - distance : distance;
        q.at[1 - into] = link.reversed ? half_[1 - axis] - p.at[1 - axis] : p.at[1 - axis];
        // outwards here is inwards there
        const int inwards = at_upper_end(link.side) ? -1 : 1, outwards = upper ? 1 : -1;
        for (std::size_t a = 0; a < 2; ++a) {
            q.along[a][into] = p.along[a][axis] * outwards * inwards;
            q.along[a][1 - into] = p.along[a][1 - axis] * (link.reversed ? -1 : 1);
        }
        return owned(q, sides - 1);
    }

    const Grid& grid_;
    std::array<Index, 2> half_;
};

Grid grid_of_faces(Bytes& bytes) {
    Grid grid;
    const int count = bytes.between(1, 6), what = bytes.byte();
    grid.faces = (what & 7) == 7 ? cubed_sphere() : Faces(count);
    const Index columns = bytes.between(1, 5), faces = grid.faces.count();
    if ((what & 7) != 7) {
        const bool upper_with_lower = (what & 8) != 0;
        for (int n = 0; n < 2 * count; ++n) {
            const int how = bytes.byte(), ends = bytes.byte();
            try {
                grid.faces.connect(how % count, static_cast<Side>(upper_with_lower ? (ends & 2) | 1 : ends & 3),
                                   how / count % count, static_cast<Side>(ends >> 3 & (upper_with_lower ? 2 : 3)),
                                   (ends & 64) != 0);
            } catch (const UserError&) {  // connected already
            }
        }
    }
    grid.size = {faces * columns, grid.faces.swap_axes() ? columns : bytes.between(1, 5), 1 + (what >> 5 & 1)};
    grid.periodic[2] = (what & 64) != 0;
    return grid;
}

Partition partition_of_faces(Bytes& bytes, const Grid& grid) {
    const int ranks = bytes.between(1, 6);
    if (bytes.coin()) return best_partition(grid, ranks);
    std::vector<Subdomain> parts;
    for (int face = 0; face < grid.faces.count(); ++face) {
        Box box = grid.box();
        box.lo[0] = face * columns_of_face(grid);
        box.hi[0] = box.lo[0] + columns_of_face(grid);
        cut(bytes, box, 2, ranks, parts);
    }
    return {grid, ranks, parts};
}

// Fields that may be exchanged on the grid: all that have axes come in pairs.
std::vector<FieldSpec> fields_of_faces(Bytes& bytes, const Grid& grid) {
    std::vector<FieldSpec> fields;
    const bool everywhere = grid.faces.equal_ends().empty();
    for (FieldSpec& field : small_fields(bytes, grid, 2)) {
        const int what = bytes.byte();
        if (!everywhere) field.location = Location::center;
        const bool face = field.location == Location::xface || field.location == Location::yface;
        if (!face && (what & 1) != 0) {
            fields.push_back(field);
            continue;
        }
        FieldSpec other = field;
        other.name += "'";
        if (face) other.location = field.location == Location::xface ? Location::yface : Location::xface;
        field.vector = other.vector = (what & 2) != 0;
        field.pair = other.pair = {field.name, other.name};
        if ((what & 4) != 0) std::swap(field.pair.x, field.pair.y), other.pair = field.pair;
        std::swap(other.order[0], other.order[static_cast<std::size_t>(what >> 3 & 3)]);
        if ((what & 32) != 0) std::ranges::for_each(other.extents, [](Extent& extent) { extent = mirrored(extent); });
        fields.push_back(field);
        fields.push_back(other);
    }
    return fields;
}

// The number of a cell of a field: fields of a pair hold different ones.
Index number_in(const std::vector<FieldSpec>& fields, std::size_t f, const Index3& cell, int c) {
    return number_of(cell, c) + 4 * static_cast<Index>(f % fields.size());
}

Index expected_at(const std::vector<FieldSpec>& fields, std::size_t f, const Surface& surface, const Point& point,
                  Index k, int c) {
    const FieldSpec& field = fields[f];
    const auto axis = static_cast<std::size_t>(field.axis_of_pair());
    std::size_t from = f;
    if (field.paired() && point.along[axis][axis] == 0)
        while (fields[from].name != field.other_of_pair()) from = (from + 1) % fields.size();
    const int sign = field.vector ? point.along[axis][0] + point.along[axis][1] : 1;
    return sign * number_in(fields, from, surface.cell_of(point, k), c);
}

void check_cells(const Partition& partition, const std::vector<FieldSpec>& fields, Stores& stores) {
    const Grid& grid = partition.grid();
    const Surface surface(grid);
    Store owned(grid.box(), 1);
    for (const Subdomain& s : partition.subdomains())
        each_cell(s.box, [&](const Index3& cell) { owned.at(cell, 0) = 1; });
    for (std::size_t f = 0; f < fields.size(); ++f) {
        for (std::size_t s = 0; s < stores[f].size(); ++s) {
            const Box own = partition.subdomains()[s].box;
            for (int c = 0; c < fields[f].components; ++c) {
                Store expected(stores[f][s].box, 1);
                std::vector<Box> reached = stencil_boxes(own, fields[f].extent(c));
                reached.push_back(own);
                for (const Box& box : reached) {
                    each_cell(fields[f].with_levels(box), [&](const Index3& cell) {
                        Index k = fields[f].levels > 0 ? 0 : cell[2];
                        if (grid.periodic[2]) k = (k % grid.size[2] + grid.size[2]) % grid.size[2];
                        const int face = static_cast<int>(own.lo[0] / columns_of_face(grid));
                        const auto point = surface.find(face, cell, fields[f].location);
                        if (!point || k < 0 || k >= grid.size[2] || owned.at(surface.cell_of(*point, k), 0) != 1)
                            return;
                        expected.at(cell, 0) =
                            expected_at(fields, f, surface, *point, fields[f].levels > 0 ? cell[2] : k, c);
                    });
                }
                each_cell(stores[f][s].box, [&](const Index3& cell) {
                    require(stores[f][s].at(cell, c) == expected.at(cell, 0), "a cell holds the value of its point");
                });
            }
        }
    }
}

Stores numbered(const Partition& partition, const std::vector<FieldSpec>& fields) {
    Stores stores = with_halos(partition, fields);
    for (std::size_t f = 0; f < fields.size(); ++f)
        for (std::size_t s = 0; s < stores[f].size(); ++s)
            each_cell(fields[f].with_levels(partition.subdomains()[s].box), [&](const Index3& cell) {
                for (int c = 0; c < fields[f].components; ++c) stores[f][s].at(cell, c) = number_in(fields, f, cell, c);
            });
    return stores;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const Grid grid = grid_of_faces(bytes);
    std::optional<Partition> partition;
    if (refused([&] { partition.emplace(partition_of_faces(bytes, grid)); })) return 0;
    const std::vector<FieldSpec> fields = fields_of_faces(bytes, grid);
    std::vector<MessagePlan> plans;
    if (refused([&] {
            for (int rank = 0; rank < partition->ranks(); ++rank)
                plans.push_back(halo_plan(*partition, rank, fields, Corners::cheapest));
        }))
        return 0;
    const Stores before = numbered(*partition, fields);
    Stores sources = before, whole = before;
    carry_out(plans, sources, whole, false);
    check_cells(*partition, fields, whole);
    std::vector<MessagePlan> others;
    const Index chunk = 8 + bytes.byte();
    for (const MessagePlan& plan : plans) others.push_back(in_chunks(plan, chunk));
    Stores split = before;
    carry_out(others, sources, split, false);
    for (std::size_t f = 0; f < fields.size(); ++f)
        for (std::size_t s = 0; s < split[f].size(); ++s)
            require(split[f][s].values == whole[f][s].values, "other messages bring the same");
    return 0;
}
