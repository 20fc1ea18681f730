#pragma once
// Methods without lapwing: the hand-written exchanges, and the limit for single copies.

#include "exchange/hand_exchange.hpp"
#include "exchange/method.hpp"

namespace lapwing::bench {

class HandMethod final : public Method {
  public:
    // As HandExchange's constructor. Local.
    HandMethod(MPI_Comm comm, const ExchangeWork& work, bool combined)
        : arrays_(work), hand_(comm, arrays_, combined) {}
    void exchange() override { hand_.run(); }
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

  private:
    WorkArrays arrays_;
    HandExchange hand_;
};

// Copies all halo cells of a rank once, from the arrays that are rewritten into others of the same layout. No
// messages: no exchange that copies every value once can be faster.
class CopyLimit final : public Method {
  public:
    explicit CopyLimit(const ExchangeWork& work);
    void exchange() override { run(copies_); }
    [[nodiscard]] const WorkArrays& arrays() const override { return from_; }
    [[nodiscard]] const WorkArrays& result() const override { return to_; }
    void fill(int rank) const override {
        from_.fill_exchanged(rank);
        to_.fill(rank);
    }

  private:
    WorkArrays from_, to_;
    std::vector<StridedCopy> copies_;
};

}  // namespace lapwing::bench
