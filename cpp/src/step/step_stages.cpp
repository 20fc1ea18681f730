#include "lapwing/step/step_stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

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

std::vector<Stage> repeated(const std::vector<Stage>& stages, int times) {
    std::vector<Stage> all;
    for (int n = 0; n < times; ++n) {
        for (const Stage& stage : stages) {
            all.push_back(stage);
            if (stage.iteration < 0) all.back().iteration = n;
        }
    }
    return all;
}

namespace {

// True if one was found.
bool exchange_after(std::vector<Stage>& stages, const ListedExchange& listed, const Extent& extent) {
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

void exchange_after(std::vector<std::vector<Stage>>& cycle, std::span<const ListedExchange> listed,
                    const Extent& extent) {
    for (const ListedExchange& one : listed) {
        bool found = false;
        for (auto& stages : cycle) found = exchange_after(stages, one, extent) || found;
        if (!found)
            user_error("exchange of " + one.field + " after " + one.stage, "no stage of this name",
                       "a stage of the step", "look at the names that `lapwing plan` prints");
    }
}

StepStages::StepStages(const Domain& domain, std::vector<std::vector<Stage>> cycle) : cycle_(std::move(cycle)) {
    for (const auto& stages : cycle_) {
        name_of_.emplace_back();
        specs_.emplace_back();
        for (const Stage& stage : stages) number_stage(domain, stage);
    }
}

namespace {

// The first cells that a stage computes would change what the next ones read.
void require_apart(const Stage& stage) {
    if (stage.in_place) return;
    for (const FieldRead& read : stage.reads) {
        if (read.extent.empty() || std::ranges::count(stage.writes, read.field) == 0) continue;
        user_error("stage " + stage.name,
                   concat("field ", read.field->spec().name, " read with extent ", read.extent, " and written"),
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
    if (stage.kernel == nullptr || stage.contexts.size() != boxes) {
        user_error(name, concat(stage.contexts.size(), " contexts"),
                   concat("a kernel and ", boxes, " contexts, one per owned box"),
                   "give every box of this rank its context");
    }
    if (stage.repeats < 0 || stage.repeats > before + 1 || (stage.repeats > 0 && !stage.reduction)) {
        user_error(name, concat(stage.repeats, " stages to repeat", stage.reduction ? "" : ", without a reduction"),
                   "at most those of its step up to itself, and a reduction that is not above 0 in the end",
                   "let the last stage of the loop reduce what says whether to go on");
    }
}

// A stage ends with one thing of all ranks, which is about owned cells.
void require_one_end(const Stage& stage) {
    const std::string name = "stage " + stage.name;
    if (stage.reduction && (stage.reduction->partial == nullptr || stage.reduction->value == nullptr)) {
        user_error(name, "a reduction without room for its numbers", "two addresses",
                   "point partial and value to numbers that outlive the step");
    }
    if (stage.collective && (stage.collective->work == nullptr || stage.reduction)) {
        user_error(name, stage.reduction ? "a reduction and other work at its end" : "work that is null",
                   "one of them, and a function to call", "give the reduction to a stage after it");
    }
    if ((stage.collective || stage.reduction) && !stage.rim.empty()) {
        user_error(
            name,
            concat(stage.collective ? "work of all ranks" : "a reduction", " at its end and a rim of ", stage.rim),
            "no rim: that is about owned cells only", "let its results travel");
    }
}

}  // namespace

void StepStages::number_stage(const Domain& domain, const Stage& stage) {
    require_possible(stage, domain.partition().subdomains_of(domain.rank()).size(), std::ssize(specs_.back()));
    require_one_end(stage);
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
    spec.rim = stage.rim;
    spec.reduces = stage.reduction || stage.collective;
    spec.repeats = stage.repeats;
    spec.iteration = stage.iteration;
    spec.collective = stage.collective.has_value();
    for (const FieldRead& read : stage.reads) {
        spec.reads.push_back(numbered_read(domain, stage, read));
        const FieldSpec& field = read.field->spec();
        if (field.extents.size() > 1 && !covers(read.extent, field.largest_extent())) spec.owned_only = true;
    }
    if (spec.owned_only && !stage.rim.empty()) {
        user_error("stage " + stage.name, concat("a rim of ", stage.rim, " and a read of some components only"),
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

std::vector<std::string> StepStages::field_names() const {
    std::vector<std::string> names;
    for (const AnyField* field : fields_) names.push_back(field->spec().name);
    return names;
}

}  // namespace lapwing
