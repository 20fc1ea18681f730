#pragma once
// Stages: the loops of a model, each with its kernel and what it reads and writes.

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lapwing/grid/extent.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// ---- how far a kernel reads: ahead(x), behind(y, 2), around(1), cross(1); several reach as far as the widest on each
// side, with the corners between them, or without: cross(ahead(x), ahead(y))

// The axes, as words for extents.
enum Axis { x, y, z };

[[nodiscard]] Extent ahead(Axis axis, int cells = 1);   // towards larger indices
[[nodiscard]] Extent behind(Axis axis, int cells = 1);  // towards smaller ones
[[nodiscard]] Extent around(int cells = 1);             // on both sides in x and y, with corners
[[nodiscard]] Extent cross(int cells = 1);              // on both sides in x and y, without corners
Extent around(Axis axis) = delete;                      // along one axis: behind(x), ahead(x)
Extent cross(Axis axis) = delete;
// Combines extents: as far as the widest on each side, the whole rectangle with corners: ahead(x) and behind(y)
// together hold the cell (i + 1, j - 1), which neither holds alone. Local.
[[nodiscard]] Extent combined(const std::vector<Extent>& extents);
// The parts together without corners: cross(ahead(x), behind(y)) is (i + 1, j) and (i, j - 1) alone. Local.
template <std::same_as<Extent>... Extents>
[[nodiscard]] Extent cross(const Extent& first, const Extents&... more) {
    Extent extent = combined({first, more...});
    extent.corners = false;
    return extent;
}

// ---- what a stage is made of

// A kernel computes the cells of a box, in global indices; the first argument is its context.
// One instance per kernel: a loop inlined at several places may round differently at each.
using Kernel = void (*)(void*, Box);

// A halo as wide as a number requires, which all ranks know when the stage begins: how far a semi-Lagrangian scheme
// looks upstream depends on the wind.
struct Demand {
    const double* cells = nullptr;  // a number that an earlier stage has reduced; null: the halo is always as wide
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

// ---- a number of all ranks: the least or the largest that any kernel call has found; NaN where one was NaN

// A number that stages reduce over all ranks.
class Reduced {
  public:
    [[nodiscard]] double value() const { return numbers_->value; }
    [[nodiscard]] Reduction reduction() const { return {kind_, &numbers_->partial, &numbers_->value}; }
    // Owns the numbers, so that they live as long as a stage that uses them.
    [[nodiscard]] std::shared_ptr<void> keep() const { return numbers_; }

  private:
    friend Reduced maximum();
    friend Reduced minimum();
    explicit Reduced(Reduction::Kind kind) : kind_(kind), numbers_(std::make_shared<Numbers>()) {}
    struct Numbers {
        double partial = 0, value = std::numeric_limits<double>::quiet_NaN();
    };
    Reduction::Kind kind_;
    std::shared_ptr<Numbers> numbers_;
};
[[nodiscard]] Reduced maximum();
[[nodiscard]] Reduced minimum();
// The access of a kernel to the number that its stage reduces. NaN stays, whatever comes after it, so that all
// ranks see it: std::max(number, value) keeps the old number then. Local.
inline void raise_to(double& number, double value) {
    if (value > number || value != value) number = value;
}
inline void lower_to(double& number, double value) {
    if (value < number || value != value) number = value;
}

// Values of a field that a kernel writes while the engine returns its halos, but that must stay as the kernel left
// them; called once the field has memory.
using KeptValues = std::function<std::vector<std::byte*>()>;

// The access of a kernel to a field: reads, writes or both, and how far around its cells.
struct FieldUse {
    const Domain* domain = nullptr;
    std::shared_ptr<AnyField> field;
    bool read = false, written = false, scattered = false;
    Extent extent{};
    Demand demand{};
    std::shared_ptr<void> keep{};  // keeps the number of the demand
    KeptValues kept{};
};

// Makes the contexts of a kernel, one per owned box, once its fields have memory.
using MakeContexts = std::function<std::vector<std::shared_ptr<void>>(std::size_t boxes)>;

// One loop of a model: a kernel, and what it reads and writes. Made by `stage`; the words below give a copy with one
// more property. The step that it is put into numbers its fields, gives them memory and makes the contexts of its
// kernel.
struct Stage {
    std::string name;
    std::vector<FieldRead> reads;
    std::vector<AnyField*> writes;
    Kernel kernel = nullptr;
    std::vector<void*> contexts;  // first argument of the kernel, one per owned box of this rank; or of each thread
    std::optional<Box> region{};  // computed cells are those owned in here; all by default
    bool in_place = false;        // reads around a cell what it writes, and any order of cells will do
    Extent rim_extent{};          // computes beyond the owned box too, which keeps halos of this width fresh
    std::optional<Reduction> reduction{};    // ends with a number of all ranks; stages after it may use it
    std::optional<Collective> collective{};  // ends with what all ranks do together; not with a reduction as well
    // The number of stages up to this one, itself included, that are run again while the reduction's value is above
    // `repeats_above`: no cell of them is final before, so a step with such a loop is run undivided, whatever its
    // strategy. Such loops lie apart or one within the other.
    int repeats = 0;
    double repeats_above = 0;
    int iteration = -1;  // the iteration of its loop of known length, as `repeated` numbers them; -1: in no loop
    // Halos that are exchanged after it, each in messages of its own, whether a stage reads them or not: as a model
    // does that knows nothing of what its stages need. See `exchange_after`.
    std::vector<FieldRead> sends{};
    // The fields of `writes` whose components it writes beyond its box, at the offset that the extent of each names.
    std::vector<AnyField*> scatters{};
    bool slow_calls = false;                    // its kernel goes through an interpreter: few calls for large boxes
    bool names_errors = false;                  // its kernel says itself where it was when it threw
    std::vector<FieldUse> uses{};               // the declarations that `reads`, `writes` and `scatters` follow from
    MakeContexts make_contexts{};               // null: `contexts` are there
    std::vector<std::shared_ptr<void>> kept{};  // objects that it points to

    // Adds a use of a field, or a number to end with, to what is declared. Local.
    void declare(const FieldUse& use);
    void declare(const Reduced& number);

    // Computes owned cells in `where` only; one of two axes, Box{{i, j}, {i + 1, j + 1}}, means all of z. Local.
    [[nodiscard]] Stage on(const Box& where) const;
    // Computes this far beyond the owned boxes too, which keeps halos of that width fresh. Local.
    template <std::same_as<Extent>... Extents>
    [[nodiscard]] Stage rim(const Extents&... extents) const {
        Stage stage = *this;
        stage.rim_extent = combined({extents...});
        return stage;
    }
    // Says that it may read around a cell what it writes: any order of its cells gives the same result. Local.
    [[nodiscard]] Stage in_any_order() const;
    // Belongs to iteration `number` of a loop of known length: see `repeated`. Local.
    [[nodiscard]] Stage in_iteration(int number) const;
    // Once the stage is done on all ranks, all do `work` together: a solver, say. It may change owned cells of the
    // fields that the stage writes. `plan`: plan of its messages, for the census; outlives the step. Local.
    [[nodiscard]] Stage then(std::function<void()> work, const MessagePlan* plan = nullptr) const;
};

// Stages in the order in which a step runs them.
using Stages = std::vector<Stage>;

namespace detail {
inline void append(Stages& list, const Stage& stage) { list.push_back(stage); }
inline void append(Stages& list, const Stages& more) { list.insert(list.end(), more.begin(), more.end()); }
}  // namespace detail
// Stages and lists of stages, one after the other. Local.
template <class... Parts>
[[nodiscard]] Stages in_order(const Parts&... parts) {
    Stages list;
    (detail::append(list, parts), ...);
    return list;
}

// Repeats the stages `times` times, as the barotropic steps within a baroclinic step; of nested loops, `deep` runs the
// inner loops several times per exchange. Local.
[[nodiscard]] Stages repeated(const Stages& stages, int times);

// The condition of a loop: it goes on while the number that its last stage reduces is above this.
struct WhileAbove {
    double least = 0;
};
[[nodiscard]] constexpr WhileAbove while_above(double least) { return {least}; }
// Repeats the stages, at least once, until all ranks are content. The loop is run undivided. Local.
[[nodiscard]] Stages repeated(Stages stages, WhileAbove goes_on);

// A field, by its name, and the stage that writes it.
struct ListedExchange {
    std::string stage, field;
};

// Lets the stages of a cycle exchange the listed fields after they wrote them, with halos of `extent`; where stages of
// one name follow each other (open boundaries), after the last of them. Throws UserError for a stage that is in no
// list, or one that does not write the field. Local.
void exchange_after(std::vector<Stages>& cycle, std::span<const ListedExchange> listed, const Extent& extent);

// The options of a step: the order that hides communication, and how its messages travel. See `parse_strategy`.
// LAPWING_STRATEGY, LAPWING_TRANSPORT and LAPWING_THREADS in the environment replace these; rank 0 then says so.
struct StepOptions {
    std::string strategy = "blocking";
    std::string transport = "auto";
    // Threads of each rank that share its kernels, which must be callable from several threads at a time; 0: as many
    // as `set_threads` has set for the domain, or one.
    int threads = 0;
    // Strategies that another step of the same fields may be run with: halos are wide enough for these too.
    std::vector<std::string> room_for{};
    // Halos that travel after the stages that are listed, of `listed_halo`, whether any stage needs them or not.
    std::vector<ListedExchange> listed{};
    Extent listed_halo{};
};

}  // namespace lapwing
