#pragma once
// The messages of an exchange written by hand: strips, their copies to and from messages, and copies within a rank.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "exchange/method.hpp"
#include "exchange/work_arrays.hpp"

namespace lapwing::bench {

enum class End { send, receive };

// A strip of one field on its way to the rank `dx`, `dy` blocks away, or a part of it: along the axis that is outermost
// in memory, `count` layers of cells from the one numbered `first` on; 0: all.
struct Strip {
    int field, dx, dy;
    Index first = 0, count = 0;
};

// Cells of the sender that travel together, and where the first of them arrives.
struct Piece {
    Box from;
    Index3 to;
};

struct Message {
    int peer = 0, tag = 0, values = 0;
    double* buffer = nullptr;
    std::vector<StridedCopy> copies;
};

using Groups = std::map<std::pair<int, int>, std::vector<Strip>>;  // by peer and tag

// Values that a message of so many takes, on cache lines of its own.
Index padded(Index values);

// Everything that can be worked out beforehand. What a rank gets from itself is copied directly. Ranks along one axis:
// whole rows or columns travel, halos of the other axis included; else corners come directly from the diagonal ranks.
class HandPlan {
  public:
    // `combined`: one message per neighbour rank, all fields and sides in it; else one per field and direction.
    // `arrays` must outlive it. Local.
    HandPlan(const WorkArrays& arrays, int rank, bool combined);

    // Copies within the rank: of cells that are sent, and of the others.
    std::vector<StridedCopy> wraps_before, wraps_meanwhile;

    [[nodiscard]] const WorkArrays& arrays() const { return arrays_; }
    // The strips that travel together.
    [[nodiscard]] Groups groups(End end) const;
    // The same with messages of at most `most` values, as far as layers can be parted; tags count them.
    [[nodiscard]] Groups chunks(const Groups& groups, Index most) const;
    // Values of all messages, each on cache lines of its own.
    [[nodiscard]] Index volume(const Groups& groups) const;
    // A message at `buffer`, with its copies; all of them, one after the other from `buffer` on, which moves behind.
    [[nodiscard]] Message message(const Groups::value_type& group, End end, double* buffer) const;
    [[nodiscard]] std::vector<Message> messages(const Groups& groups, End end, double*& buffer) const;
    // Copies from the arrays of the peer straight into the halos of this rank.
    [[nodiscard]] std::vector<StridedCopy> direct(const std::vector<Strip>& strips, const WorkArrays& of_peer) const;

  private:
    void plan_wraps();
    [[nodiscard]] Box strip_box(const Strip& strip, End end) const;
    [[nodiscard]] std::vector<Piece> pieces(const Strip& strip) const;
    void add_copies(Message& message, const Strip& strip, End end) const;

    const WorkArrays& arrays_;
    int rank_;
    bool combined_;
};

// ---- The exchange with messages as a modeller who knows MPI writes it by hand: lists of copies, buffers and requests
// are worked out beforehand.

class HandExchange final : public ArrayMethod {
  public:
    // Combined: one message per neighbour rank, all fields and sides in it. Separate: one per field and direction, the
    // usual way. Chunked: the combined one in pieces below the size from which an MPI asks the receiver first; a piece
    // travels while the next is packed. Local.
    enum class Kind { combined, separate, chunked };
    HandExchange(MPI_Comm comm, const ExchangeWork& work, Kind kind);
    void exchange() override;

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }
    void finish(int requests);
    void unpack_as_they_arrive();

    WorkArrays arrays_;
    HandPlan plan_;
    bool chunked_, polls_ = false;
    std::shared_ptr<double> buffer_;
    std::vector<Message> sends_, receives_;
    std::vector<MPI_Request> requests_;
};

}  // namespace lapwing::bench
