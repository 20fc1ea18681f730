#include "lapwing/exchange/transpose.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "exchange/transport_choice.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr const char* variable = "LAPWING_TRANSPOSE_METHOD";

constexpr std::array<std::string_view, 5> methods{"p2p", "alltoallv", "alltoallw", "onesided", "shared"};

void check_method(std::string_view name, const std::string& method) {
    const std::vector<std::string> known = transpose_methods();
    if (std::ranges::find(known, method) != known.end()) return;
    user_error(name, method, "one of: " + listed(known), "choose a method by its name, or auto");
}

void say_once(int rank, const std::string& method) {
    static bool said = false;  // one for the process, as the environment is
    if (rank == 0 && !said) std::fprintf(stderr, "lapwing: transposes run by %s (%s)\n", method.c_str(), variable);
    said = true;
}

// The method that the program or else the environment requests. Local.
std::string requested(const TransposeOptions& options, int rank) {
    check_method("method of the transpose", options.method);
    const char* text = std::getenv(variable);
    if (options.method != "auto" || text == nullptr || *text == '\0') return options.method;
    check_method(variable, text);
    if (std::string_view(text) != "auto") say_once(rank, text);
    return text;
}

void check_blocks(const AnyField& field, const Partition& partition, int rank, const char* side) {
    const std::vector<int>& mine = partition.subdomains_of(rank);
    bool fits = field.blocks().size() == mine.size();
    for (std::size_t b = 0; fits && b < mine.size(); ++b) {
        const Block& block = field.blocks()[b];
        const Box owned = field.spec().levels > 0 && partition.grid().size[2] > 1
                              ? partition.subdomain(mine[b]).box
                              : field.spec().with_levels(partition.subdomain(mine[b]).box);
        fits = block.subdomain == mine[b] && block.owned == owned;
    }
    if (fits) return;
    const auto boxes = [](const std::string& all) { return all.empty() ? "no box" : "boxes " + all; };
    user_error(concat(side, " ", field.spec().name, " of the transpose"),
               boxes(listed(field.blocks(), ", ", &Block::owned)),
               concat(boxes(listed(mine, ", ", [&](int s) { return partition.subdomain(s).box; })), " on rank ", rank),
               "make the field on the distribution that it is moved from or to");
}

// `flat`: the grid has no z axis, so that the fields have the levels.
void check_pair(const AnyField& source, const AnyField& target, bool flat) {
    const auto described = [&](const FieldSpec& spec) {
        return concat(spec.name, " (", spec.type, ", ", spec.components, " components",
                      flat ? concat(", ", spec.levels, " levels)") : ")");
    };
    const bool alike = source.spec().type == target.spec().type &&
                       source.spec().components == target.spec().components &&
                       (!flat || source.spec().levels == target.spec().levels);
    if (alike && &source != &target) return;
    user_error("fields of a transpose", described(source.spec()) + " and " + described(target.spec()),
               "two fields of one type and number of components and levels",
               "give a target that is made like its source");
}

void check_groups(int groups) {
    if (groups >= 1 && groups <= most_groups) return;
    user_error("groups of a transpose", groups, concat("1 to ", most_groups), "leave it out for one");
}

void check_fields(const Domain& domain, const Partition& from, const Partition& to,
                  std::span<const AnyField* const> sources, std::span<const AnyField* const> targets) {
    if (sources.size() != targets.size() || sources.empty()) {
        user_error("fields of a transpose", concat(sources.size(), " sources, ", targets.size(), " targets"),
                   "as many of each, and one at least", "give a target for each source");
    }
    for (const Partition* side : {&from, &to}) {
        if (side->ranks() == domain.ranks()) continue;
        user_error("ranks of a transpose", side->ranks(), concat(domain.ranks(), ", those of the domain"),
                   "make the distributions for the ranks that run");
    }
    for (std::size_t f = 0; f < sources.size(); ++f) {
        check_pair(*sources[f], *targets[f], from.grid().size[2] == 1);
        check_blocks(*sources[f], from, domain.rank(), "source");
        check_blocks(*targets[f], to, domain.rank(), "target");
    }
}

// The fields as the plan moves them: values stored in the order of the targets.
std::vector<FieldSpec> moved(const Partition& from, std::span<const AnyField* const> targets) {
    std::vector<FieldSpec> specs = specs_of(targets);
    for (FieldSpec& spec : specs) {
        spec.extents = {{}};
        if (from.grid().size[2] > 1) spec.levels = 0;  // the z axis of the grid, whatever memory calls it
    }
    return specs;
}

std::string cells_and_fields(const MessagePlan& plan, const TransposeOptions& options) {
    std::string text = concat(options.groups, " groups");
    if (options.active) text += concat(", active ", *options.active);
    for (const FieldSpec& field : plan.fields) text += concat(" | ", field);
    return text;
}

// Pieces with the same levels put together, where they fill a box.
std::vector<Box> boxes_of(const std::vector<Box>& pieces) {
    struct Union {
        std::vector<Box> parts;
        Box around;
        Index cells = 0;
    };
    std::map<std::pair<Index, Index>, Union> by_levels;
    for (const Box& piece : pieces) {
        Union& all = by_levels[{piece.lo[2], piece.hi[2]}];
        all.parts.push_back(piece);
        all.around = hull(all.around, piece);
        all.cells += piece.volume();
    }
    std::vector<Box> boxes;
    for (const auto& [levels, all] : by_levels) {
        if (all.cells == all.around.volume()) {
            boxes.push_back(all.around);
        } else {
            boxes.insert(boxes.end(), all.parts.begin(), all.parts.end());
        }
    }
    return boxes;
}

// Boxes of the first field that `messages` and the copies move, by the subdomain that `holder` tells.
std::vector<Box> boxes_moved(const Phase& phase, const std::vector<Message>& messages, int Piece::* holder) {
    std::map<int, std::vector<Box>> pieces;
    const auto note = [&](const Piece& piece) {
        if (piece.field == 0) pieces[piece.*holder].push_back(piece.source_box);
    };
    for (const Message& message : messages) std::ranges::for_each(message.pieces, note);
    std::ranges::for_each(phase.copies, note);
    std::vector<Box> boxes;
    for (const auto& [subdomain, of_subdomain] : pieces) {
        for (const Box& box : boxes_of(of_subdomain)) boxes.push_back(box);
    }
    return boxes;
}

}  // namespace

std::vector<std::string> transpose_methods() {
    std::vector<std::string> names{"auto"};
    names.insert(names.end(), methods.begin(), methods.end());
    return names;
}

Transpose::Transpose(Domain& domain, const Partition& from, const Partition& to,
                     std::span<const AnyField* const> sources, std::span<const AnyField* const> targets,
                     const TransposeOptions& options) {
    const MPI_Comm comm = domain.comm();
    std::vector<MessagePlan> plans;
    MessagePlan whole;
    together(comm, [&] {
        method_ = requested(options, domain.rank());
        check_groups(options.groups);
        check_fields(domain, from, to, sources, targets);
        const std::vector<FieldSpec> fields = moved(from, targets);
        whole = transpose_plan(from, to, domain.rank(), fields, {options.active});
        for (int group = 0; group < options.groups; ++group) {
            plans.push_back(transpose_plan(from, to, domain.rank(), fields, {options.active, options.groups, group}));
        }
    });
    require_same(comm, "method of the transpose", method_);
    require_same(comm, "source of the transpose", listed_boxes(from));
    require_same(comm, "target of the transpose", listed_boxes(to));
    require_same(comm, "cells and fields of the transpose", cells_and_fields(whole, options));
    bool in_place = true;
    if (method_ == "auto") {
        const TransportChoice choice = fastest_transport(domain, methods, whole, sources, targets);
        method_ = choice.transport;
        choice_ = choice.why;
        in_place = choice.in_place;
    }
    for (MessagePlan& plan : plans) {
        source_boxes_.push_back(boxes_moved(plan.phases[0], plan.phases[0].sends, &Piece::source));
        target_boxes_.push_back(boxes_moved(plan.phases[0], plan.phases[0].receives, &Piece::target));
        exchanges_.push_back(
            std::make_unique<Exchange>(domain, Route{std::move(plan), method_, in_place}, sources, targets));
    }
}

Exchange& Transpose::exchange(int group) const {
    if (group >= 0 && group < groups()) return *exchanges_[group];
    user_error("group of a transpose", group, concat("0 <= group < ", groups()), "make it with more groups");
}

void Transpose::start() {
    for (const auto& one : exchanges_) {
        if (one->active())
            user_error("start of a transpose", "a start while a former one is unfinished", "a wait before it",
                       "call wait, or start_group for what has not been started");
    }
    for (int group = 0; group < groups(); ++group) start_group(group);
}

void Transpose::start_group(int group) { static_cast<void>(exchange(group).start()); }

bool Transpose::test() {
    bool complete = true;
    for (const auto& one : exchanges_) complete &= !one->active() || one->pending().test();
    return complete;
}

void Transpose::wait_group(int group) { exchange(group).pending().wait(); }

void Transpose::wait() {
    for (int group = 0; group < groups(); ++group) wait_group(group);
}

void Transpose::run() {
    start();
    wait();
}

const std::vector<Box>& Transpose::source_boxes(int group) const {
    static_cast<void>(exchange(group));  // throws for another number
    return source_boxes_[group];
}

const std::vector<Box>& Transpose::target_boxes(int group) const {
    static_cast<void>(exchange(group));
    return target_boxes_[group];
}

Index Transpose::buffer_bytes() const {
    Index sum = 0;
    for (const auto& one : exchanges_) sum += one->buffer_bytes();
    return sum;
}

TransposeCensus Transpose::census() const {
    TransposeCensus sum;
    for (const auto& one : exchanges_) sum += census_of(one->plan());
    return sum;
}

std::string to_string(const Transpose& transpose) {
    const TransposeCensus census = transpose.census();
    return concat("Transpose(", transpose.method(), ", ", listed(transpose.plan().fields, " ", &FieldSpec::name),
                  transpose.groups() > 1 ? concat(", ", transpose.groups(), " groups") : "", "; ", census.messages,
                  " messages, ", census.bytes, " bytes out, ", census.copied, " copied, ", transpose.buffer_bytes(),
                  " bytes of buffers)");
}

}  // namespace lapwing
