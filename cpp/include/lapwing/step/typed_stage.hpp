#pragma once
// Stages as a model declares them: a kernel, and each field once, with what the kernel does to it. That declaration is
// what the engine schedules by and what the kernel gets; what does not fit is an error of the compiler.

#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lapwing/grid/extent.hpp"
#include "lapwing/memory/field.hpp"
#include "lapwing/step/step_stages.hpp"
#include "lapwing/step/typed_field.hpp"

namespace lapwing {

// ---- how far a kernel reads: ahead(x), behind(y, 2), around(1), cross(1); of several the widest on each side, with
// the corners between them unless all are crosses

enum Axis { x, y, z };

[[nodiscard]] Extent ahead(Axis axis, int cells = 1);   // towards larger indices
[[nodiscard]] Extent behind(Axis axis, int cells = 1);  // towards smaller ones
[[nodiscard]] Extent around(int cells = 1);             // on both sides in x and y, with corners
[[nodiscard]] Extent cross(int cells = 1);              // on both sides in x and y, without corners
[[nodiscard]] Extent combined(const std::vector<Extent>& extents);

// ---- what a kernel does to a field

template <class T>
struct Reads {
    using Argument = View<const T>;
    std::shared_ptr<DeclaredField> field;
    Extent extent;
};
template <class T>
struct Writes {
    using Argument = View<T>;
    std::shared_ptr<DeclaredField> field;
};

// A number of all ranks: the least or the largest that any kernel call has found; NaN where one was NaN.
class Reduced {
  public:
    [[nodiscard]] double value() const { return numbers_->value; }
    [[nodiscard]] Reduction reduction() const { return {kind_, &numbers_->partial, &numbers_->value}; }

  private:
    friend Reduced maximum();
    friend Reduced minimum();
    explicit Reduced(Reduction::Kind kind) : kind_(kind), numbers_(std::make_shared<Numbers>()) {}
    struct Numbers {
        double partial = 0, value = std::numeric_limits<double>::quiet_NaN();
    };
    Reduction::Kind kind_;
    std::shared_ptr<Numbers> numbers_;

  public:
    // Who holds the numbers, so that they live as long as a stage that uses them.
    [[nodiscard]] std::shared_ptr<void> keep() const { return numbers_; }
};
[[nodiscard]] Reduced maximum();
[[nodiscard]] Reduced minimum();

struct Reduces {
    using Argument = double&;
    Reduced number;
};

// The kernel gets a View<const T>, and may read as far as the extents say around each cell of its box; without any, at
// the cell itself.
template <class T, std::same_as<Extent>... Extents>
[[nodiscard]] Reads<T> reads(const TypedField<T>& field, const Extents&... extents) {
    return {field.declared(), combined({extents...})};
}
// The kernel gets a View<T>, and sets the cells of its box; `updates`: it may read them before.
template <class T>
[[nodiscard]] Writes<T> writes(const TypedField<T>& field) {
    return {field.declared()};
}
template <class T>
[[nodiscard]] Writes<T> updates(const TypedField<T>& field) {
    return {field.declared()};
}
// The kernel gets a double& that it lowers or raises.
[[nodiscard]] inline Reduces reduces(const Reduced& number) { return {number}; }

// ---- stages

// A stage without its types: what the step needs to make it run. Made by `stage`.
class DeclaredStage {
  public:
    struct Use {
        std::shared_ptr<DeclaredField> field;
        Extent extent;
        bool written = false;
    };
    // The contexts of the kernel, one per owned box, made once the fields have memory.
    using MakeContexts = std::function<std::vector<std::shared_ptr<void>>(std::size_t boxes)>;

    DeclaredStage(std::string name, std::vector<Use> uses, Kernel kernel, MakeContexts contexts,
                  std::optional<Reduced> reduced)
        : name_(std::move(name)),
          uses_(std::move(uses)),
          kernel_(kernel),
          contexts_(std::move(contexts)),
          reduced_(std::move(reduced)) {}

    // Computes owned cells in `region` only. Local.
    [[nodiscard]] DeclaredStage on(const Box& region) const;
    // Computes `extent` beyond the owned boxes too, which keeps halos of that width fresh. Local.
    [[nodiscard]] DeclaredStage rim(const Extent& extent) const;
    // May read around a cell what it writes, as any order of its cells will do. Local.
    [[nodiscard]] DeclaredStage in_any_order() const;
    // Runs again, with the `stages` - 1 before it, while its number is above 0. Local.
    [[nodiscard]] DeclaredStage repeats(int stages) const;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }
    // The stage on the memory that its fields have by now; `kept` gets what it points to. Local.
    [[nodiscard]] Stage bound(std::size_t boxes, std::vector<std::shared_ptr<void>>& kept) const;

  private:
    std::string name_;
    std::vector<Use> uses_;
    Kernel kernel_;
    MakeContexts contexts_;
    std::optional<Reduced> reduced_;
    std::optional<Box> region_;
    Extent rim_;
    bool in_any_order_ = false;
    int repeats_ = 0;
};

// The stages of a model, with all that they point to.
struct BoundStages {
    std::vector<std::vector<Stage>> cycle;
    std::vector<std::shared_ptr<void>> kept;
};

// Gives every field the halo that the stages need under the strategy, and binds the stages to that memory. A field that
// has memory keeps it. Throws UserError on all ranks for a stage without fields, a field named twice or of another
// domain, and where an earlier step left a field too narrow. Collective.
BoundStages bind(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const std::string& strategy);

namespace detail {

template <class T>
DeclaredStage::Use use_of(const Reads<T>& read) {
    return {read.field, read.extent, false};
}
template <class T>
DeclaredStage::Use use_of(const Writes<T>& write) {
    return {write.field, {}, true};
}

template <class T>
View<const T> argument(const Reads<T>& read, int box) {
    return read.field->memory().template view<const T>(box);
}
template <class T>
View<T> argument(const Writes<T>& write, int box) {
    return write.field->memory().template view<T>(box);
}
inline double& argument(const Reduces& reduces, int) { return *reduces.number.reduction().partial; }

// A kernel and what it is called with on one box: made once, not per call. One instance per type of kernel, called by
// address, so that its bits do not depend on where it is called.
template <class KernelOf, class... Arguments>
struct BoundKernel {
    KernelOf kernel;
    std::tuple<Arguments...> arguments;

    static void call(void* self, Box box) {
        auto& bound = *static_cast<BoundKernel*>(self);
        std::apply([&](auto&... each) { bound.kernel(box, each...); }, bound.arguments);
    }
};

}  // namespace detail

// Declares a stage: `kernel` is called as kernel(box, argument...), with one argument for each declaration, in their
// order. Local.
template <class KernelOf, class... Declarations>
[[nodiscard]] DeclaredStage stage(std::string name, KernelOf kernel, const Declarations&... declarations) {
    static_assert(
        std::is_invocable_v<KernelOf&, Box, typename Declarations::Argument&...>,
        "lapwing::stage: the kernel cannot be called as kernel(Box, ...) with a View<const T> for each reads, a "
        "View<T> for each writes and updates, and a double& for each reduces, in the order declared");
    using Bound = detail::BoundKernel<KernelOf, typename Declarations::Argument...>;
    std::vector<DeclaredStage::Use> uses;
    std::optional<Reduced> reduced;
    [[maybe_unused]] const auto note = [&](const auto& declaration) {
        if constexpr (std::is_same_v<std::decay_t<decltype(declaration)>, Reduces>) {
            reduced = declaration.number;
        } else {
            uses.push_back(detail::use_of(declaration));
        }
    };
    (note(declarations), ...);
    auto contexts = [=](std::size_t boxes) {
        std::vector<std::shared_ptr<void>> all;
        for (int b = 0; b < static_cast<int>(boxes); ++b)
            all.push_back(std::make_shared<Bound>(Bound{kernel, {detail::argument(declarations, b)...}}));
        return all;
    };
    return {std::move(name), std::move(uses), &Bound::call, std::move(contexts), std::move(reduced)};
}

}  // namespace lapwing
