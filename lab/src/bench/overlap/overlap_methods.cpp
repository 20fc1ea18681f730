#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/plan/chunks.hpp"
#include "overlap/overlap_methods.hpp"

namespace lapwing::bench {

void OverlapMethod::run(OverlapPart part, int count, const BeforeEach& before_each) {
    if (part == OverlapPart::step) return steps(count, before_each);
    for (int n = 0; n < count; ++n) {
        before_each();
        if (part == OverlapPart::communicate) {
            communicate();
        } else {
            model_.compute(model_.owned());
        }
    }
}

std::pair<double, double> OverlapMethod::sample(OverlapPart part, int rounds) {
    const MPI_Comm comm = domain_.comm();
    const auto in_kernels = [&] { return part == OverlapPart::step ? kernel_seconds() : model_.seconds(); };
    std::vector<std::pair<double, double>> moments;  // and seconds in kernels until then
    MPI_Barrier(comm);
    // no barrier after the first round: what has left ahead of the second would arrive meanwhile, for nothing
    run(part, rounds + 2, [&, n = 0]() mutable {
        if (n == 1 || n == rounds + 1) moments.emplace_back(MPI_Wtime(), in_kernels());
        ++n;
    });
    const double seconds = (moments[1].first - moments[0].first) / rounds;
    const double inside = (moments[1].second - moments[0].second) / rounds;
    return {reduced(comm, seconds, MPI_MAX, "a sample"), reduced(comm, inside, MPI_SUM, "a sample") / domain_.ranks()};
}

std::uint64_t OverlapMethod::fingerprint(int steps) {
    model_.fill();
    restart();
    this->steps(steps, [] {});
    // ranks count differently, so that their parts may not be exchanged
    const auto weight = 2 * static_cast<std::uint64_t>(domain_.rank()) + 1;
    const auto mine = static_cast<Index>(model_.fingerprint() * weight);
    return static_cast<std::uint64_t>(reduced(domain_.comm(), mine, MPI_BXOR, "a fingerprint"));
}

namespace {

// Calls copy(row of the field, values before this row) for every row of a box.
template <class Copy>
void for_rows(AnyField& field, const Box& box, Copy&& copy) {
    const auto view = field.view<double>();
    Index done = 0;
    for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            copy(view.row(j, k) + box.lo[0], done);
            done += box.size(0);
        }
    }
}

Face face_to(int peer, bool upper, const OverlapModel& model) {
    Face face{peer, model.owned(), model.owned(), {}, {}};
    const Index width = model.work().width;
    const std::size_t y = 1;
    const Index edge = upper ? model.owned().hi[y] : model.owned().lo[y];
    face.sent.lo[y] = upper ? edge - width : edge;
    face.sent.hi[y] = face.sent.lo[y] + width;
    face.received.lo[y] = upper ? edge : edge - width;
    face.received.hi[y] = face.received.lo[y] + width;
    face.out.resize(face.sent.volume());
    face.in.resize(face.received.volume());
    return face;
}

// `box` cut along z into at most `tiles` pieces.
std::vector<Box> tiles_of(const Box& box, int tiles) {
    const int pieces = static_cast<int>(std::clamp<Index>(box.size(2), 1, tiles));
    std::vector<Box> cut(pieces, box);
    for (int n = 0; n < pieces; ++n) {
        const auto [lo, hi] = block_range(box.size(2), pieces, n);
        cut[n].lo[2] = box.lo[2] + lo;
        cut[n].hi[2] = box.lo[2] + hi;
    }
    return cut;
}

}  // namespace

FaceOverlap::FaceOverlap(const Domain& domain, const OverlapWork& work, int tiles) : OverlapMethod(domain, work) {
    Box interior = model().owned();  // the cells that are sent are those that read the halo
    const int rank = domain.rank();
    if (rank > 0) {
        faces_.push_back(face_to(rank - 1, false, model()));
        interior.lo[1] = faces_.back().sent.hi[1];
    }
    if (rank + 1 < domain.ranks()) {
        faces_.push_back(face_to(rank + 1, true, model()));
        interior.hi[1] = faces_.back().sent.lo[1];
    }
    tiles_ = tiles_of(interior, tiles);
}

void FaceOverlap::steps(int count, const BeforeEach& before_each) {
    for (int n = 0; n < count; ++n) {
        before_each();
        step();
    }
}

void FaceOverlap::step() {
    AnyField& field = model().field(model().position());
    start(field);
    for (const Box& tile : tiles_) {
        model().compute(tile);
        if (tiles_.size() > 1) poll();
    }
    finish(field);
    for (const Face& face : faces_) model().compute(face.sent);
    model().turn();
}

void FaceOverlap::communicate() {
    start(model().field(0));
    finish(model().field(0));
}

void FaceOverlap::start(AnyField& field) {
    receive();
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        double* out = faces_[f].out.data();
        const Index length = faces_[f].sent.size(0);
        for_rows(field, faces_[f].sent, [&](const double* row, Index done) { std::copy_n(row, length, out + done); });
        send(f);
    }
}

void FaceOverlap::finish(AnyField& field) {
    wait();
    for (const Face& face : faces_) {
        const double* in = face.in.data();
        const Index length = face.received.size(0);
        for_rows(field, face.received, [&](double* row, Index done) { std::copy_n(in + done, length, row); });
    }
}

namespace {

constexpr int tag = 7;
constexpr Index in_flight = 4;  // messages per neighbour for which MPI's buffer has room

}  // namespace

HandOverlap::HandOverlap(const Domain& domain, const OverlapWork& work, bool buffered, int tiles, Index chunk_bytes)
    : FaceOverlap(domain, work, tiles), comm_(domain.comm()), buffered_(buffered), chunk_bytes_(chunk_bytes) {
    if (!buffered) return;
    const Index messages = chunk_bytes > 0 ? work.message_bytes() / chunk_bytes + 1 : 1;
    const Index bytes = work.message_bytes() + messages * MPI_BSEND_OVERHEAD;
    attached_.resize(2 * in_flight * bytes);
    MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
}

void HandOverlap::close() {
    if (attached_.empty()) return;
    void* buffer = nullptr;
    int size = 0;
    MPI_Buffer_detach(static_cast<void*>(&buffer), &size);
    attached_.clear();
}

void HandOverlap::receive() {
    requests_.clear();
    for (Face& face : faces()) post(face, face.in.data(), false);
}

void HandOverlap::send(std::size_t face) { post(faces()[face], faces()[face].out.data(), true); }

void HandOverlap::poll() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
}

void HandOverlap::wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

void HandOverlap::post(const Face& face, double* buffer, bool sends) {
    const auto values = static_cast<Index>(face.out.size());
    const Index chunk = chunk_bytes_ > 0 ? std::max<Index>(1, chunk_bytes_ / 8) : values;
    for (Index first = 0; first < values; first += chunk) {
        const int count = static_cast<int>(std::min(chunk, values - first));
        requests_.push_back(MPI_REQUEST_NULL);
        if (!sends) {
            MPI_Irecv(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        } else {
            const auto call = buffered_ ? MPI_Ibsend : MPI_Isend;
            call(buffer + first, count, MPI_DOUBLE, face.peer, tag, comm_, &requests_.back());
        }
    }
}

StepOverlap::StepOverlap(Domain& domain, const OverlapWork& work, const std::string& strategy,
                         const std::string& transport, Index chunk_bytes)
    : OverlapMethod(domain, work) {
    std::vector<Stages> cycle;
    for (const int position : {0, 1}) {
        Stage stage;
        stage.name = "smooth";
        stage.reads = {{&model().field(position), work.extent()}};
        stage.writes = {&model().field(1 - position)};
        stage.kernel = OverlapKernel::run;
        stage.contexts = {&model().kernel(position)};
        cycle.push_back({stage});
    }
    step_.emplace(domain, cycle, StepOptions{.strategy = strategy, .transport = transport});
    const std::vector<const AnyField*> field{&model().field(0)};
    Route route = halo_route(domain, field, specs_of(field), {.transport = transport});
    if (chunk_bytes > 0) route.plan = in_chunks(route.plan, chunk_bytes);
    exchange_.emplace(domain, std::move(route), field, field);
}

void StepOverlap::steps(int count, const BeforeEach& before_each) {
    step_->run(count, [&, first = true]() mutable {
        if (!first) model().turn();
        first = false;
        before_each();
    });
    if (count > 0) model().turn();
}

double StepOverlap::kernel_seconds() const {
    const auto& stages = step_->report().times().compute;
    return std::accumulate(stages.begin(), stages.end(), 0.0);
}

namespace {

constexpr std::chrono::seconds patience{10};
constexpr int looks_between_yields = 1000;

[[noreturn]] void failed(const char* call) { throw OutsideError(std::string(call) + ": " + std::strerror(errno)); }

}  // namespace

TcpLink::~TcpLink() {
    if (socket_ >= 0) ::close(socket_);
}

void TcpLink::start(Face& face) {
    out_ = reinterpret_cast<const std::byte*>(face.out.data());
    in_ = reinterpret_cast<std::byte*>(face.in.data());
    to_send_ = to_receive_ = face.out.size() * sizeof(double);
    move();
}

bool TcpLink::move() {
    while (to_send_ > 0) {
        const ssize_t taken = ::send(socket_, out_, to_send_, MSG_NOSIGNAL);
        if (taken < 0 && errno != EAGAIN) failed("send");
        if (taken < 0) break;
        out_ += taken;
        to_send_ -= taken;
    }
    while (to_receive_ > 0) {
        const ssize_t given = ::recv(socket_, in_, to_receive_, 0);
        if (given == 0) throw OutsideError("recv: the other rank has closed the connection");
        if (given < 0 && errno != EAGAIN) failed("recv");
        if (given < 0) break;
        in_ += given;
        to_receive_ -= given;
    }
    return to_send_ == 0 && to_receive_ == 0;
}

void TcpOverlap::wait() {
    const auto begin = std::chrono::steady_clock::now();
    for (int looks = 1;; ++looks) {
        bool all = true;
        for (TcpLink& link : links_) all &= link.move();
        if (all) return;
        if (looks % looks_between_yields != 0) continue;
        ::sched_yield();
        const auto waited = std::chrono::steady_clock::now() - begin;
        if (waited > patience) throw OutsideError("recv: the other rank sends nothing");
    }
}

}  // namespace lapwing::bench
