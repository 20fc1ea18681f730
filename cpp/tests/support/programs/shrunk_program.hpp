#pragma once
// The smallest program that is found to fail as a larger one does.

#include <functional>

#include "lapwing/base/error.hpp"
#include "program_on_ranks.hpp"

namespace lapwing::testing {

// The largest width of a halo, which rims of `deep` soon exceed.
inline bool asks_for_larger_grid(const std::string& fault) {
    return fault.find("use a larger grid or a narrower halo") != std::string::npos;
}

// The fault on the first rank with one, the same on all ranks; empty: none. Collective.
inline std::string fault_of(const Program& program, const Way& way) {
    std::string mine;
    try {
        mine = ProgramOnRanks(program, way).run();
    } catch (const UserError& error) {
        mine = concat("UserError: ", error.what());
    }
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = mine.empty() ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == size) return "";
    int length = static_cast<int>(mine.size());
    MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
    mine.resize(length);
    MPI_Bcast(mine.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
    return mine;
}

// Programs with one thing less, as they are found.
class Simpler {
  public:
    explicit Simpler(const Program& program) : program_(program) {
        drop_steps();
        simplify_actions();
        forget_land();
        for (std::size_t p = 0; p < program_.cycle.size(); ++p)
            for (std::size_t s = 0; s < program_.cycle[p].size(); ++s) simplify_stage(p, s);
        simplify_fields();
    }
    std::vector<Program> all;

  private:
    using Change = std::function<void(ProgramStage&)>;

    void add(const std::function<void(Program&)>& change) {
        all.push_back(program_);
        change(all.back());
    }

    void drop_steps() {
        if (program_.cycle.size() < 2) return;
        for (std::size_t p = 0; p < program_.cycle.size(); ++p)
            add([&](Program& less) {
                less.cycle.erase(less.cycle.begin() + static_cast<std::ptrdiff_t>(p));
                std::erase_if(less.actions, [](const Action& a) { return a.kind == Action::Kind::restart; });
            });
    }

    void simplify_actions() {
        for (std::size_t a = 0; a < program_.actions.size(); ++a) {
            add([&](Program& less) { less.actions.erase(less.actions.begin() + static_cast<std::ptrdiff_t>(a)); });
            const Action& action = program_.actions[a];
            const bool runs = action.kind == Action::Kind::run || action.kind == Action::Kind::run_each;
            if (runs && action.number > 1) add([&](Program& less) { --less.actions[a].number; });
        }
    }

    void forget_land() {
        Index owned = 0;
        for (const Subdomain& part : program_.parts) owned += part.box.volume();
        if (!program_.wet.empty() && owned == program_.grid.box().volume())
            add([](Program& less) { less.wet.clear(); });
    }

    void simplify_stage(std::size_t p, std::size_t s) {
        add([&](Program& less) { drop_stage(less.cycle[p], s); });
        const ProgramStage& stage = program_.cycle[p][s];
        const auto change = [&](bool there, const Change& simplify) {
            if (there) add([&](Program& less) { simplify(less.cycle[p][s]); });
        };
        const bool hashes = stage.role == Role::hash;
        change(stage.repeats > 0, [](ProgramStage& less) { less.repeats = 0; });
        change(stage.iteration >= 0, [](ProgramStage& less) { less.iteration = -1; });
        change(stage.region.has_value(), [](ProgramStage& less) { less.region.reset(); });
        change(!stage.rim.empty(), [](ProgramStage& less) { less.rim = {}; });
        change(stage.uses >= 0, [](ProgramStage& less) { less.uses = -1; });
        change(stage.sent, [](ProgramStage& less) { less.sent = false; });
        change(stage.together, [](ProgramStage& less) { less.together = false; });
        change(stage.number >= 0 && hashes, [](ProgramStage& less) { less.number = -1; });
        change(stage.writes.size() > 1, [](ProgramStage& less) { less.writes.pop_back(); });
        change(stage.updates && hashes, [](ProgramStage& less) { less.updates = false; });
        for (std::size_t r = 0; r < stage.reads.size(); ++r) simplify_read(p, s, r);
    }

    // Loops that end with a later stage have one stage less if this one was in them.
    static void drop_stage(std::vector<ProgramStage>& stages, std::size_t s) {
        for (std::size_t later = s + 1; later < stages.size(); ++later)
            if (static_cast<std::size_t>(stages[later].repeats) > later - s) --stages[later].repeats;
        stages.erase(stages.begin() + static_cast<std::ptrdiff_t>(s));
    }

    void simplify_read(std::size_t p, std::size_t s, std::size_t r) {
        add([&](Program& less) {
            auto& reads = less.cycle[p][s].reads;
            reads.erase(reads.begin() + static_cast<std::ptrdiff_t>(r));
        });
        if (program_.cycle[p][s].reads[r].demand >= 0) return;
        for (std::size_t side = 0; side < 6; ++side) {
            Program narrower = program_;
            Extent& extent = narrower.cycle[p][s].reads[r].extent;
            int& width = side < 3 ? extent.lo[side] : extent.hi[side - 3];
            if (width-- > 0) all.push_back(std::move(narrower));
        }
    }

    void simplify_fields() {
        for (std::size_t f = 0; f < program_.fields.size(); ++f) {
            const auto& field = program_.fields[f];
            if (field.constant) add([&](Program& less) { less.fields[f].constant = false; });
            if (field.levels > 0) add([&](Program& less) { less.fields[f].levels = 0; });
            if (field.component_extents.empty() && field.components > 1)
                add([&](Program& less) { less.fields[f].components = 1; });
        }
    }

    const Program& program_;
};

// True if a program goes wrong in one of so many runs; a fault that hangs on timing needs several.
inline std::string fault_in(const Program& program, const Way& way, int runs) {
    for (int n = 0; n < runs; ++n)
        if (std::string wrong = fault_of(program, way); !wrong.empty()) return wrong;
    return "";
}

// The words for a fault and the program that shows it, shrunk for half a minute at most. Collective.
inline std::string shrunk(Program program, const Way& way, std::string wrong) {
    const double until = MPI_Wtime() + 30.0;
    const bool refused = wrong.starts_with("UserError");
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (Program& less : Simpler(program).all) {
            int late = MPI_Wtime() > until ? 1 : 0;
            MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (late != 0) break;
            const std::string still = fault_in(less, way, 4);
            if (still.empty() || asks_for_larger_grid(still) || still.starts_with("UserError") != refused) continue;
            if (refused && still.substr(0, 20) != wrong.substr(0, 20)) continue;
            program = std::move(less);
            wrong = still;
            smaller = true;
            break;
        }
    }
    return concat(way.text(), "\n", text_of(program), wrong, "\n");
}

}  // namespace lapwing::testing
