#pragma once
// What the driver is asked to simulate: a file of words, written by `lapwing simulate`.

#include <map>
#include <string>
#include <vector>

#include <lapwing_coast/coast.hpp>
#include <lapwing_lattice/lattice.hpp>
#include "lapwing/grid/grid.hpp"

namespace lapwing_simulate {

struct Request {
    std::string work;                 // coast, lattice or tracer
    lapwing::Grid grid;               // of all ranks together
    lapwing::Index3 blocks{1, 1, 1};  // along each axis, one per rank
    int ranks_per_node = 1;
    bool in_line = false;      // ranks in the order of their blocks, x fastest; else those of a node close together
    bool nodes_share = false;  // the ranks of a node share the bandwidth within it; else each message has it
    int layers = 1;            // of a tracer
    std::vector<std::string> methods;  // strategies, and `plain`
    std::string transport = "p2p";
    int warm_up = 4;  // steps before the first sample
    int samples = 3;
    bool alone = true;                               // also with computing that takes no time
    int steps = 12;                                  // per sample
    std::map<std::string, double> seconds_per_cell;  // by name of the stage, s
    std::string out;                                 // file for the results
    lapwing_coast::CoastSettings coast;
    std::vector<double> depth;  // m, whole grid, x fastest
    std::vector<lapwing_coast::Boundary> boundaries;
    lapwing_lattice::LatticeSettings lattice;
};

// Reads words: a key and its values, in any order; `lapwing simulate` is what writes them. Throws UserError for a file
// that cannot be read and for a key that is not known. Local.
Request read_request(const std::string& path);

}  // namespace lapwing_simulate
