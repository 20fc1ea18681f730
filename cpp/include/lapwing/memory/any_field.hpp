#pragma once
// Fields: named views of memory with a halo, addressed in global indices.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/shared_memory.hpp"
#include "lapwing/partition/partition.hpp"
#include "lapwing/plan/field_spec.hpp"

namespace lapwing {

// The memory of one owned box and its halo.
struct Block {
    int subdomain = 0;               // its number in the partition, or whole_grid
    Box owned;                       // cells this rank computes
    Box allocated;                   // owned and halo: what the memory holds
    std::byte* data = nullptr;       // value of allocated.lo, component 0
    std::array<Index, 4> strides{};  // bytes between neighbours in x, y, z and component

    [[nodiscard]] std::byte* at(const Index3& cell, int component = 0) const;
};

// Typed access to a block in global indices, of `const` values where they are only read. Reading outside `allocated` is
// undefined.
template <class T>
class View {
  public:
    View() = default;
    explicit View(const Block& block);
    // Values that may be written are values to read.
    template <class U>
        requires std::same_as<const U, T>
    View(const View<U>& view) : data_(view.data_), step_(view.step_), origin_(view.origin_) {}

    T& operator()(Index i, Index j, Index k = 0, Index c = 0) const {
        return data_[i * step_[0] + j * step_[1] + k * step_[2] + c * step_[3] - origin_];
    }
    // Pointer p for which p[i] is the value of cell (i, j, k): the shape of a fast inner loop. Only if x is contiguous
    // (`unit_rows`).
    T* row(Index j, Index k = 0, Index c = 0) const {
        return data_ + (j * step_[1] + k * step_[2] + c * step_[3] - origin_);
    }
    [[nodiscard]] bool unit_rows() const { return step_[0] == 1; }

  private:
    template <class U>
    friend class View;

    T* data_ = nullptr;
    std::array<Index, 4> step_{};  // in values
    Index origin_ = 0;
};

// The layout of rows, along the fastest axis: they follow each other in memory without gaps, or are padded to whole
// lines of 64 bytes, on which their owned cells begin: for stores of whole lines.
enum class RowLayout { packed, on_lines };

// A field on the boxes of one rank: its own memory, or the caller's. The memory of a field never
// moves while the field or an exchange of it lives.
class AnyField {
  public:
    // Allocates all boxes of `rank`, 64-byte aligned, zeroed, laid out in the order of `spec`; the
    // halo is the largest extent, at least `halo`. With several ranks, it uses memory that the ranks of the node can
    // read in place, if the system has such memory. Throws UserError for a bad spec or a size that no machine has,
    // OutsideError when this machine lacks the memory. Local.
    AnyField(const Partition& partition, int rank, FieldSpec spec, const Extent& halo = {});

    // The same in memory that other ranks of the node cannot read in place, whose pages are huge if the system has such
    // pages and the field is large. It suits sweeps over many streams, where small pages cost more than packing does.
    // Components that lie one after the other are padded, by less than 4 KiB each, so that the components of a cell
    // fall on different lines of the nearest cache. Local.
    static AnyField with_own_pages(const Partition& partition, int rank, FieldSpec spec, const Extent& halo = {},
                                   RowLayout rows = RowLayout::packed);

    // The same without memory until `allocate`, for callers that learn only later how wide a halo, beyond `halo`, is
    // needed. `own_pages`: as `with_own_pages`. Throws UserError for a bad spec. Local.
    static AnyField declared(const Partition& partition, int rank, FieldSpec spec, const Extent& halo = {},
                             bool own_pages = false, RowLayout rows = RowLayout::packed);
    // Keeps the single extent of its spec when its memory gets wider; extents of several components never change.
    // Local.
    void keep_extents() { own_extents_ = true; }
    // True if its extents were given by its maker, and not derived from its memory. Local.
    [[nodiscard]] bool has_own_extents() const { return own_extents_ || spec_.extents.size() > 1; }
    // Gives a declared field its memory, zeroed, with halos of at least `halo`. Throws as the constructor does. Local.
    void allocate(const Extent& halo);
    // Returns the bytes that this would take. Local.
    [[nodiscard]] Index bytes_with(const Extent& halo) const;
    [[nodiscard]] bool has_memory() const { return !declared_; }
    // Throws UserError unless it has memory. Local.
    void require_memory() const;
    // Throws UserError unless the memory of block number `block` begins at `array`: a model that wrapped an array of
    // its own, and may have resized it since, asks before it exchanges. Local.
    void require_unmoved(const void* array, int block = 0) const;

    // Takes memory that the caller allocated, one block per box of `rank`; `keep` is held until
    // nothing needs the memory any more. Throws UserError when a block is missing, does not hold
    // its owned box with the extents, or has strides that are no multiple of the value size. Local.
    AnyField(const Partition& partition, int rank, FieldSpec spec, std::vector<Block> blocks,
             std::shared_ptr<void> keep);

    // An array of the whole grid, without halo, where `here` is true, and no memory elsewhere: the far
    // end of a gather. Throws as the allocating constructor does. Local.
    static AnyField whole(const Grid& grid, FieldSpec spec, bool here);

    // Zeroed memory of the boxes of another field, in the same layout if lapwing allocated that field, else in the
    // order of the spec; shared with the node if that field is. Throws OutsideError when the memory is not there.
    // Local.
    static AnyField like(const AnyField& other);

    [[nodiscard]] const FieldSpec& spec() const { return spec_; }
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
    [[nodiscard]] const std::shared_ptr<void>& keep() const { return keep_; }

    // The memory that other ranks of the node can read in place; null: private memory. Local.
    [[nodiscard]] const std::shared_ptr<SharedMemory>& shared() const { return shared_; }

    // Typed access to block number `block` of this rank. Throws UserError for another type, and before it has memory.
    template <class T>
    [[nodiscard]] View<T> view(int block = 0) const;

    // Says that something outside the stages of a step wrote the field: its halo is stale, and its land may have
    // changed. Local; must be called on all ranks.
    void modified() {
        ++version_;
        ++land_version_;
    }
    // Says that a step wrote the field: its halo is stale, its land is unchanged if it is constant. Local; must be
    // called on all ranks.
    void computed() { ++version_; }
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] std::uint64_t land_version() const { return land_version_; }

  private:
    AnyField() = default;
    void place_blocks(const Partition& partition, int rank, const Extent& halo);
    void place_own_blocks(const Partition& partition, int rank, FieldSpec spec, const Extent& halo, RowLayout rows);
    void widen(const Extent& halo);
    Index lay_out_blocks(std::vector<Index>& offsets);
    void take_memory(bool shared);

    FieldSpec spec_;
    std::vector<Block> blocks_;
    std::shared_ptr<void> keep_;
    std::shared_ptr<SharedMemory> shared_;
    bool declared_ = false;  // has no memory so far
    bool own_extents_ = true;
    bool readable_ = false;  // true if other ranks of the node read it in place
    bool spread_ = false;    // true if components are padded
    RowLayout rows_ = RowLayout::packed;
    std::uint64_t version_ = 0, land_version_ = 0;
};

// Throws UserError unless the block belongs to the box `owned`, its memory holds that box with the halo of the spec,
// and its strides are multiples of the value size. Local.
void check_block(const Block& block, const FieldSpec& spec, const Box& owned);

// Returns the specs of fields, in the order of the fields. Local.
std::vector<FieldSpec> specs_of(std::span<const AnyField* const> fields);

// The type of values of a C++ type.
template <class T>
constexpr ElementType element_type();
template <>
constexpr ElementType element_type<float>() {
    return ElementType::float32;
}
template <>
constexpr ElementType element_type<double>() {
    return ElementType::float64;
}
template <>
constexpr ElementType element_type<std::int32_t>() {
    return ElementType::int32;
}
template <>
constexpr ElementType element_type<std::int64_t>() {
    return ElementType::int64;
}
template <>
constexpr ElementType element_type<bool>() {
    return ElementType::boolean;
}
static_assert(sizeof(bool) == 1);

}  // namespace lapwing
