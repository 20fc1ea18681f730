#include "transport/one_sided/direct.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "mpi/progress/requests.hpp"

namespace lapwing {

namespace {

// Memory of another rank, to be reckoned with only.
std::byte* far_address(std::int64_t address) { return reinterpret_cast<std::byte*>(address); }

std::int64_t near_address(const std::byte* data) {
    MPI_Aint address = 0;
    check_mpi(MPI_Get_address(data, &address), "MPI_Get_address");
    return address;
}

}  // namespace

void UnpackedLeg::Signals::start(std::size_t number) {
    check_mpi(MPI_Start(&requests[number]), "MPI_Start");
    ++active;
}

void UnpackedLeg::Signals::start_all() {
    lapwing::start_all(requests);
    active = requests.size();
}

std::span<const int> UnpackedLeg::Signals::completed() {
    if (active == 0) return {};
    const std::size_t count = lapwing::completed(requests, numbers);
    active -= count;
    return {numbers.data(), count};
}

// A put is done by the sender in memory of the receiver, a get the other way round.
UnpackedLeg::UnpackedLeg(LegRequest request, Way way)
    : domain_(request.domain),
      way_(way),
      tag_(request.tag),
      arrival_(request.arrival),
      reached_(way == Way::put ? request.sends : request.receives),
      exposed_(way == Way::put ? request.receives : request.sends),
      memory_(std::move(request.memory)),
      keep_(std::move(request.keep)),
      reaches_(reached_.size()),
      was_reached_(exposed_.size()),
      done_numbers_(exposed_.size()),
      ready_out_(exposed_.size()),
      ready_in_(reached_.size()),
      done_out_(reached_.size()),
      done_in_(exposed_.size()) {
    for (const BoundMessage& message : exposed_) exposed_to_.push_back(message.peer);
    put_.reserve(reached_.size());
    if (arrival_ == Arrival::add || request.in_order) receive_packed();
    for (const BoundMessage& message : way == Way::put ? exposed_ : reached_) signs_.emplace_back(message.pieces);
}

UnpackedLeg::~UnpackedLeg() {
    for (Signals* signals : {&ready_out_, &ready_in_, &done_out_, &done_in_}) free_requests(signals->requests);
}

// Values that are added, or overlap, arrive in a buffer; the other rank need not know.
void UnpackedLeg::receive_packed() {
    std::vector<BoundMessage>& receives = way_ == Way::put ? exposed_ : reached_;
    packed_ = packed(receives);
    buffers_.emplace(packed_);
    move_to(*buffers_, receives);
}

// Returns the sources or targets that the other ranks reach.
std::vector<std::span<std::byte>> UnpackedLeg::exposed_ranges() const {
    if (exposed_.empty()) return {};
    if (way_ == Way::put && buffers_) return {{buffers_->data(), static_cast<std::size_t>(buffers_->bytes())}};
    std::vector<std::span<std::byte>> ranges = memory_;
    std::erase_if(ranges, [&](const std::span<std::byte>& range) {
        return std::ranges::none_of(exposed_, [&](const BoundMessage& message) {
            return std::ranges::any_of(message.pieces, [&](const StridedBlock& piece) {
                return piece.data >= range.data() && piece.data < range.data() + range.size();
            });
        });
    });
    return ranges;
}

// Ranks that expose memory say where the pieces of each message lie, in the order of the plan.
void UnpackedLeg::connect() {
    done_tag_ = domain_.next_tag();
    window_ = ExposedMemory::make(domain_, !reached_.empty() || !exposed_.empty(), exposed_ranges());
    if (window_ == nullptr) return;
    std::vector<Letter> letters;
    for (std::size_t m = 0; m < exposed_.size(); ++m) letters.push_back(describe(m));
    Post post(domain_.comm(), tag_);
    for (std::size_t m = 0; m < exposed_.size(); ++m) post.send(letters[m], exposed_[m].peer);
    std::vector<Letter> came;
    for (const BoundMessage& message : reached_) came.push_back(post.receive(message.peer));
    post.finish();  // all letters are on their way and read: from here on a rank may throw alone
    for (std::size_t m = 0; m < reached_.size(); ++m) open(came[m], reached_[m], reaches_[m]);
    gets_.assign(way_ == Way::get ? get_of_.size() : 0, MPI_REQUEST_NULL);
    numbers_.resize(gets_.size());
    make_signals();
    reached_.clear();
    exposed_.clear();
}

// All messages of a leg are ready at once, whichever signal is taken for which; done they are in any order, so those
// signals carry a number. MPI keeps the signals of two ranks in order over phases.
void UnpackedLeg::make_signals() {
    const MPI_Comm comm = domain_.comm();
    for (std::size_t m = 0; m < exposed_.size(); ++m) {
        const int peer = exposed_[m].peer;
        check_mpi(MPI_Send_init(nullptr, 0, MPI_INT, peer, tag_, comm, &ready_out_.requests[m]), "MPI_Send_init");
        check_mpi(MPI_Recv_init(&done_numbers_[m], 1, MPI_INT, peer, done_tag_.number(), comm, &done_in_.requests[m]),
                  "MPI_Recv_init");
    }
    for (std::size_t m = 0; m < reached_.size(); ++m) {
        const int peer = reached_[m].peer;
        check_mpi(MPI_Recv_init(nullptr, 0, MPI_INT, peer, tag_, comm, &ready_in_.requests[m]), "MPI_Recv_init");
        check_mpi(MPI_Send_init(&reaches_[m].number_there, 1, MPI_INT, peer, done_tag_.number(), comm,
                                &done_out_.requests[m]),
                  "MPI_Send_init");
    }
}

Letter UnpackedLeg::describe(std::size_t m) const {
    Letter letter;
    letter.put(m);
    assert(!exposed_[m].pieces.empty());
    for (const StridedBlock& piece : exposed_[m].pieces) {
        assert(piece.bytes() > 0);
        const std::span<std::byte>& range = window_->range_of(piece.data);
        letter.put(near_address(range.data()));
        letter.put(piece, piece.data - range.data());
    }
    return letter;
}

// One datatype, and one call, for all that lies in one range: an MPI looks a range up for each call.
void UnpackedLeg::open(Letter& letter, const BoundMessage& here, Reach& reach) {
    struct Pieces {
        std::vector<StridedBlock> here, there;
    };
    std::map<std::int64_t, Pieces> ranges;
    reach.number_there = static_cast<int>(letter.get());
    for (const StridedBlock& piece : here.pieces) {
        const std::int64_t range = letter.get();
        ranges[range].here.push_back(piece);
        ranges[range].there.push_back(letter.get_piece(far_address(range)));
    }
    reach.peer = here.peer;
    reach.begin = get_of_.size();
    for (const auto& [range, pieces] : ranges) {
        reach.parts.push_back({range, OwnedType(pieces.here), OwnedType(pieces.there, range)});
        get_of_.push_back(&reach - reaches_.data());
    }
}

void UnpackedLeg::start() {
    if (window_ == nullptr) return;
    to_move_ = reaches_.size();
    for (Reach& reach : reaches_) reach.done = false;
    std::ranges::fill(was_reached_, 0);
    ready_in_.start_all();
    done_in_.start_all();
    check_mpi(MPI_Win_sync(window_->win()), "MPI_Win_sync");  // what the model stored is there for gets
    ready_out_.start_all();
    for (const int m : ready_in_.completed()) move(m);
}

void UnpackedLeg::move(std::size_t m) {
    Reach& reach = reaches_[m];
    reach.moving = static_cast<int>(reach.parts.size());
    for (std::size_t p = 0; p < reach.parts.size(); ++p) {
        const auto& [there, here_type, there_type] = reach.parts[p];
        if (way_ == Way::put) {
            check_mpi(MPI_Put(MPI_BOTTOM, 1, here_type.get(), reach.peer, there, 1, there_type.get(), window_->win()),
                      "MPI_Put");
        } else {
            check_mpi(MPI_Rget(MPI_BOTTOM, 1, here_type.get(), reach.peer, there, 1, there_type.get(), window_->win(),
                               &gets_[reach.begin + p]),
                      "MPI_Rget");
        }
    }
    if (way_ == Way::put) put_.push_back(m);
}

void UnpackedLeg::finish(std::size_t m) {
    done_out_.start(m);
    reaches_[m].done = true;
    --to_move_;
}

// The signal must not pass the puts.
void UnpackedLeg::finish_puts() {
    for (const std::size_t m : put_) check_mpi(MPI_Win_flush(reaches_[m].peer, window_->win()), "MPI_Win_flush");
    for (const std::size_t m : put_) finish(m);
    put_.clear();
}

std::size_t UnpackedLeg::finish_gets(std::span<int> arrived) {
    const std::size_t number = completed(gets_, numbers_);
    std::size_t count = 0;
    for (std::size_t n = 0; n < number; ++n) {
        const std::size_t m = get_of_[numbers_[n]];
        if (--reaches_[m].moving > 0) continue;
        finish(m);
        arrived[count++] = static_cast<int>(m);
    }
    return count;
}

void UnpackedLeg::advance() {
    for (const int m : ready_in_.completed()) move(m);
    if (way_ == Way::put) finish_puts();
    static_cast<void>(ready_out_.completed());
    static_cast<void>(done_out_.completed());
}

// Takes the arrivals of puts.
std::size_t UnpackedLeg::take_done(std::span<int> arrived) {
    std::size_t count = 0;
    for (const int n : done_in_.completed()) {
        const int m = done_numbers_[n];
        was_reached_[m] = 1;
        if (way_ == Way::put) arrived[count++] = m;
    }
    return count;
}

std::size_t UnpackedLeg::poll(std::span<int> arrived) {
    if (window_ == nullptr) return 0;
    advance();
    std::size_t count = take_done(arrived);
    if (way_ == Way::get) count = finish_gets(arrived);
    if (count > 0) check_mpi(MPI_Win_sync(window_->win()), "MPI_Win_sync");
    return count;
}

void UnpackedLeg::deliver(int receive) {
    if (!buffers_) return signs_[receive].run();  // it is where it belongs
    packed_[receive].unpack((*buffers_)[receive], arrival_);
}

bool UnpackedLeg::sent() {
    if (window_ == nullptr) return true;
    if (unfinished() == 0) return true;
    advance();
    static_cast<void>(take_done({}));
    return unfinished() == 0;
}

std::size_t UnpackedLeg::unfinished() const {
    return to_move_ + ready_out_.active + done_out_.active + done_in_.active;
}

std::vector<int> UnpackedLeg::unsent() {
    std::vector<int> peers;
    if (way_ == Way::put) {
        for (const Reach& reach : reaches_) {
            if (!reach.done) peers.push_back(reach.peer);
        }
        return peers;
    }
    for (std::size_t m = 0; m < was_reached_.size(); ++m) {
        if (was_reached_[m] == 0) peers.push_back(exposed_to_[m]);
    }
    return peers;
}

// Announces what was put, or its receivers would wait for ever. MPI may still write to fields and buffers.
void UnpackedLeg::abandon() {
    done_tag_.spoil();
    try {
        if (way_ == Way::put) finish_puts();
    } catch (const OutsideError&) {  // called by a destructor: errors cannot be reported
    }
    if (buffers_) buffers_->abandon();
    static_cast<void>(window_.release());
    static_cast<void>(new std::vector<Reach>(std::move(reaches_)));
    static_cast<void>(new std::vector<std::shared_ptr<void>>(std::move(keep_)));
    static_cast<void>(new std::vector<int>(std::move(done_numbers_)));
    for (Signals* signals : {&ready_out_, &ready_in_, &done_out_, &done_in_}) signals->requests.clear();
}

}  // namespace lapwing
