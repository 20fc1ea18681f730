#pragma once
// The limit of an exchange: as many bytes, in one piece each, from one core to another.

#include <vector>

#include "exchange/method.hpp"
#include "exchange/shared_segments.hpp"

namespace lapwing::bench {

// Every rank brings to every other as many values as an exchange does, and to itself, from one contiguous block to
// another: no strides, no messages. One counter says that the values are there, and nothing but what the means itself
// needs keeps ranks from running ahead, so no exchange that copies every value at least once is faster than the fastest
// of the means.
class CopyLimit final : public Method {
  public:
    // Who copies: the receiver, the sender, or the sender with stores that pass the caches.
    enum class Means { pull, push, stream };
    CopyLimit(MPI_Comm comm, const ExchangeWork& work, Means means);  // collective; ranks must be on one node
    void exchange() override;
    void close() override { segments_.close(); }

  private:
    // A block that travels.
    struct Part {
        int peer;
        const double* from;
        double* to;
        Index values;
    };
    void touch() override;
    void fill() override;
    [[nodiscard]] Index wrong(Index touches) const override;
    [[nodiscard]] double number(int rank, Index place) const;
    void copy(const Part& part) const;

    Means means_;
    Index values_;  // of all blocks that a rank sends: the first half of its segment; what it gets is the second
    SharedSegments segments_;
    std::vector<Part> own_, copied_;  // within this rank; those that this rank copies from or to others
    std::vector<Part> got_;           // all that arrive here, for checking
    std::vector<int> others_;         // ranks from which something arrives
    Index round_ = 0;
};

}  // namespace lapwing::bench
