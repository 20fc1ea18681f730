// A program that must end by its watchdog: every rank but 0 never calls the exchange. Run on several ranks.
#include "lapwing/exchange/exchange.hpp"

#include <chrono>
#include <thread>

#include "transport_under_test.hpp"

using namespace lapwing;

int main(int argc, char** argv) {
    int provided = 0, ranks = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Domain domain(block_partition({{4 * ranks, 4, 1}, {true, false, false}}, {ranks, 1, 1}), MPI_COMM_WORLD);
    FieldSpec spec;
    spec.name = "depth";
    spec.extents = {Extent::horizontal(1)};
    const AnyField field(domain.partition(), domain.rank(), spec);
    const AnyField* const one[] = {&field};
    Exchange exchange(domain, one, {.transport = testing::transport()});
    if (domain.rank() == 0) exchange.run();
    // ended with the job; by itself where a launcher on a busy machine does not get to that
    std::this_thread::sleep_for(std::chrono::seconds(20));
    return 1;
}
