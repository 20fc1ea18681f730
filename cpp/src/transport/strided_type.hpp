#pragma once
// Pieces of memory as MPI datatypes: with absolute addresses, for use with MPI_BOTTOM, or relative to a place.

#include <mpi.h>

#include <span>
#include <utility>

#include "lapwing/memory/strided_block.hpp"

namespace lapwing {

// A committed datatype, freed with its owner unless MPI is finalized by then.
class OwnedType {
  public:
    // The pieces one after the other, their values in wire order. Throws UserError for more than 2^31 - 1 pieces or
    // steps of a loop. `from`: the address that theirs are relative to. Local.
    explicit OwnedType(std::span<const StridedBlock> pieces, MPI_Aint from = 0);
    ~OwnedType();
    OwnedType(OwnedType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    OwnedType& operator=(OwnedType&&) = delete;
    OwnedType(const OwnedType&) = delete;
    OwnedType& operator=(const OwnedType&) = delete;

    [[nodiscard]] MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace lapwing
