#pragma once
// The shallow-water model with its communication written by hand: rows to the neighbours in one message each.

#include <array>
#include <vector>

#include "shallow/shallow_method.hpp"

namespace lapwing::bench {

template <class Real>
class HandShallow final : public ShallowMethod {
  public:
    // Ranks stand along y. Local.
    HandShallow(const Domain& domain, const ShallowModel& model);
    void begin(const Flow& flow) override;
    void run(int steps) override;
    void read(const Flow& flow) override;

  private:
    // Memory of one field with two cells of halo, rows on cache lines.
    struct Array {
        std::shared_ptr<double> memory;
        View<Real> view;
    };
    // Rows to or from the rank in the south or in the north.
    struct Side {
        int peer = MPI_PROC_NULL;
        Index send = 0, receive = 0;  // first row of u and v that is sent, and where the neighbour's arrive
        std::vector<Real> sent, received;
    };
    [[nodiscard]] Array allocated() const;
    void wrap(const Array& array, Index width) const;
    void pack(Side& side) const;
    void unpack(const Side& side) const;
    void exchange();

    MPI_Comm comm_;
    Box box_;
    ShallowState<Real> state_;
    std::array<std::array<Array, 3>, 2> flow_;  // two time levels of h, u and v
    std::array<Array, 3> tendencies_;
    std::array<Side, 2> sides_;
};

}  // namespace lapwing::bench
