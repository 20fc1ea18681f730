#pragma once
// Whether kernels keep to what their stages declare: found by running them on memory with wrong values in it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lapwing/step/step_stages.hpp"

namespace lapwing {

// Checks the stages of one step. Costs many times the step itself.
// Whether the environment says LAPWING_CHECK=1: all steps are checked from the start. Local.
bool checks_always();

class StepCheck {
  public:
    StepCheck(const Domain& domain, const StepStages& stages);

    // Runs the kernel of a stage on the boxes of `rim` around the owned ones, again and again with other values where
    // the stage does not say that it reads: the last time with the true ones. Throws UserError naming stage, field and
    // the extent needed when its results depend on them, or naming stage and field when it writes where it does not say
    // so. Local.
    void run_stage(std::size_t position, std::size_t stage, const Extent& rim);

    // Runs what the stage ends with, the work of all ranks, once. Throws UserError naming stage and field on all ranks
    // when that writes what the stage does not say it writes. Collective, as the work is.
    void run_collective(std::size_t position, std::size_t stage, const Collective& collective) const;

    // Throws UserError naming a field whose owned values are others than after the last `note_values`, unless it was
    // announced. Local.
    void require_announced(const std::function<bool(std::size_t field)>& announced) const;
    void note_values();

  private:
    [[nodiscard]] std::uint64_t checksum(const Field& field) const;
    [[nodiscard]] std::vector<std::uint64_t> checksums() const;  // of all fields
    struct Undeclared;
    [[nodiscard]] Undeclared undeclared(const StageSpec& spec, const Extent& rim, std::size_t field) const;
    [[nodiscard]] Extent needed(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field,
                                const Undeclared& undeclared) const;
    [[nodiscard]] std::vector<std::byte> results(const Stage& stage, const StageSpec& spec, const Extent& rim,
                                                 const Field& read,
                                                 const std::vector<std::vector<Index3>>& cells) const;
    [[nodiscard]] bool depends(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field,
                               const std::vector<std::vector<Index3>>& cells) const;
    void require_declared_reads(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field) const;
    void require_declared_writes(const Stage& stage, const StageSpec& spec,
                                 const std::vector<std::uint64_t>& before) const;

    const Domain& domain_;
    const StepStages& stages_;
    std::vector<std::uint64_t> noted_;  // checksums of the owned values of each field
};

}  // namespace lapwing
