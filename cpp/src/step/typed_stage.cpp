#include "lapwing/step/typed_stage.hpp"

#include <algorithm>

#include "exchange/halo_return.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "step/field_memory.hpp"
#include "step/observers/step_digest.hpp"

namespace lapwing {

namespace {

Extent along(Axis axis, int lower, int upper) {
    Extent extent;
    extent.corners = false;
    extent.lo[axis] = lower;
    extent.hi[axis] = upper;
    return extent;
}

// A stage ends with at most one thing: returning values to their owners, a number, or other work.
void require_one_end(const DeclaredStage& stage) {
    const auto scattered = std::ranges::count(stage.uses(), true, &FieldUse::scattered);
    if (scattered < 1 || (scattered == 1 && !stage.ends_together())) return;
    user_error("stage " + stage.name(),
               scattered > 1 ? concat(scattered, " fields that it scatters")
                             : std::string("a field that it scatters, and work or a number of all ranks at its end"),
               "one of them", "make it two stages");
}

void require_good_uses(const Domain& domain, const DeclaredStage& stage) {
    require_one_end(stage);
    if (stage.uses().empty()) {
        user_error("stage " + stage.name(), "no field", "at least one that it reads or writes",
                   "declare what the kernel does: reads(f), writes(f) or updates(f)");
    }
    for (const FieldUse& use : stage.uses()) {
        const std::string& name = use.field->spec().name;
        if (use.domain != &domain) {
            user_error("stage " + stage.name(), "field " + name + " of another domain", "fields of the step's domain",
                       "declare the field on the domain that the step is made on");
        }
        if (use.scattered && !use.field->has_own_extents()) {
            user_error("field " + name + ", which stage " + stage.name() + " scatters", "no offset",
                       "component_extents, the offset at which each component is written",
                       "make the field with them: {.component_extents = {ahead(x)}}, in Python halo=[ahead(\"x\")]");
        }
        const auto same = [&](const FieldUse& other) {
            return other.field == use.field && other.written == use.written;
        };
        if (std::ranges::count_if(stage.uses(), same) < 2) continue;
        user_error("stage " + stage.name(), "field " + name + " named twice", "each field once",
                   "unite its extents in one declaration");
    }
}

std::vector<std::vector<Stage>> unbound(const Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle,
                                        std::size_t boxes) {
    std::vector<std::vector<Stage>> all;
    for (const auto& stages : cycle) {
        all.emplace_back();
        for (const DeclaredStage& stage : stages) {
            require_good_uses(domain, stage);
            all.back().push_back(stage.without_contexts(boxes));
        }
    }
    return all;
}

void add_contexts(const DeclaredStage& declared, std::size_t boxes, BoundStages& made, Stage& stage) {
    stage.contexts.clear();
    for (auto& context : declared.contexts(boxes)) {
        stage.contexts.push_back(context.get());
        made.kept.push_back(std::move(context));
    }
    made.kept.insert(made.kept.end(), declared.kept().begin(), declared.kept().end());
}

// The work that returns the values which a stage wrote into halos to their owners.
struct ScatterReturn {
    ScatterReturn(Domain& domain, const FieldUse& use, const std::string& transport)
        : kept(use.kept ? use.kept() : std::vector<std::byte*>()),
          size(size_of(use.field->spec().type)),
          exchange(domain, *use.field, transport, kept.size() * size) {}
    std::vector<std::byte*> kept;
    std::size_t size;  // bytes of a value
    HaloReturn exchange;
};

void add_return(Domain& domain, const DeclaredStage& declared, const std::string& transport, BoundStages& made,
                Stage& stage) {
    const auto use = std::ranges::find(declared.uses(), true, &FieldUse::scattered);
    if (use == declared.uses().end()) return;
    auto home = std::make_shared<ScatterReturn>(domain, *use, transport);
    stage.collective = {[](void* given) {
                            auto& back = *static_cast<ScatterReturn*>(given);
                            back.exchange.run(back.kept, back.size);
                        },
                        home.get(), &home->exchange.plan()};
    made.kept.push_back(std::move(home));
}

}  // namespace

void detail::require_kernel(bool there, const std::string& stage) {
    if (!there) user_error("stage " + stage, "a null pointer as its kernel", "a function", "pass the function");
}

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

DeclaredStage::DeclaredStage(std::string name, std::vector<FieldUse> uses, Kernel kernel, MakeContexts contexts,
                             const std::optional<Reduced>& reduced)
    : uses_(std::move(uses)), contexts_(std::move(contexts)) {
    stage_.name = std::move(name);
    stage_.kernel = kernel;
    if (reduced) {
        stage_.reduction = reduced->reduction();
        kept_.push_back(reduced->keep());
    }
    for (const FieldUse& use : uses_) {
        note(use);
        kept_.push_back(use.field);
        kept_.push_back(use.keep);
    }
}

// A field that is read around its cells and updated is named twice; it is one read.
void DeclaredStage::note(const FieldUse& use) {
    AnyField* field = use.field.get();
    if (use.written) stage_.writes.push_back(field);
    if (use.scattered) {
        stage_.in_place = true;
        stage_.scatters.push_back(field);
    }
    if (!use.read) return;
    const auto known = std::ranges::find(stage_.reads, field, &FieldRead::field);
    if (known == stage_.reads.end()) {
        stage_.reads.push_back({field, use.extent, use.demand});
    } else if (known->extent.empty()) {
        *known = {field, use.extent, use.demand};
    }
}

// A box of two axes has no cell along z: it means all of them.
DeclaredStage DeclaredStage::on(const Box& region) const {
    DeclaredStage stage = *this;
    stage.stage_.region = region;
    if (region.lo[2] == 0 && region.hi[2] == 0 && !uses_.empty())
        stage.stage_.region->hi[2] = uses_.front().domain->partition().grid().size[2];
    return stage;
}

DeclaredStage DeclaredStage::in_any_order() const {
    DeclaredStage stage = *this;
    stage.stage_.in_place = true;
    return stage;
}

DeclaredStage DeclaredStage::repeats(int stages, double least) const {
    DeclaredStage stage = *this;
    stage.stage_.repeats = stages;
    stage.stage_.repeats_above = least;
    return stage;
}

DeclaredStage DeclaredStage::with_named_errors() const {
    DeclaredStage stage = *this;
    stage.stage_.names_errors = true;
    return stage;
}

DeclaredStage DeclaredStage::in_iteration(int number) const {
    DeclaredStage stage = *this;
    stage.stage_.iteration = number;
    return stage;
}

DeclaredStage DeclaredStage::then(std::function<void()> work, const MessagePlan* plan) const {
    DeclaredStage stage = *this;
    auto kept = std::make_shared<std::function<void()>>(std::move(work));
    stage.stage_.collective = {[](void* given) { (*static_cast<std::function<void()>*>(given))(); }, kept.get(), plan};
    stage.kept_.push_back(std::move(kept));
    return stage;
}

Stage DeclaredStage::without_contexts(std::size_t boxes) const {
    Stage stage = stage_;
    stage.contexts.assign(boxes, nullptr);
    return stage;
}

std::vector<DeclaredStage> repeated(const std::vector<DeclaredStage>& stages, int times) {
    if (times < 1) user_error("times that stages are repeated", times, "1 or more", "leave the stages out for none");
    std::vector<DeclaredStage> all;
    for (int n = 0; n < times; ++n)
        for (const DeclaredStage& stage : stages) all.push_back(stage.iteration() < 0 ? stage.in_iteration(n) : stage);
    return all;
}

std::vector<DeclaredStage> repeated(std::vector<DeclaredStage> stages, WhileAbove goes_on) {
    if (!stages.empty()) stages.back() = stages.back().repeats(static_cast<int>(stages.size()), goes_on.least);
    return stages;
}

BoundStages bind(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const StepOptions& asked) {
    BoundStages made;
    const StepOptions& options = made.options = as_environment_says(domain, asked);
    std::optional<StepStages> stages;
    std::vector<std::string> strategies = options.room_for;
    strategies.push_back(options.strategy);
    const std::size_t boxes = domain.partition().subdomains_of(domain.rank()).size();
    together(domain.comm(), [&] {
        made.cycle = unbound(domain, cycle, boxes);
        exchange_after(made.cycle, options.listed, options.listed_halo);
        stages.emplace(domain, made.cycle);
    });
    give_memory(domain, *stages, strategies);
    together(domain.comm(), [&] {
        for (std::size_t n = 0; n < cycle.size(); ++n)
            for (std::size_t s = 0; s < cycle[n].size(); ++s) add_contexts(cycle[n][s], boxes, made, made.cycle[n][s]);
    });
    for (std::size_t n = 0; n < cycle.size(); ++n)
        for (std::size_t s = 0; s < cycle[n].size(); ++s)
            add_return(domain, cycle[n][s], options.transport, made, made.cycle[n][s]);
    return made;
}

}  // namespace lapwing
