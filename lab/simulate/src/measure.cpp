#include "measure.hpp"

#include <functional>
#include <memory>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "costs/charge.hpp"
#include "costs/network.hpp"
#include "lapwing_simulate/work.hpp"
#include "plain_step.hpp"

namespace lapwing_simulate {

namespace {

constexpr int most_trials = 8000;  // steps in which `auto` must have chosen

// The share of the cores of this rank's node that have a rank besides it.
double crowd(const lapwing::Domain& domain, int ranks_per_node) {
    const int ranks = domain.node().ranks();
    return ranks_per_node > 1 ? static_cast<double>(ranks - 1) / (ranks_per_node - 1) : 1.0;
}

// A method on a work, from its start.
class Runner {
  public:
    Runner(lapwing::Domain& domain, const Request& request, const std::string& method)
        : work_(make_work(domain, request, method)),
          meter_(request.stages, crowd(domain, request.ranks_per_node), request.speeds.at(domain.rank())),
          domain_(domain),
          request_(request) {
        restore(domain_, request_, *work_);
        auto cycle = meter_.charged(work_->cycle());
        if (method == plain_method) {
            plain_ = std::make_unique<PlainStep>(domain, std::move(cycle));
        } else {
            step_ = std::make_unique<lapwing::Step>(
                domain, std::move(cycle), lapwing::StepOptions{.strategy = method, .transport = request.transport});
        }
    }
    // Runs a number of steps, each after a call of `before_each`.
    void run(int steps, const std::function<void()>& before_each = [] {}) {
        const auto begin = [&] {
            before_each();
            charge_between();
            work_->begin_step();
        };
        if (step_) return step_->run(steps, begin);
        for (int n = 0; n < steps; ++n) {
            begin();
            plain_->run();
        }
    }
    void reset() {
        work_->reset();
        restore(domain_, request_, *work_);
    }
    [[nodiscard]] Meter& meter() { return meter_; }
    [[nodiscard]] const Work& work() const { return *work_; }
    [[nodiscard]] const lapwing::Step* step() const { return step_.get(); }

  private:
    void charge_between() {
        double cells = 0, rows = 0;
        for (const int subdomain : domain_.partition().subdomains_of(domain_.rank())) {
            const lapwing::Box& box = domain_.partition().subdomain(subdomain).box;
            cells += static_cast<double>(box.volume());
            rows += static_cast<double>(box.volume() / (box.hi[0] - box.lo[0]));
        }
        meter_.charge(lapwing::between_steps, cells, rows);
    }

    std::unique_ptr<Work> work_;
    Meter meter_;
    std::unique_ptr<PlainStep> plain_;
    std::unique_ptr<lapwing::Step> step_;
    const lapwing::Domain& domain_;
    const Request& request_;
};

double largest(const lapwing::Domain& domain, double mine) {
    return lapwing::reduced(domain.comm(), mine, MPI_MAX, "the slowest rank");
}

// Runs until `auto` has chosen.
void choose(Runner& runner, const std::string& method) {
    if (method != "auto") return;
    constexpr int turn = 40;
    for (int n = 0; n < most_trials && runner.step()->report().strategy() == "auto"; n += turn) runner.run(turn);
    while (runner.step()->position() != 0) runner.run(1);
    runner.reset();  // so that it ends where the other methods do
}

// Seconds per step of each sample, once halos are in their steady state: between the moments at which all ranks have
// come so far. Nothing brings them together in between, as nothing does in a model.
std::vector<double> timed(const lapwing::Domain& domain, const Request& request, Runner& runner) {
    std::vector<double> moments;  // s
    runner.run(request.warm_up + request.samples * request.steps, [&, n = -request.warm_up]() mutable {
        if (n == -request.warm_up) spend_bursts();
        if (n == 0) runner.meter().seconds = 0;
        if (n >= 0 && n % request.steps == 0) moments.push_back(MPI_Wtime());
        ++n;
    });
    moments.push_back(MPI_Wtime());
    moments = lapwing::reduced(domain.comm(), std::move(moments), MPI_MAX, "the slowest rank");
    std::vector<double> samples;
    for (std::size_t n = 1; n < moments.size(); ++n) samples.push_back((moments[n] - moments[n - 1]) / request.steps);
    return samples;
}

// Throws what making the step throws, on all ranks alike.
void measure_on(lapwing::Domain& domain, const Request& request, Measured& measured) {
    Runner runner(domain, request, measured.method);
    choose(runner, measured.method);
    measured.step = timed(domain, request, runner);
    measured.compute = largest(domain, runner.meter().seconds) / (request.samples * request.steps);
    if (runner.step() != nullptr) {
        measured.messages = largest(domain, runner.step()->report().volume().messages);
        measured.bytes = largest(domain, runner.step()->report().volume().bytes);
        measured.tasks = runner.step()->report().describe();
        measured.choice = runner.step()->report().choice();
    }
    if (request.alone) {
        runner.meter().on = false;
        measured.chain = timed(domain, request, runner);
    }
    measured.checksum = checksum(domain, runner.work().state());
}

}  // namespace

Measured measure(const lapwing::Partition& partition, const Request& request, const std::string& method) {
    lapwing::Domain domain(partition, MPI_COMM_WORLD);
    Measured measured;
    measured.method = method;
    try {
        measure_on(domain, request, measured);
    } catch (const lapwing::UserError& problem) {  // a strategy that cannot be had here
        measured.problem = problem.what();
    }
    domain.close();
    return measured;
}

}  // namespace lapwing_simulate
