#pragma once
// The model that every method of `lapwing bench overlap` steps: two fields, each computed from the other in turn.

#include <array>
#include <cstdint>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing::bench {

// nx x ny x nz cells of float64 per rank, x varying fastest, ranks in a row along y, and one face to each neighbour; a
// stencil reads `width` cells along x and y.
struct OverlapWork {
    int nx = 64, ny = 40, nz = 25;
    int width = 2;

    // Bytes of the message to one neighbour.
    [[nodiscard]] Index message_bytes() const { return Index{8} * nx * width * nz; }
    [[nodiscard]] Extent extent() const { return Extent::cross(width); }
};

// A mean of each cell and its neighbours, and a fixed number of multiplications and additions per cell that stand for a
// model's arithmetic: a core that also moves packets takes longer for them. A fixed time would hide that.
struct OverlapKernel {
    View<double> from, to;
    int width = 1;  // 1 or 2
    int iterations = 1;

    // The kernel of a stage; `context` is an OverlapKernel.
    static void run(void* context, Box box);
};

// The fields on one rank, which has one box.
class OverlapModel {
  public:
    // Local.
    OverlapModel(const Domain& domain, const OverlapWork& work);

    void set_iterations(int iterations);
    // The first field gets numbers that name their place, the second zero; halos too. The next step is the first.
    void fill();
    // Computes a box of the field that the next step writes, and takes the time of it. Local.
    void compute(const Box& box);
    // The next step writes the other field.
    void turn() { position_ = 1 - position_; }

    [[nodiscard]] const OverlapWork& work() const { return work_; }
    [[nodiscard]] const Box& owned() const { return owned_; }
    [[nodiscard]] int position() const { return position_; }
    [[nodiscard]] AnyField& field(int number) { return fields_[number]; }
    [[nodiscard]] OverlapKernel& kernel(int position) { return kernels_[position]; }
    // Seconds in `compute` since the model was made.
    [[nodiscard]] double seconds() const { return seconds_; }
    // A number that tells owned cells of the field apart that was written last, by their bits.
    [[nodiscard]] std::uint64_t fingerprint() const;

  private:
    OverlapWork work_;
    std::array<AnyField, 2> fields_;
    std::array<OverlapKernel, 2> kernels_;
    Box owned_;
    int position_ = 0;
    double seconds_ = 0;
};

}  // namespace lapwing::bench
