#pragma once
// Message tags: they tell apart the messages in flight on one communicator.

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

namespace lapwing {

// A tag for as long as this lives.
class Tag {
  public:
    Tag() = default;
    Tag(Tag&& other) noexcept : used_(std::move(other.used_)), number_(other.number_) {}
    Tag& operator=(Tag&& other) noexcept {
        std::swap(used_, other.used_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~Tag() {
        if (used_) (*used_)[number_] = 0;
    }
    [[nodiscard]] int number() const { return number_; }
    // Never gives the tag back: messages with it may still arrive.
    void spoil() { used_.reset(); }

  private:
    friend class Tags;
    Tag(std::shared_ptr<std::vector<char>> used, int number) : used_(std::move(used)), number_(number) {
        (*used_)[number_] = 1;
    }
    std::shared_ptr<std::vector<char>> used_;
    int number_ = 0;
};

// The tags of a communicator: as many as MPI promises, so that all MPIs behave the same.
class Tags {
  public:
    // Returns a tag that is in use on no rank. All ranks ask in one order. Throws UserError if all tags are in use.
    // Collective once all free tags have been given, at first after `most` calls; else local. A message that was sent
    // to a rank which never started its exchange, and is still on its way then, would be taken for a new one.
    [[nodiscard]] Tag next(MPI_Comm comm);

    static constexpr int most = 32766;
    static constexpr int question = most, answer = most + 1;  // tags of a roll-call

  private:
    void gather_free(MPI_Comm comm);

    std::shared_ptr<std::vector<char>> used_ = std::make_shared<std::vector<char>>(most);
    std::vector<int> free_;  // descending; the same on all ranks
    bool first_ = true;
};

}  // namespace lapwing
