#pragma once
// Transpose: fields moved from one distribution to another, again and again, in one go or by groups of levels.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/transpose_plan.hpp"

namespace lapwing {

// Methods by name, `auto` first. The others are transports.
std::vector<std::string> transpose_methods();

// The largest number of groups of levels, and of threads.
inline constexpr int most_groups = 1024;

// The options of a transpose.
struct TransposeOptions {
    // A name out of `transpose_methods`. `auto`: what LAPWING_TRANSPOSE_METHOD says, which rank 0 then prints once;
    // where that is not set, the fastest, measured on copies of the fields while the transpose is made.
    std::string method = "auto";
    int groups = 1;               // of levels, up to most_groups, each an exchange of its own; see TransposeShare
    std::optional<Box> active{};  // these cells only; else all that both distributions have
    int threads = 1;              // that pack and copy messages of a mebibyte and more, where the compiler has OpenMP
};

// Moves sources[f] to targets[f], all fields of a group in one message per pair of ranks, and changes the order of
// storage on the way where theirs differ. From `start` to `wait`, sources must not be written and targets neither read
// nor written, except for groups that have been waited for. What targets hold then was written outside the stages of a
// step: say `modified()`.
class Transpose {
  public:
    // `from` and `to`: distributions of one grid; sources are fields on the one, targets on the other, pairs of one
    // type and number of components. A field with levels on the 2D grid of `twod_partition(columns, levels)` counts as
    // one on the grid with these levels. Collective over the domain, whose own partition does not matter. Throws
    // UserError on all ranks for fields that do not fit, an unknown or unavailable method, and what transpose_plan
    // throws; OutsideError when a rank lacks the memory. Cost: some small collectives, and with `auto` some hundred
    // transposes.
    Transpose(Domain& domain, const Partition& from, const Partition& to, std::span<const AnyField* const> sources,
              std::span<const AnyField* const> targets, const TransposeOptions& options = {});

    Transpose(const Transpose&) = delete;
    Transpose& operator=(const Transpose&) = delete;

    // Packs and posts all groups, or one, and never blocks. Throws UserError while a former start is unfinished. Local;
    // all ranks that this one exchanges with, even through others, must start it too.
    void start();
    void start_group(int group);
    // Moves messages on; true when all that was started is complete. Local, does not block.
    bool test();
    // Blocks until one group, or all that was started, is complete. Local.
    void wait_group(int group);
    void wait();
    // start and wait in one.
    void run();

    // Starts all groups and calls work(box) for the boxes of each, `target_boxes`, as soon as it is complete, while
    // later ones are on their way; messages are moved on between calls. Local, as start and wait are.
    template <class Work>
    void run_pipelined(Work&& work) {
        start();
        for (int group = 0; group < groups(); ++group) {
            wait_group(group);
            for (const Box& box : target_boxes(group)) {
                work(box);
                static_cast<void>(test());
            }
        }
    }
    // The other way about: calls work(box) for the boxes of each group, `source_boxes`, and starts it, while earlier
    // ones are on their way; waits at the end. Local, as start and wait are.
    template <class Work>
    void send_pipelined(Work&& work) {
        for (int group = 0; group < groups(); ++group) {
            for (const Box& box : source_boxes(group)) {
                work(box);
                static_cast<void>(test());
            }
            start_group(group);
        }
        wait();
    }

    [[nodiscard]] int groups() const { return static_cast<int>(exchanges_.size()); }
    // Cells of this rank, of the first field, that a group takes away and brings, those that stay on the rank included;
    // disjoint boxes. Local.
    [[nodiscard]] const std::vector<Box>& source_boxes(int group) const;
    [[nodiscard]] const std::vector<Box>& target_boxes(int group) const;
    [[nodiscard]] const MessagePlan& plan(int group = 0) const { return exchange(group).plan(); }
    // The method that it runs by: never `auto`. The same on all ranks. Local.
    [[nodiscard]] const std::string& method() const { return method_; }
    // Returns what `auto` found, as `Exchange::choice` does; empty where the method was given. Local.
    [[nodiscard]] const std::string& choice() const { return choice_; }
    // Bytes of message buffers held, all groups together. Local.
    [[nodiscard]] Index buffer_bytes() const;
    // Returns the work of this rank in one run. Local.
    [[nodiscard]] TransposeCensus census() const;

  private:
    [[nodiscard]] Exchange& exchange(int group) const;

    std::string method_, choice_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;  // by group
    std::vector<std::vector<Box>> source_boxes_, target_boxes_;
};

// One line for people: method, fields, groups, messages and bytes.
std::string to_string(const Transpose& transpose);

}  // namespace lapwing
