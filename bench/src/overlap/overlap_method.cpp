#include "overlap/overlap_method.hpp"

#include "lapwing/mpi/agreement.hpp"

namespace lapwing::bench {

void OverlapMethod::run(OverlapPart part, bool another_follows) {
    switch (part) {
        case OverlapPart::step:
            return step(another_follows);
        case OverlapPart::communicate:
            return communicate();
        case OverlapPart::compute:
            return model_.compute(model_.owned());
    }
}

std::pair<double, double> OverlapMethod::sample(OverlapPart part, int rounds) {
    const MPI_Comm comm = domain_.comm();
    const auto in_kernels = [&] { return part == OverlapPart::step ? kernel_seconds() : model_.seconds(); };
    MPI_Barrier(comm);
    run(part, true);
    // no barrier here: what has left ahead of the first step would arrive meanwhile, for nothing
    const double kernels = in_kernels();
    const double begin = MPI_Wtime();
    for (int n = 0; n < rounds; ++n) run(part, true);
    const double seconds = (MPI_Wtime() - begin) / rounds;
    const double inside = (in_kernels() - kernels) / rounds;
    run(part, false);
    return {reduced(comm, seconds, MPI_MAX, "a sample"), reduced(comm, inside, MPI_SUM, "a sample") / domain_.ranks()};
}

std::uint64_t OverlapMethod::fingerprint(int steps) {
    model_.fill();
    restart();
    for (int n = 0; n < steps; ++n) step(n + 1 < steps);
    // ranks count differently, so that their parts may not be exchanged
    const auto weight = 2 * static_cast<std::uint64_t>(domain_.rank()) + 1;
    const auto mine = static_cast<Index>(model_.fingerprint() * weight);
    return static_cast<std::uint64_t>(reduced(domain_.comm(), mine, MPI_BXOR, "a fingerprint"));
}

}  // namespace lapwing::bench
