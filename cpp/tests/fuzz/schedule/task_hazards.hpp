#pragma once
// The order that a task list must keep, found pair by pair from the cells that tasks read and write.

#include <set>

#include "../input/fuzz_plans.hpp"
#include "lapwing/schedule/task_list.hpp"

namespace lapwing::fuzzing {

class TaskHazards {
  public:
    TaskHazards(const RankStep& step, const TaskList& list) : step_(step), list_(list), before_(list.tasks.size()) {
        for (std::size_t n = 0; n < list.tasks.size(); ++n) {
            before_[n].assign(list.tasks.size(), list.in_order);
            if (list.in_order) std::fill(before_[n].begin() + static_cast<std::ptrdiff_t>(n), before_[n].end(), false);
            for (int after : list.tasks[n].after) follow(n, after);
        }
    }

    // Every cell that a stage computes is in one task.
    void check_cover() const {
        for (int e = 0; e < std::ssize(step_.node->entries); ++e) {
            const ScheduleEntry& entry = step_.node->entries[static_cast<std::size_t>(e)];
            if (!entry.computes()) continue;
            const StageSpec& stage = step_.stage(entry);
            std::multiset<std::pair<int, Index3>> wanted, given;
            for (int b = 0; b < std::ssize(step_.owned); ++b)
                for (const Box& box :
                     computed_boxes(stage, step_.owned[static_cast<std::size_t>(b)], entry.rim, step_.grid))
                    each_cell(box, [&](const Index3& cell) { wanted.emplace(b, cell); });
            for (const Task& task : list_.tasks)
                if (task.kind == Task::Kind::compute && task.entry == e)
                    each_cell(task.box, [&](const Index3& cell) { given.emplace(task.block, cell); });
            require(wanted == given, "each cell is computed in one task");
        }
    }
    // Tasks that meet in memory are done in the order of the schedule.
    void check_order() const {
        for (std::size_t a = 0; a < list_.tasks.size(); ++a)
            for (std::size_t b = 0; b < list_.tasks.size(); ++b)
                if (a != b && is_earlier(list_.tasks[a], list_.tasks[b]) && meet(list_.tasks[a], list_.tasks[b]))
                    require(before_[b][a], "what another task needs comes before it");
    }

  private:
    using Kind = Task::Kind;

    void follow(std::size_t n, int after) {
        const auto a = static_cast<std::size_t>(after);
        require(a < n, "tasks stand after what they wait for");
        before_[n][a] = true;
        for (std::size_t m = 0; m < a; ++m) before_[n][m] = before_[n][m] || before_[a][m];
    }
    static bool is_earlier(const Task& a, const Task& b) {
        const auto key = [](const Task& t) {
            return std::tuple{t.ahead, t.entry, t.kind == Kind::reduce, t.kind == Kind::arrive ? t.phase + 1 : 0};
        };
        return key(a) < key(b);
    }
    [[nodiscard]] const ScheduleEntry& entry(const Task& task) const {
        return (task.ahead ? step_.next : step_.node)->entries[static_cast<std::size_t>(task.entry)];
    }
    [[nodiscard]] const MessagePlan& plan(const Task& task) const {
        return *(task.ahead ? step_.next_plans : step_.plans)[static_cast<std::size_t>(task.entry)];
    }
    [[nodiscard]] const StageSpec& stage(const Task& task) const { return step_.stage(entry(task)); }
    [[nodiscard]] bool is_last(const Task& arrival) const {
        return arrival.phase + 1 >= std::ssize(plan(arrival).phases);
    }

    [[nodiscard]] bool meet(const Task& a, const Task& b) const {
        if (a.kind == Kind::reduce || b.kind == Kind::reduce) return true;
        if (a.kind == Kind::compute && b.kind == Kind::compute)
            return a.block == b.block && a.entry != b.entry && (touches(a, b) || touches(b, a));
        if (a.kind == Kind::compute) return b.kind == Kind::start && moves(b, a, -1);
        if (b.kind == Kind::compute)
            return a.kind == Kind::arrive && (moves(a, b, a.phase) || (is_last(a) && takes(a, b)));
        if (a.kind == Kind::start && b.kind == Kind::start) return true;  // in one order on all ranks
        if (a.entry == b.entry && a.ahead == b.ahead) return true;
        return a.kind == Kind::arrive && b.kind == Kind::start && is_last(a) && share_fields(a, b);
    }
    // True if `b` reads or writes a cell that `a` writes.
    [[nodiscard]] bool touches(const Task& a, const Task& b) const {
        return std::ranges::any_of(stage(a).writes, [&](int field) {
            return reads(b, field, a.box) || (writes(stage(b), field) && !intersect(a.box, b.box).empty());
        });
    }
    [[nodiscard]] bool reads(const Task& task, int field, const Box& cells) const {
        return std::ranges::any_of(stage(task).reads, [&](const Read& read) {
            return read.field == field &&
                   std::ranges::any_of(stencil_boxes(task.box, read.extent),
                                       [&](const Box& arm) { return !intersect(arm, cells).empty(); });
        });
    }
    [[nodiscard]] bool share_fields(const Task& a, const Task& b) const {
        return std::ranges::any_of(entry(a).halos, [&](const Read& halo) {
            return std::ranges::count(entry(b).halos, halo.field, &Read::field) > 0;
        });
    }
    // True if a phase of the exchange (-1: any) fills a cell that the task reads or writes, or takes one that it
    // writes.
    [[nodiscard]] bool moves(const Task& exchange, const Task& task, int phase) const {
        if (phase < 0 && takes(exchange, task)) return true;
        return any_piece(exchange, [&](const Piece& piece, int p, bool, bool target) {
            if (!target || (phase >= 0 && p != phase) || piece.target != subdomain(task)) return false;
            const int field = field_of(exchange, piece);
            return reads(task, field, piece.target_box) ||
                   (writes(stage(task), field) && !intersect(task.box, piece.target_box).empty());
        });
    }
    [[nodiscard]] bool takes(const Task& exchange, const Task& task) const {
        return any_piece(exchange, [&](const Piece& piece, int, bool source, bool) {
            return source && piece.source == subdomain(task) && writes(stage(task), field_of(exchange, piece)) &&
                   !intersect(task.box, piece.source_box).empty();
        });
    }
    // True if is(piece, phase, source here, target here) holds for any piece.
    template <class Is>
    [[nodiscard]] bool any_piece(const Task& exchange, const Is& is) const {
        int p = 0;
        for (const Phase& phase : plan(exchange).phases) {
            for (const Message& message : phase.sends)
                for (const Piece& piece : message.pieces)
                    if (is(piece, p, true, false)) return true;
            for (const Message& message : phase.receives)
                for (const Piece& piece : message.pieces)
                    if (is(piece, p, false, true)) return true;
            for (const Piece& piece : phase.copies)
                if (is(piece, p, true, true)) return true;
            ++p;
        }
        return false;
    }
    [[nodiscard]] int field_of(const Task& exchange, const Piece& piece) const {
        return entry(exchange).halos[static_cast<std::size_t>(piece.field)].field;
    }
    [[nodiscard]] int subdomain(const Task& task) const {
        return step_.subdomains[static_cast<std::size_t>(task.block)];
    }

    const RankStep& step_;
    const TaskList& list_;
    std::vector<std::vector<bool>> before_;
};

}  // namespace lapwing::fuzzing
