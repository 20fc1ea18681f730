#include "probe/link_test.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Index value = 8, line = 64, page = 4096;  // bytes
constexpr int data = 1, ready = 2, done = 3;        // tags
constexpr Index most_elements = 1 << 16;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Bytes of memory from the first to the last of a message.
Index span_of(Layout layout, Index bytes) { return layout == Layout::strided ? bytes / value * line : bytes; }

template <class Kind, std::size_t n>
Kind named(const char* what, const std::string& name, const std::array<std::pair<const char*, Kind>, n>& kinds) {
    using Named = std::pair<const char*, Kind>;
    const auto found = std::ranges::find(kinds, name, &Named::first);
    if (found != kinds.end()) return found->second;
    user_error(what, "'" + name + "'", "one of " + listed(kinds, ", ", &Named::first), "choose one of them");
}

double* at(std::byte* memory, Index place) { return reinterpret_cast<double*>(memory + place); }

double code(int rank, Index n) { return 1e6 * (rank + 1) + static_cast<double>(n % 9973); }

}  // namespace

// The memory that a turn reads and writes, the same place on all ranks.
struct LinkTest::Spots {
    std::byte* from;
    std::byte* to;
    MPI_Aint remote;  // in the window of the peer
};

Link link_of(const std::string& name) {
    return named("link", name, std::array{std::pair{"node", Link::node}, std::pair{"network", Link::network}});
}

Way way_of(const std::string& name) {
    return named(
        "way of a message", name,
        std::array{std::pair{"two-sided", Way::two_sided}, std::pair{"push", Way::push}, std::pair{"pull", Way::pull}});
}

Layout layout_of(const std::string& name) {
    return named("layout of a message", name,
                 std::array{std::pair{"contiguous", Layout::contiguous}, std::pair{"strided", Layout::strided},
                            std::pair{"element-wise", Layout::element_wise}});
}

Pattern pattern_of(const std::string& name) {
    return named("pattern of messages", name,
                 std::array{std::pair{"ring", Pattern::ring}, std::pair{"ping-pong", Pattern::ping_pong}});
}

double compute(std::int64_t iterations) {
    static volatile double kept = 0.0;  // so that the work is done
    const auto begin = Clock::now();
    double x = kept;
    for (std::int64_t n = 0; n < iterations; ++n) x = x * 0.999 + 1.0;
    kept = x;
    return since(begin);
}

LinkTest::LinkTest(const Domain& domain, Link link, Index most_bytes, Index pool_bytes)
    : domain_(domain), most_bytes_(most_bytes), pool_bytes_(std::max(pool_bytes, 8 * page)) {
    const MPI_Comm all = domain.comm();
    require_same(all, "sizes of a test of messages", concat(most_bytes, ", ", pool_bytes));
    if (most_bytes < value || most_bytes > pool_bytes_)
        user_error("bytes of a message", most_bytes, "8 to the bytes of the pool", "change one of them");
    together(all, [&] { make(link, pool_bytes_); });
}

LinkTest::~LinkTest() = default;

void LinkTest::make(Link link, Index pool_bytes) {
    const MPI_Comm all = domain_.comm();
    int node = domain_.rank();  // the lowest rank on this one's
    while (node > 0 && domain_.node().holds(node - 1)) --node;
    for (int rank = 0; rank < node; ++rank) {
        if (domain_.node().holds(rank)) node = rank;
    }
    const bool first = node == domain_.rank();
    const int color = link == Link::node ? node : (first ? 0 : MPI_UNDEFINED);
    check_mpi(MPI_Comm_split(all, color, domain_.rank(), &comm_), "MPI_Comm_split");
    if (comm_ != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
        rank_ = rank_in(comm_);
        ranks_ = size_of(comm_);
    }
    available_ = reduced(all, ranks_, MPI_MAX, "the ranks of a test of messages") > 1;
    if (ranks_ < 2) return;
    left_ = (rank_ + ranks_ - 1) % ranks_;
    right_ = (rank_ + 1) % ranks_;
    check_mpi(MPI_Win_allocate(pool_bytes, 1, MPI_INFO_NULL, comm_, &exposed_, &window_), "MPI_Win_allocate");
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    std::fill_n(exposed_, pool_bytes, std::byte{1});  // touched here
    sent_.assign(pool_bytes, std::byte{1});
    received_.assign(pool_bytes, std::byte{1});
    requests_.reserve(2 * most_elements);
}

void LinkTest::close() {
    for (auto& [bytes, type] : types_) MPI_Type_free(&type);
    types_.clear();
    if (window_ != MPI_WIN_NULL) {
        check_mpi(MPI_Win_unlock_all(window_), "MPI_Win_unlock_all");
        check_mpi(MPI_Win_free(&window_), "MPI_Win_free");
    }
    if (comm_ != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

void LinkTest::check(const LinkWork& work, int rounds) const {
    const auto fault = [&]() -> std::string {
        if (!available_) return "ranks of a link: got 1; expected 2 or more; start more ranks, or name another link";
        if (rounds < 1) return concat("rounds of messages: got ", rounds, "; expected 1 or more; change it");
        const bool empty = work.bytes == 0 && work.way == Way::two_sided && work.layout == Layout::contiguous;
        const Index elements = work.layout == Layout::element_wise ? work.bytes / value : 0;
        if ((work.bytes >= value && work.bytes % value == 0 && work.bytes <= most_bytes_ &&
             span_of(work.layout, work.bytes) <= pool_bytes_ && elements <= most_elements) ||
            empty)
            return {};
        return concat("bytes of a message: got ", work.bytes, "; expected a multiple of 8 from 8 to ", most_bytes_,
                      ", in a pool of ", pool_bytes_, " with all its gaps; take another size");
    }();
    if (!fault.empty()) throw UserError(fault);  // from what all ranks have alike
}

bool LinkTest::takes_part(Pattern pattern) const { return ranks_ > 1 && (pattern == Pattern::ring || rank_ < 2); }

// A line beyond a page further at each turn, and at least a message.
LinkTest::Spots LinkTest::next_spots(const LinkWork& work) {
    const Index span = span_of(work.layout, work.bytes);
    const Index step = (std::max(span, page) + 2 * line - 1) / line * line;
    const Index places = (pool_bytes_ - span) / step + 1;
    const Index place = turn_++ % places * step;
    return {sent_.data() + place, received_.data() + place, place};
}

MPI_Datatype LinkTest::type_of(const LinkWork& work) {
    if (work.layout != Layout::strided) return MPI_BYTE;
    for (const auto& [bytes, type] : types_) {
        if (bytes == work.bytes) return type;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_vector(static_cast<int>(work.bytes / value), 1, line / value, MPI_DOUBLE, &type),
              "MPI_Type_vector");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    types_.emplace_back(work.bytes, type);
    return type;
}

// Calls move(place, count, type) for each message of the work; `place` counts bytes from its spots.
template <class Move>
void LinkTest::for_messages(const LinkWork& work, const Move& move) {
    const Index pieces = work.layout == Layout::element_wise ? work.bytes / value : 1;
    const MPI_Datatype type = type_of(work);
    const int count = work.layout == Layout::strided ? 1 : static_cast<int>(work.bytes / pieces);
    for (Index n = 0; n < pieces; ++n) move(n * value, count, type);
}

void LinkTest::post_receive(const LinkWork& work, const Spots& spots, int from) {
    for_messages(work, [&](Index place, int count, MPI_Datatype type) {
        check_mpi(MPI_Irecv(spots.to + place, count, type, from, data, comm_, new_request()), "MPI_Irecv");
    });
}

void LinkTest::post_send(const LinkWork& work, const Spots& spots, int to) {
    for_messages(work, [&](Index place, int count, MPI_Datatype type) {
        check_mpi(MPI_Isend(spots.from + place, count, type, to, data, comm_, new_request()), "MPI_Isend");
    });
}

// A put or a get of the message, not yet complete.
void LinkTest::access(const LinkWork& work, const Spots& spots, int peer) {
    for_messages(work, [&](Index place, int count, MPI_Datatype type) {
        const MPI_Aint there = spots.remote + place;
        if (work.way == Way::push) {
            check_mpi(MPI_Put(spots.from + place, count, type, peer, there, count, type, window_), "MPI_Put");
        } else {
            check_mpi(MPI_Get(spots.to + place, count, type, peer, there, count, type, window_), "MPI_Get");
        }
    });
}

// One after the other: messages that were posted in order arrive in it, and to look at thousands at each poll takes
// longer than they do.
void LinkTest::wait_all() {
    std::size_t complete = 0;
    const auto poll = [&] {
        for (; complete < requests_.size(); ++complete) {
            int done_now = 0;
            check_mpi(MPI_Test(&requests_[complete], &done_now, MPI_STATUS_IGNORE), "MPI_Test");
            if (done_now == 0) return false;
        }
        return true;
    };
    const auto describe = [&] { return concat("rank ", domain_.rank(), " waits for a message that is timed"); };
    wait_until(poll, describe, comm_, domain_.node().polls());
    requests_.clear();
}

void LinkTest::notify(int to, int tag) {
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, to, tag, comm_, new_request()), "MPI_Isend");
}

void LinkTest::await(int from, int tag) {
    check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, comm_, new_request()), "MPI_Irecv");
}

void LinkTest::exchange_notes(int to, int from, int tag) {
    await(from, tag);
    notify(to, tag);
    wait_all();
}

// Puts need to know that the neighbour's memory may be written, gets that it holds what is wanted.
void LinkTest::start(const LinkWork& work, const Spots& spots) {
    if (work.way == Way::two_sided) {
        post_receive(work, spots, left_);
        post_send(work, spots, right_);
        return;
    }
    const bool push = work.way == Way::push;
    exchange_notes(push ? left_ : right_, push ? right_ : left_, ready);
    access(work, spots, push ? right_ : left_);
}

void LinkTest::finish(const LinkWork& work) {
    if (work.way == Way::two_sided) {
        wait_all();
        return;
    }
    const bool push = work.way == Way::push;
    check_mpi(MPI_Win_flush(push ? right_ : left_, window_), "MPI_Win_flush");
    exchange_notes(push ? right_ : left_, push ? left_ : right_, done);
}

void LinkTest::progress() {
    int flag = 0;
    if (requests_.empty()) {
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
    } else {
        check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &flag, MPI_STATUSES_IGNORE),
                  "MPI_Testall");
    }
}

void LinkTest::ring(const LinkWork& work, const BesideWork& beside) {
    const Spots spots = next_spots(work);
    if (beside.communicate) start(work, spots);
    for (int chunk = 0; beside.iterations > 0 && chunk < beside.chunks; ++chunk) {
        compute(beside.iterations * (chunk + 1) / beside.chunks - beside.iterations * chunk / beside.chunks);
        if (beside.communicate && beside.chunks > 1) progress();
    }
    if (beside.communicate) {
        finish(work);
    } else {
        exchange_notes(right_, left_, done);
    }
}

// One way, on the two ranks that it is between.
void LinkTest::pass(const LinkWork& work, int from, int to) {
    const Spots spots = next_spots(work);
    const bool sends = rank_ == from;
    if (work.way == Way::two_sided) {
        sends ? post_send(work, spots, to) : post_receive(work, spots, from);
        wait_all();
        return;
    }
    const bool acts = sends == (work.way == Way::push);
    if (acts && work.way == Way::pull) {
        await(from, ready);
        wait_all();
    }
    if (acts) {
        access(work, spots, sends ? to : from);
        check_mpi(MPI_Win_flush(sends ? to : from, window_), "MPI_Win_flush");
    }
    if (sends) {
        notify(to, work.way == Way::push ? done : ready);
        wait_all();
    } else if (!acts) {
        await(from, done);
        wait_all();
    }
}

void LinkTest::ping_pong(const LinkWork& work) {
    pass(work, 0, 1);
    pass(work, 1, 0);
}

double LinkTest::slowest(double seconds) const {
    return reduced(domain_.comm(), seconds, MPI_MAX, "the times of messages");
}

// Returns the time of the slowest rank that takes part; all begin together.
template <class Seconds>
double LinkTest::timed(Pattern pattern, const Seconds& seconds) {
    static_cast<void>(slowest(0.0));
    return slowest(takes_part(pattern) ? seconds() : 0.0);
}

double LinkTest::time(const LinkWork& work, int rounds) {
    check(work, rounds);
    return timed(work.pattern, [&] {
        const auto begin = Clock::now();
        for (int n = 0; n < rounds; ++n) work.pattern == Pattern::ring ? ring(work, {}) : ping_pong(work);
        return since(begin) / (work.pattern == Pattern::ring ? rounds : 2 * rounds);
    });
}

double LinkTest::time_beside(const LinkWork& work, const BesideWork& beside, int rounds) {
    check(work, rounds);
    if (work.pattern != Pattern::ring || beside.iterations < 0 || beside.chunks < 1)
        throw UserError(
            "computing during messages: got another pattern, or fewer iterations or chunks than none; "
            "expected a ring, 0 iterations and 1 chunk or more; change it");
    return timed(work.pattern, [&] {
        const auto begin = Clock::now();
        for (int n = 0; n < rounds; ++n) ring(work, beside);
        return since(begin) / rounds;
    });
}

double LinkTest::time_left(const LinkWork& work, double seconds) {
    check(work, 1);
    return timed(Pattern::ring, [&] {
        start(work, next_spots(work));
        const auto begin = Clock::now();
        while (since(begin) < seconds) compute(100);
        const auto back = Clock::now();
        finish(work);
        return since(back);
    });
}

double LinkTest::time_start(const LinkWork& work) {
    check(work, 1);
    return timed(Pattern::ring, [&] {
        const Spots spots = next_spots(work);
        const auto begin = Clock::now();
        start(work, spots);
        const double seconds = since(begin);
        finish(work);
        return seconds;
    });
}

bool LinkTest::completes_unmatched(Index bytes, double seconds) {
    check({.bytes = bytes}, 1);
    int complete = 0;
    static_cast<void>(slowest(0.0));
    if (takes_part(Pattern::ping_pong)) {
        const LinkWork work{.pattern = Pattern::ping_pong, .bytes = bytes};
        const Spots spots = next_spots(work);
        if (rank_ == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            check_mpi(MPI_Isend(spots.from, static_cast<int>(bytes), MPI_BYTE, 1, data, comm_, &request), "MPI_Isend");
            const auto begin = Clock::now();
            while (complete == 0 && since(begin) < seconds)
                check_mpi(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
            notify(1, done);
            if (complete == 0) requests_.push_back(request);
        } else {  // looks into MPI meanwhile, as a rank does that waits for something else
            await(0, done);
            wait_all();
            post_receive(work, spots, 0);
        }
        wait_all();
    }
    return reduced(domain_.comm(), complete, MPI_MAX, "a send without a receive") != 0;
}

// Every rank's values say whose they are; what is to be written holds others.
void LinkTest::write_codes(Index place, Index count, Index step) {
    for (Index n = 0; n < count; ++n) {
        for (std::byte* memory : {sent_.data(), exposed_}) *at(memory, place + n * step) = code(rank_, n);
        *at(received_.data(), place + n * step) = -1.0;
    }
    check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
}

Index LinkTest::wrong_values(const LinkWork& work) {
    check(work, 1);
    const bool takes = takes_part(work.pattern), ring_shift = work.pattern == Pattern::ring;
    const Index step = work.layout == Layout::strided ? line : value, count = work.bytes / value;
    turn_ = 0;
    const std::array places{next_spots(work).remote, next_spots(work).remote};  // of both ways of a ping-pong
    if (takes) {
        for (const Index place : places) write_codes(place, count, step);
    }
    static_cast<void>(slowest(0.0));  // all are ready
    Index wrong = 0;
    if (takes) {
        turn_ = 0;
        ring_shift ? ring(work, {}) : ping_pong(work);
        check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
        const int source = ring_shift ? left_ : 1 - rank_;
        const Index place = ring_shift || rank_ == 1 ? places[0] : places[1];
        std::byte* memory = work.way == Way::push ? exposed_ : received_.data();
        for (Index n = 0; n < count; ++n) wrong += *at(memory, place + n * step) == code(source, n) ? 0 : 1;
    }
    return reduced(domain_.comm(), wrong, MPI_SUM, "the values of messages");
}

}  // namespace lapwing::probe
