#include "lapwing/step/typed_stage.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

Extent along(Axis axis, int lower, int upper) {
    Extent extent;
    extent.lo[axis] = lower;
    extent.hi[axis] = upper;
    return extent;
}

// The stages of a cycle as numbers, and the fields by these.
struct Numbered {
    std::vector<std::shared_ptr<DeclaredField>> fields;
    Cycle cycle;
};

int number_of(Numbered& numbered, const Domain& domain, const DeclaredStage& stage,
              const std::shared_ptr<DeclaredField>& field) {
    if (&field->domain() != &domain) {
        user_error("stage " + stage.name(), "field " + field->spec().name + " of another domain",
                   "fields of the step's domain", "declare the field on the domain that the step is made on");
    }
    const auto known = std::ranges::find(numbered.fields, field) - numbered.fields.begin();
    if (known == std::ssize(numbered.fields)) numbered.fields.push_back(field);
    return static_cast<int>(known);
}

void require_once(const DeclaredStage& stage) {
    if (stage.uses().empty()) {
        user_error("stage " + stage.name(), "no field", "at least one that it reads or writes",
                   "declare what the kernel does: reads(f), writes(f) or updates(f)");
    }
    for (const DeclaredStage::Use& use : stage.uses()) {
        const auto same = [&](const DeclaredStage::Use& other) {
            return other.field == use.field && other.written == use.written;
        };
        if (std::ranges::count_if(stage.uses(), same) < 2) continue;
        user_error("stage " + stage.name(), "field " + use.field->spec().name + " named twice", "each field once",
                   "unite its extents in one declaration");
    }
}

StageSpec spec_of(Numbered& numbered, const Domain& domain, const DeclaredStage& declared) {
    require_once(declared);
    std::vector<std::shared_ptr<void>> none;
    const Stage stage = declared.bound(0, none);  // of no box: its options
    StageSpec spec;
    spec.name = stage.name;
    spec.region = stage.region;
    spec.in_place = stage.in_place;
    spec.rim = stage.rim;
    spec.reduces = stage.reduction.has_value();
    spec.repeats = stage.repeats;
    for (const DeclaredStage::Use& use : declared.uses()) {
        const int number = number_of(numbered, domain, declared, use.field);
        if (use.written) spec.writes.push_back(number);
        if (!use.written) spec.reads.push_back({number, use.extent});
    }
    return spec;
}

Numbered numbered_stages(const Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle) {
    Numbered numbered;
    for (const auto& stages : cycle) {
        std::vector<StageSpec> specs;
        for (const DeclaredStage& stage : stages) specs.push_back(spec_of(numbered, domain, stage));
        numbered.cycle.push_back(std::move(specs));
    }
    return numbered;
}

// The shortest side of any box, along the axes that are cut.
Index narrowest(const Partition& partition) {
    Index least = std::ranges::max(partition.grid().size);
    for (const Subdomain& subdomain : partition.subdomains()) {
        for (int axis = 0; axis < 3; ++axis)
            if (partition.grid().size[axis] > 1) least = std::min(least, subdomain.box.size(axis));
    }
    return least;
}

int widest(const std::vector<Extent>& widths) {
    int most = 0;
    for (const Extent& extent : widths)
        most = std::max({most, std::ranges::max(extent.lo), std::ranges::max(extent.hi)});
    return most;
}

// Halos for the deepest repetition that `auto` may try: one that boxes are several times as wide as.
std::vector<Extent> widths_for_auto(const Numbered& numbered, const Partition& partition) {
    constexpr int share = 4;
    const int fields = static_cast<int>(numbered.fields.size());
    std::vector<Extent> widths = halo_widths(numbered.cycle, fields, late_schedule(numbered.cycle, fields));
    for (const int repetitions : {8, 4, 2, 1}) {
        const auto deep = halo_widths(numbered.cycle, fields, deep_schedule(numbered.cycle, fields, repetitions));
        if (share * widest(deep) > narrowest(partition)) continue;
        std::ranges::transform(widths, deep, widths.begin(), unite);
        break;
    }
    return widths;
}

std::vector<Extent> widths_for(const Numbered& numbered, const Partition& partition, const std::string& name) {
    const Strategy strategy = parse_strategy(name);
    if (strategy.automatic) return widths_for_auto(numbered, partition);
    const int fields = static_cast<int>(numbered.fields.size());
    return halo_widths(numbered.cycle, fields, schedule_for(numbered.cycle, fields, strategy));
}

}  // namespace

Extent ahead(Axis axis, int cells) { return along(axis, 0, cells); }
Extent behind(Axis axis, int cells) { return along(axis, cells, 0); }
Extent around(int cells) { return Extent::horizontal(cells); }
Extent cross(int cells) { return Extent::cross(cells); }

Extent combined(const std::vector<Extent>& extents) {
    Extent all;
    all.corners = extents.empty() || std::ranges::any_of(extents, &Extent::corners);
    for (const Extent& extent : extents) {
        std::ranges::transform(all.lo, extent.lo, all.lo.begin(), std::ranges::max);
        std::ranges::transform(all.hi, extent.hi, all.hi.begin(), std::ranges::max);
    }
    return all;
}

Reduced maximum() { return Reduced(Reduction::Kind::maximum); }
Reduced minimum() { return Reduced(Reduction::Kind::minimum); }

DeclaredStage DeclaredStage::on(const Box& region) const {
    DeclaredStage stage = *this;
    stage.region_ = region;
    return stage;
}

DeclaredStage DeclaredStage::rim(const Extent& extent) const {
    DeclaredStage stage = *this;
    stage.rim_ = extent;
    return stage;
}

DeclaredStage DeclaredStage::in_any_order() const {
    DeclaredStage stage = *this;
    stage.in_any_order_ = true;
    return stage;
}

DeclaredStage DeclaredStage::repeats(int stages) const {
    DeclaredStage stage = *this;
    stage.repeats_ = stages;
    return stage;
}

Stage DeclaredStage::bound(std::size_t boxes, std::vector<std::shared_ptr<void>>& kept) const {
    Stage stage;
    stage.name = name_;
    stage.kernel = kernel_;
    stage.region = region_;
    stage.rim = rim_;
    stage.in_place = in_any_order_;
    stage.repeats = repeats_;
    if (reduced_) {
        stage.reduction = reduced_->reduction();
        kept.push_back(reduced_->keep());
    }
    if (boxes == 0) return stage;
    for (auto& context : contexts_(boxes)) {
        stage.contexts.push_back(context.get());
        kept.push_back(std::move(context));
    }
    return stage;
}

BoundStages bind(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const std::string& strategy) {
    BoundStages made;
    together(domain.comm(), [&] {
        const Numbered numbered = numbered_stages(domain, cycle);
        const std::vector<Extent> widths = widths_for(numbered, domain.partition(), strategy);
        for (std::size_t f = 0; f < widths.size(); ++f) {
            if (!numbered.fields[f]->has_memory()) numbered.fields[f]->allocate(widths[f]);
            made.kept.push_back(numbered.fields[f]);
        }
        const std::size_t boxes = domain.partition().subdomains_of(domain.rank()).size();
        for (std::size_t n = 0; n < cycle.size(); ++n) {
            std::vector<Stage>& stages = made.cycle.emplace_back();
            for (std::size_t s = 0; s < cycle[n].size(); ++s) {
                stages.push_back(cycle[n][s].bound(boxes, made.kept));
                for (const DeclaredStage::Use& use : cycle[n][s].uses()) {
                    if (use.written) stages.back().writes.push_back(&use.field->memory());
                    if (!use.written) stages.back().reads.push_back({&use.field->memory(), use.extent});
                }
            }
        }
    });
    return made;
}

}  // namespace lapwing
