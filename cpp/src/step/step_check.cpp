#include "step/step_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

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

// Whether a cell is met first.
bool comes_before(const Index3& a, const Index3& b) { return std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0]); }

// Wrong values: no kernel gives the same result for one that is not a number and one that is. A reduction may pass over
// both, but takes what is beyond all others.
enum class Wrong { not_a_number, number, largest, least };

template <class Number>
void put(std::byte* value, Wrong wrong, Number not_a_number, Number far) {
    const Number number = wrong == Wrong::not_a_number ? not_a_number
                          : wrong == Wrong::number     ? static_cast<Number>(1.5)
                          : wrong == Wrong::largest    ? far
                                                       : -far;
    std::memcpy(value, &number, sizeof number);
}

void poison(std::byte* value, ElementType type, Wrong wrong) {
    switch (type) {
        case ElementType::float64:
            return put(value, wrong, std::numeric_limits<double>::quiet_NaN(), 1e100);
        case ElementType::float32:
            return put(value, wrong, std::numeric_limits<float>::quiet_NaN(), 1e15F);
        case ElementType::int64:
            return put<std::int64_t>(value, wrong, -7654321, std::int64_t{1} << 50);
        case ElementType::int32:
            return put<std::int32_t>(value, wrong, -7654321, 1 << 28);
    }
}

// All values of a field's memory, to be put back.
class Saved {
  public:
    explicit Saved(const Field& field) : field_(&field) {
        const std::size_t size = size_of(field.spec().type);
        std::size_t values = 0;
        for (const Block& block : field.blocks()) values += block.allocated.volume();
        bytes_.reserve(values * field.spec().components * size);
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

bool declares(const StageSpec& stage, int field) {
    return writes(stage, field) || std::ranges::count(stage.reads, field, &Read::field) > 0;
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

bool checks_always() {
    const char* given = std::getenv("LAPWING_CHECK");
    return given != nullptr && std::string_view(given) == "1";
}

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

std::vector<std::uint64_t> StepCheck::checksums() const {
    std::vector<std::uint64_t> sums;
    for (const Field* field : stages_.fields()) sums.push_back(checksum(*field));
    return sums;
}

void StepCheck::note_values() { noted_ = checksums(); }

void StepCheck::require_announced(const std::function<bool(std::size_t field)>& announced) const {
    for (std::size_t f = 0; f < noted_.size(); ++f) {
        if (announced(f) || checksum(*stages_.fields()[f]) == noted_[f]) continue;
        user_error("field " + stages_.fields()[f]->spec().name, "values that were changed outside the stages",
                   "Field::modified after such a write, or its halo stays as it was",
                   "call modified() on all ranks after changing the field");
    }
}

// What the stage gives with wrong values in `cells` of a field, per block: its owned values, but for those that it was
// given and leaves alone, and its number.
std::vector<std::byte> StepCheck::results(const Stage& stage, const StageSpec& spec, const Extent& rim,
                                          const Field& read, const std::vector<std::vector<Index3>>& cells) const {
    if (stage.reduction) begin_reduction(*stage.reduction);
    run_undivided(domain_, stage, spec, rim);
    std::vector<std::byte> all;
    const auto take = [&](const void* value, std::size_t size) {
        const auto* bytes = static_cast<const std::byte*>(value);
        all.insert(all.end(), bytes, bytes + size);
    };
    for (const Field* written : stage.writes) {
        for (std::size_t b = 0; b < written->blocks().size(); ++b) {
            const Block& block = written->blocks()[b];
            for (int c = 0; c < written->spec().components; ++c) {
                auto given = cells[b].begin();  // in the order of for_each_cell, as the owned cells are
                for_each_cell(block.owned, [&](const Index3& cell) {
                    while (given != cells[b].end() && comes_before(*given, cell)) ++given;
                    const bool wrong = given != cells[b].end() && *given == cell;
                    if (written == &read && spec.region && wrong) return;
                    take(block.at(cell, c), size_of(written->spec().type));
                });
            }
        }
    }
    if (stage.reduction) take(stage.reduction->partial, sizeof(double));
    return all;
}

// Whether the results of the stage depend on the values of a field in `cells`, per block. All memory is as before then.
bool StepCheck::depends(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field,
                        const std::vector<std::vector<Index3>>& cells) const {
    const Field& read = *stages_.fields()[field];
    std::vector<Saved> before;
    for (const Field* one : stages_.fields()) before.emplace_back(*one);
    std::vector<Wrong> wrongs{Wrong::not_a_number, Wrong::number};
    if (stage.reduction) wrongs.insert(wrongs.end(), {Wrong::largest, Wrong::least});
    std::vector<std::vector<std::byte>> found;
    for (const Wrong wrong : wrongs) {
        for (std::size_t b = 0; b < cells.size(); ++b) {
            for (const Index3& cell : cells[b]) {
                for (int c = 0; c < read.spec().components; ++c)
                    poison(read.blocks()[b].at(cell, c), read.spec().type, wrong);
            }
        }
        found.push_back(results(stage, spec, rim, read, cells));
        for (const Saved& saved : before) saved.restore();
    }
    return std::ranges::any_of(found, [&](const auto& one) { return one != found.front(); });
}

// The cells in memory of a field that a stage may not depend on, and those that it computes: per block.
struct StepCheck::Undeclared {
    std::vector<std::vector<Index3>> cells;
    std::vector<std::vector<Box>> computed;
};

StepCheck::Undeclared StepCheck::undeclared(const StageSpec& spec, const Extent& rim, std::size_t field) const {
    const Field& read = *stages_.fields()[field];
    const int number = static_cast<int>(field);
    const bool declared = declares(spec, number);
    const auto& mine = domain_.partition().subdomains_of(domain_.rank());
    Undeclared found{std::vector<std::vector<Index3>>(mine.size()), std::vector<std::vector<Box>>(mine.size())};
    for (std::size_t b = 0; b < mine.size(); ++b) {
        const Box owned = domain_.partition().subdomain(mine[b]).box;
        std::vector<Box> allowed;
        for (const Box& box : computed_boxes(spec, owned, rim, domain_.partition().grid())) {
            found.computed[b].push_back(read.spec().with_levels(box));
            if (declared) allowed.push_back(found.computed[b].back());
            for (const Read& one : spec.reads) {
                if (one.field != number || one.extent.empty()) continue;
                for (const Box& arm : stencil_boxes(box, one.extent)) allowed.push_back(read.spec().with_levels(arm));
            }
        }
        for_each_cell(read.blocks()[b].allocated, [&](const Index3& cell) {
            if (!contains(allowed, cell)) found.cells[b].push_back(cell);
        });
    }
    return found;
}

// What the stage would have to declare: which of the cells it depends on, those at one distance at a time.
Extent StepCheck::needed(const Stage& stage, const StageSpec& spec, const Extent& rim, std::size_t field,
                         const Undeclared& undeclared) const {
    Extent all;
    for (const Read& one : spec.reads) {
        if (one.field == static_cast<int>(field)) all = unite(all, one.extent);
    }
    std::vector<std::pair<Extent, std::vector<std::vector<Index3>>>> by_distance;
    const auto at = [&](const Extent& distance) -> auto& {
        const auto known = std::ranges::find(by_distance, distance, [](const auto& one) { return one.first; });
        if (known != by_distance.end()) return known->second;
        return by_distance.emplace_back(distance, std::vector<std::vector<Index3>>(undeclared.cells.size())).second;
    };
    for (std::size_t b = 0; b < undeclared.cells.size(); ++b) {
        for (const Index3& cell : undeclared.cells[b]) {
            for (const Box& box : undeclared.computed[b]) at(reach(box, cell))[b].push_back(cell);
        }
    }
    for (const auto& [distance, cells] : by_distance) {
        if (depends(stage, spec, rim, field, cells)) all = unite(all, distance);
    }
    return all;
}

void StepCheck::require_declared_reads(const Stage& stage, const StageSpec& spec, const Extent& rim,
                                       std::size_t field) const {
    const Undeclared some = undeclared(spec, rim, field);
    if (!depends(stage, spec, rim, field, some.cells)) return;
    const std::string& name = stages_.fields()[field]->spec().name;
    const bool declared = declares(spec, static_cast<int>(field));
    user_error(
        "stage " + stage.name,
        "a read of field " + name + (declared ? " beyond what the stage declares" : ", which it does not declare"),
        concat("reads: ", name, " with extent ", needed(stage, spec, rim, field, some)),
        "declare what the kernel reads");
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
    for (std::size_t f = 0; f < stages_.fields().size(); ++f) require_declared_reads(stage, spec, rim, f);
    const std::vector<std::uint64_t> before = checksums();
    if (stage.reduction) begin_reduction(*stage.reduction);
    run_undivided(domain_, stage, spec, rim);
    require_declared_writes(stage, spec, before);
}

void StepCheck::run_collective(std::size_t position, std::size_t number, const Collective& collective) const {
    const std::vector<std::uint64_t> before = checksums();
    collective.work(collective.context);
    together(domain_.comm(), [&] {
        require_declared_writes(stages_.cycle()[position][number], stages_.specs()[position][number], before);
    });
}

}  // namespace lapwing
