#include "exchange/work_arrays.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

namespace {

std::array<std::size_t, 3> memory_order(const ExchangeWork& work) {
    return work.levels_fastest ? std::array<std::size_t, 3>{2, 0, 1} : std::array<std::size_t, 3>{0, 1, 2};
}

using Loops = std::vector<StridedCopy::Loop>;

Loops loops_over(const ExchangeWork& work, const Box& box, const Index3& from, const Index3& to) {
    Loops loops;
    for (std::size_t axis : memory_order(work))
        loops.push_back({box.size(static_cast<int>(axis)), from[axis], to[axis]});
    return loops;
}

}  // namespace

Index3 dense_strides(const ExchangeWork& work, const Box& box) {
    Index3 strides{};
    Index next = 1;
    for (std::size_t axis : memory_order(work)) {
        strides[axis] = next;
        next *= box.size(static_cast<int>(axis));
    }
    return strides;
}

StridedCopy copy_cells(const ExchangeWork& work, const Box& box, const double* from, const Index3& from_strides,
                       double* to, const Index3& to_strides) {
    return make_copy(from, to, loops_over(work, box, from_strides, to_strides));
}

StridedCopy wrap_cells(const WorkArrays& arrays, int field, const Box& range, int axis) {
    const ExchangeWork& work = arrays.work();
    const Index n = work.size(axis), w = work.width, stride = arrays.strides()[axis];
    Box lower = range;  // the lower halo; the upper one is the second turn of the loop over both
    lower.lo[axis] = -w;
    lower.hi[axis] = 0;
    Loops loops = loops_over(work, lower, arrays.strides(), arrays.strides());
    const auto order = memory_order(work);
    const auto own = std::find(order.begin(), order.end(), axis) - order.begin();
    loops.insert(loops.begin() + own + 1, {2, -(n - w) * stride, (n + w) * stride});
    double* first = arrays.at(field, lower.lo);
    return make_copy(first + n * stride, first, std::move(loops));
}

Index ExchangeWork::halo_bytes() const {
    const Index3 all = allocated();
    const Index cells = all[0] * all[1] - static_cast<Index>(nx) * ny;
    return cells * layers() * fields * static_cast<Index>(sizeof(double));
}

Index3 ExchangeWork::strides() const {
    const Index3 all = allocated();
    if (levels_fastest) return {all[2], all[2] * all[0], 1};
    return {1, all[0], all[0] * all[1]};
}

int ExchangeWork::neighbour_of(int rank, int dx, int dy) const {
    const auto [px, py] = blocks;
    const auto [x, y] = place_of(rank);
    return (y + dy + py) % py * px + (x + dx + px) % px;
}

WorkArrays::WorkArrays(const ExchangeWork& work) : work_(work), strides_(work.strides()) {
    const Index3 all = work.allocated();
    for (int f = 0; f < work.fields; ++f) {
        keep_.push_back(aligned_doubles(all[0] * all[1] * all[2]));
        origins_.push_back(keep_.back().get() + work.width * (strides_[0] + strides_[1]));
    }
}

WorkArrays::WorkArrays(const ExchangeWork& work, std::vector<double*> origins, const Index3& strides)
    : work_(work), strides_(strides), origins_(std::move(origins)) {}

void WorkArrays::touch_box(int field, Index i0, Index i1, Index j0, Index j1) const {
    const Index levels = work_.layers();
    if (strides_[2] == 1) {
        for (Index j = j0; j < j1; ++j) {
            for (Index i = i0; i < i1; ++i) {
                double* column = at(field, i, j);
                for (Index k = 0; k < levels; ++k) column[k] += 1.0;
            }
        }
        return;
    }
    for (Index k = 0; k < levels; ++k) {
        for (Index j = j0; j < j1; ++j) {
            double* row = at(field, 0, j, k);
            for (Index i = i0; i < i1; ++i) row[i * strides_[0]] += 1.0;
        }
    }
}

std::uint64_t WorkArrays::read_box(int field, Index i0, Index i1, Index j0, Index j1) const {
    const Index levels = work_.layers();
    std::uint64_t read = 0;
    const auto add = [&](const double* value) { read |= std::bit_cast<std::uint64_t>(*value); };
    if (strides_[2] == 1) {
        for (Index j = j0; j < j1; ++j) {
            for (Index i = i0; i < i1; ++i) {
                const double* column = at(field, i, j);
                for (Index k = 0; k < levels; k += line_values) add(column + k);
            }
        }
        return read;
    }
    for (Index k = 0; k < levels; ++k) {
        for (Index j = j0; j < j1; ++j) {
            const double* row = at(field, 0, j, k);
            for (Index i = i0; i < i1; i += line_values) add(row + i * strides_[0]);
        }
    }
    return read;
}

void WorkArrays::touch() const {
    const Index w = work_.width, nx = work_.nx, ny = work_.ny;
    std::uint64_t read = 0;
    for (int f = 0; f < work_.fields; ++f) {
        read |= read_box(f, -w, nx + w, -w, 0) | read_box(f, -w, 0, 0, ny);
        read |= read_box(f, nx, nx + w, 0, ny) | read_box(f, -w, nx + w, ny, ny + w);
    }
    keep_read(read);
    for (int f = 0; f < work_.fields; ++f) {
        touch_box(f, 0, nx, 0, w);
        touch_box(f, 0, w, w, ny - w);
        touch_box(f, nx - w, nx, w, ny - w);
        touch_box(f, 0, nx, ny - w, ny);
    }
}

template <class Visit>
void WorkArrays::for_cells(int rank, Visit&& visit) const {
    const auto [x, y] = work_.place_of(rank);
    const Index nx = work_.nx, ny = work_.ny, w = work_.width, levels = work_.layers();
    const Index all_x = nx * work_.blocks[0], all_y = ny * work_.blocks[1];
    for (int f = 0; f < work_.fields; ++f) {
        for (Index k = 0; k < levels; ++k) {
            for (Index j = -w; j < ny + w; ++j) {
                const Index global_j = (y * ny + j + all_y) % all_y;
                for (Index i = -w; i < nx + w; ++i) {
                    const Index global_i = (x * nx + i + all_x) % all_x;
                    const Index number = ((f * levels + k) * all_y + global_j) * all_x + global_i;
                    visit(*at(f, i, j, k), static_cast<double>(number), i, j);
                }
            }
        }
    }
}

bool WorkArrays::owned(Index i, Index j, Index margin) const {
    return i >= margin && i < work_.nx - margin && j >= margin && j < work_.ny - margin;
}

void WorkArrays::fill(int rank) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for_cells(rank, [&](double& value, double number, Index i, Index j) { value = owned(i, j, 0) ? number : nan; });
}

Index WorkArrays::wrong_cells(int rank, Index touches) const {
    Index wrong = 0;
    for_cells(rank, [&](const double& value, double number, Index i, Index j) {
        const bool kept = owned(i, j, work_.width);  // nobody reads it, and `touch` leaves it
        wrong += !(value == number + static_cast<double>(kept ? 0 : touches));
    });
    return wrong;
}

}  // namespace lapwing::bench
