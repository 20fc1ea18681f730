#include "exchange/method.hpp"

#include <algorithm>

namespace lapwing::bench {

namespace {

template <class Round>
double seconds_per_round(MPI_Comm comm, int rounds, Round&& round) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    for (int n = 0; n < rounds; ++n) round();
    double mine = (MPI_Wtime() - begin) / rounds, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    return slowest;
}

// Untimed, so that caches and branches are as they are in the middle of a run.
int warm_up_rounds(int rounds) { return std::max(2, rounds / 10); }

}  // namespace

std::pair<double, double> Method::sample(int rounds) {
    const double alone = touch_alone(rounds);
    const auto round = [&] {
        touch();
        exchange();
    };
    static_cast<void>(seconds_per_round(comm_, warm_up_rounds(rounds), round));
    const double with = seconds_per_round(comm_, rounds, round);
    touches_ += rounds + warm_up_rounds(rounds);
    return {with, alone};
}

double Method::touch_alone(int rounds) {
    const auto round = [&] { touch(); };
    static_cast<void>(seconds_per_round(comm_, warm_up_rounds(rounds), round));
    touches_ += rounds + warm_up_rounds(rounds);
    return seconds_per_round(comm_, rounds, round);
}

Index Method::sum(Index mine) const {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm_);
    return mine;
}

Index Method::wrong_cells() {
    fill();
    touches_ = 0;
    MPI_Barrier(comm_);  // no rank reads what another has still to fill
    exchange();
    return sum(wrong(0));
}

Index Method::wrong_after_sample() { return sum(wrong(touches_)); }

}  // namespace lapwing::bench
