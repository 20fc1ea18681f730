#pragma once
// The results of a stage of a random program: hashes of all that it reads, so that a single wrong value shows.

#include <bit>
#include <cmath>
#include <limits>

#include "hash_model.hpp"
#include "random_program.hpp"

namespace lapwing::testing {

using Bits = std::uint64_t;

inline Bits mixed_bits(Bits a, Bits b) {
    return static_cast<Bits>(mixed(static_cast<Index>(a), static_cast<Index>(b)));
}
// A number from 1 to 2 made of a hash, in the bits of the field's type.
inline Bits number_bits(const ProgramField& field, Bits hash) {
    if (field.narrow) return std::bit_cast<std::uint32_t>(1.0F) | (hash >> 41U);
    return std::bit_cast<Bits>(1.0) | (hash >> 12U);
}
inline Bits first_bits(const Program& program, int field, const Index3& cell, int value) {
    const Index hash = mixed(first_hash(field, cell), value + 1);
    return number_bits(program.fields[field], static_cast<Bits>(hash));
}
// What a write from outside makes of a value; land that is constant stays.
inline Bits modified_bits(const Program& program, int field, const Index3& cell, int value, Bits old) {
    if (program.fields[field].constant && !program.is_wet(cell[0], cell[1])) return old;
    const Index hash = mixed(first_hash(field + 77, cell), value + static_cast<Index>(old));
    return number_bits(program.fields[field], static_cast<Bits>(hash));
}

// How far component `component` of a field is read where a stage reads as far as `extent`.
inline Extent extent_of_component(const ProgramField& field, int component, const Extent& extent) {
    if (field.component_extents.empty()) return extent;
    Extent both = field.component_extents[component];
    for (std::size_t a = 0; a < 3; ++a) {
        both.lo[a] = std::min(both.lo[a], extent.lo[a]);
        both.hi[a] = std::min(both.hi[a], extent.hi[a]);
    }
    both.corners = both.corners && extent.corners;
    return both;
}

// Offsets that a stage reads, by read and component of the field: found once.
using Offsets = std::vector<std::vector<std::vector<Index3>>>;
inline Offsets offsets_of(const Program& program, const ProgramStage& stage) {
    Offsets all;
    for (const ProgramRead& read : stage.reads) {
        all.emplace_back();
        const ProgramField& field = program.fields[read.field];
        const bool own = stage.role == Role::colour && read.field == stage.writes[0];
        for (int c = 0; c < field.components; ++c) {
            all.back().push_back(offsets_of(extent_of_component(field, c, read.extent)));
            if (own) std::erase_if(all.back().back(), [](const Index3& o) { return (o[0] + o[1] + o[2]) % 2 == 0; });
        }
    }
    return all;
}

// Calls use(level, component) for every value of a cell; `k` where the field has the z axis of the grid.
template <class Use>
void each_value(const ProgramField& field, Index k, const Use& use) {
    for (int c = 0; c < field.components; ++c)
        for (Index l = field.levels > 0 ? 0 : k; l < (field.levels > 0 ? field.levels : k + 1); ++l) use(l, c);
}

// One stage at work on `values`, which has read(number of the read, cell, component), old(number of the write, cell,
// component) and write(number of the write, cell, component, bits).
template <class Values>
class CellWork {
  public:
    CellWork(const Program& program, const ProgramStage& stage, const Offsets& offsets, Values& values,
             const std::vector<double>& numbers, double* partial)
        : program_(program), stage_(stage), offsets_(offsets), values_(values), numbers_(numbers), partial_(partial) {}

    void compute(const Box& box) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                    if (program_.is_owned(i, j)) compute(Index3{i, j, k});
    }

  private:
    void compute(const Index3& cell) {
        if (stage_.role == Role::colour && ((cell[0] + cell[1] + cell[2] + stage_.parity) & 1) != 0) return;
        const Bits hash = hash_of_reads(cell);
        if (stage_.role == Role::ends) return count_down(cell);
        if (stage_.role == Role::scatter) return scatter(cell, hash);
        if (stage_.role == Role::rounds)
            return values_.write(0, cell, 0, std::bit_cast<Bits>(static_cast<double>(hash % 3)));
        for (int w = 0; w < std::ssize(stage_.writes); ++w) {
            const ProgramField& field = program_.fields[stage_.writes[w]];
            if (field.constant && !program_.is_wet(cell[0], cell[1])) {
                if (!stage_.updates) write_land(w, cell);
                continue;
            }
            each_value(field, cell[2], [&](Index l, int c) {
                Bits value = mixed_bits(mixed_bits(hash, w), 8 * (field.levels > 0 ? l : 0) + c);
                const Index3 at{cell[0], cell[1], l};
                if (stage_.updates) value = mixed_bits(value, values_.old(w, at, c));
                values_.write(w, at, c, number_bits(field, value));
            });
        }
        if (stage_.role == Role::ask) fold(static_cast<double>(1 + hash % 4));
        if (stage_.role != Role::ask && stage_.number >= 0) fold(static_cast<double>(hash >> 40U));
    }
    // A stage that does not read old values cannot leave them alone.
    void write_land(int w, const Index3& cell) {
        const int number = stage_.writes[w];
        const ProgramField& field = program_.fields[number];
        each_value(field, cell[2], [&](Index l, int c) {
            const int value = static_cast<int>(field.levels > 0 ? l : 0) * field.components + c;
            values_.write(w, {cell[0], cell[1], l}, c, first_bits(program_, number, wrapped(cell), value));
        });
    }
    [[nodiscard]] Index3 wrapped(Index3 cell) const {
        for (std::size_t a = 0; a < 3; ++a) {
            const Index size = program_.grid.size[a];
            if (program_.grid.periodic[a]) cell[a] = (cell[a] % size + size) % size;
        }
        return cell;
    }
    [[nodiscard]] Bits hash_of_reads(const Index3& cell) const {
        Bits hash = 1;
        if (stage_.uses >= 0) hash = mixed_bits(hash, std::bit_cast<Bits>(numbers_[stage_.uses]));
        for (int r = 0; r < std::ssize(stage_.reads); ++r) {
            const ProgramRead& read = stage_.reads[r];
            const Index reach = read.demand < 0 ? 1000 : std::min<Index>(read.widths.back(), demanded(read));
            each_value(program_.fields[read.field], cell[2], [&](Index l, int c) {
                for (const Index3& o : offsets_[r][c]) {
                    if (std::abs(o[0]) > reach || std::abs(o[1]) > reach) continue;
                    hash = mixed_bits(hash, values_.read(r, {cell[0] + o[0], cell[1] + o[1], l + o[2]}, c));
                }
            });
        }
        return hash;
    }
    [[nodiscard]] Index demanded(const ProgramRead& read) const {
        const double cells = numbers_[read.demand];
        return cells >= 1.0 && cells < 100.0 ? static_cast<Index>(cells) : 0;
    }
    void scatter(const Index3& cell, Bits hash) {
        const ProgramField& field = program_.fields[stage_.writes[0]];
        for (int c = 0; c < field.components; ++c) {
            const Extent& to = field.component_extents[c];
            Index3 target = cell;
            for (std::size_t a = 0; a < 3; ++a) target[a] += to.hi[a] - to.lo[a];
            if (program_.in_grid(target)) values_.write(0, target, c, number_bits(field, mixed_bits(hash, c)));
        }
    }
    void count_down(const Index3& cell) {
        const double left = std::max(0.0, std::bit_cast<double>(values_.old(0, cell, 0)) - 1.0);
        values_.write(0, cell, 0, std::bit_cast<Bits>(left));
        fold(left);
    }
    void fold(double value) {
        if (partial_ != nullptr) *partial_ = stage_.least ? std::min(*partial_, value) : std::max(*partial_, value);
    }

    const Program& program_;
    const ProgramStage& stage_;
    const Offsets& offsets_;
    Values& values_;
    const std::vector<double>& numbers_;
    double* partial_;
};

}  // namespace lapwing::testing
