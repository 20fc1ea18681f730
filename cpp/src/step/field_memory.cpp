#include "step/field_memory.hpp"

#include <algorithm>
#include <ranges>

#include "lapwing/base/error.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/step/step.hpp"
#include "schedule/strategy_candidates.hpp"
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
    const Strategy strategy = parse_strategy(name);
    if (!strategy.automatic) return halos_under(stages, strategy);
    std::vector<Extent> widths = halos_under(stages, Strategy{});
    for (const Strategy& deep : deep_candidates() | std::views::reverse) {
        const auto wide = halos_under(stages, deep);
        if (!leave_boxes_wide(stages, wide, widths, narrowest(partition))) continue;
        std::ranges::transform(widths, wide, widths.begin(), unite);
        break;
    }
    return widths;
}

// Asked before the memory is touched: a system may end the process that asks for too much.
void require_memory(const Domain& domain, const StepStages& stages, const std::vector<Extent>& widths) {
    Index needed = 0;
    for (std::size_t f = 0; f < widths.size(); ++f) {
        const AnyField& field = *stages.fields()[f];
        if (!field.has_memory()) needed += field.bytes_with(widths[f]);
    }
    needed *= domain.node().ranks();
    const Index available = available_memory();
    if (needed <= available) return;
    user_error("memory", concat(available, " bytes available on this node"),
               concat(needed, " bytes for the fields of its ", domain.node().ranks(), " ranks"),
               "use more nodes, fewer cells, narrower types or a strategy with narrower halos");
}

// A field that has memory keeps it.
void give_memory(const Domain& domain, const StepStages& stages, const std::vector<std::string>& strategies) {
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
            if (!field.has_memory()) field.allocate(widths[f]);
        }
    });
}

}  // namespace

std::unique_ptr<StepStages> stages_in_memory(const Domain& domain, std::vector<Stages> cycle,
                                             const StepOptions& options) {
    std::unique_ptr<StepStages> stages;
    together(domain.comm(), [&] {
        static_cast<void>(parse_strategy(options.strategy));
        exchange_after(cycle, options.listed, options.listed_halo);
        stages = std::make_unique<StepStages>(domain, std::move(cycle));
    });
    std::vector<std::string> strategies = options.room_for;
    strategies.push_back(options.strategy);
    give_memory(domain, *stages, strategies);
    return stages;
}

void give_memory(Domain& domain, std::vector<Stages> cycle, const StepOptions& options) {
    static_cast<void>(stages_in_memory(domain, std::move(cycle), as_environment_says(domain, options)));
}

}  // namespace lapwing
