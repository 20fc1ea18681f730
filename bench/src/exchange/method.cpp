#include "exchange/method.hpp"

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

}  // namespace

std::pair<double, double> Method::sample(int rounds) {
    const WorkArrays& touched = arrays();
    const double with = seconds_per_round(comm_, rounds, [&] {
        touched.touch();
        exchange();
    });
    return {with, seconds_per_round(comm_, rounds, [&] { touched.touch(); })};
}

Index Method::wrong_cells() {
    fill();
    MPI_Barrier(comm_);  // no rank reads what another has still to fill
    exchange();
    Index wrong = result().wrong_cells(rank_);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm_);
    return wrong;
}

}  // namespace lapwing::bench
