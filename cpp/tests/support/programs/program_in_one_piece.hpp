#pragma once
// A random program on the whole grid, stage by stage: what any rank count and strategy must give.

#include <functional>

#include "program_cells.hpp"

namespace lapwing::testing {

class ProgramInOnePiece {
  public:
    explicit ProgramInOnePiece(const Program& program) : program_(program), numbers_(program.numbers, lost()) {
        for (std::size_t f = 0; f < program.fields.size(); ++f) {
            values_.emplace_back(static_cast<std::size_t>(program.grid.box().volume()) * program.fields[f].values());
            each_owned(static_cast<int>(f), [&](const Index3& cell, int value, Bits& bits) {
                bits = first_bits(program_, static_cast<int>(f), cell, value);
            });
        }
    }

    void run_step() {
        const std::vector<ProgramStage>& stages = program_.cycle[position_];
        for (std::size_t s = 0; s < stages.size(); ++s) {
            run(stages[s]);
            if (stages[s].repeats > 0 && numbers_[stages[s].number] > stages[s].above)
                s -= stages[s].repeats;  // and one up again
        }
        position_ = (position_ + 1) % program_.cycle.size();
    }
    void restart_at(int position) { position_ = position; }
    // Computes all cells, or the cells of `boxes`.
    void modify(int field, const std::vector<Box>& boxes) {
        each_owned(field, [&](const Index3& cell, int value, Bits& bits) {
            const auto here = [&](const Box& box) { return box.contains(cell); };
            if (std::ranges::any_of(boxes, here)) bits = modified_bits(program_, field, cell, value, bits);
        });
    }
    // The value at a cell, level and component; 0 beyond the grid.
    Bits& at(int field, Index3 cell, int component) {
        const Grid& grid = program_.grid;
        const Index level = program_.fields[field].levels > 0 ? cell[2] : 0;
        if (program_.fields[field].levels > 0) cell[2] = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            if (grid.periodic[a]) cell[a] = (cell[a] % grid.size[a] + grid.size[a]) % grid.size[a];
            if (cell[a] < 0 || cell[a] >= grid.size[a]) return beyond_ = 0;
        }
        const Index place = cell[0] + grid.size[0] * (cell[1] + grid.size[1] * cell[2]);
        return values_[field]
                      [place * program_.fields[field].values() + level * program_.fields[field].components + component];
    }

  private:
    static double lost() { return std::numeric_limits<double>::quiet_NaN(); }

    struct Values {
        ProgramInOnePiece& whole;
        const ProgramStage& stage;
        Bits read(int r, const Index3& cell, int c) { return whole.at(stage.reads[r].field, cell, c); }
        Bits old(int w, const Index3& cell, int c) { return whole.at(stage.writes[w], cell, c); }
        void write(int w, const Index3& cell, int c, Bits bits) { whole.at(stage.writes[w], cell, c) = bits; }
    };

    void run(const ProgramStage& stage) {
        const double infinity = std::numeric_limits<double>::infinity();
        double partial = stage.least ? infinity : -infinity;
        Values values{*this, stage};
        const Offsets offsets = offsets_of(program_, stage);
        const Box box = stage.region ? intersect(*stage.region, program_.grid.box()) : program_.grid.box();
        CellWork<Values>(program_, stage, offsets, values, numbers_, &partial).compute(box);
        if (stage.number >= 0) numbers_[stage.number] = partial;
        if (!stage.together) return;
        Bits sum = 0;
        each_owned(stage.writes[0], [&](const Index3&, int, const Bits& bits) { sum += bits; });
        each_owned(stage.writes[0], [&](const Index3&, int, Bits& bits) {
            bits = number_bits(program_.fields[stage.writes[0]], mixed_bits(bits, sum));
        });
    }

    // Calls use(cell, number of the value in it, bits).
    void each_owned(int field, const std::function<void(const Index3&, int, Bits&)>& use) {
        const ProgramField& one = program_.fields[field];
        const Index3 size = program_.grid.size;
        for (Index k = 0; k < size[2]; ++k)
            for (Index j = 0; j < size[1]; ++j)
                for (Index i = 0; i < size[0]; ++i) {
                    if (!program_.is_owned(i, j)) continue;
                    each_value(one, k, [&](Index l, int c) {
                        const int value = static_cast<int>(one.levels > 0 ? l : 0) * one.components + c;
                        use({i, j, k}, value, at(field, {i, j, l}, c));
                    });
                }
    }

    const Program& program_;
    std::vector<std::vector<Bits>> values_;
    std::vector<double> numbers_;
    std::size_t position_ = 0;
    Bits beyond_ = 0;
};

}  // namespace lapwing::testing
