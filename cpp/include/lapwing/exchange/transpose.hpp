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

// Methods by name, `auto` first. All except `auto` are transports.
std::vector<std::string> transpose_methods();

// The largest number of groups of levels.
inline constexpr int most_groups = 1024;

// The options of a transpose.
struct TransposeOptions {
    // A name from `transpose_methods`. `auto`: the value of LAPWING_TRANSPOSE_METHOD, which rank 0 then prints once; if
    // it is not set, the fastest method, measured on copies of the fields while the transpose is made.
    std::string method = "auto";
    int groups = 1;               // groups of levels, up to most_groups, each with its own exchange; see TransposeShare
    std::optional<Box> active{};  // only these cells; otherwise all cells that both distributions have
};

// Moves sources[f] to targets[f], all fields of a group in one message per pair of ranks, and changes the order of
// storage on the way if theirs differ. From `start` to `wait`, sources must not be written and targets neither read nor
// written, except for groups that have been waited for. The targets are then written outside the stages of a step: call
// `modified()`.
class Transpose {
  public:
    // `from` and `to`: distributions of one grid; sources are fields on `from`, targets on `to`, in pairs of one type
    // and number of components. A field with levels on the 2D grid of `twod_partition(columns, levels)` counts as one
    // on the grid with these levels. Collective over the domain, whose own partition does not matter. Throws UserError
    // on all ranks for fields that do not fit, an unknown or unavailable method, and what transpose_plan throws;
    // OutsideError when a rank lacks the memory. Cost: some small collectives, and with `auto` some hundred transposes.
    Transpose(Domain& domain, const Partition& from, const Partition& to, std::span<const AnyField* const> sources,
              std::span<const AnyField* const> targets, const TransposeOptions& options = {});

    Transpose(const Transpose&) = delete;
    Transpose& operator=(const Transpose&) = delete;

    // Packs and posts all groups, or one, and never blocks. Throws UserError while a former start is unfinished. Local;
    // all ranks that this one exchanges with, even through others, must start it too.
    void start();
    void start_group(int group);
    // Advances messages; true when all that was started is complete. Local, does not block.
    bool test();
    // Blocks until one group, or all that was started, is complete. Local.
    void wait_group(int group);
    void wait();
    // start and wait in one.
    void run();

    // Starts all groups and calls work(box) for the boxes of each, `target_boxes`, as soon as it is complete, while
    // later ones are on their way; messages advance between calls. Local, as start and wait are.
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
    // The reverse: calls work(box) for the boxes of each group, `source_boxes`, and starts it, while earlier
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
    // Returns the cells of the first field on this rank that a group takes away and brings, including cells that stay
    // on the rank; disjoint boxes. Local.
    [[nodiscard]] const std::vector<Box>& source_boxes(int group) const;
    [[nodiscard]] const std::vector<Box>& target_boxes(int group) const;
    [[nodiscard]] const MessagePlan& plan(int group = 0) const { return exchange(group).plan(); }
    // Returns the method in use, never `auto`. The same on all ranks. Local.
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
    std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per group
    std::vector<std::vector<Box>> source_boxes_, target_boxes_;
};

// Describes it in one line: method, fields, groups, messages and bytes.
std::string to_string(const Transpose& transpose);

}  // namespace lapwing
