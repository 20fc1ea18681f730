#include "lapwing/mpi/shared_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// All that must be the same on all ranks, as a text to compare.
std::string request(const Grid& grid, const Mask& mask, const CostModel& model, const SearchOptions& options) {
    const CostCoefficients& c = model.coefficients;
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);  // numbers that differ look different
    text << to_string(grid) << ", mask " << mask.fingerprint() << ", width " << model.width << ", "
         << model.ranks_per_node << " ranks per node";
    for (const double value : {c.wet, c.dry, c.off, c.on, c.latency}) text << ", " << value;
    for (const double speed : model.speeds) text << ", speed " << speed;
    text << (options.nodes_first ? ", nodes first" : "") << (options.wider ? ", wider" : "");
    text << (options.refine ? ", refined" : "");
    return text.str();
}

}  // namespace

FoundPartition find_partition(MPI_Comm comm, const Grid& grid, const Mask& mask, const CostModel& model,
                              const SearchOptions& options) {
    const int rank = rank_in(comm), ranks = size_of(comm);
    std::optional<KSection> ksection;
    together(comm, [&] {
        check_options(options);
        ksection.emplace(grid, mask, ranks, model);
    });
    require_same(comm, "search for a partition", request(grid, mask, model, options));
    const Index most = worthwhile_candidates(*ksection);
    BestCandidate mine;
    together(comm, [&] { mine = search_candidates(*ksection, most, rank, ranks, options.threads); });
    struct {
        double cost;
        int turn;
    } least{mine.cost, mine.turn};
    reduce(comm, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, "the search for a partition");
    const Index searched = std::min(most, ksection->count());
    FoundPartition found{.partition = Partition(grid, 1, {}), .candidates = 0, .searched = 0};
    together(comm, [&] {
        found =
            find_partition(*ksection, {least.cost, ksection->turn(least.turn, most), least.turn, searched}, options);
    });
    return found;
}

int ranks_per_node(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    const int ranks = size_of(node);
    check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
    return reduced(comm, ranks, MPI_MAX, "the ranks of a node");
}

}  // namespace lapwing
