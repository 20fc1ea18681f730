#include "lapwing/step/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

Extent along(Axis axis, int lower, int upper) {
    Extent extent;
    extent.corners = false;
    extent.lo[axis] = lower;
    extent.hi[axis] = upper;
    return extent;
}

}  // namespace

Extent ahead(Axis axis, int cells) { return along(axis, 0, cells); }
Extent behind(Axis axis, int cells) { return along(axis, cells, 0); }
Extent around(int cells) { return Extent::horizontal(cells); }
Extent cross(int cells) { return Extent::cross(cells); }

Extent combined(const std::vector<Extent>& extents) {
    if (extents.size() == 1) return extents.front();
    Extent all;
    for (const Extent& extent : extents) {
        std::ranges::transform(all.lo, extent.lo, all.lo.begin(), std::ranges::max);
        std::ranges::transform(all.hi, extent.hi, all.hi.begin(), std::ranges::max);
    }
    return all;
}

Reduced maximum() { return Reduced(Reduction::Kind::maximum); }
Reduced minimum() { return Reduced(Reduction::Kind::minimum); }

void begin_reduction(const Reduction& reduction) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    *reduction.partial = reduction.kind == Reduction::Kind::minimum ? infinity : -infinity;
}

void end_reduction(const Domain& domain, const Reduction& reduction) {
    // MPI's minimum and maximum may miss NaN: a flag for NaN travels along.
    const double sign = reduction.kind == Reduction::Kind::minimum ? -1.0 : 1.0, mine = sign * *reduction.partial;
    const bool lost = std::isnan(mine);
    std::array<double, 2> all{lost ? -std::numeric_limits<double>::infinity() : mine, lost ? 1.0 : 0.0};
    all = reduced(domain.comm(), all, MPI_MAX, "a number that a stage ends with");
    *reduction.value = all[1] > 0.0 ? std::numeric_limits<double>::quiet_NaN() : sign * all[0];
}

// A field that is read around its cells and updated is declared twice; it is one read.
void Stage::declare(const FieldUse& use) {
    AnyField* field = use.field.get();
    uses.push_back(use);
    if (use.written) writes.push_back(field);
    if (use.scattered) {
        in_place = true;
        scatters.push_back(field);
    }
    if (!use.read) return;
    const auto known = std::ranges::find(reads, field, &FieldRead::field);
    if (known == reads.end()) {
        reads.push_back({field, use.extent, use.demand});
    } else if (known->extent.empty()) {
        *known = {field, use.extent, use.demand};
    }
}

void Stage::declare(const Reduced& number) {
    reduction = number.reduction();
    kept.push_back(number.keep());
}

Stage Stage::on(const Box& where) const {
    Stage stage = *this;
    stage.region = where;
    return stage;
}

Stage Stage::in_any_order() const {
    Stage stage = *this;
    stage.in_place = true;
    return stage;
}

Stage Stage::in_iteration(int number) const {
    Stage stage = *this;
    stage.iteration = number;
    return stage;
}

Stage Stage::then(std::function<void()> work, const MessagePlan* plan) const {
    Stage stage = *this;
    auto called = std::make_shared<std::function<void()>>(std::move(work));
    stage.collective = {[](void* given) { (*static_cast<std::function<void()>*>(given))(); }, called.get(), plan};
    stage.kept.push_back(std::move(called));
    return stage;
}

Stages repeated(const Stages& stages, int times) {
    if (times < 1) user_error("times that stages are repeated", times, "1 or more", "leave the stages out for none");
    Stages all;
    for (int n = 0; n < times; ++n)
        for (const Stage& stage : stages) all.push_back(stage.iteration < 0 ? stage.in_iteration(n) : stage);
    return all;
}

Stages repeated(Stages stages, WhileAbove goes_on) {
    if (stages.empty()) return stages;
    stages.back().repeats = static_cast<int>(stages.size());
    stages.back().repeats_above = goes_on.least;
    return stages;
}

namespace {

// True if one was found.
bool exchange_after(Stages& stages, const ListedExchange& listed, const Extent& extent) {
    bool found = false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (stages[s].name != listed.stage) continue;
        found = true;
        if (s + 1 < stages.size() && stages[s + 1].name == listed.stage) continue;
        const auto field =
            std::ranges::find(stages[s].writes, listed.field, [](const AnyField* f) { return f->spec().name; });
        if (field == stages[s].writes.end())
            user_error("exchange of " + listed.field + " after " + listed.stage,
                       "a field that this stage does not write", "one that it writes", "name the stage that writes it");
        stages[s].sends.push_back({*field, extent});
    }
    return found;
}

}  // namespace

void exchange_after(std::vector<Stages>& cycle, std::span<const ListedExchange> listed, const Extent& extent) {
    for (const ListedExchange& one : listed) {
        bool found = false;
        for (auto& stages : cycle) found = exchange_after(stages, one, extent) || found;
        if (!found)
            user_error("exchange of " + one.field + " after " + one.stage, "no stage of this name",
                       "a stage of the step", "look at the names that `lapwing plan` prints");
    }
}

}  // namespace lapwing
