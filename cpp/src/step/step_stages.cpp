#include "step/step_stages.hpp"

#include <algorithm>

#include "exchange/halo_return.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

StepStages::StepStages(const Domain& domain, std::vector<Stages> cycle) : cycle_(std::move(cycle)) {
    for (Stages& stages : cycle_) {
        name_of_.emplace_back();
        specs_.emplace_back();
        for (Stage& stage : stages) number_stage(domain, stage);
    }
    if (domain.partition().grid().faces.swap_axes()) find_pairs();
    find_land(domain);
}

void StepStages::find_land(const Domain& domain) {
    std::vector<std::optional<Location>> places;
    for (const AnyField* field : fields_)
        places.push_back(field->spec().constant_on_land ? std::optional{field->spec().location} : std::nullopt);
    const bool some = std::ranges::any_of(places, [](const auto& place) { return place.has_value(); });
    if (some && domain.land.mask != nullptr)
        water_ =
            std::make_unique<const Water>(domain.land.mask, std::move(places), domain.partition().grid().north_fold);
}

namespace {

// Checks what a declaration says of its fields.
void require_good_uses(const Domain& domain, const Stage& stage) {
    if (stage.uses.empty()) {
        user_error("stage " + stage.name, "no field", "at least one that it reads or writes",
                   "declare what the kernel does: reads(f), writes(f) or updates(f)");
    }
    for (const FieldUse& use : stage.uses) {
        const std::string& name = use.field->spec().name;
        if (use.domain != &domain) {
            user_error("stage " + stage.name, "field " + name + " of another domain", "fields of the step's domain",
                       "declare the field on the domain that the step is made on");
        }
        if (use.scattered && !use.field->has_own_extents()) {
            user_error("field " + name + ", which stage " + stage.name + " scatters", "no offset",
                       "component_extents, the offset at which each component is written",
                       "make the field with them: {.component_extents = {ahead(x)}}, in Python halo=[ahead(\"x\")]");
        }
        const auto same = [&](const FieldUse& other) {
            return other.field == use.field && other.written == use.written;
        };
        if (std::ranges::count_if(stage.uses, same) < 2) continue;
        user_error("stage " + stage.name, "field " + name + " named twice", "each field once",
                   "unite its extents in one declaration");
    }
}

// A stage that is not yet bound, and brings values that it wrote into halos to their owners.
bool is_to_return(const Stage& stage) {
    return !stage.collective && std::ranges::count(stage.uses, true, &FieldUse::scattered) > 0;
}

// The first cells that a stage computes would change what the next ones read.
void require_apart(const Stage& stage) {
    if (stage.in_place) return;
    for (const FieldRead& read : stage.reads) {
        if (read.extent.empty() || std::ranges::count(stage.writes, read.field) == 0) continue;
        user_error(
            "stage " + stage.name,
            concat("field ", read.field->spec().name, " read with extent ", read.extent, " and written in place"),
            "an output that the stage does not read around itself",
            "write to another field, split the stage, or say that any order of its cells will do (C++: "
            ".in_any_order(), Python: in_any_order=True)");
    }
}

// An empty region may come from a formula that leaves no cell; a region beyond the grid is a mistake.
void require_some_cells(const Domain& domain, const Stage& stage) {
    if (!stage.region || stage.region->empty()) return;
    if (!intersect(*stage.region, domain.partition().grid().box()).empty()) return;
    user_error("region of stage " + stage.name, *stage.region,
               concat("cells of the grid, ", domain.partition().grid().box()),
               "correct the box, or leave the stage out");
}

// Checks a stage by itself, and against the number of stages before it in its step.
void require_possible(const Stage& stage, std::size_t boxes, std::ptrdiff_t before) {
    const std::string name = "stage " + stage.name;
    if (stage.kernel == nullptr || (!stage.make_contexts && stage.contexts.size() != boxes)) {
        user_error(name, concat(stage.contexts.size(), " contexts"),
                   concat("a kernel and ", boxes, " contexts, one per owned box"),
                   "give every box of this rank its context");
    }
    const Extent& rim = stage.rim_extent;
    if (std::min(std::ranges::min(rim.lo), std::ranges::min(rim.hi)) < 0) {
        user_error(name, concat("a rim of ", rim), "widths of 0 or more", "say how far beyond its box it computes");
    }
    if (stage.repeats < 0 || stage.repeats > before + 1 || (stage.repeats > 0 && !stage.reduction)) {
        user_error(name, concat(stage.repeats, " stages to repeat", stage.reduction ? "" : ", without a reduction"),
                   "at most those of its step up to itself, and a reduction that is not above 0 in the end",
                   "let the last stage of the loop reduce what says whether to go on");
    }
}

// A stage ends with one thing of all ranks, which is about owned cells: values on their way to their owners, a number,
// or other work.
void require_one_end(const Stage& stage) {
    const std::string name = "stage " + stage.name;
    const bool others = stage.collective || stage.reduction;
    if (stage.make_contexts && stage.scatters.size() + (others ? 1 : 0) > 1 && !stage.scatters.empty()) {
        user_error(name,
                   stage.scatters.size() > 1
                       ? concat(stage.scatters.size(), " fields that it scatters")
                       : std::string("a field that it scatters, and work or a number of all ranks at its end"),
                   "one of them", "make it two stages");
    }
    if (stage.reduction && (stage.reduction->partial == nullptr || stage.reduction->value == nullptr)) {
        user_error(name, "a reduction without room for its numbers", "two addresses",
                   "point partial and value to numbers that outlive the step");
    }
    if (stage.collective && (stage.collective->work == nullptr || stage.reduction)) {
        user_error(name, stage.reduction ? "a reduction and other work at its end" : "work that is null",
                   "one of them, and a function to call", "give the reduction to a stage after it");
    }
    if ((others || is_to_return(stage)) && !stage.rim_extent.empty()) {
        user_error(name,
                   concat(stage.reduction ? "a reduction" : "work of all ranks", " at its end and a rim of ",
                          stage.rim_extent),
                   "no rim: that is about owned cells only", "let its results travel");
    }
}

}  // namespace

void StepStages::number_stage(const Domain& domain, Stage& stage) {
    if (stage.make_contexts) require_good_uses(domain, stage);
    // a box of two axes has no cell along z: it means all of them
    if (stage.region && stage.region->lo[2] == 0 && stage.region->hi[2] == 0)
        stage.region->hi[2] = domain.partition().grid().size[2];
    require_possible(stage, domain.partition().subdomains_of(domain.rank()).size(), std::ssize(specs_.back()));
    require_one_end(stage);
    if (!stage.rim_extent.empty())
        require_no_turns(domain.partition().grid(), concat("stage ", stage.name, " with a rim of ", stage.rim_extent),
                         "leave the rim out: its results travel");
    require_whole_loops(stage);
    StageSpec spec = numbered(domain, stage);
    require_apart(stage);
    require_some_cells(domain, stage);
    specs_.back().push_back(std::move(spec));
    const auto name = std::ranges::find(stage_names_, stage.name) - stage_names_.begin();
    if (name == std::ssize(stage_names_)) stage_names_.push_back(stage.name);
    name_of_.back().push_back(static_cast<int>(name));
}

// The stage with its fields as numbers.
StageSpec StepStages::numbered(const Domain& domain, const Stage& stage) {
    StageSpec spec;
    spec.name = stage.name;
    spec.region = stage.region;
    spec.in_place = stage.in_place;
    spec.rim = stage.rim_extent;
    spec.repeats = stage.repeats;
    spec.iteration = stage.iteration;
    spec.slow_calls = stage.slow_calls;
    spec.collective = stage.collective || is_to_return(stage);
    spec.reduces = stage.reduction || spec.collective;
    for (const FieldRead& read : stage.reads) {
        spec.reads.push_back(numbered_read(domain, stage, read));
        const FieldSpec& field = read.field->spec();
        if (field.extents.size() > 1 && !covers(read.extent, field.largest_extent())) spec.owned_only = true;
    }
    if (spec.owned_only && !stage.rim_extent.empty()) {
        user_error("stage " + stage.name, concat("a rim of ", stage.rim_extent, " and a read of some components only"),
                   "no rim: beyond the owned box the halo holds these only",
                   "let its results travel, or read the field as far as all its components");
    }
    for (AnyField* field : stage.writes) spec.writes.push_back(number_of(domain, stage, field));
    for (const FieldRead& sent : stage.sends) spec.sends.push_back({number_of(domain, stage, sent.field), sent.extent});
    return spec;
}

// Loops lie apart or one within the other: one that ended within another would lead back to stages whose halos its own
// have made stale.
void StepStages::require_whole_loops(const Stage& stage) const {
    const std::vector<StageSpec>& before = specs_.back();
    const auto first = std::ssize(before) + 1 - stage.repeats;
    for (auto last = first; last < std::ssize(before); ++last) {
        const StageSpec& inner = before[last];
        if (inner.repeats == 0 || last + 1 - inner.repeats >= first) continue;
        user_error("stage " + stage.name,
                   concat(stage.repeats, " stages to repeat, from within the loop of stage ", inner.name),
                   "loops that lie apart, or one within the other",
                   "let the outer loop begin where the inner one does, or before");
    }
}

namespace {

// True if the stage demands one width of its fields, so that they travel together.
bool demands_once(const Stage& stage) {
    const Demand* first = nullptr;
    for (const FieldRead& read : stage.reads) {
        if (read.demand.cells == nullptr) continue;
        if (first != nullptr && !(*first == read.demand)) return false;
        first = &read.demand;
    }
    return true;
}

}  // namespace

// Fields that are read around their cells keep the demand of the first stage that does so.
Read StepStages::numbered_read(const Domain& domain, const Stage& stage, const FieldRead& read) {
    const int number = number_of(domain, stage, read.field);
    if (read.extent.empty()) return {number, read.extent};
    if (std::min(std::ranges::min(read.extent.lo), std::ranges::min(read.extent.hi)) < 0) {
        user_error("stage " + stage.name + ", field " + read.field->spec().name, concat("a read of ", read.extent),
                   "widths of 0 or more", "say how far it reads on each side");
    }
    require_known_demand(stage, read);
    if (!demands_once(stage)) {
        user_error("stage " + stage.name, "fields that it demands by several numbers or widths", "one demand",
                   "let all of them be as wide as the widest");
    }
    if (read_around_[number] && !(demands_[number] == read.demand)) {
        user_error("stage " + stage.name, "field " + read.field->spec().name + " read by another demand",
                   "that of the stages before it", "let all stages read the field alike");
    }
    read_around_[number] = true;
    demands_[number] = read.demand;
    return {number, read.extent, read.demand.widths};
}

// A demand must be known when the exchange begins, and one of its widths must be all that the stage may read.
void StepStages::require_known_demand(const Stage& stage, const FieldRead& read) const {
    const Demand& demand = read.demand;
    if (demand.cells == nullptr && demand.widths.empty()) return;
    const auto subject = "stage " + stage.name + ", field " + read.field->spec().name;
    const std::vector<int>& widths = demand.widths;
    const bool ascending = std::ranges::adjacent_find(widths, std::ranges::greater_equal{}) == widths.end();
    if (widths.empty() || widths.front() < 1 || !ascending || !(read.extent == Extent::horizontal(widths.back()))) {
        user_error(subject, concat("widths ", widths.empty() ? "none" : listed(widths), " of ", read.extent),
                   "ascending numbers of cells, the last as wide as the extent, which has corners",
                   "name the widths to plan");
    }
    const auto reduces = [&](std::size_t s) {
        const auto& reduction = cycle_[specs_.size() - 1][s].reduction;
        return reduction && reduction->value == demand.cells;
    };
    for (std::size_t s = 0; s < specs_.back().size(); ++s)
        if (reduces(s)) return;
    user_error(subject, "a demand that no stage before it reduces", "the value of a reduction of this step",
               "let a stage before it find what is demanded");
}

int StepStages::number_of(const Domain& domain, const Stage& stage, AnyField* field) {
    if (field == nullptr) {
        user_error("stage " + stage.name, "a field that is null", "fields of this domain",
                   "pass the address of a field that outlives the step");
    }
    const auto& mine = domain.partition().subdomains_of(domain.rank());
    const auto& blocks = field->blocks();
    const bool ours =
        std::ranges::equal(mine, blocks, {}, {}, &Block::subdomain) &&
        std::ranges::all_of(blocks, [&](const Block& block) {
            return block.owned == field->spec().with_levels(domain.partition().subdomain(block.subdomain).box);
        });
    if (!ours) {
        user_error("stage " + stage.name, "field " + field->spec().name + " of another domain", "fields of this domain",
                   "make the field from the partition of the step's domain");
    }
    const auto known = std::ranges::find(fields_, field) - fields_.begin();
    if (known == std::ssize(fields_)) {
        fields_.push_back(field);
        demands_.emplace_back();
        read_around_.push_back(false);
    }
    return static_cast<int>(known);
}

namespace {

// Each thread has contexts of its own, and so a kernel that no other thread calls at the same time.
void make_contexts(std::size_t boxes, int threads, Stage& stage) {
    for (int thread = 0; thread < threads; ++thread) {
        for (auto& context : stage.make_contexts(boxes)) {
            stage.contexts.push_back(context.get());
            stage.kept.push_back(std::move(context));
        }
    }
    stage.make_contexts = nullptr;
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

void add_return(Domain& domain, const std::string& transport, Stage& stage) {
    const auto use = std::ranges::find(stage.uses, true, &FieldUse::scattered);
    auto home = std::make_shared<ScatterReturn>(domain, *use, transport);
    stage.collective = {[](void* given) {
                            auto& back = *static_cast<ScatterReturn*>(given);
                            back.exchange.run(back.kept, back.size);
                        },
                        home.get(), &home->exchange.plan()};
    stage.kept.push_back(std::move(home));
}

}  // namespace

void StepStages::bind(Domain& domain, const std::string& transport, int threads) {
    const std::size_t boxes = domain.partition().subdomains_of(domain.rank()).size();
    std::vector<Stage*> returning;
    together(domain.comm(), [&] {
        for (Stages& stages : cycle_) {
            for (Stage& stage : stages) {
                if (is_to_return(stage)) returning.push_back(&stage);
                if (stage.make_contexts) make_contexts(boxes, threads, stage);
            }
        }
    });
    for (Stage* stage : returning) add_return(domain, transport, *stage);
}

const Schedule& StepStages::schedule(const Strategy& strategy) const {
    const auto known = schedules_.find(strategy.repetitions);
    if (known != schedules_.end()) return known->second;
    Schedule made = schedule_for(specs_, static_cast<int>(fields_.size()), strategy, pairs_);
    return schedules_.emplace(strategy.repetitions, std::move(made)).first->second;
}

void StepStages::find_pairs() {
    const std::vector<std::string> names = field_names();
    for (const AnyField* field : fields_) {
        const FieldSpec& spec = field->spec();
        const auto other = spec.paired() ? std::ranges::find(names, spec.other_of_pair()) : names.end();
        pairs_.push_back(other == names.end() ? -1 : static_cast<int>(other - names.begin()));
    }
}

std::vector<std::string> StepStages::field_names() const {
    std::vector<std::string> names;
    for (const AnyField* field : fields_) names.push_back(field->spec().name);
    return names;
}

}  // namespace lapwing
