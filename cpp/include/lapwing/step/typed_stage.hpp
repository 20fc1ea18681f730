#pragma once
// Stages as a model declares them: a kernel, and each field once, with what the kernel does to it. The engine schedules
// by this declaration, and the kernel gets its arguments from it; a mismatch is an error of the compiler.

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lapwing/exchange/field.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/step/step_stages.hpp"

namespace lapwing {

// ---- how far a kernel reads: ahead(x), behind(y, 2), around(1), cross(1); several reach as far as the widest on each
// side, with the corners between them, or without: cross(ahead(x), ahead(y))

// The axes, as words for extents.
enum Axis { x, y, z };

[[nodiscard]] Extent ahead(Axis axis, int cells = 1);   // towards larger indices
[[nodiscard]] Extent behind(Axis axis, int cells = 1);  // towards smaller ones
[[nodiscard]] Extent around(int cells = 1);             // on both sides in x and y, with corners
[[nodiscard]] Extent cross(int cells = 1);              // on both sides in x and y, without corners
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

// ---- what a kernel does to a field

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

// One field, as a View; several, as a std::vector of views.
template <class T>
struct Declared {
    using Argument = View<T>;
    FieldUse use;

    [[nodiscard]] std::vector<FieldUse> uses() const { return {use}; }
    [[nodiscard]] Argument argument(int box) const { return use.field->view<T>(box); }
    // Exchanges no more of the extent than `cells` asks for, in one of the widths, ascending. See Demand.
    [[nodiscard]] Declared as_wide_as(const Reduced& cells, std::vector<int> widths) const {
        Declared declared = *this;
        declared.use.demand = {cells.reduction().value, std::move(widths)};
        declared.use.keep = cells.keep();
        return declared;
    }
    // For `scatters`: values stay as the kernel left them. Local.
    [[nodiscard]] Declared but_keeps(KeptValues values) const {
        Declared declared = *this;
        declared.use.kept = std::move(values);
        return declared;
    }
};
template <class T>
struct DeclaredAll {
    using Argument = std::vector<View<T>>;
    std::vector<Declared<T>> all;

    [[nodiscard]] std::vector<FieldUse> uses() const {
        std::vector<FieldUse> uses;
        for (const Declared<T>& one : all) uses.push_back(one.use);
        return uses;
    }
    [[nodiscard]] Argument argument(int box) const {
        Argument views;
        for (const Declared<T>& one : all) views.push_back(one.argument(box));
        return views;
    }
    // Declares the same for each field on its own. Local.
    [[nodiscard]] DeclaredAll as_wide_as(const Reduced& cells, const std::vector<int>& widths) const {
        DeclaredAll declared;
        for (const Declared<T>& one : all) declared.all.push_back(one.as_wide_as(cells, widths));
        return declared;
    }
};
struct Reduces {
    using Argument = double&;
    Reduced number;

    [[nodiscard]] std::vector<FieldUse> uses() const { return {}; }
    [[nodiscard]] Argument argument(int) const { return *number.reduction().partial; }
};

// The kernel gets a View<const T>, and may read as far as the extents say around each cell of its box; without any, at
// the cell itself. Several are combined, corners included.
template <class T, std::same_as<Extent>... Extents>
[[nodiscard]] Declared<const T> reads(const Field<T>& field, const Extents&... extents) {
    return {{.domain = &field.domain(), .field = field.field(), .read = true, .extent = combined({extents...})}};
}
// The kernel gets a View<T>, and sets the cells of its box without having read them.
template <class T>
[[nodiscard]] Declared<T> writes(const Field<T>& field) {
    return {{.domain = &field.domain(), .field = field.field(), .written = true}};
}
// The same, and may read them before.
template <class T>
[[nodiscard]] Declared<T> updates(const Field<T>& field) {
    return {{.domain = &field.domain(), .field = field.field(), .read = true, .written = true}};
}
// The kernel gets a View<T>, reads as far as the extents say, and writes each component of a cell at the offset that
// the field's extent of this component names, into halos too: the engine brings these values to their owners.
template <class T, std::same_as<Extent>... Extents>
[[nodiscard]] Declared<T> scatters(const Field<T>& field, const Extents&... extents) {
    Declared<T> declared = updates(field);
    declared.use.scattered = true;
    declared.use.extent = combined({extents...});
    return declared;
}
// The kernel gets a double& for lower_to or raise_to.
[[nodiscard]] inline Reduces reduces(const Reduced& number) { return {number}; }

// Several fields alike: the kernel gets a std::vector of views.
template <class T, std::same_as<Extent>... Extents>
[[nodiscard]] DeclaredAll<const T> reads(const std::vector<Field<T>>& fields, const Extents&... extents) {
    DeclaredAll<const T> declared;
    for (const Field<T>& field : fields) declared.all.push_back(reads(field, extents...));
    return declared;
}
template <class T>
[[nodiscard]] DeclaredAll<T> writes(const std::vector<Field<T>>& fields) {
    DeclaredAll<T> declared;
    for (const Field<T>& field : fields) declared.all.push_back(writes(field));
    return declared;
}
template <class T>
[[nodiscard]] DeclaredAll<T> updates(const std::vector<Field<T>>& fields) {
    DeclaredAll<T> declared;
    for (const Field<T>& field : fields) declared.all.push_back(updates(field));
    return declared;
}

// ---- stages

// A stage without its types. Made by `stage`; each word gives a copy with one more property.
class DeclaredStage {
  public:
    // The contexts of the kernel, one per owned box, made once the fields have memory.
    using MakeContexts = std::function<std::vector<std::shared_ptr<void>>(std::size_t boxes)>;

    DeclaredStage(std::string name, std::vector<FieldUse> uses, Kernel kernel, MakeContexts contexts,
                  const std::optional<Reduced>& reduced);

    // Computes owned cells in `region` only; one of two axes, Box{{i, j}, {i + 1, j + 1}}, means all of z. Local.
    [[nodiscard]] DeclaredStage on(const Box& region) const;
    // Computes this far beyond the owned boxes too, which keeps halos of that width fresh. Local.
    template <std::same_as<Extent>... Extents>
    [[nodiscard]] DeclaredStage rim(const Extents&... extents) const {
        DeclaredStage stage = *this;
        stage.stage_.rim = combined({extents...});
        return stage;
    }
    // Says that it may read around a cell what it writes: any order of its cells gives the same result. Local.
    [[nodiscard]] DeclaredStage in_any_order() const;
    // Runs again, with the `stages` - 1 before it, while its number is above `least`: see `repeated`. Local.
    [[nodiscard]] DeclaredStage repeats(int stages, double least) const;
    // Its kernel says itself in which stage and box it was when it threw. Local.
    [[nodiscard]] DeclaredStage with_named_errors() const;
    // Belongs to iteration `number` of a loop of known length: see `repeated`. Local.
    [[nodiscard]] DeclaredStage in_iteration(int number) const;
    // Once the stage is done on all ranks, all do `work` together: a solver, say. It may change owned cells of the
    // fields that the stage writes. `plan`: plan of its messages, for the census; outlives the step. Local.
    [[nodiscard]] DeclaredStage then(std::function<void()> work, const MessagePlan* plan = nullptr) const;

    [[nodiscard]] const std::string& name() const { return stage_.name; }
    [[nodiscard]] const std::vector<FieldUse>& uses() const { return uses_; }
    [[nodiscard]] int iteration() const { return stage_.iteration; }
    // True if it ends with work or a number of all ranks. Local.
    [[nodiscard]] bool ends_together() const { return stage_.collective || stage_.reduction; }
    // Returns what the engine knows of it, with this many empty contexts. Local.
    [[nodiscard]] Stage without_contexts(std::size_t boxes) const;
    // Makes contexts on the memory that its fields have by now. Local.
    [[nodiscard]] std::vector<std::shared_ptr<void>> contexts(std::size_t boxes) const { return contexts_(boxes); }
    // Returns what it points to. Local.
    [[nodiscard]] const std::vector<std::shared_ptr<void>>& kept() const { return kept_; }

  private:
    void note(const FieldUse& use);

    Stage stage_;
    std::vector<FieldUse> uses_;
    MakeContexts contexts_;
    std::vector<std::shared_ptr<void>> kept_;
};

// Stages in the order in which a step runs them.
using Stages = std::vector<DeclaredStage>;

namespace detail {
inline void append(Stages& list, const DeclaredStage& stage) { list.push_back(stage); }
inline void append(Stages& list, const Stages& more) { list.insert(list.end(), more.begin(), more.end()); }
}  // namespace detail
// Stages and lists of stages, one after the other. Local.
template <class... Parts>
[[nodiscard]] Stages in_order(const Parts&... parts) {
    Stages list;
    (detail::append(list, parts), ...);
    return list;
}

// Repeats the stages `times` times, as the barotropic steps within a baroclinic step. Local.
[[nodiscard]] std::vector<DeclaredStage> repeated(const std::vector<DeclaredStage>& stages, int times);

// The condition of a loop: it goes on while the number that its last stage reduces is above this.
struct WhileAbove {
    double least = 0;
};
[[nodiscard]] constexpr WhileAbove while_above(double least) { return {least}; }
// Repeats the stages, at least once, until all ranks are content. The loop is run undivided. Local.
[[nodiscard]] std::vector<DeclaredStage> repeated(std::vector<DeclaredStage> stages, WhileAbove goes_on);

// The options of a step: the order that hides communication, and how its messages travel. See `parse_strategy`.
// LAPWING_STRATEGY and LAPWING_TRANSPORT in the environment replace these; rank 0 then says so.
struct StepOptions {
    std::string strategy = "blocking";
    std::string transport = "auto";
    // Strategies that another step of the same fields may be run with: halos are wide enough for these too.
    std::vector<std::string> room_for{};
    // Halos that travel after the stages that are listed, of `listed_halo`, whether any stage needs them or not.
    std::vector<ListedExchange> listed{};
    Extent listed_halo{};
};

// The stages of a model, with all that they point to, and how a step with them is run.
struct BoundStages {
    std::vector<std::vector<Stage>> cycle;
    std::vector<std::shared_ptr<void>> kept{};
    StepOptions options{};
};

// Gives every field the halo that the stages need under the strategy, and binds the stages to that memory. A field that
// has memory keeps it. Throws UserError on all ranks for a stage without fields, a field named twice or of another
// domain, and if an earlier step left a halo too narrow. Collective.
BoundStages bind(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const StepOptions& options);

// A kernel that is made for each owned box, by `make(box)` with the number of the box on this rank, once fields have
// memory: for kernels that need more than the views of a box. Local.
template <class Make>
struct KernelOfBox {
    Make make;
};
template <class Make>
[[nodiscard]] KernelOfBox<Make> for_each_box(Make make) {
    return {std::move(make)};
}

namespace detail {

template <class KernelOf>
KernelOf kernel_on(const KernelOf& kernel, int) {
    return kernel;
}
template <class Make>
auto kernel_on(const KernelOfBox<Make>& kernel, int box) {
    return kernel.make(box);
}

// Throws UserError if it is missing.
void require_kernel(bool there, const std::string& stage);

// An object without its type. The shared part of declarations of one kind is compiled once, not once per kernel: the
// type of a kernel instantiates three functions, but no classes, and none of the standard library.
template <class Thing>
std::shared_ptr<void> owned(Thing thing) {
    constexpr auto drop = [](void* kept) { delete static_cast<Thing*>(kept); };
    return {static_cast<void*>(new Thing(std::move(thing))), static_cast<void (*)(void*)>(drop)};
}

// A kernel, called by address: one instance per type of kernel, so that its bits do not depend on where it is called.
template <class... Arguments>
struct AnyKernel {
    std::shared_ptr<void> kernel;
    void (*call)(void* kernel, Box box, Arguments&... arguments);
};
template <class KernelOf, class... Arguments>
void call_kernel(void* kernel, Box box, Arguments&... arguments) {
    (*static_cast<KernelOf*>(kernel))(box, arguments...);
}

// The kernel as it was given, from which the kernel of each box is made.
template <class... Arguments>
struct KernelSource {
    std::shared_ptr<void> given;
    AnyKernel<Arguments...> (*on)(const void* given, int box);
};
template <class GivenKernel, class... Arguments>
AnyKernel<Arguments...> kernel_of(const void* given, int box) {
    auto kernel = kernel_on(*static_cast<const GivenKernel*>(given), box);
    return {owned(std::move(kernel)), &call_kernel<decltype(kernel), Arguments...>};
}

// A kernel and its arguments on one box: made once, not per call.
template <class... Arguments>
struct BoundKernel {
    AnyKernel<Arguments...> kernel;
    std::tuple<Arguments...> arguments;

    static void call(void* self, Box box) {
        auto& bound = *static_cast<BoundKernel*>(self);
        std::apply([&](auto&... each) { bound.kernel.call(bound.kernel.kernel.get(), box, each...); }, bound.arguments);
    }
};

template <class... Declarations>
DeclaredStage stage_of(std::string name, const KernelSource<typename Declarations::Argument...>& source,
                       const Declarations&... declarations) {
    using Bound = BoundKernel<typename Declarations::Argument...>;
    std::vector<FieldUse> uses;
    std::optional<Reduced> reduced;
    [[maybe_unused]] const auto note = [&](const auto& declaration) {
        for (FieldUse& use : declaration.uses()) uses.push_back(std::move(use));
        if constexpr (std::is_same_v<std::decay_t<decltype(declaration)>, Reduces>) reduced = declaration.number;
    };
    (note(declarations), ...);
    auto contexts = [=](std::size_t boxes) {
        std::vector<std::shared_ptr<void>> all;
        for (int b = 0; b < static_cast<int>(boxes); ++b)
            all.push_back(owned(Bound{source.on(source.given.get(), b), {declarations.argument(b)...}}));
        return all;
    };
    return {std::move(name), std::move(uses), &Bound::call, std::move(contexts), reduced};
}

}  // namespace detail

// Declares a stage: `kernel` is called as kernel(box, argument...), with one argument for each declaration, in their
// order. Local.
template <class GivenKernel, class... Declarations>
[[nodiscard]] DeclaredStage stage(std::string name, GivenKernel kernel, const Declarations&... declarations) {
    using KernelOf = decltype(detail::kernel_on(kernel, 0));
    static_assert(
        std::is_invocable_v<KernelOf&, Box, typename Declarations::Argument&...>,
        "lapwing::stage: the kernel cannot be called as kernel(Box, ...) with a View<const T> for each reads, a "
        "View<T> for each writes, updates and scatters (a std::vector of them for several fields), and a double& for "
        "each reduces, in the order declared");
    if constexpr (std::is_pointer_v<GivenKernel>) detail::require_kernel(kernel != nullptr, name);
    using Function = void (*)(Box, typename Declarations::Argument...);
    if constexpr (std::is_convertible_v<GivenKernel, Function> && !std::is_same_v<GivenKernel, Function>) {
        return stage(std::move(name), static_cast<Function>(kernel), declarations...);  // a lambda without captures
    } else {
        const auto on = &detail::kernel_of<GivenKernel, typename Declarations::Argument...>;
        return detail::stage_of(std::move(name), {detail::owned(std::move(kernel)), on}, declarations...);
    }
}

}  // namespace lapwing
