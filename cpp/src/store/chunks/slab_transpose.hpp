#pragma once
// Slabs of fields on their way between the ranks that own cells and the ranks that have chunks.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/exchange/transpose.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "store/chunks/chunk_grid.hpp"

namespace lapwing {

// Calls work with a value of the type. Local.
template <class Work>
void with_type(ElementType type, Work&& work) {
    switch (type) {
        case ElementType::float32:
            return work(float{});
        case ElementType::float64:
            return work(double{});
        case ElementType::int32:
            return work(std::int32_t{});
        case ElementType::int64:
            return work(std::int64_t{});
        case ElementType::boolean:
            return work(bool{});
    }
}

enum class SlabWay { to_chunks, to_cells };

// Moves one slab of any field after the other, always through the same memory. A slab has all columns of a map and the
// levels of one row of chunks (all levels where the grid is cut along z), so a rank holds its share of a slab twice,
// and buffers of that size, but never a whole map.
class SlabTranspose {
  public:
    // `type`: of the values of the chunks. Collective over the domain. Throws OutsideError on all ranks when one lacks
    // the memory.
    SlabTranspose(Domain& domain, const ChunkGrid& grid, ElementType type, SlabWay way);

    [[nodiscard]] const ChunkGrid& grid() const { return grid_; }
    [[nodiscard]] ElementType type() const { return chunks_.spec().type; }
    [[nodiscard]] Index levels() const { return levels_; }  // levels of a slab
    // Moves a slab. Local, but all ranks must do so; no allocation.
    void run() { transpose_->run(); }

    // Copies the slab from level `first` on of a field into the memory that travels, or back; values are converted.
    // Local.
    void take(const AnyField& field, Index first, int component);
    void put(const AnyField& field, Index first, int component) const;
    // The same as `put` for values of type double and float; cells where `missing` has come keep their own.
    void put_except(const AnyField& field, Index first, int component, double missing) const;

    // The chunks of the slab that this rank has: cells, and their values, x fastest, then y. Local.
    [[nodiscard]] const std::vector<Block>& here() const { return chunks_.blocks(); }
    [[nodiscard]] std::span<std::byte> values(const Block& chunk) const;

  private:
    ChunkGrid grid_;
    bool cut_;  // true if the grid has a z axis
    Index levels_;
    Partition own_cells_, chunk_cells_;
    AnyField own_, chunks_;
    std::unique_ptr<Transpose> transpose_;
};

}  // namespace lapwing
