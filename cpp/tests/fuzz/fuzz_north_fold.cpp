// Halo plans of tripolar grids: every cell gets the value of the point of the sphere where it lies, once, with the sign
// of its field; so it does in other messages, and without land.

#include <set>

#include "input/fuzz_plans.hpp"
#include "lapwing/plan/chunks.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/plan/wet_plan.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

// A cell that is the home of a value, and true if axes run against each other there.
struct Home {
    Index3 cell{};
    bool turned = false;
};

// Points of the C-grid in half cells, turned about a pole of the fold: by the definition, cell by cell.
class Sphere {
  public:
    explicit Sphere(const Partition& partition) : grid_(partition.grid()), owned_(grid_.box(), 1) {
        for (const Subdomain& s : partition.subdomains())
            each_cell(s.box, [&](const Index3& cell) { owned_.at(cell, 0) = 1; });
    }

    // The home of a cell; false where there is none, or no rank owns it.
    bool find(const Index3& cell, Location location, Home& home) {
        home = {cell, false};
        const Index right = location == Location::xface || location == Location::corner ? 1 : 0;
        const Index up = location == Location::yface || location == Location::corner ? 1 : 0;
        const Index pole_x = grid_.north_fold == NorthFold::t_point ? 0 : -1;
        const Index pole_y = 2 * (grid_.size[1] - 1) + (grid_.north_fold == NorthFold::t_point ? 0 : 1);
        const Index x = 2 * cell[0] + right, y = 2 * cell[1] + up;
        const Index3 twin{(2 * pole_x - x - right) / 2, (2 * pole_y - y - up) / 2, cell[2]};
        Index3 inside = cell, other = twin;
        const bool has_twin = y == pole_y && wrap(grid_, inside) && wrap(grid_, other);
        if (y > pole_y || (has_twin && other[0] < inside[0])) home = {twin, true};
        return wrap(grid_, home.cell) && owned_.at(home.cell, 0) == 1;
    }

  private:
    Grid grid_;
    Store owned_;
};

Grid folded_grid(Bytes& bytes) {
    Grid grid;
    const int what = bytes.byte();
    grid.size = {2 * bytes.between(1, 5), bytes.between(2, 6), 1 + (what >> 2 & 1)};
    grid.periodic = {true, false, (what & 2) != 0};
    grid.north_fold = (what & 1) != 0 ? NorthFold::t_point : NorthFold::f_point;
    return grid;
}

void check_cells(const Partition& partition, const FieldSpec& field, std::vector<Store>& stores) {
    Sphere sphere(partition);
    for (std::size_t s = 0; s < stores.size(); ++s) {
        const Box owned = partition.subdomains()[s].box;
        for (int c = 0; c < field.components; ++c) {
            Store expected(stores[s].box, 1);
            std::vector<Box> reached = stencil_boxes(owned, field.extent(c));
            reached.push_back(owned);
            for (const Box& box : reached) {
                each_cell(field.with_levels(box), [&](const Index3& cell) {
                    Index3 at = cell;
                    if (field.levels > 0) at[2] = 0;
                    if (owned.contains(at)) expected.at(cell, 0) = number_of(cell, c);
                    Home home;
                    if (!sphere.find(at, field.location, home) || (owned.contains(at) && !home.turned)) return;
                    if (field.levels > 0) home.cell[2] = cell[2];
                    expected.at(cell, 0) = (home.turned && field.vector ? -1 : 1) * number_of(home.cell, c);
                });
            }
            each_cell(stores[s].box, [&](const Index3& cell) {
                require(stores[s].at(cell, c) == expected.at(cell, 0), "a cell holds the value of its point");
            });
        }
    }
}

void check_once(const std::vector<MessagePlan>& plans) {
    std::set<std::tuple<int, int, Index3, int>> written;
    for (const MessagePlan& plan : plans) {
        const auto note = [&](const Piece& piece) {
            each_value(piece, [&](const Index3&, const Index3& to, int c) {
                require(written.emplace(piece.field, piece.target, to, c).second, "a cell is written once");
            });
        };
        for (const Message& message : plan.phases[0].receives) std::ranges::for_each(message.pieces, note);
        std::ranges::for_each(plan.phases[0].copies, note);
    }
}

// A coast whose halves agree where the fold passes through centers.
Mask coast_of(Bytes& bytes, const Grid& grid) {
    std::vector<std::uint8_t> wet(static_cast<std::size_t>(grid.size[0] * grid.size[1]));
    for (std::uint8_t& cell : wet) cell = bytes.byte() & 1;
    wet[0] = 1;
    const auto row = static_cast<std::size_t>(grid.size[0] * (grid.size[1] - 1)),
               nx = static_cast<std::size_t>(grid.size[0]);
    for (std::size_t i = nx / 2 + 1; grid.north_fold == NorthFold::t_point && i < nx; ++i)
        wet[row + i] = wet[row + nx - i];
    return {grid.size[0], grid.size[1], wet};
}

// Wet values arrive as they do with land: of faces and corners where a cell that touches them is wet.
void check_wet(const Partition& partition, const std::vector<FieldSpec>& fields, const Mask& mask, Stores& whole,
               Stores& wet) {
    Sphere sphere(partition);
    const auto is_wet = [&](const Index3& cell) {
        Home home;
        Index3 inside = cell;
        if (cell[1] >= mask.ny()) static_cast<void>(sphere.find(cell, Location::center, home)), inside = home.cell;
        const Index i = (inside[0] % mask.nx() + mask.nx()) % mask.nx();
        return inside[1] >= 0 && mask.wet(i, inside[1]);
    };
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const Index right = fields[f].location == Location::xface || fields[f].location == Location::corner ? 1 : 0;
        const Index up = fields[f].location == Location::yface || fields[f].location == Location::corner ? 1 : 0;
        for (std::size_t s = 0; s < whole[f].size(); ++s) {
            each_cell(whole[f][s].box, [&](const Index3& cell) {
                Home home;
                const Index3 flat{cell[0], cell[1], 0};
                if (!sphere.find(flat, fields[f].location, home)) return;
                bool near = false;
                for (Index b = 0; b <= up; ++b)
                    for (Index a = 0; a <= right; ++a) near = near || is_wet({home.cell[0] + a, home.cell[1] + b, 0});
                for (int c = 0; c < fields[f].components; ++c)
                    require(!near || wet[f][s].at(cell, c) == whole[f][s].at(cell, c), "all that is wet arrives");
            });
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.byte();
    const Grid grid = folded_grid(bytes);
    const Partition partition = small_partition(bytes, grid);
    std::vector<FieldSpec> fields = small_fields(bytes, grid, 3);
    for (FieldSpec& field : fields) field.vector = bytes.coin();
    std::vector<MessagePlan> plans;
    if (refused([&] {
            for (int rank = 0; rank < partition.ranks(); ++rank)
                plans.push_back(halo_plan(partition, rank, fields, best_corners(partition)));
        }))
        return 0;
    check_once(plans);
    const Stores before = with_halos(partition, fields);
    Stores sources = before, whole = before;
    carry_out(plans, sources, whole, true);
    for (std::size_t f = 0; f < fields.size(); ++f) check_cells(partition, fields[f], whole[f]);
    std::vector<MessagePlan> others;
    if ((what & 1) != 0) {
        const Index chunk = 8 + bytes.byte();
        for (const MessagePlan& plan : plans) others.push_back(in_chunks(plan, chunk));
        Stores split = before;
        carry_out(others, sources, split, true);
        for (std::size_t f = 0; f < fields.size(); ++f)
            for (std::size_t s = 0; s < split[f].size(); ++s)
                require(split[f][s].values == whole[f][s].values, "other messages bring the same");
    } else if (grid.size[2] == 1) {
        const Mask mask = coast_of(bytes, grid);
        const WetCost cost{1e-9, bytes.between(0, 9) * 1e-9, bytes.between(0, 9) * 1e-9};
        for (const MessagePlan& plan : plans) others.push_back(wet_only(plan, mask, cost));
        Stores wet = before;
        carry_out(others, sources, wet, true);
        check_wet(partition, fields, mask, whole, wet);
    }
    return 0;
}
