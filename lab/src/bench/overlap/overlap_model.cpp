#include "overlap/overlap_model.hpp"

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

// `count` cells of a row from the address of the first one. The mean that a cell sees is bounded by the largest value,
// so no step overflows.
template <int count, int width>
void compute_cells(const double* from, double* to, Index stride, int iterations) {
    double mean[count], value[count];
    for (int c = 0; c < count; ++c) mean[c] = from[c];
    for (int w = 1; w <= width; ++w) {
        for (int c = 0; c < count; ++c) {
            mean[c] += from[c + w] + from[c - w] + from[c + w * stride] + from[c - w * stride];
        }
    }
    for (int c = 0; c < count; ++c) value[c] = mean[c] *= 1.0 / (1 + 4 * width);
    for (int n = 0; n < iterations; ++n) {
        for (int c = 0; c < count; ++c) value[c] = value[c] * 0.75 + mean[c] * 0.25;
    }
    for (int c = 0; c < count; ++c) to[c] = value[c];
}

template <int width>
void compute_box(const OverlapKernel& kernel, const Box& box) {
    const Index stride = kernel.from.row(1) - kernel.from.row(0);
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const double* from = kernel.from.row(j, k);
            double* to = kernel.to.row(j, k);
            Index i = box.lo[0];
            for (; i + lanes <= box.hi[0]; i += lanes) {
                compute_cells<lanes, width>(from + i, to + i, stride, kernel.iterations);
            }
            for (; i < box.hi[0]; ++i) compute_cells<1, width>(from + i, to + i, stride, kernel.iterations);
        }
    }
}

template <class Visit>
void for_cells(const Box& box, Visit&& visit) {
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) visit(i, j, k);
        }
    }
}

}  // namespace

void OverlapKernel::run(void* context, Box box) {
    const auto& kernel = *static_cast<const OverlapKernel*>(context);
    kernel.width == 1 ? compute_box<1>(kernel, box) : compute_box<2>(kernel, box);
}

OverlapModel::OverlapModel(const Domain& domain, const OverlapWork& work)
    : work_(work),
      fields_{AnyField(domain.partition(), domain.rank(), spec_of(work, "a")),
              AnyField(domain.partition(), domain.rank(), spec_of(work, "b"))} {
    owned_ = fields_[0].blocks()[0].owned;
    for (std::size_t p = 0; p < 2; ++p) {
        kernels_[p] = {fields_[p].view<double>(), fields_[1 - p].view<double>(), work.width, 1};
    }
}

void OverlapModel::set_iterations(int iterations) {
    for (OverlapKernel& kernel : kernels_) kernel.iterations = iterations;
}

void OverlapModel::fill() {
    for_cells(fields_[0].blocks()[0].allocated, [&](Index i, Index j, Index k) {
        const bool mine = owned_.contains(Index3{i, j, k});
        kernels_[0].from(i, j, k) = mine ? 1 + static_cast<double>((7 * i + 13 * j + 29 * k) % 101) / 101 : 0;
        kernels_[0].to(i, j, k) = 0;
    });
    position_ = 0;
    for (AnyField& field : fields_) field.modified();
}

void OverlapModel::compute(const Box& box) {
    const auto begin = std::chrono::steady_clock::now();
    OverlapKernel::run(&kernel(position_), box);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t OverlapModel::fingerprint() const {
    const View<double>& latest = kernels_[position_].from;
    std::uint64_t hash = 14695981039346656037U;
    for_cells(owned_, [&](Index i, Index j, Index k) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(latest(i, j, k))) * 1099511628211U;
    });
    return hash;
}

}  // namespace lapwing::bench
