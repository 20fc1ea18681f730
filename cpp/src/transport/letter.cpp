#include "transport/letter.hpp"

#include <string>

#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

void Letter::put(const StridedBlock& piece, Index offset) {
    put(offset);
    put(piece.value_size);
    for (Index count : piece.count) put(count);
    for (Index stride : piece.stride) put(stride);
    put(piece.list);
    put(static_cast<std::int64_t>(piece.offsets.size()));
    for (Index offset_of_one : piece.offsets) put(offset_of_one);
}

StridedBlock Letter::get_piece(std::byte* at) {
    StridedBlock piece;
    piece.data = at + get();
    piece.value_size = static_cast<int>(get());
    for (Index& count : piece.count) count = get();
    for (Index& stride : piece.stride) stride = get();
    piece.list = static_cast<int>(get());
    piece.offsets.resize(get());
    for (Index& offset : piece.offsets) offset = get();
    return piece;
}

void Post::send(const Letter& letter, int peer) {
    const auto count = static_cast<int>(letter.numbers_.size());
    sending_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(letter.numbers_.data(), count, MPI_INT64_T, peer, tag_, comm_, &sending_.back()), "MPI_Isend");
}

Letter Post::receive(int peer) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    const auto probe = [&] {  // does not keep the core from others, as MPI_Mprobe would
        int found = 0;
        check_mpi(MPI_Improbe(peer, tag_, comm_, &found, &message, &status), "MPI_Improbe");
        return found != 0;
    };
    const auto describe = [&] {
        return concat("a rank waits for what rank ", peer, " says of an exchange that both make");
    };
    wait_until(probe, describe, comm_, 1);
    int count = 0;
    MPI_Get_count(&status, MPI_INT64_T, &count);
    Letter letter;
    letter.numbers_.resize(count);
    MPI_Request request;
    check_mpi(MPI_Imrecv(letter.numbers_.data(), count, MPI_INT64_T, &message, &request), "MPI_Imrecv");
    wait_for(request, comm_, "the rest of a letter");
    return letter;
}

void Post::finish() {
    for (MPI_Request request : sending_) wait_for(request, comm_, "a letter to leave");
    sending_.clear();
}

}  // namespace lapwing
