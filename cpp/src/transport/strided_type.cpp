#include "transport/strided_type.hpp"

#include <limits>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

int mpi_int(Index count, const char* name) {
    if (count > std::numeric_limits<int>::max()) {
        user_error(name, count, "at most 2147483647, which MPI datatypes can count", "use more ranks, or choose p2p");
    }
    return static_cast<int>(count);
}

// Types on the way to a larger one.
struct Parts {
    std::vector<MPI_Datatype> made;
    ~Parts() {
        for (MPI_Datatype& type : made) MPI_Type_free(&type);
    }
    MPI_Datatype keep(MPI_Datatype type) { return made.emplace_back(type); }
};

// One loop around `inner`. Steps are counted in bytes, so extents do not matter.
MPI_Datatype looped(const StridedBlock& piece, std::size_t loop, Index dense, MPI_Datatype inner) {
    const int count = mpi_int(piece.count[loop], "steps of a loop over a message");
    MPI_Datatype outer = MPI_DATATYPE_NULL;
    if (static_cast<int>(loop) == piece.list) {
        const std::vector<MPI_Aint> offsets(piece.offsets.begin(), piece.offsets.end());
        check_mpi(MPI_Type_create_hindexed_block(count, 1, offsets.data(), inner, &outer),
                  "MPI_Type_create_hindexed_block");
    } else if (piece.stride[loop] == dense) {
        check_mpi(MPI_Type_contiguous(count, inner, &outer), "MPI_Type_contiguous");
    } else {
        check_mpi(MPI_Type_create_hvector(count, 1, piece.stride[loop], inner, &outer), "MPI_Type_create_hvector");
    }
    return outer;
}

// The values of one piece, relative to its first.
MPI_Datatype type_of(const StridedBlock& piece, Parts& parts) {
    MPI_Datatype type = piece.value_size == 1 ? MPI_INT8_T : piece.value_size == 4 ? MPI_INT32_T : MPI_INT64_T;
    Index dense = piece.value_size;  // bytes of `type` if it has no gaps, else 0
    for (std::size_t loop = 0; loop < piece.count.size(); ++loop) {
        const bool listed = static_cast<int>(loop) == piece.list;
        if (piece.count[loop] == 1 && !listed) continue;
        const bool gapless = !listed && piece.stride[loop] == dense;
        type = parts.keep(looped(piece, loop, dense, type));
        dense = gapless ? dense * piece.count[loop] : 0;
    }
    return type;
}

}  // namespace

OwnedType::OwnedType(std::span<const StridedBlock> pieces, MPI_Aint from) {
    Parts parts;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Aint> addresses;
    for (const StridedBlock& piece : pieces) {
        if (piece.bytes() == 0) continue;
        types.push_back(type_of(merged(piece), parts));
        addresses.emplace_back();
        check_mpi(MPI_Get_address(piece.data, &addresses.back()), "MPI_Get_address");
        addresses.back() = MPI_Aint_diff(addresses.back(), from);
    }
    const int number = mpi_int(types.size(), "pieces of a message");
    const std::vector<int> ones(types.size(), 1);
    check_mpi(MPI_Type_create_struct(number, ones.data(), addresses.data(), types.data(), &type_),
              "MPI_Type_create_struct");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
}

OwnedType::~OwnedType() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

}  // namespace lapwing
