#pragma once
// The acoustic wave equation with its messages written by hand, and its passes through memory alone.

#include <array>
#include <vector>

#include "acoustic/acoustic_method.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing::bench {

// The arrays of a rank, in memory as lapwing's are.
class PlainAcoustic : public AcousticMethod {
  public:
    explicit PlainAcoustic(const Domain& domain);
    void begin(std::span<const float> u, std::span<const float> courant) override;
    void read(std::span<float> u) const override;

  protected:
    [[nodiscard]] const Box& box() const { return courant_.blocks()[0].owned; }
    [[nodiscard]] const Block& latest() const { return u_[level_].blocks()[0]; }
    [[nodiscard]] AcousticViews views() const;
    void stepped() { level_ = 1 - level_; }

  private:
    std::array<AnyField, 2> u_;  // two time levels
    AnyField courant_;
    std::size_t level_ = 0;  // that holds the latest
};

// Ranks stand along z. The planes that a neighbour reads lie one after the other, so they are sent from where they are
// and arrive where they are read.
class HandAcoustic final : public PlainAcoustic {
  public:
    // `overlaps`: planes that read no halo are computed while messages are on their way. Local.
    HandAcoustic(const Domain& domain, bool overlaps);
    void run(int steps) override;

  private:
    // A neighbour, the first plane that it reads, and the first of those that come from it.
    struct Side {
        int peer;
        Index send, receive;
    };
    void start(std::array<MPI_Request, 4>& requests) const;
    void step() const;

    MPI_Comm comm_;
    bool overlaps_;
    std::array<Side, 2> sides_;
};

// No neighbours, neither cells nor ranks.
class LimitAcoustic final : public PlainAcoustic {
  public:
    using PlainAcoustic::PlainAcoustic;
    void run(int steps) override;
};

}  // namespace lapwing::bench
