#pragma once
// Messages between ranks, timed: around a ring or back and forth, sent, put or got, in one piece or in many, alone or
// during computing.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::probe {

// The ranks that take part. `node`: the ranks of each node, every node at the same time. `network`: the lowest rank of
// each node.
enum class Link { node, network };

// Who moves the bytes. `two_sided`: MPI_Isend and MPI_Irecv. `push`: the sender puts them into the receiver's window.
// `pull`: the receiver gets them from the sender's.
enum class Way { two_sided, push, pull };

// `contiguous`: one piece. `strided`: one double of every cache line, as one message with a datatype. `element_wise`: a
// message per double.
enum class Layout { contiguous, strided, element_wise };

// `ring`: every rank sends to the next and receives from the one before, at the same time. `ping_pong`: the first two
// ranks of a link send back and forth.
enum class Pattern { ring, ping_pong };

// One kind and size of message to time.
struct LinkWork {
    Pattern pattern = Pattern::ring;
    Way way = Way::two_sided;
    Layout layout = Layout::contiguous;
    Index bytes = 8;  // of a message; a multiple of 8, or 0 for empty ones of `two_sided`
};

// Computing between the start and the end of a message.
struct BesideWork {
    bool communicate = true;
    std::int64_t iterations = 0;  // of `compute`; 0: no computing
    int chunks = 1;               // pieces of the computing, after each of which MPI is called to make progress
};

// Multiplies and adds so often, one after the other, in registers: a fixed amount of work without traffic to memory.
// Local; seconds.
double compute(std::int64_t iterations);

// Messages between the ranks of a communicator, checked and timed.
class LinkTest {
  public:
    // Makes communicators, buffers and windows for messages of up to `most_bytes`, the sends and receives of which walk
    // through `pool_bytes` of memory, so that a cache does not keep them. Collective over the domain; throws UserError
    // on all ranks for sizes that cannot be, OutsideError when a rank lacks the memory.
    LinkTest(const Domain& domain, Link link, Index most_bytes, Index pool_bytes);
    LinkTest(const LinkTest&) = delete;
    LinkTest& operator=(const LinkTest&) = delete;
    ~LinkTest();  // frees nothing of MPI: see close

    // Frees communicators and windows. Collective.
    void close();

    // Ranks that take part on this rank's side: of its ring, 1 where it is alone. Local.
    [[nodiscard]] int ranks() const { return ranks_; }
    // True if any two ranks do. The same on all ranks.
    [[nodiscard]] bool available() const { return available_; }

    // Seconds per message, a mean over `rounds`, of the slowest rank: for the ring of a round, for ping-pong of half of
    // it. Collective over the domain; throws UserError on all ranks for what cannot be.
    [[nodiscard]] double time(const LinkWork& work, int rounds);
    // The same for a ring whose ranks compute meanwhile; whole rounds with all their synchronisation.
    [[nodiscard]] double time_beside(const LinkWork& work, const BesideWork& beside, int rounds);
    // Starts a ring, makes no call of MPI for `seconds` seconds, and returns the seconds that are then still needed:
    // the largest of all ranks. Collective over the domain.
    [[nodiscard]] double time_left(const LinkWork& work, double seconds);
    // Seconds of the calls that start a message around a ring, receive and send: the largest of
    // all ranks. Collective over the domain.
    [[nodiscard]] double time_start(const LinkWork& work);
    // True if the first rank's send to the second completes within `seconds` seconds although no receive is posted:
    // such messages are eager. Collective over the domain.
    [[nodiscard]] bool completes_unmatched(Index bytes, double seconds);
    // Values of all ranks that are wrong after one round. Collective over the domain.
    [[nodiscard]] Index wrong_values(const LinkWork& work);

  private:
    struct Spots;
    void make(Link link, Index pool_bytes);
    void check(const LinkWork& work, int rounds) const;
    [[nodiscard]] bool takes_part(Pattern pattern) const;
    [[nodiscard]] Spots next_spots(const LinkWork& work);
    [[nodiscard]] MPI_Datatype type_of(const LinkWork& work);
    void ring(const LinkWork& work, const BesideWork& beside);
    void ping_pong(const LinkWork& work);
    void start(const LinkWork& work, const Spots& spots);
    void finish(const LinkWork& work);
    void pass(const LinkWork& work, int from, int to);
    template <class Move>
    void for_messages(const LinkWork& work, const Move& move);
    template <class Seconds>
    double timed(Pattern pattern, const Seconds& seconds);
    MPI_Request* new_request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    void post_receive(const LinkWork& work, const Spots& spots, int from);
    void post_send(const LinkWork& work, const Spots& spots, int to);
    void access(const LinkWork& work, const Spots& spots, int peer);
    void notify(int to, int tag);
    void await(int from, int tag);
    void exchange_notes(int to, int from, int tag);
    void wait_all();
    void progress();
    void write_codes(Index place, Index count, Index step);
    [[nodiscard]] double slowest(double seconds) const;

    const Domain& domain_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    std::byte* exposed_ = nullptr;  // memory of the window
    std::vector<std::byte> sent_, received_;
    std::vector<MPI_Request> requests_;
    std::vector<std::pair<Index, MPI_Datatype>> types_;  // of strided messages, by bytes
    Index most_bytes_, pool_bytes_;
    std::int64_t turn_ = 0;
    int rank_ = 0, ranks_ = 1, left_ = 0, right_ = 0;
    bool available_ = false;
};

// Each finds a value by its name in Python, and throws UserError for an unknown name. Local.
Link link_of(const std::string& name);
Way way_of(const std::string& name);
Layout layout_of(const std::string& name);
Pattern pattern_of(const std::string& name);

}  // namespace lapwing::probe
