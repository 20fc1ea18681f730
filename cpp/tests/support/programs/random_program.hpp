#pragma once
// Programs of declared stages, made at random: numbers only, so that they can be printed, computed on the whole grid in
// one piece, run on ranks, and shrunk.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/grid/grid.hpp"
#include "lapwing/partition/partition.hpp"
#include "random_numbers.hpp"

namespace lapwing::testing {

struct ProgramField {
    bool narrow = false;  // float, not double
    int levels = 0;
    int components = 1;
    std::vector<Extent> component_extents{};  // of a field that is scattered
    bool constant = false;                    // on land: stages leave it alone there

    [[nodiscard]] int values() const { return std::max(1, levels) * components; }
};

struct ProgramRead {
    int field = 0;
    Extent extent{};
    std::vector<int> widths{};  // as wide as the number `demand` asks for
    int demand = -1;
};

// The use that a kernel makes of the hash of all that it reads.
enum class Role {
    hash,     // stores it
    colour,   // stores it in every other cell, having read those between them: in any order
    scatter,  // stores it around the cell
    rounds,   // stores how often a loop shall run, 0 to 2
    ends,     // takes one from that; the largest is the number that the loop hangs on
    ask,      // the number is one to four cells
};

struct ProgramStage {
    std::string name{};
    Role role = Role::hash;
    std::vector<ProgramRead> reads{};
    std::vector<int> writes{};
    bool updates = false;  // else its old values are not read
    int parity = 0;        // of the cells that `colour` stores
    std::optional<Box> region{};
    Extent rim{};
    int number = -1;  // that it reduces
    bool least = false;
    int uses = -1;    // a number that it reads
    int repeats = 0;  // itself and stages before it, while its number is `above`
    double above = 0;
    int iteration = -1;
    bool together = false;  // afterwards all ranks change what it wrote
    bool sent = false;      // its first field travels after it, whoever needs it

    [[nodiscard]] bool reads_around(int field) const {
        return std::ranges::any_of(reads, [&](const ProgramRead& r) { return r.field == field && !r.extent.empty(); });
    }
};

// The actions on a step, in order.
struct Action {
    enum class Kind { run, run_each, modify, modify_on_one, restart };
    Kind kind = Kind::run;
    int number = 0;  // of steps, or the field
};

struct Program {
    unsigned seed = 0;
    Grid grid;
    std::vector<std::uint8_t> wet;  // for each column, x fastest; empty: all
    std::vector<Subdomain> parts;
    int ranks = 1;
    std::vector<ProgramField> fields;
    int numbers = 0;
    std::vector<std::vector<ProgramStage>> cycle;
    std::vector<Action> actions;

    // True if the cell lies beyond no open side of the grid.
    [[nodiscard]] bool in_grid(const Index3& cell) const {
        for (std::size_t a = 0; a < 3; ++a)
            if (!grid.periodic[a] && (cell[a] < 0 || cell[a] >= grid.size[a])) return false;
        return true;
    }
    // True if a stage computes the cell: some rank owns it, wet or not.
    [[nodiscard]] bool is_owned(Index i, Index j) const {
        const Index column = column_of(i, j);
        return column >= 0 && (owned.empty() || owned[static_cast<std::size_t>(column)] != 0);
    }
    [[nodiscard]] bool is_wet(Index i, Index j) const {
        const Index column = column_of(i, j);
        return column >= 0 && (wet.empty() || wet[static_cast<std::size_t>(column)] != 0);
    }
    // Notes who owns what.
    void note_owned() {
        owned.assign(static_cast<std::size_t>(grid.size[0] * grid.size[1]), 0);
        for (const Subdomain& part : parts)
            for (Index j = part.box.lo[1]; j < part.box.hi[1]; ++j)
                for (Index i = part.box.lo[0]; i < part.box.hi[0]; ++i)
                    owned[static_cast<std::size_t>(i + grid.size[0] * j)] = 1;
    }

  private:
    std::vector<std::uint8_t> owned;  // as `wet`
    // The number of a column; -1 beyond the grid.
    [[nodiscard]] Index column_of(Index i, Index j) const {
        if (grid.periodic[0]) i = (i % grid.size[0] + grid.size[0]) % grid.size[0];
        if (grid.periodic[1]) j = (j % grid.size[1] + grid.size[1]) % grid.size[1];
        if (i < 0 || j < 0 || i >= grid.size[0] || j >= grid.size[1]) return -1;
        return i + grid.size[0] * j;
    }
};

// The stages of a program: anything, or plain stages that read to one side of each axis, in which messages leave long
// before all halos are read.
enum class Taste { anything, one_sided };

class ProgramMaker {
  public:
    ProgramMaker(unsigned seed, int ranks, Taste taste = Taste::anything)
        : random_(seed), plain_only_(taste == Taste::one_sided) {
        program_.seed = seed, program_.ranks = ranks;
    }

    Program make() {
        make_grid();
        make_fields();
        program_.cycle.resize(one_in(3) ? 2 : 1);
        for (auto& stages : program_.cycle)
            stages = list(plain_only_ ? random_.between(2, 5) : random_.between(1, 4), 0);
        make_actions();
        cut(program_.ranks);
        program_.note_owned();
        Random land(program_.seed + 9000);
        for (int f = 0; f < plain_ && !program_.wet.empty(); ++f) program_.fields[f].constant = land.between(0, 2) > 0;
        return std::move(program_);
    }

  private:
    bool one_in(int n) { return random_.between(1, n) == 1; }

    void make_grid() {
        Grid& grid = program_.grid;
        grid.size = {random_.between(3, 10) * 2, random_.between(2, 8) * 2, one_in(5) ? 4 : 1};
        grid.periodic = {random_.coin(), random_.coin(), grid.size[2] > 1 && random_.coin()};
        scatters_ = !plain_only_ && one_in(5);
        if (scatters_ || random_.between(1, 5) <= 3) return;
        const auto [nx, ny, nz] = grid.size;
        program_.wet.assign(static_cast<std::size_t>(nx * ny), 1);
        for (int n = random_.between(1, 4); n > 0; --n) {
            const int left = random_.between(0, static_cast<int>(nx) - 1),
                      low = random_.between(0, static_cast<int>(ny) - 1);
            const int right = left + random_.between(1, 6), high = low + random_.between(1, 6);
            for (Index j = low; j < std::min<Index>(ny, high); ++j)
                for (Index i = left; i < std::min<Index>(nx, right); ++i)
                    program_.wet[static_cast<std::size_t>(i + nx * j)] = 0;
        }
        if (std::ranges::count(program_.wet, 1) == 0) program_.wet.clear();
    }

    void make_fields() {
        for (int n = random_.between(2, 4); n > 0; --n) {
            ProgramField field{.narrow = random_.coin()};
            if (program_.grid.size[2] == 1 && one_in(3)) field.levels = random_.between(2, 3);
            if (one_in(5)) field.components = 2;
            program_.fields.push_back(field);
        }
        plain_ = static_cast<int>(program_.fields.size());
        if (!scatters_) return;
        ProgramField field{.narrow = random_.coin(), .components = random_.between(2, 4)};
        for (int c = 0; c < field.components; ++c) field.component_extents.push_back(offset());
        program_.fields.push_back(field);
        scattered_ = plain_;
    }

    // One that says where a value goes: to one side of each axis.
    Extent offset() {
        Extent extent;
        for (std::size_t a = 0; a < 3; ++a) {
            if (program_.grid.size[a] < 2 || !random_.coin()) continue;
            (random_.coin() ? extent.lo : extent.hi)[a] = one_in(4) ? 2 : 1;
        }
        return extent;
    }

    Extent extent() {
        Extent extent;
        extent.corners = random_.coin();
        const int widest = one_in(6) ? 3 : one_in(3) ? 2 : 1;
        for (std::size_t a = 0; a < 3; ++a) {
            if (program_.grid.size[a] < 2) continue;
            const bool both = !plain_only_ && random_.coin(), lower = random_.coin();
            if (both || lower) extent.lo[a] = random_.between(0, widest);
            if (both || !lower) extent.hi[a] = random_.between(0, widest);
        }
        return extent;
    }

    std::string next_name() { return "s" + std::to_string(stages_++); }

    int add_field() {
        program_.fields.push_back({});
        return static_cast<int>(program_.fields.size()) - 1;
    }

    std::vector<ProgramStage> list(int blocks, int depth) {
        std::vector<ProgramStage> stages;
        for (int n = 0; n < blocks; ++n) {
            std::vector<ProgramStage> block;
            if (plain_only_) {
                block = {plain()};
            } else if (depth < 2 && one_in(7)) {
                block = loop(depth);
            } else if (depth < 2 && one_in(6)) {
                block = repeated(depth);
            } else if (one_in(12)) {
                block = demand();
            } else {
                block = {scatters_ && one_in(3) ? scatter() : plain()};
            }
            stages.insert(stages.end(), block.begin(), block.end());
        }
        return stages;
    }

    ProgramStage plain() {
        ProgramStage stage{.name = next_name()};
        const int written = random_.between(0, plain_ - 1);
        stage.writes = {written};
        if (plain_ > 2 && one_in(6)) stage.writes.push_back((written + 1) % plain_);
        stage.updates = random_.coin();
        for (int f = 0; f < std::ssize(program_.fields) && f <= std::max(plain_ - 1, scattered_); ++f) {
            const bool own = std::ranges::count(stage.writes, f) > 0;
            if (!own && !one_in(3)) stage.reads.push_back({f, one_in(6) ? Extent{} : extent()});
        }
        if (!plain_only_) add_words(stage);
        return stage;
    }

    void add_words(ProgramStage& stage) {
        if (one_in(8)) {
            stage.role = Role::colour;
            stage.parity = random_.between(0, 1);
            stage.updates = true;
            stage.writes.resize(1);
            std::erase_if(stage.reads, [&](const ProgramRead& read) { return read.field == stage.writes[0]; });
            stage.reads.push_back({stage.writes[0], extent()});
        }
        if (one_in(5)) stage.region = region();
        if (program_.numbers > 0 && one_in(3)) stage.uses = random_.between(0, program_.numbers - 1);
        if (one_in(6)) {
            stage.number = program_.numbers++;
            stage.least = random_.coin();
        } else if (one_in(12)) {
            stage.together = true;
        } else if (one_in(8) && !reads_scattered(stage)) {
            stage.rim = random_.coin() ? Extent::horizontal(1) : Extent::cross(1);
        }
        stage.sent = one_in(12);
    }
    [[nodiscard]] bool reads_scattered(const ProgramStage& stage) const {
        return std::ranges::count(stage.reads, scattered_, &ProgramRead::field) > 0;
    }

    Box region() {
        Box box = program_.grid.box();
        for (std::size_t a = 0; a < 2; ++a) {
            if (one_in(3)) continue;
            const int size = static_cast<int>(program_.grid.size[a]);
            box.lo[a] = random_.between(0, size - 1);
            box.hi[a] = random_.between(static_cast<int>(box.lo[a]) + 1, size);
        }
        return box;
    }

    ProgramStage scatter() {
        ProgramStage stage{.name = next_name(), .role = Role::scatter, .writes = {scattered_}};
        for (int f = 0; f < plain_; ++f)
            if (random_.coin()) stage.reads.push_back({f, one_in(2) ? Extent{} : extent()});
        return stage;
    }

    // A halo of a field of its own is as wide as a number asks for.
    std::vector<ProgramStage> demand() {
        const int field = add_field();
        ProgramStage fill{.name = next_name(), .reads = {{0, extent()}}, .writes = {field}};
        ProgramStage ask{.name = next_name(), .role = Role::ask, .reads = {{field, {}}}, .number = program_.numbers++};
        const std::vector<int> widths = random_.coin() ? std::vector{1, 2, 4} : std::vector{1, 3};
        ProgramStage look{.name = next_name(), .writes = {random_.between(0, plain_ - 1)}, .updates = true};
        look.reads = {{field, Extent::horizontal(widths.back()), widths, ask.number}};
        return {fill, ask, look};
    }

    std::vector<ProgramStage> loop(int depth) {
        const int left = add_field();
        std::vector<ProgramStage> stages{{.name = next_name(),
                                          .role = Role::rounds,
                                          .reads = {{random_.between(0, plain_ - 1), {}}},
                                          .writes = {left}}};
        if (random_.coin()) stages[0].region = region();
        const auto body = list(random_.between(1, 2), depth + 1);
        stages.insert(stages.end(), body.begin(), body.end());
        stages.push_back({.name = next_name(),
                          .role = Role::ends,
                          .writes = {left},
                          .updates = true,
                          .number = program_.numbers++,
                          .repeats = static_cast<int>(body.size()) + 1,
                          .above = one_in(3) ? 1.0 : 0.0});
        return stages;
    }

    std::vector<ProgramStage> repeated(int depth) {
        const auto body = list(random_.between(1, 2), depth + 1);
        std::vector<ProgramStage> stages;
        for (int n = 0, times = random_.between(2, 3); n < times; ++n) {
            for (ProgramStage stage : body) {
                if (stage.iteration < 0) stage.iteration = n;
                stages.push_back(stage);
            }
        }
        return stages;
    }

    void make_actions() {
        for (int n = random_.between(2, 4); n > 0; --n) {
            program_.actions.push_back(
                {random_.coin() ? Action::Kind::run : Action::Kind::run_each, random_.between(1, 4)});
            if (n == 1) break;
            const int what = random_.between(0, 3);
            if (what == 0) program_.actions.push_back({Action::Kind::modify, random_.between(0, plain_ - 1)});
            if (what == 1) program_.actions.push_back({Action::Kind::modify_on_one, random_.between(0, plain_ - 1)});
            if (what == 2)
                program_.actions.push_back(
                    {Action::Kind::restart, random_.between(0, static_cast<int>(program_.cycle.size()) - 1)});
            // which ranks announced a write is known to all after `run` of several steps only
            if (what == 1) program_.actions.push_back({Action::Kind::run, random_.between(1, 3)});
        }
    }

    // Blocks, or cuts that need not meet, dealt to the ranks, of which some may get none; shrunk to what is wet.
    void cut(int ranks) {
        const Grid& grid = program_.grid;
        std::vector<Box> boxes;
        const int parts = ranks == 1 ? random_.between(1, 3) : one_in(4) ? 2 * ranks : one_in(5) ? ranks - 1 : ranks;
        if (random_.coin()) {
            const Partition blocks = block_partition(grid, best_blocks(grid, parts));
            for (const Subdomain& part : blocks.subdomains()) boxes.push_back(part.box);
        } else {
            cut(grid.box(), parts, boxes);
        }
        const int first = random_.between(0, ranks - 1);
        for (int b = 0; b < std::ssize(boxes); ++b) {
            Box box = boxes[b];
            if (!program_.wet.empty()) box = Mask(grid.size[0], grid.size[1], program_.wet).wet_bounds(box);
            if (!box.empty()) program_.parts.push_back({(first + b) % ranks, box});
        }
    }
    void cut(const Box& box, int parts, std::vector<Box>& boxes) {
        const int axis = box.size(0) >= box.size(1) ? 0 : 1;
        if (parts == 1 || box.size(axis) < 2) {
            boxes.push_back(box);
            return;
        }
        Box below = box, above = box;
        below.hi[axis] = above.lo[axis] = box.lo[axis] + random_.between(1, static_cast<int>(box.size(axis)) - 1);
        const int fewer = random_.between(1, parts - 1);
        cut(below, fewer, boxes);
        cut(above, parts - fewer, boxes);
    }

    Random random_;
    Program program_;
    bool plain_only_;
    bool scatters_ = false;
    int plain_ = 0;       // fields that any stage may write
    int scattered_ = -1;  // the field that stages scatter
    int stages_ = 0;
};

}  // namespace lapwing::testing
