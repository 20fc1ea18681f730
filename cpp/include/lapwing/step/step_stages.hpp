#pragma once
// The stages of a step in memory: kernels and fields, and the numbers that plans know them by.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/message_plan.hpp"
#include "lapwing/schedule/schedule.hpp"

namespace lapwing {

// A kernel computes the cells of a box, in global indices; the first argument is its context.
// One instance per kernel: a loop inlined at several places may round differently at each.
using Kernel = void (*)(void*, Box);

// A halo as wide as a number requires, which all ranks know when the stage begins: how far a semi-Lagrangian scheme
// looks upstream depends on the wind.
struct Demand {
    const double* cells = nullptr;  // what a stage before it in the step has reduced; null: the halo is always as wide
    std::vector<int> widths{};      // cells in x and y on each side, ascending; the last is that of the extent

    friend bool operator==(const Demand&, const Demand&) = default;
};

// A field that a stage reads, and how far around its cells.
struct FieldRead {
    AnyField* field = nullptr;
    Extent extent;
    // With a demand, the exchange before the stage has the least sufficient width, or the last width if none suffices,
    // and is an exchange of its own; halo cells beyond stay as they were. All stages that read around the cells of a
    // field have the same demand.
    Demand demand{};
};

// A number that all ranks agree on at the end of a stage: the same bits on any number of ranks. The kernel lowers, or
// raises, `partial`, which is infinity, or minus infinity, before each time the stage is run; `value` is then the
// number of all ranks, and NaN if any rank has NaN.
struct Reduction {
    enum class Kind { minimum, maximum };
    Kind kind = Kind::minimum;
    double* partial = nullptr;
    double* value = nullptr;
};

// Sets the partial number to where the kernel begins. Local.
void begin_reduction(const Reduction& reduction);
// Makes the partial numbers of all ranks their value. Collective, one reduction.
void end_reduction(const Domain& domain, const Reduction& reduction);

// The work that all ranks do together once a stage is done on all of them, while nothing else of the step runs: a
// solver, whose lines cross all ranks. It may change the owned cells of fields that the stage writes, and no others.
struct Collective {
    void (*work)(void*) = nullptr;
    void* context = nullptr;
    // The messages of one run of it, for volume and census; null: they leave it out. Outlives the step.
    const MessagePlan* plan = nullptr;
};

// One loop of a model: a kernel and what it reads and writes.
struct Stage {
    std::string name;
    std::vector<FieldRead> reads;
    std::vector<AnyField*> writes;
    Kernel kernel = nullptr;
    std::vector<void*> contexts;             // first argument of the kernel, one per owned box of this rank
    std::optional<Box> region{};             // computed cells are those owned in here; all by default
    bool in_place = false;                   // reads around a cell what it writes, and any order of cells will do
    Extent rim{};                            // computes beyond the owned box too, which keeps halos of this width fresh
    std::optional<Reduction> reduction{};    // ends with a number of all ranks; stages after it may use it
    std::optional<Collective> collective{};  // ends with what all ranks do together; not with a reduction as well
    // The number of stages up to this one, itself included, that are run again while the reduction's value is above 0:
    // no cell of them is final before, so a step with such a loop is run undivided, whatever its strategy. Such loops
    // lie apart or one within the other.
    int repeats = 0;
    int iteration = -1;  // of the loop of known length that it is in, as `repeated` numbers them; -1: in none
    // Halos that are exchanged after it, each in messages of its own, whether a stage reads them or not: as a model
    // does that knows nothing of what its stages need. See `exchange_after`.
    std::vector<FieldRead> sends{};
    // The fields of `writes` whose components it writes beyond its box, at the offset that the extent of each names.
    std::vector<AnyField*> scatters{};
    double repeats_above = 0;   // the loop goes on while the value is above this
    bool names_errors = false;  // its kernel says itself where it was when it threw
};

// Repeats the stages `times` times, as the barotropic steps within a baroclinic step; of nested loops, `deep` runs the
// inner loops several times per exchange. Local.
std::vector<Stage> repeated(const std::vector<Stage>& stages, int times);

// A field, by its name, and the stage that writes it.
struct ListedExchange {
    std::string stage, field;
};

// Lets the stages of a cycle exchange the listed fields after they wrote them, with halos of `extent`; where stages of
// one name follow each other (open boundaries), after the last of them. Throws UserError for a stage that is in no
// list, or one that does not write the field. Local.
void exchange_after(std::vector<std::vector<Stage>>& cycle, std::span<const ListedExchange> listed,
                    const Extent& extent);

// The stages of a cycle with their fields numbered. Does not change once made.
class StepStages {
  public:
    // Throws UserError for a field that is null or of another domain, or a stage without a kernel or contexts. Local.
    StepStages(const Domain& domain, std::vector<std::vector<Stage>> cycle);

    [[nodiscard]] const std::vector<std::vector<Stage>>& cycle() const { return cycle_; }
    [[nodiscard]] const std::vector<AnyField*>& fields() const { return fields_; }
    [[nodiscard]] std::vector<std::string> field_names() const;
    // The distinct names of the stages, and which of them a stage has.
    [[nodiscard]] const std::vector<std::string>& stage_names() const { return stage_names_; }
    [[nodiscard]] int name_of(std::size_t position, std::size_t stage) const { return name_of_[position][stage]; }
    // Returns the number that decides the width of a field's halo; null: the width is fixed. Local.
    [[nodiscard]] const double* demanded(int field) const { return demands_[field].cells; }
    // The stages as numbers.
    [[nodiscard]] const Cycle& specs() const { return specs_; }

  private:
    void number_stage(const Domain& domain, const Stage& stage);
    [[nodiscard]] StageSpec numbered(const Domain& domain, const Stage& stage);
    void require_whole_loops(const Stage& stage) const;
    [[nodiscard]] Read numbered_read(const Domain& domain, const Stage& stage, const FieldRead& read);
    void require_known_demand(const Stage& stage, const FieldRead& read) const;
    int number_of(const Domain& domain, const Stage& stage, AnyField* field);

    std::vector<std::vector<Stage>> cycle_;
    std::vector<AnyField*> fields_;
    std::vector<Demand> demands_;    // one for each field
    std::vector<bool> read_around_;  // true if a stage reads around its cells
    std::vector<std::string> stage_names_;
    std::vector<std::vector<int>> name_of_;
    Cycle specs_;
};

}  // namespace lapwing
