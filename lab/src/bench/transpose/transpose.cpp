// A transpose as one writes it for one model: pack by hand, MPI_Isend or MPI_Alltoallv, unpack.

#include <mpi.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "lapwing/grid/box.hpp"
#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

// An array of doubles that holds a box.
struct BoxArray {
    double* data = nullptr;  // of the first cell
    Box box;
    Index3 strides{};  // in values

    [[nodiscard]] double* at(const Index3& cell) const;
};

// `from` of each rank to `to` of each rank, where box number r of both lists belongs to rank r. Values change their
// places while they are packed, in tiles, into the order of the target; what stays on the rank is copied directly,
// while messages are on their way.
class HandTranspose {
  public:
    // `collective`: one MPI_Alltoallv among the ranks that have the rows or columns in common, else messages of their
    // own. The arrays must outlive it. Collective over `comm`.
    HandTranspose(MPI_Comm comm, std::span<const Box> from_boxes, std::span<const Box> to_boxes, const BoxArray& from,
                  const BoxArray& to, bool collective);
    // Frees the communicator. Collective.
    void close();
    void run();

  private:
    // The values that a peer gets or gives, and their place in the buffers.
    struct Part {
        int peer = 0;
        Box send, receive;
        Index send_at = 0, receive_at = 0;
    };
    void pack(const Part& part);
    void unpack(const Part& part);
    void run_messages();
    void run_collective();

    MPI_Comm comm_;
    MPI_Comm group_ = MPI_COMM_NULL;  // of the collective
    BoxArray from_, to_;
    Box own_;
    std::vector<Part> parts_;
    std::shared_ptr<double> out_, in_;
    std::vector<MPI_Request> requests_;
    std::vector<int> send_counts_, send_places_, receive_counts_, receive_places_;  // by rank of the group
};

namespace {

constexpr Index tile = 8;  // a cache line of doubles

// n0 x n1 values: `from` is contiguous along 0, `to` along 1. Whole tiles by way of a small array, which the compiler
// keeps near; the rest value by value.
void copy_turned(double* to, const double* from, Index n0, Index n1, Index to_step, Index from_step) {
    for (Index a = 0; a < n0; a += tile) {
        for (Index b = 0; b < n1; b += tile) {
            if (a + tile <= n0 && b + tile <= n1) {
                double values[tile][tile];
                for (Index q = 0; q < tile; ++q) {
                    std::memcpy(values[q], from + (b + q) * from_step + a, sizeof values[q]);
                }
                for (Index p = 0; p < tile; ++p) {
                    for (Index q = 0; q < tile; ++q) to[(a + p) * to_step + b + q] = values[q][p];
                }
                continue;
            }
            for (Index p = a; p < std::min(n0, a + tile); ++p) {
                for (Index q = b; q < std::min(n1, b + tile); ++q) to[p * to_step + q] = from[q * from_step + p];
            }
        }
    }
}

std::size_t fastest(const Index3& strides) { return std::ranges::min_element(strides) - strides.begin(); }

// The cells of a box from one array to another, each with its own fastest axis.
void copy_box(const BoxArray& from, const BoxArray& to, const Box& box) {
    const std::size_t a = fastest(from.strides), b = fastest(to.strides);
    const auto size = [&](std::size_t axis) { return box.size(static_cast<int>(axis)); };
    const double* source = from.at(box.lo);
    double* target = to.at(box.lo);
    if (a != b) {
        const std::size_t c = 3 - a - b;
        for (Index n = 0; n < size(c); ++n) {
            copy_turned(target + n * to.strides[c], source + n * from.strides[c], size(a), size(b), to.strides[a],
                        from.strides[b]);
        }
        return;
    }
    std::size_t inner = a == 0 ? 1 : 0, outer = 3 - a - inner;
    if (from.strides[inner] > from.strides[outer]) std::swap(inner, outer);
    for (Index m = 0; m < size(outer); ++m) {
        for (Index n = 0; n < size(inner); ++n) {
            std::memcpy(target + m * to.strides[outer] + n * to.strides[inner],
                        source + m * from.strides[outer] + n * from.strides[inner], size(a) * sizeof(double));
        }
    }
}

// A box in a buffer, dense, in the order of `like`.
BoxArray dense(double* data, const Box& box, const Index3& like) {
    std::array<std::size_t, 3> order{0, 1, 2};
    std::ranges::sort(order, {}, [&](std::size_t axis) { return like[axis]; });
    BoxArray array{data, box, {}};
    Index stride = 1;
    for (std::size_t axis : order) {
        array.strides[axis] = stride;
        stride *= box.size(static_cast<int>(axis));
    }
    return array;
}

}  // namespace

double* BoxArray::at(const Index3& cell) const {
    double* place = data;
    for (std::size_t a = 0; a < 3; ++a) place += (cell[a] - box.lo[a]) * strides[a];
    return place;
}

HandTranspose::HandTranspose(MPI_Comm comm, std::span<const Box> from_boxes, std::span<const Box> to_boxes,
                             const BoxArray& from, const BoxArray& to, bool collective)
    : comm_(comm), from_(from), to_(to), own_(intersect(from.box, to.box)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Index out = 0, in = 0;
    int first = rank;
    for (std::size_t r = 0; r < from_boxes.size(); ++r) {
        const Part part{static_cast<int>(r), intersect(from.box, to_boxes[r]), intersect(from_boxes[r], to.box), out,
                        in};
        if (part.peer == rank || (part.send.empty() && part.receive.empty())) continue;
        parts_.push_back(part);
        out += part.send.volume();
        in += part.receive.volume();
        first = std::min(first, part.peer);
    }
    out_ = aligned_doubles(out);
    in_ = aligned_doubles(in);
    requests_.resize(2 * parts_.size());
    if (!collective) return;
    MPI_Comm_split(comm, first, rank, &group_);  // in rows and columns all ranks talk to all
    int members = 0, me = 0;
    MPI_Comm_size(group_, &members);
    MPI_Comm_rank(group_, &me);
    for (auto* list : {&send_counts_, &send_places_, &receive_counts_, &receive_places_}) {
        list->assign(members, 0);
    }
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        const std::size_t place = n + (parts_[n].peer > rank ? 1 : 0);
        send_counts_[place] = static_cast<int>(parts_[n].send.volume());
        send_places_[place] = static_cast<int>(parts_[n].send_at);
        receive_counts_[place] = static_cast<int>(parts_[n].receive.volume());
        receive_places_[place] = static_cast<int>(parts_[n].receive_at);
    }
}

void HandTranspose::close() {
    if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
}

void HandTranspose::pack(const Part& part) {
    copy_box(from_, dense(out_.get() + part.send_at, part.send, to_.strides), part.send);
}

void HandTranspose::unpack(const Part& part) {
    copy_box(dense(in_.get() + part.receive_at, part.receive, to_.strides), to_, part.receive);
}

void HandTranspose::run() { group_ == MPI_COMM_NULL ? run_messages() : run_collective(); }

void HandTranspose::run_messages() {
    const auto count = static_cast<int>(parts_.size());
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        MPI_Irecv(in_.get() + parts_[n].receive_at, static_cast<int>(parts_[n].receive.volume()), MPI_DOUBLE,
                  parts_[n].peer, 0, comm_, &requests_[n]);
    }
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        pack(parts_[n]);
        MPI_Isend(out_.get() + parts_[n].send_at, static_cast<int>(parts_[n].send.volume()), MPI_DOUBLE, parts_[n].peer,
                  0, comm_, &requests_[parts_.size() + n]);
    }
    if (!own_.empty()) copy_box(from_, to_, own_);
    for (int n = 0; n < count; ++n) {
        int arrived = 0;
        MPI_Waitany(count, requests_.data(), &arrived, MPI_STATUS_IGNORE);
        unpack(parts_[arrived]);
    }
    MPI_Waitall(count, requests_.data() + count, MPI_STATUSES_IGNORE);
}

void HandTranspose::run_collective() {
    for (const Part& part : parts_) pack(part);
    MPI_Alltoallv(out_.get(), send_counts_.data(), send_places_.data(), MPI_DOUBLE, in_.get(), receive_counts_.data(),
                  receive_places_.data(), MPI_DOUBLE, group_);
    for (const Part& part : parts_) unpack(part);
    if (!own_.empty()) copy_box(from_, to_, own_);
}

namespace {

BoxArray box_array(const Array3& array, const Box& box) {
    return {array.data(), box, {array.stride(0), array.stride(1), array.stride(2)}};
}

}  // namespace

void bind_transpose(nb::module_& module) {
    nb::class_<HandTranspose>(module, "HandTranspose", "A transpose written by hand.")
        .def(
            "__init__",
            [](HandTranspose* self, const Domain& domain, const std::vector<Box>& from_boxes,
               const std::vector<Box>& to_boxes, const Array3& from, const Array3& to, bool collective) {
                const std::size_t me = domain.rank();
                new (self) HandTranspose(domain.comm(), from_boxes, to_boxes, box_array(from, from_boxes[me]),
                                         box_array(to, to_boxes[me]), collective);
            },
            "domain"_a, "from_boxes"_a, "to_boxes"_a, "source"_a, "target"_a, "collective"_a, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
            nb::sig("def __init__(self, domain: lapwing.core._core.Domain, "
                    "from_boxes: collections.abc.Sequence[lapwing.core._core.Box], "
                    "to_boxes: collections.abc.Sequence[lapwing.core._core.Box], "
                    "source: numpy.typing.NDArray[numpy.float64], target: numpy.typing.NDArray[numpy.float64], "
                    "collective: bool) -> None"),
            "From the box of each rank to another of each: packed by hand, sent by MPI_Isend or (`collective`) "
            "MPI_Alltoallv. Arrays [x, y, z] of any strides are used in place. Collective.")
        .def("run", &HandTranspose::run, nb::call_guard<nb::gil_scoped_release>(), "Move all values once. Collective.")
        .def("close", &HandTranspose::close, "Free the communicator. Collective.");
}

}  // namespace lapwing::bench
