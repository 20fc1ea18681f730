#include "overlap/overlap_method.hpp"

#include <vector>

#include "lapwing/mpi/agreement.hpp"

namespace lapwing::bench {

void OverlapMethod::run(OverlapPart part, int count, const BeforeEach& before_each) {
    if (part == OverlapPart::step) return steps(count, before_each);
    for (int n = 0; n < count; ++n) {
        before_each();
        if (part == OverlapPart::communicate) {
            communicate();
        } else {
            model_.compute(model_.owned());
        }
    }
}

std::pair<double, double> OverlapMethod::sample(OverlapPart part, int rounds) {
    const MPI_Comm comm = domain_.comm();
    const auto in_kernels = [&] { return part == OverlapPart::step ? kernel_seconds() : model_.seconds(); };
    std::vector<std::pair<double, double>> moments;  // and seconds in kernels until then
    MPI_Barrier(comm);
    // no barrier after the first round: what has left ahead of the second would arrive meanwhile, for nothing
    run(part, rounds + 2, [&, n = 0]() mutable {
        if (n == 1 || n == rounds + 1) moments.emplace_back(MPI_Wtime(), in_kernels());
        ++n;
    });
    const double seconds = (moments[1].first - moments[0].first) / rounds;
    const double inside = (moments[1].second - moments[0].second) / rounds;
    return {reduced(comm, seconds, MPI_MAX, "a sample"), reduced(comm, inside, MPI_SUM, "a sample") / domain_.ranks()};
}

std::uint64_t OverlapMethod::fingerprint(int steps) {
    model_.fill();
    restart();
    this->steps(steps, [] {});
    // ranks count differently, so that their parts may not be exchanged
    const auto weight = 2 * static_cast<std::uint64_t>(domain_.rank()) + 1;
    const auto mine = static_cast<Index>(model_.fingerprint() * weight);
    return static_cast<std::uint64_t>(reduced(domain_.comm(), mine, MPI_BXOR, "a fingerprint"));
}

}  // namespace lapwing::bench
