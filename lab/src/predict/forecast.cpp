#include "predict/forecast.hpp"

#include "predict/engine.hpp"

namespace lapwing {

double compute_seconds(const RankOutline& outline, const std::map<std::string, KernelCost>& stages, double crowd,
                       double speed) {
    double sum = 0;
    for (const StepOutline& step : outline.steps) {
        for (const TaskOutline& task : step.tasks) {
            if (task.cells == 0) continue;
            const auto found = stages.find(outline.stages[task.stage]);
            const auto calls = static_cast<double>(task.task.computed().size());
            if (found != stages.end()) sum += found->second.seconds(task.cells, task.rows, crowd, speed, calls);
        }
    }
    return sum / steps_of(outline);
}

Forecast forecast(const ForecastRequest& request) { return predict::Engine(request).run(); }

}  // namespace lapwing
