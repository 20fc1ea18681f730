#include "measure.hpp"

#include <functional>
#include <memory>

#include <lapwing/agreement.hpp>

#include "charge.hpp"
#include "plain_step.hpp"
#include "work.hpp"

namespace lapwing_simulate {

namespace {

double largest(const lapwing::Domain& domain, double mine) {
    return lapwing::reduced(domain.comm(), mine, MPI_MAX, "the slowest rank");
}

// Seconds per step of each sample. Ranks are not brought together in between, as they are not in a model.
std::vector<double> timed(const lapwing::Domain& domain, const Request& request, const std::function<void()>& step) {
    for (int n = 0; n < request.warm_up; ++n) step();
    MPI_Barrier(domain.comm());
    std::vector<double> moments{MPI_Wtime()};  // s
    for (int sample = 0; sample < request.samples; ++sample) {
        for (int n = 0; n < request.steps; ++n) step();
        moments.push_back(MPI_Wtime());
    }
    moments = lapwing::reduced(domain.comm(), std::move(moments), MPI_MAX, "the slowest rank");
    std::vector<double> samples;
    for (std::size_t n = 1; n < moments.size(); ++n) samples.push_back((moments[n] - moments[n - 1]) / request.steps);
    return samples;
}

}  // namespace

Measured measure(const lapwing::Partition& partition, const Request& request, const std::string& method) {
    lapwing::Domain domain(partition, MPI_COMM_WORLD);
    const auto work = make_work(domain, request);
    Meter meter(request.seconds_per_cell, request.layers);
    std::unique_ptr<PlainStep> plain;
    std::unique_ptr<lapwing::Step> step;
    Measured measured;
    measured.method = method;
    if (method == "plain") {
        plain = std::make_unique<PlainStep>(domain, meter.charged(work->cycle()));
    } else {
        step = std::make_unique<lapwing::Step>(domain, meter.charged(work->cycle()), method, request.transport);
        measured.messages = largest(domain, step->volume().messages);
        measured.bytes = largest(domain, step->volume().bytes);
        measured.tasks = step->describe();
    }
    const auto run = [&] {
        work->begin_step();
        step ? step->run() : plain->run();
    };
    meter.seconds = 0;
    measured.step = timed(domain, request, run);
    measured.compute = largest(domain, meter.seconds) / (request.warm_up + request.samples * request.steps);
    meter.on = false;
    measured.chain = timed(domain, request, run);
    measured.checksum = checksum(domain, work->state());
    step.reset();
    plain.reset();
    domain.close();
    return measured;
}

}  // namespace lapwing_simulate
