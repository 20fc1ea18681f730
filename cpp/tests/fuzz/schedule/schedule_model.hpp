#pragma once
// Stages on cells that hold hashes of all that they were computed from: on all boxes, entry by entry, and on the whole
// grid. A stale halo shows, as no other cell holds its hash.

#include <map>

#include "../input/fuzz_plans.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/schedule/schedule.hpp"

namespace lapwing::fuzzing {

inline Index mixed(Index a, Index b) {
    auto x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(b);
    x ^= x >> 29U;
    x *= 0xBF58476D1CE4E5B9U;
    return static_cast<Index>((x ^ (x >> 32U)) >> 1U);
}

// A field on one box; cells beyond the grid, or without an owner, are 0 and stay so.
class HashedBox {
  public:
    HashedBox(OwnedCells& cells, const Box& box) : store_(box, 1), owned_(store_.values.size()) {
        std::size_t n = 0;
        each_cell(box, [&](Index3 cell) { owned_[n++] = cells.home(cell); });
    }
    [[nodiscard]] bool is_owned(const Index3& cell) { return owned_[place(cell)]; }
    Index& at(const Index3& cell) { return store_.at(cell, 0); }
    // Every cell outside `kept` holds a value of its own.
    void spoil(const Box& kept, Index poison) {
        each_cell(store_.box, [&](const Index3& cell) {
            if (!is_owned(cell))
                at(cell) = 0;
            else if (!kept.contains(cell))
                at(cell) = mixed(poison, number_of(cell, 0));
        });
    }

  private:
    std::size_t place(const Index3& cell) {
        return static_cast<std::size_t>(&store_.at(cell, 0) - store_.values.data());
    }

    Store store_;
    std::vector<bool> owned_;
};

// Computes the owned cells of `box` as a stage does: box_of(field) is where the values are.
template <class BoxOf>
void compute(const StageSpec& stage, const Box& box, const BoxOf& box_of) {
    std::vector<std::pair<Index*, Index>> written;
    each_cell(box, [&](const Index3& cell) {
        if (!box_of(stage.writes[0]).is_owned(cell)) return;
        Index value = 1;
        for (const Read& read : stage.reads) {
            const Box one{cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
            for (const Box& arm : stencil_boxes(one, read.extent))
                each_cell(arm, [&](const Index3& from) { value = mixed(value, box_of(read.field).at(from)); });
        }
        for (int field : stage.writes) written.emplace_back(&box_of(field).at(cell), mixed(value, field));
    });
    for (const auto& [target, value] : written) *target = value;
}

// The fields of all boxes, and of the whole grid with room around it.
class HashedModel {
  public:
    HashedModel(const Partition& partition, const std::vector<Extent>& widths) : partition_(partition) {
        const Grid& grid = partition.grid();
        OwnedCells cells(partition);
        find_images();
        for (std::size_t f = 0; f < widths.size(); ++f) {
            Extent around = widths[f];
            around.corners = true;
            boxes_.emplace_back();
            for (const Subdomain& s : partition.subdomains()) boxes_.back().emplace_back(cells, grow(s.box, around));
            whole_.emplace_back(cells, grow(grid.box(), Extent::uniform(2)));
            whole_.back().spoil({}, static_cast<Index>(f));
            refresh(whole_.back());
        }
        for (int f = 0; f < std::ssize(widths); ++f)
            for (int s = 0; s < std::ssize(partition.subdomains()); ++s)
                each_cell(partition.subdomain(s).box,
                          [&](const Index3& cell) { box(f, s).at(cell) = whole(f).at(cell); });
        spoil_halos();
    }
    // The effect of a write outside the stages on halos.
    void spoil_halos() {
        for (auto& field : boxes_)
            for (std::size_t s = 0; s < field.size(); ++s) field[s].spoil(partition_.subdomains()[s].box, ++poison_);
    }
    void exchange(const std::vector<MessagePlan>& plans, const std::vector<Read>& halos) {
        for (std::size_t p = 0; p < plans[0].phases.size(); ++p) {
            std::vector<std::pair<Index*, Index>> arriving;
            const auto read = [&](const Piece& piece) {
                const int field = halos[static_cast<std::size_t>(piece.field)].field;
                each_value(piece, [&](const Index3& from, const Index3& to, int) {
                    arriving.emplace_back(&box(field, piece.target).at(to), box(field, piece.source).at(from));
                });
            };
            for (const MessagePlan& plan : plans) {
                for (const Message& message : plan.phases[p].receives) std::ranges::for_each(message.pieces, read);
                std::ranges::for_each(plan.phases[p].copies, read);
            }
            for (const auto& [target, value] : arriving) *target = value;
        }
    }
    void compute_boxes(const StageSpec& stage, const Extent& rim) {
        for (int s = 0; s < std::ssize(partition_.subdomains()); ++s)
            for (const Box& part : computed_boxes(stage, partition_.subdomain(s).box, rim, partition_.grid()))
                compute(stage, part, [&](int field) -> HashedBox& { return box(field, s); });
    }
    void compute_whole(const StageSpec& stage) {
        const Box all = partition_.grid().box();
        const Box part = stage.region ? intersect(*stage.region, all) : all;
        compute(stage, part, [&](int field) -> HashedBox& { return whole(field); });
        for (int field : stage.writes) refresh(whole(field));
    }
    void check_equal() {
        for (int f = 0; f < std::ssize(boxes_); ++f)
            for (int s = 0; s < std::ssize(partition_.subdomains()); ++s)
                each_cell(partition_.subdomain(s).box, [&](const Index3& cell) {
                    require(box(f, s).at(cell) == whole(f).at(cell), "boxes have the values of the whole grid");
                });
    }

  private:
    HashedBox& box(int field, int subdomain) {
        return boxes_[static_cast<std::size_t>(field)][static_cast<std::size_t>(subdomain)];
    }
    HashedBox& whole(int field) { return whole_[static_cast<std::size_t>(field)]; }
    // The images around the whole grid.
    void refresh(HashedBox& field) const {
        for (const auto& [image, home] : images_) field.at(image) = field.at(home);
    }
    void find_images() {
        const Box all = partition_.grid().box();
        each_cell(grow(all, Extent::uniform(2)), [&](const Index3& cell) {
            Index3 home = cell;
            if (!all.contains(cell) && wrap(partition_.grid(), home)) images_.emplace_back(cell, home);
        });
    }

    const Partition& partition_;
    std::vector<std::vector<HashedBox>> boxes_;  // [field][subdomain]
    std::vector<HashedBox> whole_;
    std::vector<std::pair<Index3, Index3>> images_;  // of the whole grid, with where their values are
    Index poison_ = 1000;
};

}  // namespace lapwing::fuzzing
