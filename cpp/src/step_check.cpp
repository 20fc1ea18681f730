#include "step_check.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "lapwing/error.hpp"

namespace lapwing {

namespace {

template <class Use>
void for_each_cell(const Box& box, const Use& use) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(Index3{i, j, k});
        }
    }
}

// Two values that no kernel gives the same result for: not a number and a number, or two numbers.
void poison(std::byte* value, ElementType type, bool first) {
    switch (type) {
        case ElementType::float64: {
            const double wrong = first ? std::numeric_limits<double>::quiet_NaN() : 1.5;
            std::memcpy(value, &wrong, sizeof wrong);
            break;
        }
        case ElementType::float32: {
            const float wrong = first ? std::numeric_limits<float>::quiet_NaN() : 1.5F;
            std::memcpy(value, &wrong, sizeof wrong);
            break;
        }
        case ElementType::int64: {
            const std::int64_t wrong = first ? 1234577 : -7654321;
            std::memcpy(value, &wrong, sizeof wrong);
            break;
        }
        case ElementType::int32: {
            const std::int32_t wrong = first ? 1234577 : -7654321;
            std::memcpy(value, &wrong, sizeof wrong);
            break;
        }
    }
}

// All values of a field's memory, to be put back.
class Saved {
  public:
    explicit Saved(const Field& field) : field_(&field) {
        const std::size_t size = size_of(field.spec().type);
        walk([&](std::byte* value) { bytes_.insert(bytes_.end(), value, value + size); });
    }
    void restore() const {
        const std::size_t size = size_of(field_->spec().type);
        std::size_t at = 0;
        walk([&](std::byte* value) {
            std::memcpy(value, bytes_.data() + at, size);
            at += size;
        });
    }
    friend bool operator==(const Saved& a, const Saved& b) { return a.bytes_ == b.bytes_; }

  private:
    template <class Use>
    void walk(const Use& use) const {
        for (const Block& block : field_->blocks()) {
            for (int c = 0; c < field_->spec().components; ++c) {
                for_each_cell(block.allocated, [&](const Index3& cell) { use(block.at(cell, c)); });
            }
        }
    }
    const Field* field_;
    std::vector<std::byte> bytes_;
};

bool contains(const std::vector<Box>& boxes, const Index3& cell) {
    return std::ranges::any_of(boxes, [&](const Box& box) { return box.contains(cell); });
}

// How far a cell lies beyond a box, as the least extent that reaches it from there.
Extent reach(const Box& box, const Index3& cell) {
    Extent extent;
    for (std::size_t a = 0; a < 3; ++a) {
        extent.lo[a] = static_cast<int>(std::max<Index>(0, box.lo[a] - cell[a]));
        extent.hi[a] = static_cast<int>(std::max<Index>(0, cell[a] - box.hi[a] + 1));
    }
    return extent;
}

}  // namespace

StepCheck::StepCheck(const Domain& domain, const StepStages& stages) : domain_(domain), stages_(stages) {
    note_values();
}

std::uint64_t StepCheck::checksum(const Field& field) const {
    std::uint64_t sum = 1469598103934665603U;  // FNV-1a
    const std::size_t size = size_of(field.spec().type);
    for (const Block& block : field.blocks()) {
        for (int c = 0; c < field.spec().components; ++c) {
            for_each_cell(block.owned, [&](const Index3& cell) {
                const std::byte* value = block.at(cell, c);
                for (std::size_t n = 0; n < size; ++n)
                    sum = (sum ^ static_cast<std::uint64_t>(value[n])) * 1099511628211U;
            });
        }
    }
    return sum;
}

void StepCheck::note_values() {
    noted_.clear();
    for (const Field* field : stages_.fields()) noted_.push_back(checksum(*field));
}

void StepCheck::require_announced(const std::function<bool(std::size_t field)>& announced) const {
    for (std::size_t f = 0; f < noted_.size(); ++f) {
        if (announced(f) || checksum(*stages_.fields()[f]) == noted_[f]) continue;
        user_error("field " + stages_.fields()[f]->spec().name, "values that were changed outside the stages",
                   "Field::modified after such a write, or its halo stays as it was",
                   "call modified() on all ranks after changing the field");
    }
}

// Whether what the stage writes depends on the values of a field in `cells`, per block. All memory is as before then.
bool StepCheck::depends(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field,
                        const std::vector<std::vector<Index3>>& cells) const {
    const Field& read = *stages_.fields()[field];
    std::vector<Saved> before;
    for (const Field* one : stages_.fields()) before.emplace_back(*one);
    std::vector<std::vector<std::byte>> results;
    for (const bool first : {true, false}) {
        for (std::size_t b = 0; b < cells.size(); ++b) {
            for (const Index3& cell : cells[b]) {
                for (int c = 0; c < read.spec().components; ++c)
                    poison(read.blocks()[b].at(cell, c), read.spec().type, first);
            }
        }
        run_undivided(domain_, stage, spec, rim);
        std::vector<std::byte>& result = results.emplace_back();
        for (const Field* written : stage.writes) {
            const std::size_t size = size_of(written->spec().type);
            for (std::size_t b = 0; b < written->blocks().size(); ++b) {
                const Block& block = written->blocks()[b];
                for (int c = 0; c < written->spec().components; ++c) {
                    for_each_cell(block.owned, [&](const Index3& cell) {
                        if (written == &read && spec.region && std::ranges::find(cells[b], cell) != cells[b].end())
                            return;
                        result.insert(result.end(), block.at(cell, c), block.at(cell, c) + size);
                    });
                }
            }
        }
        for (const Saved& saved : before) saved.restore();
    }
    return results[0] != results[1];
}

void StepCheck::require_declared_reads(const Stage& stage, const StageSpec& spec, const Extent& rim,
                                       std::size_t field) const {
    const Field& read = *stages_.fields()[field];
    const int number = static_cast<int>(field);
    const bool written = std::ranges::count(spec.writes, number) > 0;
    const bool declared = written || std::ranges::count(spec.reads, number, &Read::field) > 0;
    const auto& mine = domain_.partition().subdomains_of(domain_.rank());
    std::vector<std::vector<Index3>> cells(read.blocks().size());
    std::vector<std::vector<Box>> computed(cells.size());
    for (std::size_t b = 0; b < cells.size(); ++b) {
        const Box owned = domain_.partition().subdomain(mine[b]).box;
        std::vector<Box> allowed;
        for (const Box& box : computed_boxes(spec, owned, rim, domain_.partition().grid())) {
            computed[b].push_back(read.spec().with_levels(box));
            if (declared) allowed.push_back(computed[b].back());
            for (const Read& one : spec.reads) {
                if (one.field != number || one.extent.empty()) continue;
                for (const Box& arm : stencil_boxes(box, one.extent)) allowed.push_back(read.spec().with_levels(arm));
            }
        }
        for_each_cell(read.blocks()[b].allocated, [&](const Index3& cell) {
            if (!contains(allowed, cell)) cells[b].push_back(cell);
        });
    }
    if (!depends(stage, spec, rim, field, cells)) return;
    // which of these cells it is: those at one distance at a time
    Extent needed;
    for (const Read& one : spec.reads) {
        if (one.field == number) needed = unite(needed, one.extent);
    }
    std::vector<Extent> distances;
    for (std::size_t b = 0; b < cells.size(); ++b) {
        for (const Index3& cell : cells[b]) {
            for (const Box& box : computed[b]) {
                const Extent distance = reach(box, cell);
                if (std::ranges::find(distances, distance) == distances.end()) distances.push_back(distance);
            }
        }
    }
    for (const Extent& distance : distances) {
        std::vector<std::vector<Index3>> some(cells.size());
        for (std::size_t b = 0; b < cells.size(); ++b) {
            for (const Index3& cell : cells[b]) {
                if (std::ranges::any_of(computed[b], [&](const Box& box) { return reach(box, cell) == distance; })) {
                    some[b].push_back(cell);
                }
            }
        }
        if (depends(stage, spec, rim, field, some)) needed = unite(needed, distance);
    }
    user_error("stage " + stage.name,
               "a read of field " + read.spec().name +
                   (declared ? " beyond what the stage declares" : ", which it does not declare"),
               "reads: " + read.spec().name + " with extent " + to_string(needed), "declare what the kernel reads");
}

void StepCheck::require_declared_writes(const Stage& stage, const StageSpec& spec,
                                        const std::vector<std::uint64_t>& before) const {
    for (std::size_t f = 0; f < before.size(); ++f) {
        if (std::ranges::count(spec.writes, static_cast<int>(f)) > 0) continue;
        if (checksum(*stages_.fields()[f]) == before[f]) continue;
        const std::string& name = stages_.fields()[f]->spec().name;
        user_error("stage " + stage.name, "a write of field " + name + ", which it does not declare", "writes: " + name,
                   "declare what the kernel writes");
    }
}

void StepCheck::run_stage(std::size_t position, std::size_t number, const Extent& rim) {
    const Stage& stage = stages_.cycle()[position][number];
    const StageSpec& spec = stages_.specs()[position][number];
    const double partial = stage.reduction ? *stage.reduction->partial : 0.0;
    for (std::size_t f = 0; f < stages_.fields().size(); ++f) require_declared_reads(stage, spec, rim, f);
    if (stage.reduction) *stage.reduction->partial = partial;
    std::vector<std::uint64_t> before;
    for (const Field* field : stages_.fields()) before.push_back(checksum(*field));
    run_undivided(domain_, stage, spec, rim);
    require_declared_writes(stage, spec, before);
}

}  // namespace lapwing
