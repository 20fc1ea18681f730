#include "lapwing/memory/any_field.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "lapwing/base/error.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

namespace {

constexpr Index alignment = 64;  // a cache line, and the widest vector register

Index round_up(Index bytes) { return (bytes + alignment - 1) / alignment * alignment; }

constexpr Index same_lines = 4096;       // bytes between addresses that fall on the same lines of the nearest cache
constexpr Index apart = 27 * alignment;  // an odd number of lines: components fall on different lines

// The next stride that is not smaller and spreads components over the nearest cache.
Index spread(Index stride) { return (stride - apart + same_lines - 1) / same_lines * same_lines + apart; }

// Bytes before a field, so that it begins on other lines of the nearest cache than the fields before it: pages begin on
// the same ones, and kernels read and write many fields at once.
Index next_start() {
    static std::atomic<Index> fields{0};
    return fields.fetch_add(1) * apart % same_lines;
}

bool has_slow_components(const FieldSpec& spec) { return spec.components > 1 && spec.order[3] == 3; }

// Strides of a block whose values lie in memory like the values of the box `stored`, in the order of its spec.
void lay_out(Block& block, const FieldSpec& spec, const Box& stored) {
    Index stride = size_of(spec.type);
    for (int axis : spec.order) {
        block.strides[axis] = stride;
        stride *= axis == 3 ? spec.components : stored.size(axis);
    }
}

// A box, longer along the fastest axis, whose rows are whole lines.
Box with_whole_lines(Box box, const FieldSpec& spec) {
    const Index of_line = alignment / size_of(spec.type);
    const int axis = spec.order[0];
    box.hi[axis] += of_line - 1 - (box.size(axis) + of_line - 1) % of_line;
    return box;
}

// Bytes before the first value of a block after which owned rows begin on lines.
Index lead(const Block& block, const FieldSpec& spec) {
    const int axis = spec.order[0];
    const Index bytes = (block.owned.lo[axis] - block.allocated.lo[axis]) * block.strides[axis];
    return round_up(bytes) - bytes;
}

[[noreturn]] void too_large(const Box& box, const FieldSpec& spec) {
    user_error("size of field " + spec.name,
               concat("boxes like ", box, " with ", spec.components, " components of ", spec.type),
               "fewer than 2^62 bytes on a rank", "use more ranks, a smaller grid or fewer components");
}

// Bytes of the values in `box`, rounded up to whole alignments. Far below the end of the type, so that
// sums of a few and strides cannot overflow either.
Index bytes_of(const Box& box, const FieldSpec& spec) {
    constexpr Index limit = Index{1} << 62;
    Index bytes = size_of(spec.type);
    for (Index factor : {box.size(0), box.size(1), box.size(2), Index{spec.components}}) {
        if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > limit - alignment) too_large(box, spec);
    }
    return round_up(bytes);
}

constexpr Index huge_page = Index{2} << 20;

// Sweeps over many streams at once miss the address translation of small pages in every row. The rest behind the last
// whole huge page has small pages, or a field could take twice its size. The field's own bytes are behind `start`.
std::shared_ptr<void> zeroed(Index start, Index bytes, const FieldSpec& spec) {
    const Index size = std::max<Index>(start + bytes, alignment), whole = size / huge_page * huge_page;
    void* memory = nullptr;
    const auto line = static_cast<std::size_t>(whole > 0 ? huge_page : alignment);
    if (::posix_memalign(&memory, line, static_cast<std::size_t>(size)) != 0) memory = nullptr;
#ifdef MADV_HUGEPAGE
    if (whole > 0 && memory != nullptr)  // refused: small pages, as without
        ::madvise(memory, static_cast<std::size_t>(whole), MADV_HUGEPAGE);
#endif
    if (memory == nullptr) {
        throw OutsideError(concat("memory of field ", spec.name, ": got none; expected ", bytes,
                                  " bytes on this rank; use more nodes, a smaller grid or fewer components"));
    }
    std::memset(memory, 0, static_cast<std::size_t>(size));
    return {memory, std::free};
}

}  // namespace

void check_block(const Block& block, const FieldSpec& spec, const Box& owned) {
    const Box needed = spec.with_levels(grow(owned, spec.largest_extent()));
    if (block.owned != spec.with_levels(owned) || !block.allocated.contains(needed)) {
        user_error("memory of field " + spec.name, block.allocated,
                   concat("at least ", needed, ", the owned box with its halo"),
                   "give the array room for the halo on every side");
    }
    const Index size = size_of(spec.type);
    for (Index stride : block.strides) {
        if (stride % size == 0) continue;
        user_error("strides of field " + spec.name, concat(stride, " bytes"),
                   concat("multiples of ", size, " bytes, the size of a value"), "pass an array of whole values");
    }
}

std::byte* Block::at(const Index3& cell, int component) const {
    Index offset = component * strides[3];
    for (int a = 0; a < 3; ++a) offset += (cell[a] - allocated.lo[a]) * strides[a];
    return data + offset;
}

AnyField::AnyField(const Partition& partition, int rank, FieldSpec spec, const Extent& halo) : spec_(std::move(spec)) {
    place_blocks(partition, rank, halo);
    take_memory(partition.ranks() > 1);
}

AnyField AnyField::with_own_pages(const Partition& partition, int rank, FieldSpec spec, const Extent& halo,
                                  RowLayout rows) {
    AnyField field;
    field.place_own_blocks(partition, rank, std::move(spec), halo, rows);
    field.take_memory(false);
    return field;
}

AnyField AnyField::declared(const Partition& partition, int rank, FieldSpec spec, const Extent& halo, bool own_pages,
                            RowLayout rows) {
    AnyField field;
    if (own_pages) {
        field.place_own_blocks(partition, rank, std::move(spec), halo, rows);
    } else {
        field.spec_ = std::move(spec);
        field.place_blocks(partition, rank, halo);
        field.readable_ = partition.ranks() > 1;
    }
    field.declared_ = true;
    field.own_extents_ = false;
    return field;
}

// A field with a single extent takes the extent of its memory, so that a plain exchange fills all halos, unless its
// maker gave the extent.
void AnyField::widen(const Extent& halo) {
    for (Block& block : blocks_) block.allocated = hull(block.allocated, grow(block.owned, halo));
    if (has_own_extents()) return;
    Extent& own = spec_.extents[0];
    own = own.empty() ? halo : unite(own, halo);
}

void AnyField::allocate(const Extent& halo) {
    widen(halo);
    take_memory(readable_);
    declared_ = false;
}

Index AnyField::bytes_with(const Extent& halo) const {
    AnyField field = *this;
    field.widen(halo);
    std::vector<Index> offsets;
    return field.lay_out_blocks(offsets);
}

void AnyField::place_own_blocks(const Partition& partition, int rank, FieldSpec spec, const Extent& halo,
                                RowLayout rows) {
    spec_ = std::move(spec);
    if (rows == RowLayout::on_lines && spec_.order[0] == 3) {
        user_error("rows of field " + spec_.name, "components fastest, on lines", "x, y or z fastest",
                   "lay its rows out packed, or let another axis be fastest");
    }
    place_blocks(partition, rank, halo);
    spread_ = has_slow_components(spec_);
    rows_ = rows;
}

void AnyField::place_blocks(const Partition& partition, int rank, const Extent& halo) {
    check(spec_, partition.grid());
    for (int s : partition.subdomains_of(rank)) {
        Block block;
        block.subdomain = s;
        block.owned = spec_.with_levels(partition.subdomain(s).box);
        block.allocated = grow(block.owned, unite(spec_.largest_extent(), halo));
        blocks_.push_back(block);
    }
}

// Lays the blocks out one after the other; the bytes of all.
Index AnyField::lay_out_blocks(std::vector<Index>& offsets) {
    Index total = 0;
    for (Block& block : blocks_) {
        const bool on_lines = rows_ == RowLayout::on_lines;
        const Box stored = on_lines ? with_whole_lines(block.allocated, spec_) : block.allocated;
        Index bytes = bytes_of(stored, spec_);
        lay_out(block, spec_, stored);
        if (spread_) {
            block.strides[3] = spread(block.strides[3]);
            bytes = block.strides[3] * spec_.components;
        }
        const Index first = on_lines ? lead(block, spec_) : 0;
        offsets.push_back(total + first);
        bytes = round_up(first + bytes);
        if (__builtin_add_overflow(total, bytes, &total)) too_large(block.allocated, spec_);
    }
    return total;
}

void AnyField::take_memory(bool shared) {
    std::vector<Index> offsets;
    const Index bytes = lay_out_blocks(offsets);
    const Index start = bytes >= same_lines && !spread_ ? next_start() : 0, total = start + bytes;
    if (shared && total > 0) shared_ = SharedMemory::create(total);
    keep_ = shared_ != nullptr ? std::shared_ptr<void>(shared_, shared_->data()) : zeroed(start, bytes, spec_);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        blocks_[b].data = static_cast<std::byte*>(keep_.get()) + start + offsets[b];
    }
}

AnyField AnyField::like(const AnyField& other) {
    AnyField field;
    field.spec_ = other.spec_;
    field.blocks_ = other.blocks_;
    field.spread_ = other.spread_;
    field.rows_ = other.rows_;
    field.take_memory(other.shared_ != nullptr);
    return field;
}

AnyField::AnyField(const Partition& partition, int rank, FieldSpec spec, std::vector<Block> blocks,
                   std::shared_ptr<void> keep)
    : spec_(std::move(spec)), blocks_(std::move(blocks)), keep_(std::move(keep)) {
    check(spec_, partition.grid());
    const auto& mine = partition.subdomains_of(rank);
    if (blocks_.size() != mine.size()) {
        user_error("arrays of field " + spec_.name, blocks_.size(), concat(mine.size(), ", one per box of this rank"),
                   "pass one array per box");
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        blocks_[b].subdomain = mine[b];
        check_block(blocks_[b], spec_, partition.subdomain(mine[b]).box);
    }
}

AnyField AnyField::whole(const Grid& grid, FieldSpec spec, bool here) {
    check(spec, grid);
    AnyField field;
    field.spec_ = std::move(spec);
    if (!here) return field;
    Block block;
    block.subdomain = whole_grid;
    block.owned = block.allocated = field.spec_.with_levels(grid.box());
    const Index bytes = bytes_of(block.allocated, field.spec_);
    lay_out(block, field.spec_, block.allocated);
    field.keep_ = zeroed(0, bytes, field.spec_);
    block.data = static_cast<std::byte*>(field.keep_.get());
    field.blocks_.push_back(block);
    return field;
}

void AnyField::require_memory() const {
    if (declared_) {
        user_error("field " + spec_.name, "a use before it has memory", "a step that declares it",
                   "make the step first: it knows how wide a halo the field needs");
    }
}

void AnyField::require_unmoved(const void* array, int block) const {
    require_memory();
    if (array != blocks_.at(block).data) {
        user_error("array of field " + spec_.name, "one that was freed or moved",
                   "the array that was wrapped, where it was", "wrap it again, and make its exchanges and steps again");
    }
}

template <class T>
View<T>::View(const Block& block) : data_(reinterpret_cast<T*>(block.data)) {
    for (int a = 0; a < 4; ++a) step_[a] = block.strides[a] / Index{sizeof(T)};
    for (int a = 0; a < 3; ++a) origin_ += block.allocated.lo[a] * step_[a];
}

template <class T>
View<T> AnyField::view(int block) const {
    constexpr ElementType type = element_type<std::remove_const_t<T>>();
    require_memory();
    if (type != spec_.type) {
        user_error("view of field " + spec_.name, type, spec_.type, "ask for the type that the field has");
    }
    return View<T>(blocks_.at(block));
}

std::vector<FieldSpec> specs_of(std::span<const AnyField* const> fields) {
    std::vector<FieldSpec> all;
    for (const AnyField* field : fields) all.push_back(field->spec());
    return all;
}

template class View<float>;
template class View<double>;
template class View<std::int32_t>;
template class View<std::int64_t>;
template class View<bool>;
template class View<const float>;
template class View<const double>;
template class View<const std::int32_t>;
template class View<const std::int64_t>;
template class View<const bool>;
template View<float> AnyField::view<float>(int) const;
template View<double> AnyField::view<double>(int) const;
template View<std::int32_t> AnyField::view<std::int32_t>(int) const;
template View<std::int64_t> AnyField::view<std::int64_t>(int) const;
template View<bool> AnyField::view<bool>(int) const;
template View<const float> AnyField::view<const float>(int) const;
template View<const double> AnyField::view<const double>(int) const;
template View<const std::int32_t> AnyField::view<const std::int32_t>(int) const;
template View<const std::int64_t> AnyField::view<const std::int64_t>(int) const;
template View<const bool> AnyField::view<const bool>(int) const;

}  // namespace lapwing
