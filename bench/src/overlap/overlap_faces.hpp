#pragma once
// The faces of a rank in a row along y, packed and unpacked by hand.

#include <vector>

#include "overlap/overlap_model.hpp"

namespace lapwing::bench {

// One neighbour: what it gets, and where what it sends goes.
struct Face {
    int peer = 0;
    Box sent, received;
    std::vector<double> out, in;
};

// The neighbours that a rank of a row has, none beyond its ends. Local.
std::vector<Face> faces_of(const Domain& domain, const OverlapModel& model);

// A box of the field, row by row, into a buffer and out of it. Local.
void pack(Field& field, const Box& box, double* buffer);
void unpack(Field& field, const Box& box, const double* buffer);

// The owned cells that no neighbour's cells are needed for, and the others. Local.
struct Split {
    Box interior;
    std::vector<Box> edges;
};
Split split(const OverlapModel& model, const std::vector<Face>& faces);

// `box` cut along z into at most `tiles` pieces. Local.
std::vector<Box> tiles_of(const Box& box, int tiles);

}  // namespace lapwing::bench
