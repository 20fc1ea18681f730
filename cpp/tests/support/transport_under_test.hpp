#pragma once
// The transport that a test program is about: CTest runs the same tests once for each.

#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "lapwing/transport/transport.hpp"

namespace lapwing::testing {

// Exit code that CTest counts as skipped.
inline constexpr int skipped = 77;

// Nodes of fewer ranks than there are, to try a transport inside nodes and another between them; 0: as it is.
inline int ranks_per_node() {
    const char* text = std::getenv("LAPWING_TEST_RANKS_PER_NODE");
    return text == nullptr ? 0 : std::atoi(text);
}

// Ends the program on all ranks where this MPI or machine lacks the transport.
inline void skip_if_unavailable(const std::string& name) {
    int ranks = 1, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Domain domain(block_partition({{ranks, 1, 1}, {}}, {ranks, 1, 1}), MPI_COMM_WORLD);
    std::string reason;
    for (const Transport& one : transports()) {
        if (one.name == name) reason = one.unavailable(domain);
    }
    domain.close();
    if (reason.empty()) return;
    if (rank == 0) std::cout << "skipped: transport " << name << ": " << reason << "\n";
    MPI_Finalize();
    std::exit(skipped);
}

// Its name; p2p unless LAPWING_TEST_TRANSPORT says another.
inline const std::string& transport() {
    static const std::string name = [] {
        const char* text = std::getenv("LAPWING_TEST_TRANSPORT");
        std::string chosen = text == nullptr ? "p2p" : text;
        skip_if_unavailable(chosen);
        return chosen;
    }();
    return name;
}

}  // namespace lapwing::testing
