#pragma once
// The kernels of the lattice model: populations of a box of cells one step on.
//
// Populations lie component slowest, x fastest. A kernel takes stretches of fluid cells of a row in pieces that stay in
// the nearest cache: 19 rows in, collision, 19 rows out, each a loop along x. A population that comes from a wall was
// put in an otherwise unread place when it left: the cell's own place of the population that flew towards the wall (two
// lattices), or of the population that comes back (in place). So the inner loops know no walls, and both patterns do
// the same. Nor do they know rows that close on themselves: in place, the halo at the ends of a row holds the values
// from across while it is computed.

#include <array>
#include <memory>
#include <vector>

#include "lapwing/memory/any_field.hpp"

#include "lapwing_lattice/collision.hpp"
#include "lapwing_lattice/fluid_rows.hpp"

namespace lapwing_lattice {

// The populations that come back from a side of the grid or an obstacle. The value of a link is sign times the
// population that flew there plus `add` of the one that comes back; at a pressure side what the cell's velocity adds
// too.
template <class T>
struct Echo {
    T sign = T(1);
    std::array<T, directions> add{};
    T density = T(0);  // of a pressure side; 0: no such side
};

// Makes the echoes at the sides of the grid, and at obstacles. Local.
template <class T>
std::array<Echo<T>, 7> make_echoes(const Sides& sides);

// The order of populations in memory before and after a step.
enum class Pattern {
    pull,    // two lattices: read from the cells around, written to the cell itself
    around,  // in place: read from the cells around where `within` left them, written there for the next one
    within   // in place: read from the cell itself, written there with directions exchanged
};

// The way in which a kernel of two lattices writes: `past_caches` saves fetching the lines that it overwrites, and pays
// where the lattices are larger than the caches; owned rows must begin on lines (lapwing::RowLayout::on_lines). The
// values are the same. In place, and where no register holds a line, nothing is saved.
enum class Stores { cached, past_caches };

// The kernel of one owned box.
template <class T>
struct LatticeKernel {
    using Velocity = std::vector<lapwing::View<double>>;  // along x, y and z, cells per step

    Pattern pattern;
    bool forced;  // true if a force acts on the cells
    Relaxation<T> relaxation;
    std::array<Echo<T>, 7> echoes;
    std::shared_ptr<const FluidRows> rows;
    const bool* observing;     // true if density, in lattice units, and velocity are written
    lapwing::Index first = 0;  // of the owned cells along x: registers of cells are counted from it
    Stores stores = Stores::cached;
    lapwing::Index closed = 0;  // in place: cells of rows that close on themselves; 0: none does

    // The kernel on two lattices.
    void operator()(lapwing::Box box, lapwing::View<const T> from, lapwing::View<T> to, lapwing::View<double> density,
                    Velocity& velocity) const;
    // The kernel in place.
    void operator()(lapwing::Box box, lapwing::View<T> populations, lapwing::View<double> density,
                    Velocity& velocity) const;

    // Equilibrium populations of density and velocity, as the kernel reads them; weights where it is solid. Local.
    void put_equilibrium(lapwing::Box owned, lapwing::View<T> populations, lapwing::View<double> density,
                         const Velocity& velocity) const;
};

}  // namespace lapwing_lattice
