#include "transport/two_sided/partitioned.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <memory>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/progress.hpp"
#include "mpi/requests.hpp"
#include "transport/collective/mpi_four.hpp"

namespace lapwing {

namespace {

constexpr Index line = 64;               // bytes of a cache line
constexpr Index partition_from = 16384;  // bytes: smaller messages are one partition
constexpr Index most_partitions = 4;

// Partitions of a message of so many bytes: the same at both ends. All are equally long.
struct Partitions {
    explicit Partitions(Index message)
        : number(message < partition_from ? 1 : most_partitions),
          bytes((message + number * line - 1) / (number * line) * line) {}
    Index number, bytes;
};

std::vector<Index> buffer_sizes(std::span<const BoundMessage> messages) {
    std::vector<Index> sizes;
    for (const BoundMessage& message : messages) {
        const Partitions partitions(message.bytes);
        sizes.push_back(partitions.number * partitions.bytes);
    }
    return sizes;
}

// Part `n` of `parts` of a piece: of its slowest loop, so that parts follow each other in the buffer.
StridedBlock part_of(StridedBlock piece, Index n, Index parts) {
    std::size_t loop = piece.count.size() - 1;
    while (loop > 0 && piece.count[loop] == 1) --loop;
    const Index begin = piece.count[loop] * n / parts, end = piece.count[loop] * (n + 1) / parts;
    piece.count[loop] = end - begin;
    if (static_cast<int>(loop) == piece.list) {
        piece.offsets = {piece.offsets.begin() + begin, piece.offsets.begin() + end};
    } else {
        piece.data += begin * piece.stride[loop];
    }
    return piece;
}

std::vector<PackedMessage> slabs_of(const BoundMessage& message) {
    std::vector<PackedMessage> slabs;
    const Index parts = Partitions(message.bytes).number;
    if (parts == 1) return {PackedMessage(message)};
    for (const StridedBlock& piece : message.pieces) {
        for (Index n = 0; n < parts; ++n) {
            BoundMessage slab{message.peer, {part_of(piece, n, parts)}, {false}, 0, false, message.threads};
            slab.bytes = slab.pieces[0].bytes();
            if (slab.bytes > 0) slabs.emplace_back(slab);
        }
    }
    return slabs;
}

#if LAPWING_MPI_FOUR

// Two partitions to the next rank, twice: MPI libraries declare more than they do. Collective; what failed, or nothing.
std::string trial(MPI_Comm comm, int tag, int rank, int ranks) {
    struct Memory {
        std::array<int, 2> sent{}, got{};
        std::vector<MPI_Request> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    };
    auto memory = std::make_unique<Memory>();
    std::array<int, 2> numbers{};
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Request* requests = memory->requests.data();
    if (MPI_Psend_init(memory->sent.data(), 2, 1, MPI_INT, next, tag, comm, MPI_INFO_NULL, &requests[0]) != 0 ||
        MPI_Precv_init(memory->got.data(), 2, 1, MPI_INT, last, tag, comm, MPI_INFO_NULL, &requests[1]) != 0) {
        return "MPI_Psend_init or MPI_Precv_init fails";
    }
    for (int round = 1; round <= 2; ++round) {
        start_all(memory->requests);
        for (int partition : {1, 0}) {
            memory->sent[static_cast<std::size_t>(partition)] = 100 * round + rank + partition;
            check_mpi(MPI_Pready(partition, requests[0]), "MPI_Pready");
        }
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t done = 0; done < 2; done += completed(memory->requests, numbers)) {
            sched_yield();  // the other rank may need this core
            if (std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) continue;
            static_cast<void>(memory.release());  // MPI may write to it for ever
            return "a trial did not arrive within 20 s";
        }
        if (memory->got[0] != 100 * round + last || memory->got[1] != memory->got[0] + 1) return "a trial came wrong";
    }
    free_requests(memory->requests);
    return {};
}

void require_partitions(Domain& domain, int tag) {
    auto& trouble = domain.leases().no_partitions;
    if (!trouble) {
        std::string mine;
        together(domain.comm(), [&] { mine = trial(domain.comm(), tag, domain.rank(), domain.ranks()); });
        const bool works = on_all_ranks(mine.empty(), domain.comm());
        trouble = works ? "" : "partitioned communication of this MPI fails" + (mine.empty() ? "" : ": " + mine);
    }
    if (trouble->empty()) return;
    user_error("transport", "partitioned, which is not available: " + *trouble, "one that works with this MPI",
               "choose persistent, or auto");
}

#endif

}  // namespace

std::string no_partitions_declared() {
    return LAPWING_MPI_FOUR != 0 ? "" : "this MPI has no partitioned communication, which came with MPI 4.0";
}

PartitionedLeg::PartitionedLeg(const LegRequest& request)
    : domain_(request.domain),
      tag_(request.tag),
      arrival_(request.arrival),
      receives_(packed(request.receives)),
      send_buffers_(buffer_sizes(request.sends)),
      receive_buffers_(buffer_sizes(request.receives)),
      sending_(request.sends.size(), MPI_REQUEST_NULL),
      receiving_(request.receives.size(), MPI_REQUEST_NULL),
      scratch_(request.sends.size()) {
    for (const BoundMessage& message : request.sends) {
        sends_.push_back({message.peer, message.bytes, slabs_of(message)});
    }
}

PartitionedLeg::~PartitionedLeg() {
    free_requests(sending_);
    free_requests(receiving_);
}

#if LAPWING_MPI_FOUR

void PartitionedLeg::connect() {
    require_partitions(domain_, tag_);
    const MPI_Comm comm = domain_.comm();
    for (std::size_t m = 0; m < receives_.size(); ++m) {
        const Partitions parts(receives_[m].bytes());
        check_mpi(MPI_Precv_init(receive_buffers_[m], static_cast<int>(parts.number), parts.bytes, MPI_BYTE,
                                 receives_[m].peer(), tag_, comm, MPI_INFO_NULL, &receiving_[m]),
                  "MPI_Precv_init");
    }
    for (std::size_t m = 0; m < sends_.size(); ++m) {
        const Partitions parts(sends_[m].bytes);
        check_mpi(MPI_Psend_init(send_buffers_[m], static_cast<int>(parts.number), parts.bytes, MPI_BYTE,
                                 sends_[m].peer, tag_, comm, MPI_INFO_NULL, &sending_[m]),
                  "MPI_Psend_init");
    }
}

void PartitionedLeg::pack_and_start(std::size_t m) {
    const Partitions parts(sends_[m].bytes);
    check_mpi(MPI_Start(&sending_[m]), "MPI_Start");
    Index packed = 0;
    int ready = 0;
    for (const PackedMessage& slab : sends_[m].slabs) {
        slab.pack(send_buffers_[m] + packed);
        packed += slab.bytes();
        while ((ready + 1) * parts.bytes <= packed) check_mpi(MPI_Pready(ready++, sending_[m]), "MPI_Pready");
    }
    while (ready < parts.number) check_mpi(MPI_Pready(ready++, sending_[m]), "MPI_Pready");
}

#else

void PartitionedLeg::connect() {}
void PartitionedLeg::pack_and_start(std::size_t) {}

#endif

void PartitionedLeg::start() {
    start_all(receiving_);
    leaving_ = sends_.size();
    for (std::size_t m = 0; m < sends_.size(); ++m) pack_and_start(m);
}

std::size_t PartitionedLeg::poll(std::span<int> arrived) { return completed(receiving_, arrived); }

void PartitionedLeg::deliver(int receive) {
    const auto m = static_cast<std::size_t>(receive);
    receives_[m].unpack(receive_buffers_[m], arrival_);
}

// Not by MPI_Testall: MPICH 5 returns an error from it for partitioned requests that are merely on their way.
bool PartitionedLeg::sent() {
    if (leaving_ > 0) leaving_ -= completed(sending_, scratch_);
    return leaving_ == 0;
}

// Active requests and their buffers are MPI's for ever.
void PartitionedLeg::abandon() {
    send_buffers_.abandon();
    receive_buffers_.abandon();
    sending_.clear();
    receiving_.clear();
}

}  // namespace lapwing
