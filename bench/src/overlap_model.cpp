#include "overlap_model.hpp"

#include <bit>
#include <chrono>

namespace lapwing::bench {

namespace {

constexpr int lanes = 16;  // cells of a row that are computed side by side, so that their chains hide latency

FieldSpec spec_of(const OverlapWork& work, const char* name) {
    FieldSpec spec;
    spec.name = name;
    spec.extents = {work.extent()};
    return spec;
}

// What a cell sees around it. Bounded by the largest value, so no step overflows.
inline double around(const double* row, Index stride, int width) {
    double sum = row[0];
    for (int w = 1; w <= width; ++w) sum += row[w] + row[-w] + row[w * stride] + row[-w * stride];
    return sum / (1 + 4 * width);
}

// `count` cells of a row from the address of the first one.
template <int count>
void compute_cells(const double* from, double* to, Index stride, int width, int iterations) {
    double mean[count], value[count];
    for (int c = 0; c < count; ++c) value[c] = mean[c] = around(from + c, stride, width);
    for (int n = 0; n < iterations; ++n) {
        for (int c = 0; c < count; ++c) value[c] = value[c] * 0.75 + mean[c] * 0.25;
    }
    for (int c = 0; c < count; ++c) to[c] = value[c];
}

}  // namespace

void OverlapKernel::run(void* context, Box box) {
    const auto& [from, to, width, iterations] = *static_cast<const OverlapKernel*>(context);
    const Index stride = from.row(1) - from.row(0);
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const double* read = from.row(j, k);
            double* write = to.row(j, k);
            Index i = box.lo[0];
            for (; i + lanes <= box.hi[0]; i += lanes) {
                compute_cells<lanes>(read + i, write + i, stride, width, iterations);
            }
            for (; i < box.hi[0]; ++i) compute_cells<1>(read + i, write + i, stride, width, iterations);
        }
    }
}

OverlapModel::OverlapModel(const Domain& domain, const OverlapWork& work)
    : work_(work),
      fields_{Field(domain.partition(), domain.rank(), spec_of(work, "a")),
              Field(domain.partition(), domain.rank(), spec_of(work, "b"))} {
    owned_ = fields_[0].blocks()[0].owned;
    for (std::size_t p = 0; p < 2; ++p) {
        kernels_[p] = {fields_[p].view<double>(), fields_[1 - p].view<double>(), work.width, 1};
    }
}

void OverlapModel::set_iterations(int iterations) {
    for (OverlapKernel& kernel : kernels_) kernel.iterations = iterations;
}

void OverlapModel::fill() {
    const Box& all = fields_[0].blocks()[0].allocated;
    for (Index k = all.lo[2]; k < all.hi[2]; ++k) {
        for (Index j = all.lo[1]; j < all.hi[1]; ++j) {
            for (Index i = all.lo[0]; i < all.hi[0]; ++i) {
                const bool mine = owned_.contains(Index3{i, j, k});
                kernels_[0].from(i, j, k) = mine ? 1 + static_cast<double>((7 * i + 13 * j + 29 * k) % 101) / 101 : 0;
                kernels_[0].to(i, j, k) = 0;
            }
        }
    }
    position_ = 0;
    for (Field& field : fields_) field.modified();
}

void OverlapModel::compute(const Box& box) {
    const auto begin = std::chrono::steady_clock::now();
    OverlapKernel::run(&kernel(position_), box);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t OverlapModel::fingerprint() const {
    const View<double>& latest = kernels_[static_cast<std::size_t>(position_)].from;
    std::uint64_t hash = 14695981039346656037U;
    for (Index k = owned_.lo[2]; k < owned_.hi[2]; ++k) {
        for (Index j = owned_.lo[1]; j < owned_.hi[1]; ++j) {
            for (Index i = owned_.lo[0]; i < owned_.hi[0]; ++i) {
                hash = (hash ^ std::bit_cast<std::uint64_t>(latest(i, j, k))) * 1099511628211U;
            }
        }
    }
    return hash;
}

}  // namespace lapwing::bench
