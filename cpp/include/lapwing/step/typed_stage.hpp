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

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/step/stage.hpp"

namespace lapwing {

// ---- what a kernel does to a field

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
    // Keeps the values of `scatters` as the kernel left them. Local.
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
inline void require_kernel(bool there, const std::string& stage) {
    if (!there) user_error("stage " + stage, "a null pointer as its kernel", "a function", "pass the function");
}

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
Stage stage_of(std::string name, const KernelSource<typename Declarations::Argument...>& source,
               const Declarations&... declarations) {
    using Bound = BoundKernel<typename Declarations::Argument...>;
    Stage stage{.name = std::move(name), .reads = {}, .writes = {}, .kernel = &Bound::call, .contexts = {}};
    [[maybe_unused]] const auto declare = [&](const auto& declaration) {
        for (const FieldUse& use : declaration.uses()) stage.declare(use);
        if constexpr (std::is_same_v<std::decay_t<decltype(declaration)>, Reduces>) stage.declare(declaration.number);
    };
    (declare(declarations), ...);
    stage.make_contexts = [=](std::size_t boxes) {
        std::vector<std::shared_ptr<void>> all;
        for (int b = 0; b < static_cast<int>(boxes); ++b)
            all.push_back(owned(Bound{source.on(source.given.get(), b), {declarations.argument(b)...}}));
        return all;
    };
    return stage;
}

}  // namespace detail

// Declares a stage: `kernel` is called as kernel(box, argument...), with one argument for each declaration, in their
// order. Local.
template <class GivenKernel, class... Declarations>
[[nodiscard]] Stage stage(std::string name, GivenKernel kernel, const Declarations&... declarations) {
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
