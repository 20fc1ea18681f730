// Hours of small steps: soak STEPS. Each step makes, drops, starts, tests or waits for exchanges of random fields by
// random transports, the same on all ranks; now and then a new domain, a step of stages, a transpose and a gather.
// Memory, descriptors and mappings must not grow once everything has been there; what each window of steps took is
// printed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "lapwing/exchange/transpose.hpp"
#include "lapwing/lapwing.hpp"
#include "lapwing/partition/distribution.hpp"
#include "lapwing/transport/transport.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using testing::Random;

namespace {

constexpr int windows = 20;

// The memory that the process holds.
struct Held {
    long memory = 0;  // KiB that are resident
    long descriptors = 0, mappings = 0;
};

Held held_now() {
    Held held;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") status >> held.memory;
    const std::filesystem::directory_iterator files("/proc/self/fd");
    held.descriptors = static_cast<long>(std::distance(begin(files), end(files)));
    std::ifstream maps("/proc/self/maps");
    held.mappings = std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
    return held;
}

// The larger on any rank.
Held most_held(MPI_Comm comm) {
    Held held = held_now();
    long numbers[] = {held.memory, held.descriptors, held.mappings};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_LONG, MPI_MAX, comm);
    return {numbers[0], numbers[1], numbers[2]};
}

std::vector<std::string> transports_here(const Domain& domain) {
    std::vector<std::string> names;
    for (const Transport& one : transports())
        if (!one.on_device && one.unavailable(domain).empty()) names.emplace_back(one.name);
    return names;
}

// A domain with what a model has on it, and up to six exchanges at a time.
class Job {
  public:
    explicit Job(Random& random)
        : random_(random), domain_(partition(), MPI_COMM_WORLD), names_(transports_here(domain_)) {
        for (int f = 0; f < 3; ++f) {
            FieldSpec spec;
            spec.name = "f" + std::to_string(f);
            spec.levels = f;
            spec.extents = {Extent::horizontal(1 + f % 2)};
            fields_.emplace_back(domain_.partition(), domain_.rank(), spec);
        }
    }
    ~Job() {
        while (!exchanges_.empty()) drop(exchanges_.size() - 1);
        domain_.close();
    }

    void step() {
        const int what = random_.between(0, 99);
        if (exchanges_.empty() || (what < 4 && exchanges_.size() < 6)) return make();
        const auto n = static_cast<std::size_t>(random_.between(0, static_cast<int>(exchanges_.size()) - 1));
        if (what < 7) return drop(n);
        Kept& one = exchanges_[n];
        if (one.started) {
            if (what < 40) {
                if (one.exchange->active()) static_cast<void>(one.exchange->pending().test());
            } else {
                finish(one);
            }
        } else if (what < 60) {
            static_cast<void>(one.exchange->start());  // waited for later, by another handle
            one.started = true;
        } else {
            one.exchange->run();
        }
    }
    // Rare actions of a model.
    void rarely() {
        Field<double> u(domain_, "u"), v(domain_, "v");
        const auto spread = [](Box box, View<double> to, View<const double> from) {
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = from(i - 1, j) + from(i + 1, j);
        };
        Step step(domain_,
                  {stage("there", spread, writes(v), reads(u, cross(1))),
                   stage("back", spread, writes(u), reads(v, cross(1)))},
                  {.strategy = random_.coin() ? "dataflow" : "blocking", .transport = name()});
        step.run(random_.between(1, 4));
        static_cast<void>(u.gather());
        transpose();
    }

  private:
    struct Kept {
        std::unique_ptr<Exchange> exchange;
        bool started = false;  // on all ranks alike
    };

    static Partition partition() {
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        const Grid grid{{8 * ranks, 6, 1}, periodic_x};
        return block_partition(grid, best_blocks(grid, ranks));
    }
    const std::string& name() {
        return names_[static_cast<std::size_t>(random_.between(0, static_cast<int>(names_.size()) - 1))];
    }
    void make() {
        std::vector<const AnyField*> some;
        for (const AnyField& field : fields_)
            if (random_.coin() || (some.empty() && &field == &fields_.back())) some.push_back(&field);
        exchanges_.push_back({std::make_unique<Exchange>(domain_, some, ExchangeOptions{.transport = name()})});
    }
    // It may be complete already on this rank, while others still wait.
    static void finish(Kept& one) {
        if (one.exchange->active()) one.exchange->pending().wait();
        one.started = false;
    }
    void drop(std::size_t n) {
        finish(exchanges_[n]);
        exchanges_.erase(exchanges_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    void transpose() {
        const Grid grid{{8, 6, 2 * domain_.ranks()}, {}};
        const Partition twod = twod_partition(grid, domain_.ranks(), 1), fft = fft_partition(twod);
        FieldSpec spec;
        spec.name = "t";
        const AnyField from(twod, domain_.rank(), spec), to(fft, domain_.rank(), spec);
        const AnyField *const sources[] = {&from}, *const targets[] = {&to};
        Transpose made(domain_, twod, fft, sources, targets, {.method = "p2p"});
        made.run();
    }

    Random& random_;
    Domain domain_;
    std::vector<std::string> names_;
    std::vector<AnyField> fields_;
    std::vector<Kept> exchanges_;
};

void soak(long steps) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Random random(7);
    const long window = std::max(1L, steps / windows), of_job = std::clamp(window / 2, 1L, 5000L);
    auto job = std::make_unique<Job>(random);
    Held settled;
    double fastest[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (int w = 0; w < windows; ++w) {
        const double began = MPI_Wtime();
        for (long n = 0; n < window; ++n) {
            if (n % of_job == of_job - 1) {
                job->rarely();
                job.reset();
                job = std::make_unique<Job>(random);
            }
            job->step();
        }
        const double each = (MPI_Wtime() - began) / static_cast<double>(window) * 1e6;
        const Held now = most_held(MPI_COMM_WORLD);
        double& best = fastest[w < windows / 2 ? 0 : 1];
        best = std::min(best, each);
        if (w == windows / 2 - 1) settled = now;
        if (rank == 0)
            std::cout << "window " << std::setw(2) << w + 1 << ": " << std::fixed << std::setprecision(1) << each
                      << " us a step, " << now.memory << " KiB, " << now.descriptors << " descriptors, " << now.mappings
                      << " mappings" << std::endl;
        if (w < windows / 2) continue;
        if (now.memory > settled.memory + 1024 || now.descriptors > settled.descriptors ||
            now.mappings > settled.mappings + 8)
            user_error("what a rank holds",
                       concat(now.memory, " KiB, ", now.descriptors, " descriptors, ", now.mappings, " mappings"),
                       concat("what it held in the middle, ", settled.memory, " KiB, ", settled.descriptors, ", ",
                              settled.mappings, ", apart from a mebibyte and 8 mappings"),
                       "find what is not given back");
    }
    job.reset();
    if (rank == 0)
        std::cout << "soak: " << window * windows << " steps, fastest windows " << fastest[0]
                  << " us a step in the first half, " << fastest[1] << " us in the second\n";
}

}  // namespace

int main(int count, char** words) {
    const long steps = count > 1 ? std::atol(words[1]) : 10000;
    return run_main(count, words, [&] { soak(steps); });
}
