// The driver of `lapwing simulate`: REQUEST is the file that tells it what to do.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "lapwing/partition/node_order.hpp"
#include "lapwing/partition/partition.hpp"
#include "lapwing/partition/weighted_blocks.hpp"

#include "costs/network.hpp"
#include "costs/packing.hpp"
#include "costs/protocol.hpp"
#include "lapwing_simulate/request.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace {

using namespace lapwing_simulate;

lapwing::Partition partition_of(const Request& request) {
    if (!request.subdomains.empty()) {
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        return {request.grid, ranks, request.subdomains};
    }
    auto partition = lapwing::block_partition(request.grid, request.blocks);
    if (!request.in_line) partition = lapwing::node_ordered(partition, request.ranks_per_node);
    if (request.weighted) partition = lapwing::weighted_blocks(partition, request.speeds);
    return partition;
}

// Collective.
void set_up_machine(const Request& request, int rank) {
    if (request.nodes_share) share_nodes();
    charge_packing(request.packing);
    if (request.messages.empty()) return;
    if (rank == 0) charge_messages(request.messages, request.groups);
    use_protocol(request.messages, request.groups);
}

void simulate(const std::string& path) {
    const Request request = read_request(path);
    const lapwing::Partition partition = partition_of(request);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_up_machine(request, rank);
    std::vector<Measured> results;
    for (const std::string& method : request.methods) results.push_back(measure(partition, request, method));
    if (!request.messages.empty()) end_protocol();
    if (rank == 0) write_report(request.out, results);
}

// The library's thread and its watchdog go by the time of this machine.
void switch_off_real_time() {
    for (const char* variable : {"LAPWING_PROGRESS_THREAD", "LAPWING_WATCHDOG"}) ::unsetenv(variable);
}

}  // namespace

int main(int argc, char** argv) {
    switch_off_real_time();
    MPI_Init(&argc, &argv);
    int code = 0;
    try {
        simulate(argc > 1 ? argv[1] : "");
    } catch (const std::exception& problem) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) std::fprintf(stderr, "%s\n", problem.what());  // all ranks have one
        code = 2;
    }
    MPI_Finalize();
    return code;
}
