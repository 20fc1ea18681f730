#include "overlap/step_overlap.hpp"

#include <numeric>

namespace lapwing::bench {

StepOverlap::StepOverlap(Domain& domain, const OverlapWork& work, const std::string& strategy,
                         const ExchangeOptions& options)
    : OverlapMethod(domain, work) {
    std::vector<Stages> cycle;
    for (const int position : {0, 1}) {
        Stage stage;
        stage.name = "smooth";
        stage.reads = {{&model().field(position), work.extent()}};
        stage.writes = {&model().field(1 - position)};
        stage.kernel = OverlapKernel::run;
        stage.contexts = {&model().kernel(position)};
        cycle.push_back({stage});
    }
    step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = options.transport});
    const AnyField* field = &model().field(0);
    exchange_.emplace(domain, std::span(&field, 1), options);
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
