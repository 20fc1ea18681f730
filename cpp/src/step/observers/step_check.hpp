#pragma once
// True if kernels keep to what their stages declare: found by running them on memory with wrong values in it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "step/observers/checked_memory.hpp"
#include "step/step_stages.hpp"
#include "step/tasks/task_runner.hpp"

namespace lapwing {

// True if the environment says LAPWING_CHECK=1: all steps are checked from the start. Local.
bool checks_always();

// Checks the stages of one step. Costs many times the step itself.
class StepCheck final : public TaskObserver {
  public:
    // Its arguments outlive it. Local.
    StepCheck(const Domain& domain, const StepStages& stages);
    StepCheck(const StepCheck&) = delete;
    StepCheck& operator=(const StepCheck&) = delete;
    // If the environment asked for the check, rank 0 prints one line if nothing was found: silence could mean no check
    // at all.
    ~StepCheck() override;

    // Throws UserError on all ranks naming a field whose owned values are others than after the last `note_values`,
    // unless it was announced. Collective.
    void require_announced(const std::function<bool(std::size_t field)>& announced);
    void note_values();

    [[nodiscard]] bool sees_land() const override { return true; }
    void begin(int number, const ScheduleNode& node) override;
    // Runs kernels repeatedly with other values in cells that the stage does not declare to read, also in fields of no
    // stage, then in parts with the true values, and compares what was written. Errors are thrown on all ranks at the
    // next reduction, or at the end: UserError naming stage, field, and the extent or cell.
    void watch(const SeenTask& task, const std::function<void()>& work) override;
    void end() override;

  private:
    // A kernel, on one box of this rank.
    struct Call {
        const Stage& stage;
        const StageSpec& spec;
        std::size_t block;
        Box box;
    };
    void check_call(const Call& call) const;
    void check_collective(const Stage& stage, const StageSpec& spec, const std::function<void()>& work);
    [[nodiscard]] Cells undeclared(const Call& call, std::size_t field) const;
    [[nodiscard]] Extent needed(const Call& call, std::size_t field, const Cells& undeclared) const;
    // A value that a kernel has written; true if it is the wrong value that the kernel was given.
    struct Result {
        std::array<std::byte, sizeof(double)> bytes{};
        bool as_given = false;
    };
    [[nodiscard]] std::vector<Result> results(const Call& call, const AnyField& read, Wrong wrong) const;
    [[nodiscard]] static bool depend(const std::vector<std::vector<Result>>& runs);
    [[nodiscard]] bool depends(const Call& call, std::size_t field, const Cells& cells) const;
    void require_declared_reads(const Call& call, std::size_t field) const;
    // True if the kernel gives other values when it runs again on the same ones.
    [[nodiscard]] bool varies(const Call& call, std::size_t field, const Cells& cells) const;
    [[nodiscard]] bool forbids_write(const Call& call, std::size_t field, const CellOfBlock& at) const;
    void nudge_what_it_may_not_write(const Call& call) const;
    [[nodiscard]] bool is_constant(const Call& call, std::size_t field, const CellOfBlock& at) const;
    void require_constant_land(const Call& call, const std::vector<Saved>& before) const;
    void run_and_require_declared_writes(const Call& call) const;
    void throw_together();
    // Throws what `check` throws on any rank, on all of them, and knows then that something was found. Collective.
    void require_together(const std::function<void()>& check);

    const Domain& domain_;
    const StepStages& stages_;
    std::vector<std::shared_ptr<AnyField>> others_;  // fields of the domain that no kernel may use
    std::vector<const AnyField*> fields_;            // fields of the stages by number, then the undeclared ones
    const ScheduleNode* node_ = nullptr;
    std::exception_ptr wrong_;          // the error found on this rank; null: none
    bool found_ = false;                // something, on any rank, in any step
    long checked_ = 0;                  // calls of kernels on this rank
    std::vector<std::uint64_t> noted_;  // checksums of the owned values of each field
};

}  // namespace lapwing
