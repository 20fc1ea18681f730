#include "overlap/overlap_method.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing::bench {

namespace {

void run(OverlapMethod& method, OverlapPart part, bool another_follows) {
    switch (part) {
        case OverlapPart::step:
            return method.step(another_follows);
        case OverlapPart::communicate:
            return method.communicate();
        case OverlapPart::compute:
            return method.model().compute(method.model().owned());
    }
}

double kernels_of(const OverlapMethod& method, OverlapPart part, double model) {
    return part == OverlapPart::step ? method.kernel_seconds() : model;
}

}  // namespace

OverlapSample sample(MPI_Comm comm, OverlapMethod& method, OverlapPart part, int rounds) {
    MPI_Barrier(comm);
    run(method, part, true);
    // no barrier here: what has left ahead of the first step would arrive meanwhile, for nothing
    const double kernels = kernels_of(method, part, method.model().seconds());
    const double begin = MPI_Wtime();
    for (int n = 0; n < rounds; ++n) run(method, part, true);
    const double seconds = (MPI_Wtime() - begin) / rounds;
    const double inside = (kernels_of(method, part, method.model().seconds()) - kernels) / rounds;
    run(method, part, false);
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    return {reduced(comm, seconds, MPI_MAX, "a sample"), reduced(comm, inside, MPI_SUM, "a sample") / ranks};
}

std::uint64_t fingerprint(MPI_Comm comm, OverlapMethod& method, int steps) {
    method.restart();
    for (int n = 0; n < steps; ++n) method.step(n + 1 < steps);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    // ranks count differently, so that their parts may not be exchanged
    const auto mine = static_cast<Index>(method.model().fingerprint() * (2 * static_cast<std::uint64_t>(rank) + 1));
    return static_cast<std::uint64_t>(reduced(comm, mine, MPI_BXOR, "a fingerprint"));
}

}  // namespace lapwing::bench
