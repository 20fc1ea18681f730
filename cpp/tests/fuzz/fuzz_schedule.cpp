// Random stages under every strategy: their schedule gives the values of the whole grid, and each rank's task list
// keeps apart what meets in memory.

#include "schedule/schedule_model.hpp"
#include "schedule/task_hazards.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

constexpr const char* strategies[] = {
    "blocking", "3s",     "5s",           "6s",         "6s:0.3",     "edge-first",        "dataflow",         "deep:1",
    "deep:2",   "deep:3", "edge-first:B", "dataflow:4", "dataflow:9", "deep:2+dataflow:4", "deep:2+edge-first"};

StageSpec any_stage(Bytes& bytes, const Grid& grid, int fields, int number) {
    StageSpec stage{.name = "s" + std::to_string(number), .reads = {}, .writes = {}};
    const int kind = bytes.byte();
    stage.writes = {kind % fields};
    if ((kind & 64) != 0 && fields > 1) stage.writes.push_back((kind % fields + 1) % fields);
    for (int n = kind >> 4 & 3; n > 0; --n) {
        Read read{bytes.between(0, fields - 1), small_extent(bytes, 2)};
        if (writes(stage, read.field)) read.extent = {};  // any order of cells would not do
        stage.reads.push_back(read);
    }
    if ((kind & 128) == 0) return stage;
    const int more = bytes.byte();
    stage.reduces = (more & 1) != 0;
    if ((more & 6) == 6) {
        stage.region = grid.box();
        const std::size_t a = more >> 3 & 1;
        (((more & 16) != 0 ? stage.region->hi : stage.region->lo)[a]) = (more & 16) != 0 ? 1 : grid.size[a] - 1;
    }
    if ((more & 96) == 96) stage.sends.push_back({stage.writes[0], small_extent(bytes, 1)});
    return stage;
}

// At most one loop in a list: of known length, or one that ends by a number.
void add_loop(Bytes& bytes, std::vector<StageSpec>& stages) {
    const int what = bytes.byte(), last = static_cast<int>(stages.size()) - 1;
    if ((what & 3) == 1) {
        stages[static_cast<std::size_t>(last)].reduces = true;
        stages[static_cast<std::size_t>(last)].repeats = 1 + (what >> 2) % (last + 1);
    }
    if ((what & 3) == 2) {
        const std::vector<StageSpec> once = stages;
        for (int n = 0; n < 2 + (what >> 2 & 1); ++n) {
            if (n == 0) stages.clear();
            for (StageSpec stage : once) stage.iteration = n, stages.push_back(stage);
        }
    }
}

Cycle any_cycle(Bytes& bytes, const Grid& grid, int fields) {
    Cycle cycle(bytes.byte() % 4 == 3 ? 2 : 1);
    for (auto& stages : cycle) {
        for (int n = bytes.between(1, 4), s = 0; s < n; ++s) stages.push_back(any_stage(bytes, grid, fields, s));
        add_loop(bytes, stages);
    }
    return cycle;
}

class Fuzzed {
  public:
    Fuzzed(const Partition& partition, const Cycle& cycle, int fields, const Strategy& strategy)
        : partition_(partition),
          cycle_(cycle),
          strategy_(strategy),
          schedule_(schedule_for(cycle, fields, strategy)),
          widths_(halo_widths(cycle, fields, schedule_)) {}

    // Halos that reach once around the grid are refused elsewhere.
    [[nodiscard]] bool fits() const {
        return std::ranges::all_of(widths_, [&](const Extent& width) {
            for (std::size_t a = 0; a < 3; ++a)
                if (std::max(width.lo[a], width.hi[a]) > std::min<Index>(6, partition_.grid().size[a])) return false;
            return true;
        });
    }
    void plan() {
        for (const ScheduleNode& node : schedule_.nodes) {
            plans_.emplace_back();
            for (const ScheduleEntry& entry : node.entries)
                plans_.back().push_back(entry.computes() ? std::vector<MessagePlan>{} : plans_of(entry));
        }
    }
    void check_values(Bytes& bytes) {
        HashedModel model(partition_, widths_);
        int node = schedule_.stale_entry[0];
        for (int n = 2 * std::max(1, strategy_.repetitions) * static_cast<int>(cycle_.size()) + 1; n > 0; --n) {
            if (bytes.byte() % 8 == 7) {
                node = schedule_
                           .stale_entry[static_cast<std::size_t>(schedule_.nodes[static_cast<std::size_t>(node)].step)];
                model.spoil_halos();
            }
            run(model, static_cast<std::size_t>(node));
            model.check_equal();
            node = schedule_.nodes[static_cast<std::size_t>(node)].next;
        }
    }
    void check_tasks(Bytes& bytes) const {
        const int size = bytes.between(2, 20);
        const Tiling tiling{.values = size, .cache = 100 * size, .near = 50 * size};
        for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
            const RankStep step = rank_step(node, bytes.byte() % partition_.ranks());
            const TaskList list = task_list(step, strategy_, tiling);
            const TaskHazards hazards(step, list);
            hazards.check_cover();
            hazards.check_order();
        }
    }

  private:
    [[nodiscard]] std::vector<MessagePlan> plans_of(const ScheduleEntry& entry) const {
        const bool phased = strategy_.order != Order::blocking && strategy_.order != Order::dataflow &&
                            strategy_.order != Order::edge_first;
        const Corners corners = phased && partition_.aligned() ? Corners::ordered : Corners::direct;
        std::vector<FieldSpec> specs;
        for (const Read& halo : entry.halos) {
            specs.emplace_back();
            specs.back().extents = {halo.extent};
        }
        std::vector<MessagePlan> plans;
        for (int rank = 0; rank < partition_.ranks(); ++rank)
            plans.push_back(halo_plan(partition_, rank, specs, corners));
        return plans;
    }
    void run(HashedModel& model, std::size_t node) const {
        const auto& entries = schedule_.nodes[node].entries;
        std::vector<bool> again(entries.size(), true);
        for (std::size_t e = 0; e < entries.size(); ++e) {
            if (!entries[e].computes()) {
                model.exchange(plans_[node][e], entries[e].halos);
                continue;
            }
            const auto step = static_cast<std::size_t>(schedule_.nodes[node].step);
            const StageSpec& stage = cycle_[step][static_cast<std::size_t>(entries[e].stage)];
            model.compute_boxes(stage, entries[e].rim);
            model.compute_whole(stage);
            if (entries[e].repeat_from < 0 || !again[e]) continue;
            again[e] = false;  // twice
            e = static_cast<std::size_t>(entries[e].repeat_from) - 1;
        }
    }
    [[nodiscard]] std::vector<const MessagePlan*> plans_on(std::size_t node, int rank) const {
        std::vector<const MessagePlan*> plans;
        for (const auto& all : plans_[node])
            plans.push_back(all.empty() ? nullptr : &all[static_cast<std::size_t>(rank)]);
        return plans;
    }
    [[nodiscard]] RankStep rank_step(std::size_t node, int rank) const {
        RankStep step;
        step.grid = partition_.grid();
        step.subdomains = partition_.subdomains_of(rank);
        for (int s : step.subdomains) step.owned.push_back(partition_.subdomain(s).box);
        step.node = &schedule_.nodes[node];
        step.next = &schedule_.nodes[static_cast<std::size_t>(step.node->next)];
        step.cycle = &cycle_;
        step.plans = plans_on(node, rank);
        step.next_plans = plans_on(static_cast<std::size_t>(step.node->next), rank);
        step.values_per_cell.assign(widths_.size(), 1);
        step.bytes_per_cell.assign(widths_.size(), 8);
        for (std::size_t f = 0; f < widths_.size(); ++f)
            step.lines.push_back({f % 3 == 0 ? 4 : 1, std::vector<Index>(step.owned.size(), static_cast<Index>(f))});
        return step;
    }

    const Partition& partition_;
    const Cycle& cycle_;
    Strategy strategy_;
    Schedule schedule_;
    std::vector<Extent> widths_;
    std::vector<std::vector<std::vector<MessagePlan>>> plans_;  // [node][entry][rank]
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.byte();
    const Grid grid = small_grid(bytes, (what & 128) != 0 ? 2 : 1);
    const Partition partition = small_partition(bytes, grid);
    const int fields = bytes.between(1, 3);
    const Cycle cycle = any_cycle(bytes, grid, fields);
    Strategy strategy = parse_strategy(strategies[static_cast<std::size_t>(what) % std::size(strategies)]);
    if (iterates(cycle)) strategy = {};  // as steps do
    refused([&] {
        Fuzzed fuzzed(partition, cycle, fields, strategy);
        if (!fuzzed.fits()) return;
        fuzzed.plan();
        fuzzed.check_tasks(bytes);
        fuzzed.check_values(bytes);
    });
    return 0;
}
