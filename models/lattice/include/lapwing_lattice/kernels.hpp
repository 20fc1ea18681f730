#pragma once
// The kernels of the lattice model: populations of a box of cells one step on.
//
// Populations lie component slowest, x fastest. A kernel takes stretches of fluid cells of a row in pieces that stay in
// the nearest cache: 19 rows in, collision, 19 rows out, each a loop along x. What comes from a wall was put in the
// place that nobody else reads when it left: the cell's own, of the population that flew towards the wall (two
// lattices), or of the one that comes back (in place). So the inner loops know no walls, and both patterns do the same.
// Nor do they know rows that close on themselves: in place, the halo at the ends of one holds what is across while it
// is computed.

#include <array>
#include <cstdint>
#include <vector>

#include "lapwing/memory/field.hpp"

#include "lapwing_lattice/collision.hpp"
#include "lapwing_lattice/fluid_rows.hpp"

namespace lapwing_lattice {

// What comes back from a side of the grid or an obstacle. The value of a link is sign times the population that flew
// there plus `add` of the one that comes back; at a pressure side what the cell's velocity adds too.
template <class T>
struct Echo {
    T sign = T(1);
    std::array<T, directions> add{};
    T density = T(0);  // of a pressure side; 0: no such side
};

// By the sides of the grid, and obstacles. Local.
template <class T>
std::array<Echo<T>, 7> make_echoes(const Sides& sides);

// What a kernel needs of one owned box. `Numbers` as collision.hpp has them.
struct LatticeContext {
    const lapwing::Block* from = nullptr;  // the lattice that is read
    const lapwing::Block* to = nullptr;    // the one that is written; in place: the same
    const FluidRows* rows = nullptr;
    lapwing::Index closed = 0;                      // in place: cells of rows that close on themselves; 0: none does
    const void* relaxation = nullptr;               // Relaxation<T>
    const void* echoes = nullptr;                   // std::array<Echo<T>, 7>
    const bool* observing = nullptr;                // whether the four below are written
    lapwing::View<double> density;                  // lattice units, density 1
    std::array<lapwing::View<double>, 3> velocity;  // cells per step
};

// How populations lie before and after a step.
enum class Pattern {
    pull,    // two lattices: read from the cells around, written to the cell itself
    around,  // in place: read from the cells around where `within` left them, written there for the next one
    within   // in place: read from the cell itself, written there with directions exchanged
};

// How a kernel of two lattices writes: `past_caches` saves fetching the lines that it overwrites, and pays where the
// lattices are larger than the caches; owned rows must begin on lines (lapwing::RowLayout::on_lines). The values are
// the same. In place, and where no register holds a line, nothing is saved.
enum class Stores { cached, past_caches };

// The kernel of a pattern: a lapwing::Kernel whose context is a LatticeContext.
using LatticeKernel = void (*)(void*, lapwing::Box);
template <class T>
LatticeKernel lattice_kernel(Pattern pattern, bool forced, Stores stores = Stores::cached);

// Equilibrium populations of the density and velocity fields, as pattern `first` reads them; weights where it is solid.
// Local.
template <class T>
void put_equilibrium(const LatticeContext& context, Pattern first);

}  // namespace lapwing_lattice
