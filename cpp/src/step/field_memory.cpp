#include "step/field_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <ranges>

#include "base/thread_team.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/step/threads.hpp"
#include "schedule/strategy_candidates.hpp"
#include "schedule/zones/thread_parts.hpp"
#include "step/observers/step_check.hpp"
#include "step/observers/step_digest.hpp"

namespace lapwing {

std::vector<Extent> halos_under(const StepStages& stages, const Strategy& strategy) {
    const int fields = static_cast<int>(stages.fields().size());
    return halo_widths(stages.specs(), fields, stages.schedule(strategy));
}

namespace {

// The shortest side of any box, along the axes that are cut.
Index narrowest(const Partition& partition) {
    Index least = std::ranges::max(partition.grid().size);
    for (const Subdomain& subdomain : partition.subdomains()) {
        for (int axis = 0; axis < 3; ++axis)
            if (subdomain.box.size(axis) < partition.grid().size[axis])
                least = std::min(least, subdomain.box.size(axis));
    }
    return least;
}

Index widest(const Extent& extent) { return std::max(std::ranges::max(extent.lo), std::ranges::max(extent.hi)); }

// True if boxes are wide enough that `auto` may leave room for these halos, whether or not it takes `deep` in the end:
// four times as wide as any, and 16 times where a halo gets wider between the rows of a field with levels, of which
// kernels then took 1.2 to 1.3 times as long.
bool leave_boxes_wide(const StepStages& stages, const std::vector<Extent>& wide, const std::vector<Extent>& plain,
                      Index narrowest) {
    for (std::size_t f = 0; f < wide.size(); ++f) {
        const bool between_levels = stages.fields()[f]->spec().levels > 1 && widest(wide[f]) > widest(plain[f]);
        if ((between_levels ? 16 : 4) * widest(wide[f]) > narrowest) return false;
    }
    return true;
}

// Halos for the deepest repetition that `auto` may try.
std::vector<Extent> widths_for(const StepStages& stages, const Partition& partition, const std::string& name) {
    const Strategy strategy = on_grid(parse_strategy(name), partition.grid());
    if (!strategy.automatic) return halos_under(stages, strategy);
    std::vector<Extent> widths = halos_under(stages, Strategy{});
    for (const Strategy& deep : deep_candidates() | std::views::reverse) {
        const auto wide = halos_under(stages, on_grid(deep, partition.grid()));
        if (!leave_boxes_wide(stages, wide, widths, narrowest(partition))) continue;
        std::ranges::transform(widths, wide, widths.begin(), unite);
        break;
    }
    return widths;
}

// Asked before the memory is touched: a system may end the process that asks for too much. A process that stands for
// one rank of many takes memory for that one.
void require_memory(const Domain& domain, const StepStages& stages, const std::vector<Extent>& widths) {
    Index needed = 0;
    for (std::size_t f = 0; f < widths.size(); ++f) {
        const AnyField& field = *stages.fields()[f];
        if (!field.has_memory()) needed += field.bytes_with(widths[f]);
    }
    const int ranks = std::min(domain.node().ranks(), size_of(domain.comm()));
    needed *= ranks;
    const Index available = available_memory();
    if (needed <= available) return;
    user_error("memory", concat(available, " bytes available on this node"),
               concat(needed, " bytes for the fields of its ", ranks, " ranks"),
               "use more nodes, fewer cells, narrower types or a strategy with narrower halos");
}

// Returns the whole pages of a block's memory to the system, which has zeroed pages for who touches them next.
void return_pages(const Block& block, Index bytes) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data), end = begin + static_cast<std::uintptr_t>(bytes);
    const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

// Lets each thread be the first to touch the rows that it computes: a page lies near the core that first writes to it.
void touch_in_parts(const AnyField& field, const Partition& partition, ThreadTeam& team) {
    for (const Block& block : field.blocks()) {
        const ThreadParts parts = equal_parts(partition.subdomain(block.subdomain).box, team.threads());
        const Index row = block.strides[parts.axis], rows = block.allocated.size(parts.axis);
        const std::array<Index, 4> sizes{block.allocated.size(0), block.allocated.size(1), block.allocated.size(2),
                                         field.spec().components};
        std::vector<Index> starts{0};  // bytes from the first value to each run of rows
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (block.strides[axis] <= row) continue;
            for (std::size_t n = 0, known = starts.size(); n < known; ++n)
                for (Index i = 1; i < sizes[axis]; ++i) starts.push_back(starts[n] + i * block.strides[axis]);
        }
        for (const Index start : starts) return_pages({.data = block.data + start}, rows * row);
        const Index below = block.owned.lo[parts.axis] - block.allocated.lo[parts.axis];
        team.run([&](int thread) {
            const Index first = thread == 0 ? 0 : std::min(rows, below + parts.begin(thread));
            const Index last = thread + 1 == parts.threads ? rows : std::min(rows, below + parts.begin(thread + 1));
            for (const Index start : starts) std::memset(block.data + start + first * row, 0, (last - first) * row);
        });
    }
}

// A field that has memory keeps it.
void give_memory(const Domain& domain, const StepStages& stages, const std::vector<std::string>& strategies,
                 ThreadTeam* team) {
    std::vector<Extent> widths(stages.fields().size());
    together(domain.comm(), [&] {
        for (const std::string& strategy : strategies)
            std::ranges::transform(widths, widths_for(stages, domain.partition(), strategy), widths.begin(), unite);
        if (checks_always()) {  // reads beyond a halo are found there, and not in another row
            for (Extent& width : widths) width = sum(width, Extent::horizontal(2));
        }
        require_memory(domain, stages, widths);
    });
    // throws after all ranks have looked: some may miss what others find
    together(domain.comm(), [&] {
        for (std::size_t f = 0; f < widths.size(); ++f) {
            AnyField& field = *stages.fields()[f];
            if (field.has_memory()) continue;
            field.allocate(widths[f]);
            if (team != nullptr) touch_in_parts(field, domain.partition(), *team);
        }
    });
}

}  // namespace

std::unique_ptr<StepStages> stages_in_memory(const Domain& domain, std::vector<Stages> cycle,
                                             const StepOptions& options, ThreadTeam* team) {
    std::unique_ptr<StepStages> stages;
    together(domain.comm(), [&] {
        static_cast<void>(parse_strategy(options.strategy));
        exchange_after(cycle, options.listed, options.listed_halo);
        stages = std::make_unique<StepStages>(domain, std::move(cycle));
    });
    std::vector<std::string> strategies = options.room_for;
    strategies.push_back(options.strategy);
    give_memory(domain, *stages, strategies, team);
    return stages;
}

void give_memory(Domain& domain, std::vector<Stages> cycle, const StepOptions& options) {
    const StepOptions said = as_environment_says(domain, options);
    static_cast<void>(stages_in_memory(domain, std::move(cycle), said, team_of(domain, said.threads).get()));
}

}  // namespace lapwing
