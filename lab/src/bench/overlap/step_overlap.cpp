#include "overlap/step_overlap.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "lapwing/plan/chunks.hpp"

namespace lapwing::bench {

StepOverlap::StepOverlap(Domain& domain, const OverlapWork& work, const std::string& strategy,
                         const std::string& transport, Index chunk_bytes)
    : OverlapMethod(domain, work) {
    std::vector<std::vector<Stage>> cycle;
    for (const int position : {0, 1}) {
        Stage stage;
        stage.name = "smooth";
        stage.reads = {{&model().field(position), work.extent()}};
        stage.writes = {&model().field(1 - position)};
        stage.kernel = OverlapKernel::run;
        stage.contexts = {&model().kernel(position)};
        cycle.push_back({stage});
    }
    step_.emplace(domain, cycle, strategy, transport);
    const std::vector<const AnyField*> field{&model().field(0)};
    Route route = halo_route(domain, field, specs_of(field), {.transport = transport});
    if (chunk_bytes > 0) route.plan = in_chunks(route.plan, chunk_bytes);
    exchange_.emplace(domain, std::move(route), field, field);
}

void StepOverlap::steps(int count, const BeforeEach& before_each) {
    step_->run(count, [&, first = true]() mutable {
        if (!first) model().turn();
        first = false;
        before_each();
    });
    if (count > 0) model().turn();
}

double StepOverlap::kernel_seconds() const {
    const auto& stages = step_->report().times().compute;
    return std::accumulate(stages.begin(), stages.end(), 0.0);
}

}  // namespace lapwing::bench
