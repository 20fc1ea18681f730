#include "lapwing/step/step.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing::c {

namespace {

// A kernel of C on one box, with the views that it is called with: made once, not per call.
struct BoundKernel {
    lapwing_kernel kernel;
    void* context;
    std::vector<lapwing_view> views;

    static void call(void* self, Box box) {
        const auto& bound = *static_cast<const BoundKernel*>(self);
        const lapwing_box cells = given_box(box);
        bound.kernel(bound.context, &cells, bound.views.data());
    }
};

lapwing_view view_of(const AnyField& field, std::size_t box) {
    const Block& memory = field.blocks()[box];
    const auto bytes = static_cast<Index>(size_of(field.spec().type));
    lapwing_block block{memory.data, {}, given_box(memory.allocated), {}};
    for (int a = 0; a < 4; ++a) block.strides[a] = memory.strides[a] / bytes;
    return lapwing_view_of(&block);
}

// The demand of a use, by the number that a stage before it reduces.
void demand(FieldUse& use, const lapwing_use& given) {
    if (given.wide_as == nullptr) return;
    const Reduced& number = needed(given.wide_as, "number of a stage").number;
    std::vector<int> widths;
    for (const int width : given.widths)
        if (width != 0) widths.push_back(width);
    use.demand = {number.reduction().value, std::move(widths)};
    use.keep = number.keep();
}

FieldUse use_of(const lapwing_use& given) {
    if (given.access < LAPWING_READS || given.access > LAPWING_SCATTERS) {
        user_error("access of a stage to a field", given.access, "LAPWING_READS, _WRITES, _UPDATES or _SCATTERS",
                   "pass one of these");
    }
    const lapwing_field& field = needed(given.field, "field of a stage");
    const bool reads_around = given.access == LAPWING_READS || given.access == LAPWING_SCATTERS;
    FieldUse use{.domain = field.domain.get(),
                 .field = field.field,
                 .read = given.access != LAPWING_WRITES,
                 .written = given.access != LAPWING_READS,
                 .scattered = given.access == LAPWING_SCATTERS,
                 .extent = reads_around ? extent_of(given.extent) : Extent{}};
    demand(use, given);
    return use;
}

std::vector<FieldUse> uses_of(const lapwing_stage& stage) {
    std::vector<FieldUse> uses;
    for (int n = 0; n < stage.use_count; ++n) uses.push_back(use_of((&needed(stage.uses, "uses of a stage"))[n]));
    return uses;
}

MakeContexts contexts_of(const lapwing_stage& stage, const std::vector<FieldUse>& uses) {
    return [kernel = stage.kernel, context = stage.context, uses](std::size_t boxes) {
        std::vector<std::shared_ptr<void>> all;
        for (std::size_t b = 0; b < boxes; ++b) {
            auto bound = std::make_shared<BoundKernel>(BoundKernel{kernel, context, {}});
            for (const FieldUse& use : uses) bound->views.push_back(view_of(*use.field, b));
            all.push_back(std::move(bound));
        }
        return all;
    };
}

Stage declared(const lapwing_stage& stage) {
    const std::string name = &needed(stage.name, "name of a stage");
    if (stage.kernel == nullptr) {
        user_error("kernel of stage " + name, "null", "a function", "set the member `kernel` of the stage");
    }
    Stage made{.name = name, .reads = {}, .writes = {}, .kernel = &BoundKernel::call, .contexts = {}};
    for (const FieldUse& use : uses_of(stage)) made.declare(use);
    if (stage.iteration < 0) {
        user_error("iteration of stage " + name, stage.iteration, "0, or from 1 in a loop", "number iterations from 1");
    }
    if (stage.reduces != nullptr) made.declare(needed(stage.reduces, "number of a stage").number);
    made.make_contexts = contexts_of(stage, made.uses);
    if (stage.region != nullptr) made = made.on(box_of(*stage.region));
    if (stage.then != nullptr) made = made.then([then = stage.then, context = stage.context] { then(context); });
    if (stage.in_any_order != 0) made = made.in_any_order();
    made.repeats = std::max(0, stage.repeats);
    made.repeats_above = stage.repeats_above;
    if (const Extent rim = extent_of(stage.rim); !rim.empty()) made.rim_extent = rim;
    made.iteration = stage.iteration - 1;
    return made;
}

// Throws UserError for a stage whose position neither is that of the last stage nor follows it.
void require_in_order(const std::vector<Stages>& cycle, const lapwing_stage& stage) {
    const auto last = static_cast<int>(cycle.size()) - 1;
    if (stage.position == last || stage.position == last + 1) return;
    user_error(concat("position of stage ", &needed(stage.name, "name of a stage")), stage.position,
               concat(last, " or ", last + 1, ", as the stage before it has ", last),
               "give the stages of the first step of the cycle first, then those of the next");
}

// Adds a stage to the last list of a cycle, or to the next, by its position.
void append(std::vector<Stages>& cycle, int position, Stage stage) {
    if (position == static_cast<int>(cycle.size())) cycle.emplace_back();
    cycle.back().push_back(std::move(stage));
}

// The stages as a cycle of lists, by their positions.
std::vector<Stages> cycle_of(const lapwing_stage* stages, int count) {
    std::vector<Stages> cycle(1);
    for (int s = 0; s < count; ++s) {
        const lapwing_stage& stage = (&needed(stages, "stages of a step"))[s];
        require_in_order(cycle, stage);
        append(cycle, stage.position, declared(stage));
    }
    return cycle;
}

// Throws UserError for a step that was finished, to which no stage can be added.
void require_unfinished(const lapwing_step& step) {
    if (step.step == nullptr) return;
    user_error("step", "one that was finished", "one that was begun, and whose stages are being added",
               "add all its stages before lapwing_step_finish, and call it once");
}

// Throws UserError for a step that was begun and not finished.
template <class Handle>
auto& finished(Handle* step) {
    auto& given = needed(step, "step");
    if (given.step == nullptr) {
        user_error("step", "one that was begun and not finished", "a finished one",
                   "call lapwing_step_finish after its stages were added");
    }
    return given;
}

StepOptions given(const lapwing_step_options* options) {
    StepOptions all;
    if (options == nullptr) return all;
    if (options->strategy != nullptr) all.strategy = options->strategy;
    if (options->transport != nullptr) all.transport = options->transport;
    all.threads = options->threads;
    return all;
}

// The steps to run as the library takes them.
int steps_of(int64_t steps) {
    require_running_mpi();
    if (steps < 0 || steps > std::numeric_limits<int>::max()) {
        user_error("steps to run", steps, "0 to 2147483647", "run them in parts");
    }
    return static_cast<int>(steps);
}

int told(lapwing_step* step, const char** text, std::string (StepReport::*tell)() const) {
    return coded([&] {
        lapwing_step& made = finished(step);
        made.text = (made.step->report().*tell)();
        needed(text, "place for the text") = made.text.c_str();
    });
}

// An entry of the census in C; `names` keeps what it says.
lapwing_census_entry entry_of(const CensusEntry& entry, std::deque<std::string>& names) {
    const auto kept = [&](std::string text) { return names.emplace_back(std::move(text)).c_str(); };
    std::vector<FieldShare> needless = entry.fields;
    std::erase_if(needless, [](const FieldShare& field) { return !field.needless; });
    return {.position = entry.position,
            .steady = static_cast<int>(entry.steady),
            .unasked = static_cast<int>(entry.unasked),
            .stage = kept(entry.stage),
            .fields = kept(listed(entry.fields, ", ", &FieldShare::name)),
            .needless = kept(listed(needless, ", ", &FieldShare::name)),
            .messages = entry.messages,
            .bytes = entry.bytes,
            .runs = entry.cost.count,
            .packing = entry.cost.packing,
            .late = entry.cost.late,
            .transfer = entry.cost.transfer};
}

}  // namespace

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

lapwing_view lapwing_view_of(const lapwing_block* block) {
    lapwing_view view{block->data, {}, 0};
    for (int a = 0; a < 4; ++a) view.strides[a] = block->strides[a];
    for (int a = 0; a < 3; ++a) view.origin += block->allocated.lo[a] * block->strides[a];
    return view;
}

int lapwing_reduction_create(int kind, lapwing_reduction** number) {
    return coded([&] {
        if (kind != LAPWING_MINIMUM && kind != LAPWING_MAXIMUM) {
            user_error("kind of a reduction", kind, "LAPWING_MINIMUM or LAPWING_MAXIMUM", "pass one of these");
        }
        needed(number, "place for the number") = new lapwing_reduction{kind == LAPWING_MINIMUM ? minimum() : maximum()};
    });
}

double* lapwing_reduction_partial(lapwing_reduction* number) {
    return alive(number) ? number->number.reduction().partial : nullptr;
}

double lapwing_reduction_value(const lapwing_reduction* number) {
    return alive(number) ? number->number.value() : std::numeric_limits<double>::quiet_NaN();
}

void lapwing_reduction_free(lapwing_reduction* number) { give_up(number); }

int lapwing_step_create(lapwing_domain* domain, const lapwing_stage* stages, int count,
                        const lapwing_step_options* options, lapwing_step** step) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        std::vector<Stages> all;
        together(on->comm(), [&] {
            static_cast<void>(needed(step, "place for the step"));
            all = cycle_of(stages, count);
        });
        *step = new lapwing_step{.domain = on, .step = std::make_unique<Step>(*on, std::move(all), given(options))};
    });
}

int lapwing_step_begin(lapwing_domain* domain, const lapwing_step_options* options, lapwing_step** step) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        together(on->comm(), [&] { static_cast<void>(needed(step, "place for the step")); });
        *step = new lapwing_step{.domain = on, .options = given(options)};
    });
}

int lapwing_step_add(lapwing_step* step, const lapwing_stage* stage) {
    return coded([&] {
        lapwing_step& begun = needed(step, "step");
        std::optional<Stage> made;
        together(begun.domain->comm(), [&] {
            require_unfinished(begun);
            require_in_order(begun.cycle, needed(stage, "stage of a step"));
            made = declared(*stage);
        });
        append(begun.cycle, stage->position, std::move(*made));
    });
}

int lapwing_step_finish(lapwing_step* step) {
    return coded([&] {
        lapwing_step& begun = needed(step, "step");
        together(begun.domain->comm(), [&] { require_unfinished(begun); });
        begun.step = std::make_unique<Step>(*begun.domain, begun.cycle, begun.options);
        begun.cycle.clear();
    });
}

int lapwing_step_run(lapwing_step* step, int64_t steps) {
    return coded([&] {
        Step& made = *finished(step).step;
        made.run(steps_of(steps));
    });
}

int lapwing_step_run_numbered(lapwing_step* step, int64_t steps, void (*set_numbers)(void* context, int64_t step),
                              void* context) {
    return coded([&] {
        lapwing_step& made = finished(step);
        const int count = steps_of(steps);
        together(made.domain->comm(), [&] {
            if (set_numbers != nullptr) return;
            user_error("function that sets the numbers of a step", "null", "a function",
                       "give one, or call lapwing_step_run");
        });
        made.step->run(count, [=](Index number) { set_numbers(context, number); });
    });
}

int lapwing_step_position(const lapwing_step* step) { return alive(step) && step->step ? step->step->position() : -1; }

int lapwing_step_restart_at(lapwing_step* step, int position) {
    return coded([&] { finished(step).step->restart_at(position); });
}

int lapwing_step_check(lapwing_step* step, int on) {
    return coded([&] { finished(step).step->check(on != 0); });
}

int lapwing_step_name_ranges(lapwing_step* step, void (*begin)(void* context, const char* name),
                             void (*end)(void* context, const char* name), void* context) {
    return coded([&] { finished(step).step->name_ranges({begin, end, context}); });
}

int lapwing_step_strategy(lapwing_step* step, const char** text) { return told(step, text, &StepReport::strategy); }

int lapwing_step_describe(lapwing_step* step, const char** text) { return told(step, text, &StepReport::describe); }

int lapwing_step_costs(const lapwing_step* step, lapwing_costs* costs) {
    return coded([&] {
        const StepReport report = finished(step).step->report();
        const StepVolume volume = report.volume();
        const StepTimes times = report.times();
        needed(costs, "place for the costs") = {volume.exchanges, volume.messages,  volume.bytes,
                                                times.steps,      times.halo_start, times.halo_wait};
    });
}

int lapwing_step_observe(lapwing_step* step, int on) {
    return coded([&] {
        Step& made = *finished(step).step;
        require_running_mpi();
        made.observe(on != 0);
    });
}

int lapwing_step_census(lapwing_step* step, const lapwing_census_entry** entries, int* count) {
    return coded([&] {
        lapwing_step& made = finished(step);
        const lapwing_census_entry*& place = needed(entries, "place for the entries");
        int& how_many = needed(count, "place for the count");
        made.census.clear();
        made.names.clear();
        for (const CensusEntry& entry : made.step->report().census())
            made.census.push_back(entry_of(entry, made.names));
        place = made.census.data();
        how_many = static_cast<int>(made.census.size());
    });
}

void lapwing_step_free(lapwing_step* step) { give_up(step); }
