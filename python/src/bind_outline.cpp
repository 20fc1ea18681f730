// The outline of a step, as an object and as plain data: what programs outside of lapwing read of a step.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "bindings.hpp"
#include "lapwing/step/outline.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

constexpr std::array kinds{"start", "arrive", "compute", "reduce"};

// ---- to plain data

nb::tuple data_of(const Box& box) { return nb::make_tuple(box.lo, box.hi); }

nb::list data_of(const std::vector<MessageOutline>& messages) {
    nb::list data;
    for (const MessageOutline& one : messages) data.append(nb::make_tuple(one.peer, one.bytes, one.rows));
    return data;
}

nb::dict data_of(const PhaseOutline& phase) {
    nb::dict data;
    data["sends"] = data_of(phase.sends);
    data["receives"] = data_of(phase.receives);
    data["copied"] = nb::make_tuple(phase.copied_bytes, phase.copied_rows);
    return data;
}

nb::dict data_of(const TaskOutline& outline) {
    const Task& task = outline.task;
    nb::dict data;
    data["kind"] = kinds[static_cast<std::size_t>(task.kind)];
    data["entry"] = task.entry;
    data["ahead"] = task.ahead;
    data["phase"] = task.phase;
    data["block"] = task.block;
    data["box"] = data_of(task.box);
    data["calls"] = task.computed().size();
    data["priority"] = task.priority;
    data["joins"] = nb::make_tuple(task.lower, task.upper);
    data["after"] = task.after;
    data["stage"] = outline.stage;
    data["cells"] = outline.cells;
    data["rows"] = outline.rows;
    return data;
}

nb::dict data_of(const StepOutline& step) {
    nb::dict data;
    nb::list tasks, exchanges, before, left_out;
    data["steps"] = step.steps;
    for (const TaskOutline& task : step.tasks) tasks.append(data_of(task));
    for (const auto& phases : step.exchanges) {
        nb::list of_entry;
        for (const PhaseOutline& phase : phases) of_entry.append(data_of(phase));
        exchanges.append(of_entry);
    }
    for (const char one : step.from_before) before.append(one != 0);
    data["in_order"] = step.in_order;
    data["names"] = step.names;
    data["from_before"] = before;
    for (const LeftOut& one : step.left_out) left_out.append(nb::make_tuple(one.tiles, one.cells));
    data["left_out"] = left_out;
    data["later"] = step.later;
    data["reads"] = step.reads;
    data["writes"] = step.writes;
    data["tasks"] = tasks;
    data["exchanges"] = exchanges;
    return data;
}

nb::dict data_of(const RankOutline& outline) {
    nb::dict data;
    nb::list fields, steps, regions;
    for (const FieldOutline& field : outline.fields) fields.append(nb::make_tuple(field.name, field.bytes));
    for (const Box& box : outline.regions) regions.append(data_of(box));
    for (const StepOutline& step : outline.steps) steps.append(data_of(step));
    data["rank"] = outline.rank;
    data["peers"] = outline.peers;
    data["fields"] = fields;
    data["stages"] = outline.stages;
    data["unknown"] = outline.unknown;
    data["regions"] = regions;
    data["steps"] = steps;
    return data;
}

// ---- and back

template <class Value>
Value get(const nb::handle& data, const char* key) {
    return nb::cast<Value>(data[key]);
}

Box box_of(const nb::handle& data) {
    return {nb::cast<decltype(Box::lo)>(data[0]), nb::cast<decltype(Box::hi)>(data[1])};
}

std::vector<MessageOutline> messages_of(const nb::handle& data) {
    std::vector<MessageOutline> messages;
    for (const auto& one : nb::cast<std::vector<std::array<Index, 3>>>(data))
        messages.push_back({static_cast<int>(one[0]), one[1], one[2]});
    return messages;
}

PhaseOutline phase_of(const nb::handle& data) {
    const auto copied = get<std::array<Index, 2>>(data, "copied");
    return {messages_of(data["sends"]), messages_of(data["receives"]), copied[0], copied[1]};
}

TaskOutline task_of(const nb::handle& data) {
    TaskOutline outline;
    const auto kind = std::ranges::find(kinds, get<std::string>(data, "kind"));
    const auto joins = get<std::array<int, 2>>(data, "joins");
    outline.task = {.kind = static_cast<Task::Kind>(kind - kinds.begin()),
                    .entry = get<int>(data, "entry"),
                    .ahead = get<bool>(data, "ahead"),
                    .phase = get<int>(data, "phase"),
                    .block = get<int>(data, "block"),
                    .box = box_of(data["box"]),
                    .priority = get<int>(data, "priority"),
                    .lower = joins[0],
                    .upper = joins[1],
                    .after = get<std::vector<int>>(data, "after")};
    outline.stage = get<int>(data, "stage");
    outline.cells = get<double>(data, "cells");
    outline.rows = get<double>(data, "rows");
    return outline;
}

StepOutline step_of(const nb::handle& data) {
    StepOutline step;
    step.steps = get<int>(data, "steps");
    step.later = get<std::vector<int>>(data, "later");
    step.reads = get<std::vector<std::vector<int>>>(data, "reads");
    step.writes = get<std::vector<std::vector<int>>>(data, "writes");
    step.in_order = get<bool>(data, "in_order");
    step.names = get<std::vector<std::string>>(data, "names");
    for (const bool one : get<std::vector<bool>>(data, "from_before")) step.from_before.push_back(one ? 1 : 0);
    for (const nb::handle task : data["tasks"]) step.tasks.push_back(task_of(task));
    for (const nb::handle entry : data["exchanges"]) {
        step.exchanges.emplace_back();
        for (const nb::handle phase : entry) step.exchanges.back().push_back(phase_of(phase));
    }
    return step;
}

RankOutline outline_from(const nb::dict& data) {
    try {
        RankOutline outline;
        outline.rank = get<int>(data, "rank");
        outline.peers = get<std::vector<int>>(data, "peers");
        for (const nb::handle field : data["fields"])
            outline.fields.push_back({nb::cast<std::string>(field[0]), nb::cast<Index>(field[1])});
        outline.stages = get<std::vector<std::string>>(data, "stages");
        outline.unknown = get<std::vector<std::string>>(data, "unknown");
        for (const nb::handle box : data["regions"]) outline.regions.push_back(box_of(box));
        for (const nb::handle step : data["steps"]) outline.steps.push_back(step_of(step));
        return outline;
    } catch (const nb::cast_error&) {
    } catch (const nb::python_error&) {
    }
    user_error("description of a rank", "values that are missing or of another type", "what RankOutline.data returns",
               "write it again with `lapwing plan --json`");
}

// ---- sums

template <class Count>
double per_step(const RankOutline& outline, Count count) {
    double sum = 0;
    for (const StepOutline& step : outline.steps)
        for (const auto& phases : step.exchanges) sum += count(phases);
    return sum / steps_of(outline);
}

double messages_per_step(const RankOutline& outline) {
    return per_step(outline, [](const std::vector<PhaseOutline>& phases) {
        double sum = 0;
        for (const PhaseOutline& phase : phases) sum += static_cast<double>(phase.sends.size());
        return sum;
    });
}

// Bytes that each peer is sent per step.
std::map<int, double> sent_to(const RankOutline& outline) {
    std::map<int, double> sent;
    for (const int peer : outline.peers)
        sent[peer] = per_step(outline, [&](const std::vector<PhaseOutline>& phases) {
            double sum = 0;
            for (const PhaseOutline& phase : phases)
                for (const MessageOutline& message : phase.sends)
                    if (message.peer == peer) sum += static_cast<double>(message.bytes);
            return sum;
        });
    std::erase_if(sent, [](const auto& one) { return one.second == 0; });
    return sent;
}

double bytes_per_step(const RankOutline& outline) {
    double sum = 0;
    for (const auto& [peer, bytes] : sent_to(outline)) sum += bytes;
    return sum;
}

}  // namespace

void lapwing::python::bind_outline(nb::module_& m) {
    nb::class_<RankOutline>(m, "RankOutline", "What a rank does in the steps of its steady state, as numbers.")
        .def_static("of", &outline_from, "data"_a, nb::sig("def of(data: dict[str, object]) -> RankOutline"),
                    "The outline of plain data that `data` returned. Local. Raises UserError for anything else.")
        .def(
            "data", [](const RankOutline& outline) { return data_of(outline); },
            nb::sig("def data(self) -> dict[str, object]"),
            "All of it as dicts, lists and numbers, as `lapwing plan --json` writes them. Local.")
        .def_ro("rank", &RankOutline::rank, "The rank that it was made of.")
        .def_ro("peers", &RankOutline::peers, "Ranks that it exchanges messages with, ascending.")
        .def_ro("stages", &RankOutline::stages, "The distinct names of the stages.")
        .def_ro("regions", &RankOutline::regions, "Boxes of stages that compute some cells only.")
        .def_ro("unknown", &RankOutline::unknown, "Stages with work of all ranks, or loops, that tasks do not show.")
        .def_prop_ro(
            "steps", [](const RankOutline& o) { return steps_of(o); }, "Steps after which all repeats.")
        .def_prop_ro(
            "nodes", [](const RankOutline& o) { return o.steps.size(); },
            "Task lists after which all repeats: of each step, or of several that tiles go through together.")
        .def_prop_ro("messages", &messages_per_step, "Messages sent per step.")
        .def_prop_ro("bytes", &bytes_per_step, "Bytes sent per step.")
        .def_prop_ro("sent_to", &sent_to, "Bytes sent per step, by peer.")
        .def_prop_ro(
            "exchanges",
            [](const RankOutline& o) {
                return per_step(o, [](const std::vector<PhaseOutline>& phases) { return phases.empty() ? 0.0 : 1.0; });
            },
            "Rounds of messages per step.");
    m.def("outline_of", &outline_of, "step"_a, "domain"_a,
          "What the rank of the domain does in a step: the task lists and messages that it would run. Local.");
}
