#pragma once
// The arrays of one method on one work item: filled, rewritten at the edges and checked alike for all methods.

#include <memory>
#include <vector>

#include "exchange/exchange_work.hpp"

namespace lapwing::bench {

// One array of doubles with halo per field. Cell (0, 0, 0) is the first owned one; indices of halo cells are
// negative, or nx, ny and more.
class WorkArrays {
  public:
    // Allocates arrays in the order of the work, 64-byte aligned, zeroed.
    explicit WorkArrays(const ExchangeWork& work);
    // Takes arrays that somebody else holds: `origins` are the addresses of cells (0, 0, 0), `strides` in values.
    WorkArrays(const ExchangeWork& work, std::vector<double*> origins, const Index3& strides);

    [[nodiscard]] const ExchangeWork& work() const { return work_; }
    [[nodiscard]] const Index3& strides() const { return strides_; }
    [[nodiscard]] double* at(int field, Index i, Index j, Index k = 0) const {
        return origins_[field] + i * strides_[0] + j * strides_[1] + k * strides_[2];
    }

    // Rewrites the owned cells that a neighbour reads: without fresh edges the data of an exchange would never
    // leave the cache of the core that wrote them.
    void touch() const;

    // Owned cells get numbers that name field, level and global place, halo cells get NaN.
    void fill(int rank) const;
    // The same with right halos.
    void fill_exchanged(int rank) const;
    // Cells, halo included, that do not hold what they should after an exchange of filled arrays.
    [[nodiscard]] Index wrong_cells(int rank) const;

  private:
    // Calls visit(value, expected, owned) for every cell of every field.
    template <class Visit>
    void for_cells(int rank, Visit&& visit) const;
    void touch_box(int field, Index i0, Index i1, Index j0, Index j1) const;

    ExchangeWork work_;
    Index3 strides_;
    std::vector<double*> origins_;
    std::vector<std::shared_ptr<double>> keep_;
};

}  // namespace lapwing::bench
