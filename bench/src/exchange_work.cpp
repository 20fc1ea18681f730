#include "exchange_work.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

template <class Round>
double seconds_per_round(MPI_Comm comm, int repeats, Round&& round) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    for (int n = 0; n < repeats; ++n) round();
    double mine = (MPI_Wtime() - begin) / repeats, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::vector<std::vector<double>> time_in_turn(MPI_Comm comm, std::vector<Method>& methods, int samples, int repeats) {
    std::vector<std::vector<double>> both(methods.size()), touch(methods.size());
    for (int sample = -1; sample < samples; ++sample) {  // the first round warms up
        for (std::size_t m = 0; m < methods.size(); ++m) {
            Method& method = methods[m];
            const double with = seconds_per_round(comm, repeats, [&] {
                method.touch();
                method.exchange();
            });
            const double without = seconds_per_round(comm, repeats, method.touch);
            if (sample < 0) continue;
            both[m].push_back(with);
            touch[m].push_back(without);
        }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const double rewriting = median(touch[m]);
        for (double& seconds : both[m]) seconds -= rewriting;
    }
    return both;
}

}  // namespace lapwing::bench
