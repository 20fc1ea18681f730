#pragma once
// Methods without lapwing: what a modeller who knows MPI writes by hand for these cases, and the limit for single
// copies.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/array_copy.hpp"
#include "exchange/method.hpp"

namespace lapwing::bench {

// Halo exchange with everything worked out beforehand: lists of copies, buffers, requests. What a rank gets from
// itself is copied directly. Ranks along one axis: whole rows or columns travel, halos of the other axis included;
// else corners come directly from the diagonal ranks.
class HandExchange final : public Method {
  public:
    // Combined: one message per neighbour rank, all fields and sides in it. Separate: one per field and direction,
    // the usual way. Local.
    HandExchange(MPI_Comm comm, const ExchangeWork& work, bool combined);
    void exchange() override;

  private:
    enum class End { send, receive };
    // A strip of one field on its way to the rank `dx`, `dy` blocks away.
    struct Strip {
        int field, dx, dy;
    };
    struct Message {
        int peer = 0, tag = 0, values = 0;
        double* buffer = nullptr;
        std::vector<StridedCopy> copies;
    };
    using Groups = std::map<std::pair<int, int>, std::vector<Strip>>;  // by peer and tag

    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }
    void plan_wraps();
    [[nodiscard]] Groups grouped(End end) const;
    [[nodiscard]] Index volume(const Groups& groups) const;
    [[nodiscard]] std::vector<Message> messages(const Groups& groups, End end, double*& buffer) const;
    [[nodiscard]] Box strip_box(const Strip& strip, End end) const;
    void finish(int requests);
    void add_copies(Message& message, const Strip& strip, End end) const;

    WorkArrays arrays_;
    bool combined_;
    bool polls_ = false;
    std::vector<StridedCopy> wraps_before_, wraps_meanwhile_;  // of cells that are sent; of the others
    std::shared_ptr<double> buffer_;
    std::vector<Message> sends_, receives_;
    std::vector<MPI_Request> requests_;
};

// Copies all halo cells of a rank once, from the arrays that are rewritten into others of the same layout. No
// messages: no exchange that copies every value once can be faster.
class CopyLimit final : public Method {
  public:
    CopyLimit(MPI_Comm comm, const ExchangeWork& work);
    void exchange() override { run(copies_); }

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return from_; }
    [[nodiscard]] const WorkArrays& result() const override { return to_; }
    void fill() const override;

    WorkArrays from_, to_;
    std::vector<StridedCopy> copies_;
};

}  // namespace lapwing::bench
