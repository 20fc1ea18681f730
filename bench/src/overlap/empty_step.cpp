#include "overlap/empty_step.hpp"

#include "lapwing/base/ticks.hpp"

namespace lapwing::bench {

namespace {

Field made(const Domain& domain, const std::string& name, int levels) {
    FieldSpec spec;
    spec.name = name;
    spec.levels = levels;
    return {domain.partition(), domain.rank(), spec, Extent::horizontal(1)};
}

Stage stage_of(const std::string& name, Field& read, Field& written) {
    Stage stage;
    stage.name = name;
    stage.reads = {{&read, Extent::horizontal(1)}};
    stage.writes = {&written};
    stage.kernel = [](void*, Box) {};
    stage.contexts.resize(written.blocks().size());
    return stage;
}

}  // namespace

EmptyStep::EmptyStep(Domain& domain, int levels, const std::string& strategy, const std::string& transport)
    : domain_(domain), here_(made(domain, "here", levels)), there_(made(domain, "there", levels)) {
    std::vector<std::vector<Stage>> cycle{{stage_of("there", here_, there_), stage_of("here", there_, here_)}};
    step_ = std::make_unique<Step>(domain, std::move(cycle), strategy, transport);
}

double EmptyStep::sample(int steps) {
    MPI_Barrier(domain_.comm());
    const std::int64_t begin = ticks();
    for (int n = 0; n < steps; ++n) step_->run(n + 1 < steps);
    return seconds_of(ticks() - begin) / steps;
}

}  // namespace lapwing::bench
