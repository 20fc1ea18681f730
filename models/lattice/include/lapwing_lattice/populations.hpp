#pragma once
// The fields of the populations: how far each is read, and how they lie in memory. All local.

#include "lapwing/exchange/field.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/partition/partition.hpp"

#include "lapwing_lattice/lattice.hpp"

namespace lapwing_lattice {

// Cells of rows that close on themselves, where x does and no box cuts it: in place, the kernels look across their ends
// themselves. 0: there are none. On two lattices that gains nothing, as the halo there has lines of its own.
lapwing::Index closed_rows(const lapwing::Partition& partition, const LatticeSettings& settings);

// The extent to which populations are read around a cell beyond the reach of its row.
lapwing::Extent reach_of_step(const lapwing::Partition& partition, const LatticeSettings& settings);

// A population is read from the cell that it comes from; in place, the cell that it flies to has written it there.
lapwing::FieldOptions options_of_populations(const lapwing::Partition& partition, const LatticeSettings& settings);

// The best way for kernels to write: lattices that are not much larger than the caches gain more from lines that wait
// there for the next step.
Stores best_stores(const lapwing::Domain& domain, const LatticeSettings& settings);

}  // namespace lapwing_lattice
