#include "store/chunks/slab_transpose.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

constexpr const char* method = "p2p";  // chosen without a measurement: a disk is slower than any

FieldSpec slab_spec(ElementType type) {
    FieldSpec spec;
    spec.name = "slab";
    spec.type = type;
    return spec;
}

// The boxes of a partition with these levels, on a grid of cells alone: a map does not close on itself, nor fold.
Partition own_boxes(const Partition& cells, Index levels) {
    std::vector<Subdomain> boxes = cells.subdomains();
    if (cells.grid().size[2] == 1)
        for (Subdomain& one : boxes) one.box.hi[2] = levels;
    return {Grid{{cells.grid().size[0], cells.grid().size[1], levels}}, cells.ranks(), std::move(boxes)};
}

// Throws OutsideError on all ranks when one lacks the memory. Collective.
AnyField made_together(const Domain& domain, const Partition& cells, ElementType type) {
    std::optional<AnyField> made;
    together(domain.comm(), [&] { made.emplace(AnyField::with_own_pages(cells, domain.rank(), slab_spec(type))); });
    return std::move(*made);
}

// A row of values in memory: the first, and the bytes from one to the next.
struct Row {
    std::byte* first;
    Index step;
    template <class T>
    [[nodiscard]] T& at(Index n) const {
        return *reinterpret_cast<T*>(first + n * step);
    }
};

// Calls each(slab row, field row, cells) for the rows along x of the cells that a block of the slab and a field's block
// share, where the slab's level 0 is level `first` of the field.
template <class Each>
void for_rows(const Block& slab, const Block& field, Index first, int component, const Each& each) {
    Box cells = slab.owned;
    cells.hi[2] = std::min(cells.hi[2], field.owned.hi[2] - first);
    for (Index k = cells.lo[2]; k < cells.hi[2]; ++k)
        for (Index j = cells.lo[1]; j < cells.hi[1]; ++j) {
            const Row there{slab.at({cells.lo[0], j, k}), slab.strides[0]};
            const Row here{field.at({cells.lo[0], j, k + first}, component), field.strides[0]};
            each(there, here, cells.size(0));
        }
}

}  // namespace

SlabTranspose::SlabTranspose(Domain& domain, const ChunkGrid& grid, ElementType type, SlabWay way)
    : grid_(grid),
      cut_(domain.partition().grid().size[2] > 1),
      levels_(cut_ ? grid.size[2] : grid.chunk[2]),
      own_cells_(own_boxes(domain.partition(), levels_)),
      chunk_cells_(grid.partition(domain.ranks(), levels_)),
      own_(made_together(domain, own_cells_, type)),
      chunks_(made_together(domain, chunk_cells_, type)) {
    const AnyField *from = &own_, *to = &chunks_;
    const Partition *source = &own_cells_, *target = &chunk_cells_;
    if (way == SlabWay::to_cells) {
        std::swap(from, to);
        std::swap(source, target);
    }
    TransposeOptions options;
    options.method = method;
    transpose_ = std::make_unique<Transpose>(domain, *source, *target, std::array{from}, std::array{to}, options);
}

void SlabTranspose::take(const AnyField& field, Index first, int component) {
    with_type(type(), [&]<class To>(To) {
        with_type(field.spec().type, [&]<class From>(From) {
            for (std::size_t b = 0; b < own_.blocks().size(); ++b)
                for_rows(own_.blocks()[b], field.blocks()[b], first, component,
                         [](const Row& slab, const Row& cells, Index count) {
                             for (Index n = 0; n < count; ++n) slab.at<To>(n) = static_cast<To>(cells.at<From>(n));
                         });
        });
    });
}

void SlabTranspose::put(const AnyField& field, Index first, int component) const {
    with_type(type(), [&]<class From>(From) {
        with_type(field.spec().type, [&]<class To>(To) {
            for (std::size_t b = 0; b < own_.blocks().size(); ++b)
                for_rows(own_.blocks()[b], field.blocks()[b], first, component,
                         [](const Row& slab, const Row& cells, Index count) {
                             for (Index n = 0; n < count; ++n) cells.at<To>(n) = static_cast<To>(slab.at<From>(n));
                         });
        });
    });
}

void SlabTranspose::put_except(const AnyField& field, Index first, int component, double missing) const {
    with_type(type(), [&]<class From>(From) {
        with_type(field.spec().type, [&]<class To>(To) {
            for (std::size_t b = 0; b < own_.blocks().size(); ++b)
                for_rows(own_.blocks()[b], field.blocks()[b], first, component,
                         [&](const Row& slab, const Row& cells, Index count) {
                             for (Index n = 0; n < count; ++n)
                                 if (slab.at<From>(n) != static_cast<From>(missing))
                                     cells.at<To>(n) = static_cast<To>(slab.at<From>(n));
                         });
        });
    });
}

std::span<std::byte> SlabTranspose::values(const Block& chunk) const {
    return {chunk.data, static_cast<std::size_t>(chunk.owned.volume()) * size_of(type())};
}

}  // namespace lapwing
