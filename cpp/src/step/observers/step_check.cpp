#include "step/observers/step_check.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

bool contains(const std::vector<Box>& boxes, const Index3& cell) {
    return std::ranges::any_of(boxes, [&](const Box& box) { return box.contains(cell); });
}

bool reads(const StageSpec& stage, int field) { return std::ranges::count(stage.reads, field, &Read::field) > 0; }

// Returns how far a cell lies beyond a box, as the least extent that reaches it from there.
Extent reach(const Box& box, const Index3& cell) {
    Extent extent;
    for (std::size_t a = 0; a < 3; ++a) {
        extent.lo[a] = static_cast<int>(std::max<Index>(0, box.lo[a] - cell[a]));
        extent.hi[a] = static_cast<int>(std::max<Index>(0, cell[a] - box.hi[a] + 1));
    }
    return extent;
}

// A box in halves along x and y, as strategies may cut it: a kernel that does not keep to its box writes beyond one.
std::vector<Box> parts_of(const Box& box) {
    std::vector<Box> parts{box};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (box.size(static_cast<int>(axis)) < 2) continue;
        const Index middle = box.lo[axis] + box.size(static_cast<int>(axis)) / 2;
        std::vector<Box> halves;
        for (const Box& part : parts) {
            halves.insert(halves.end(), {part, part});
            halves[halves.size() - 2].hi[axis] = halves.back().lo[axis] = middle;
        }
        parts = std::move(halves);
    }
    return parts;
}

std::vector<Saved> saved(const std::vector<const AnyField*>& fields) {
    std::vector<Saved> all;
    for (const AnyField* field : fields) all.emplace_back(*field);
    return all;
}

// Puts memory and number back, also where a kernel throws at a wrong value.
class AsBefore {
  public:
    AsBefore(const std::vector<const AnyField*>& fields, const std::optional<Reduction>& reduction)
        : saved_(saved(fields)), reduction_(reduction), partial_(reduction ? *reduction->partial : 0.0) {}
    AsBefore(const AsBefore&) = delete;
    AsBefore& operator=(const AsBefore&) = delete;
    ~AsBefore() { restore(); }
    void restore() const {
        for (const Saved& one : saved_) one.restore();
        if (reduction_) *reduction_->partial = partial_;
    }

  private:
    std::vector<Saved> saved_;
    const std::optional<Reduction>& reduction_;
    double partial_;
};

}  // namespace

bool checks_always() {
    const char* given = std::getenv("LAPWING_CHECK");
    return given != nullptr && std::string_view(given) == "1";
}

StepCheck::StepCheck(const Domain& domain, const StepStages& stages) : domain_(domain), stages_(stages) {
    note_values();
}

StepCheck::~StepCheck() {
    if (found_ || checked_ == 0 || domain_.rank() != 0 || !checks_always()) return;
    std::fprintf(stderr, "lapwing: LAPWING_CHECK=1: %ld calls of kernels on rank 0, nothing undeclared was found\n",
                 checked_);
}

// Fields of no stage may have got their memory since.
void StepCheck::begin(int /*number*/, const ScheduleNode& node) {
    node_ = &node;
    wrong_ = nullptr;
    fields_.assign(stages_.fields().begin(), stages_.fields().end());
    others_.clear();
    for (auto& field : domain_.declared_fields()) {
        if (!field->has_memory() || std::ranges::count(fields_, field.get()) > 0) continue;
        fields_.push_back(field.get());
        others_.push_back(std::move(field));
    }
}

void StepCheck::note_values() {
    noted_.clear();
    for (const AnyField* field : stages_.fields()) noted_.push_back(checksum(*field));
}

void StepCheck::require_announced(const std::function<bool(std::size_t field)>& announced) {
    require_together([&] {
        for (std::size_t f = 0; f < noted_.size(); ++f) {
            if (announced(f) || checksum(*stages_.fields()[f]) == noted_[f]) continue;
            user_error("field " + stages_.fields()[f]->spec().name, "values that were changed outside the stages",
                       "modified() after such a write, or its halo stays as it was",
                       "call modified() on all ranks after changing the field");
        }
    });
}

void StepCheck::require_together(const std::function<void()>& check) {
    try {
        together(domain_.comm(), check);
    } catch (...) {
        found_ = true;
        throw;
    }
}

// Counts what was computed until then as known, so that the next step reports its own mistakes.
void StepCheck::throw_together() {
    if (wrong_) note_values();
    require_together([&] {
        if (wrong_) std::rethrow_exception(std::exchange(wrong_, nullptr));
    });
}

void StepCheck::end() {
    throw_together();
    note_values();
}

// Exchanges go on after a mistake, as neighbours wait for them; kernels do not.
void StepCheck::watch(const SeenTask& task, const std::function<void()>& work) {
    const bool computes = task.kind == Task::Kind::compute, reduces = task.kind == Task::Kind::reduce;
    if (!computes && !reduces) return work();
    if (reduces) throw_together();
    const auto number = static_cast<std::size_t>(node_->entries[task.entry].stage);
    const auto position = static_cast<std::size_t>(node_->step);
    const Stage& stage = stages_.cycle()[position][number];
    const StageSpec& spec = stages_.specs()[position][number];
    if (reduces) return stage.collective ? check_collective(stage, spec, work) : work();
    if (wrong_) return;
    ++checked_;
    try {
        check_call({stage, spec, static_cast<std::size_t>(task.block), task.box});
    } catch (...) {
        wrong_ = std::current_exception();
    }
}

void StepCheck::check_call(const Call& call) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) require_declared_reads(call, f);
    for (const Box& part : parts_of(call.box)) {
        const Call piece{call.stage, call.spec, call.block, part};
        {
            const AsBefore as_before(fields_, call.stage.reduction);
            nudge_what_it_may_not_write(piece);
            run_and_require_declared_writes(piece);
        }
        run_and_require_declared_writes(piece);
    }
}

void StepCheck::check_collective(const Stage& stage, const StageSpec& spec, const std::function<void()>& work) {
    std::vector<std::uint64_t> before;
    for (const AnyField* field : stages_.fields()) before.push_back(checksum(*field));
    work();
    require_together([&] {
        for (std::size_t f = 0; f < before.size(); ++f) {
            const AnyField& field = *stages_.fields()[f];
            if (writes(spec, static_cast<int>(f)) || checksum(field) == before[f]) continue;
            user_error("stage " + stage.name, "a write of field " + field.spec().name + ", which it does not declare",
                       "writes: " + field.spec().name, "declare what the work at its end writes");
        }
    });
}

// The result of the kernel: the values that it has written into its box, and its number.
std::vector<StepCheck::Result> StepCheck::results(const Call& call, const AnyField& read, Wrong wrong) const {
    if (call.stage.reduction) begin_reduction(*call.stage.reduction);
    call_kernel(call.stage, call.block, call.box, domain_, 0);
    std::vector<Result> all;
    const auto take = [&](const void* value, std::size_t size, bool as_given) {
        Result& result = all.emplace_back();
        std::memcpy(result.bytes.data(), value, size);
        result.as_given = as_given;
    };
    for (const AnyField* written : call.stage.writes) {
        const FieldSpec& spec = written->spec();
        for (int c = 0; c < spec.components; ++c) {
            for_each_cell(spec.with_levels(call.box), [&](const Index3& cell) {
                const std::byte* value = written->blocks()[call.block].at(cell, c);
                take(value, size_of(spec.type), written == &read && is_poison(value, spec.type, wrong));
            });
        }
    }
    if (call.stage.reduction) take(call.stage.reduction->partial, sizeof(double), false);
    return all;
}

// True if a result is the same in all runs, or the wrong value that each run was given and left alone.
bool StepCheck::depend(const std::vector<std::vector<Result>>& runs) {
    for (std::size_t n = 0; n < runs.front().size(); ++n) {
        const auto same = [&](const auto& run) { return run[n].bytes == runs.front()[n].bytes; };
        const auto left_alone = [&](const auto& run) { return run[n].as_given; };
        if (!std::ranges::all_of(runs, same) && !std::ranges::all_of(runs, left_alone)) return true;
    }
    return false;
}

// True if the results of the kernel depend on the values of a field in `cells`. All memory is as before then.
bool StepCheck::depends(const Call& call, std::size_t field, const Cells& cells) const {
    const AsBefore as_before(fields_, call.stage.reduction);
    std::vector<Wrong> wrongs{Wrong::not_a_number, Wrong::number};
    if (call.stage.reduction) wrongs.insert(wrongs.end(), {Wrong::largest, Wrong::least});
    std::vector<std::vector<Result>> runs;
    for (const Wrong wrong : wrongs) {
        poison(*fields_[field], cells, wrong);
        runs.push_back(results(call, *fields_[field], wrong));
        as_before.restore();
    }
    return depend(runs);
}

// The cells in memory of a field that the kernel may not depend on.
Cells StepCheck::undeclared(const Call& call, std::size_t field) const {
    const AnyField& read = *fields_[field];
    const int number = static_cast<int>(field);
    std::vector<Box> allowed;
    if (reads(call.spec, number)) allowed.push_back(read.spec().with_levels(call.box));
    for (const Read& one : call.spec.reads) {
        if (one.field != number || one.extent.empty()) continue;
        for (const Box& arm : stencil_boxes(call.box, one.extent)) allowed.push_back(read.spec().with_levels(arm));
    }
    Cells cells(read.blocks().size());
    for (std::size_t b = 0; b < cells.size(); ++b) {
        for_each_cell(read.blocks()[b].allocated, [&](const Index3& cell) {
            if (b != call.block || !contains(allowed, cell)) cells[b].push_back(cell);
        });
    }
    return cells;
}

// Returns the extent that the stage would have to declare, by trying the cells at one distance after the other.
Extent StepCheck::needed(const Call& call, std::size_t field, const Cells& undeclared) const {
    Extent all;
    for (const Read& one : call.spec.reads) {
        if (one.field == static_cast<int>(field)) all = unite(all, one.extent);
    }
    const Box box = fields_[field]->spec().with_levels(call.box);
    std::vector<std::pair<Extent, Cells>> by_distance;
    for (const Index3& cell : undeclared[call.block]) {
        const Extent distance = reach(box, cell);
        auto known = std::ranges::find(by_distance, distance, [](const auto& one) { return one.first; });
        if (known == by_distance.end()) known = by_distance.insert(known, {distance, Cells(undeclared.size())});
        known->second[call.block].push_back(cell);
    }
    for (const auto& [distance, cells] : by_distance) {
        if (depends(call, field, cells)) all = unite(all, distance);
    }
    return all;
}

void StepCheck::require_declared_reads(const Call& call, std::size_t field) const {
    const Cells cells = undeclared(call, field);
    if (!depends(call, field, cells)) return;
    if (varies(call, field, cells)) {
        user_error("stage " + call.stage.name, "other values when it runs again on the same ones",
                   "the same values for the same fields and box",
                   "keep what it depends on in fields, or set it before the step");
    }
    const std::string& name = fields_[field]->spec().name;
    const bool known = reads(call.spec, static_cast<int>(field));
    const bool written = writes(call.spec, static_cast<int>(field));
    const Extent extent = needed(call, field, cells);
    const std::string words = known                       ? " beyond what the stage declares"
                              : written && extent.empty() ? ", whose old values it does not declare to read"
                                                          : ", which it does not declare";
    user_error("stage " + call.stage.name, "a read of field " + name + words,
               concat("reads: ", name, " with extent ", extent), "declare what the kernel reads");
}

bool StepCheck::varies(const Call& call, std::size_t field, const Cells& cells) const {
    const AsBefore as_before(fields_, call.stage.reduction);
    std::vector<std::vector<Result>> runs;
    for (int run = 0; run < 2; ++run) {
        poison(*fields_[field], cells, Wrong::number);
        runs.push_back(results(call, *fields_[field], Wrong::number));
        as_before.restore();
    }
    return depend(runs);
}

// Written cells lie in the box; cells of a field that the stage scatters, at the offsets of its components too.
bool StepCheck::forbids_write(const Call& call, std::size_t field, const CellOfBlock& at) const {
    const FieldSpec& spec = fields_[field]->spec();
    const bool scattered = std::ranges::count(call.stage.scatters, fields_[field]) > 0;
    const Box around = scattered ? grow(call.box, spec.extent(at.component)) : call.box;
    return !writes(call.spec, static_cast<int>(field)) || at.block != call.block ||
           !spec.with_levels(around).contains(at.cell);
}

// Makes a write there visible even if it leaves the true value. Integers that the kernel may read stay, as they may
// decide where it reads.
void StepCheck::nudge_what_it_may_not_write(const Call& call) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
        const ElementType type = fields_[f]->spec().type;
        const bool whole = type != ElementType::float32 && type != ElementType::float64;
        if (whole && reads(call.spec, static_cast<int>(f))) continue;
        for_each_value(*fields_[f], [&](const CellOfBlock& at, std::byte* value) {
            if (forbids_write(call, f, at)) nudge(value, type);
        });
    }
}

// True if the value lies on land that never changes. Writes beyond the box were ruled out before.
bool StepCheck::is_constant(const Call& call, std::size_t field, const CellOfBlock& at) const {
    const FieldSpec& spec = fields_[field]->spec();
    return at.block == call.block && spec.with_levels(call.box).contains(at.cell) &&
           !touches_water(*domain_.land.mask, at.cell[0], at.cell[1], spec.location,
                          domain_.partition().grid().north_fold);
}

// Land is known where steps leave it out.
void StepCheck::require_constant_land(const Call& call, const std::vector<Saved>& before) const {
    if (domain_.land.mask == nullptr) return;
    for (std::size_t f = 0; f < before.size(); ++f) {
        const FieldSpec& spec = fields_[f]->spec();
        if (!spec.constant_on_land || !writes(call.spec, static_cast<int>(f))) continue;
        const auto changed = before[f].first_change([&](const CellOfBlock& at) { return is_constant(call, f, at); });
        if (!changed) continue;
        user_error(
            "stage " + call.stage.name,
            concat("another value of field ", spec.name, " at cell (", listed(changed->cell, ", "), "), which is land"),
            "the value that it had, as the field is declared to be constant on land",
            "leave land alone in the kernel, or do not declare the field so");
    }
}

void StepCheck::run_and_require_declared_writes(const Call& call) const {
    const std::vector<Saved> before = saved(fields_);
    call_kernel(call.stage, call.block, call.box, domain_, 0);
    for (std::size_t f = 0; f < before.size(); ++f) {
        const FieldSpec& spec = fields_[f]->spec();
        const auto changed = before[f].first_change([&](const CellOfBlock& at) { return forbids_write(call, f, at); });
        if (!changed) continue;
        if (!writes(call.spec, static_cast<int>(f)))
            user_error("stage " + call.stage.name, "a write of field " + spec.name + ", which it does not declare",
                       "writes: " + spec.name, "declare what the kernel writes");
        user_error("stage " + call.stage.name,
                   concat("a write of field ", spec.name, " at cell (", listed(changed->cell, ", "), ")"),
                   concat("writes within the box ", call.box, " that the kernel was given"),
                   "loop over the box only, or declare a rim");
    }
    require_constant_land(call, before);
}

}  // namespace lapwing
