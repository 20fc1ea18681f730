#pragma once
// miniWeather's equations with messages written by hand, as miniWeather has them: two columns of all variables to the
// rank on the left and to that on the right before each stage along x.

#include <array>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "miniweather/miniweather_method.hpp"

namespace lapwing::bench {

class HandMiniweather final : public MiniweatherMethod {
  public:
    // Ranks stand along x. Local.
    HandMiniweather(const Domain& domain, const MiniweatherModel& model);
    void begin(std::span<const double> state) override;
    void run(int steps) override;
    void read(std::span<double> state) const override;

  private:
    // A neighbour, the first column that it reads, and the first of those that come from it.
    struct Side {
        int peer;
        Index send, receive;
        std::vector<double> sent, received;
    };
    [[nodiscard]] const Box& box() const { return levels_[0].blocks()[0].owned; }
    void exchange(std::size_t level);
    void step(std::size_t number);

    MPI_Comm comm_;
    MiniweatherModel model_;
    std::vector<AnyField> levels_;
    std::array<Side, 2> sides_;
    std::size_t steps_ = 0;
};

}  // namespace lapwing::bench
