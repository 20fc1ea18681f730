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

Sample sample(MPI_Comm comm, Method& method, int rounds) {
    const WorkArrays& arrays = method.arrays();
    const double with = seconds_per_round(comm, rounds, [&] {
        arrays.touch();
        method.exchange();
    });
    return {with, seconds_per_round(comm, rounds, [&] { arrays.touch(); })};
}

Index wrong_cells(MPI_Comm comm, Method& method) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    method.fill(rank);
    MPI_Barrier(comm);  // no rank reads what another has still to fill
    method.exchange();
    Index wrong = method.result().wrong_cells(rank);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm);
    return wrong;
}

}  // namespace lapwing::bench
