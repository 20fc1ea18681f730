#pragma once
// Fields for tests of column kernels: plain memory of one box, x fastest.

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lapwing_coast::testing {

using lapwing::Box;
using lapwing::Index;

// The memory of `size` x levels cells and one around them, from cell (0, 0) on.
class Memory {
  public:
    explicit Memory(const Box& columns, Index levels = 1, double value = 0.0)
        : box_{{columns.lo[0] - 1, columns.lo[1] - 1, 0}, {columns.hi[0] + 1, columns.hi[1] + 1, levels}},
          values_(box_.volume(), value) {}

    [[nodiscard]] lapwing::View<double> view() {
        lapwing::Block block;
        block.owned = block.allocated = box_;
        block.data = reinterpret_cast<std::byte*>(values_.data());
        constexpr Index bytes = sizeof(double);
        block.strides = {bytes, box_.size(0) * bytes, box_.size(0) * box_.size(1) * bytes, box_.volume() * bytes};
        return lapwing::View<double>(block);
    }
    double& operator()(Index i, Index j, Index k = 0) {
        return values_[((k * box_.size(1)) + j - box_.lo[1]) * box_.size(0) + i - box_.lo[0]];
    }
    // value(i, j, k) everywhere, in the cells around too
    template <class Value>
    void fill(Value&& value) {
        for (Index k = box_.lo[2]; k < box_.hi[2]; ++k)
            for (Index j = box_.lo[1]; j < box_.hi[1]; ++j)
                for (Index i = box_.lo[0]; i < box_.hi[0]; ++i) (*this)(i, j, k) = value(i, j, k);
    }
    [[nodiscard]] std::vector<double>& values() { return values_; }

  private:
    Box box_;
    std::vector<double> values_;
};

// A number in [0, 1) that looks like chance and is the same everywhere.
inline double noise(Index i, Index j, Index k, unsigned salt = 0) {
    std::uint64_t x = static_cast<std::uint64_t>(i + 1000) * 0x9e3779b97f4a7c15ULL +
                      static_cast<std::uint64_t>(j + 2000) * 0xbf58476d1ce4e5b9ULL +
                      static_cast<std::uint64_t>(k + 3000) * 0x94d049bb133111ebULL + salt * 0xd6e8feb86659fd93ULL;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return static_cast<double>(x >> 11) * 0x1p-53;
}

// Ways to cut `whole`: not at all, in single columns, and with odd cuts, one that leaves few columns next to a chunk.
inline std::vector<std::vector<Box>> cuts(const Box& whole) {
    const auto cut = [&](Index width, Index height) {
        std::vector<Box> boxes;
        for (Index j = whole.lo[1]; j < whole.hi[1]; j += height)
            for (Index i = whole.lo[0]; i < whole.hi[0]; i += width)
                boxes.push_back({{i, j, 0}, {std::min(i + width, whole.hi[0]), std::min(j + height, whole.hi[1]), 1}});
        return boxes;
    };
    return {{whole}, cut(1, 1), cut(3, 2), cut(7, 3), cut(13, 1), cut(31, 5), cut(33, 2), cut(69, 5)};
}

}  // namespace lapwing_coast::testing
