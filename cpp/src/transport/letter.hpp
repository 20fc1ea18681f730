#pragma once
// A letter between two ranks while an exchange is made: numbers, and places of pieces of messages, in the order they
// were put.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "lapwing/memory/strided_block.hpp"

namespace lapwing {

class Letter {
  public:
    void put(std::int64_t value) { numbers_.push_back(value); }
    std::int64_t get() { return numbers_.at(next_++); }
    // A piece `offset` bytes behind a place that both ranks know; `at` is that place as this rank sees it.
    void put(const StridedBlock& piece, Index offset);
    StridedBlock get_piece(std::byte* at);

  private:
    friend class Post;
    std::vector<std::int64_t> numbers_;
    std::size_t next_ = 0;
};

// Sends and receives letters of any length; letters between two ranks arrive in the order they were sent.
class Post {
  public:
    Post(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}
    // Does not block; the letter must live until `finish`.
    void send(const Letter& letter, int peer);
    // Blocks until a letter has come from `peer`.
    Letter receive(int peer);
    // Blocks until all letters have left.
    void finish();

  private:
    MPI_Comm comm_;
    int tag_;
    std::vector<MPI_Request> sending_;
};

}  // namespace lapwing
