#include "transport/letter.hpp"

#include <string>

#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/progress.hpp"

namespace lapwing {

namespace {

// A message that is on its way, waited for without keeping the core from others.
struct Awaited {
    MPI_Comm comm;
    int tag, peer;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};

    bool probe() {
        int found = 0;
        check_mpi(MPI_Improbe(peer, tag, comm, &found, &message, &status), "MPI_Improbe");
        return found != 0;
    }
    [[nodiscard]] std::string describe() const {
        return concat("a rank waits for what rank ", peer, " says of an exchange that both make");
    }
};

}  // namespace

void Post::send(const Letter& letter, int peer) {
    const auto count = static_cast<int>(letter.numbers_.size());
    sending_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(letter.numbers_.data(), count, MPI_INT64_T, peer, tag_, comm_, &sending_.back()), "MPI_Isend");
}

Letter Post::receive(int peer) {
    Awaited awaited{comm_, tag_, peer};
    wait_until([](void* object) { return static_cast<Awaited*>(object)->probe(); },
               [](const void* object) { return static_cast<const Awaited*>(object)->describe(); }, &awaited, comm_, 1);
    int count = 0;
    MPI_Get_count(&awaited.status, MPI_INT64_T, &count);
    Letter letter;
    letter.numbers_.resize(count);
    MPI_Request request;
    check_mpi(MPI_Imrecv(letter.numbers_.data(), count, MPI_INT64_T, &awaited.message, &request), "MPI_Imrecv");
    wait_for(request, comm_, "the rest of a letter");
    return letter;
}

void Post::finish() {
    for (MPI_Request request : sending_) wait_for(request, comm_, "a letter to leave");
    sending_.clear();
}

}  // namespace lapwing
