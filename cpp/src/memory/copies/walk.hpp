#pragma once
// Many loop nests run as one: nests that share cache lines together.

#include <cstddef>
#include <span>
#include <vector>

#include "lapwing/memory/copy_list.hpp"
#include "memory/copies/loop_nest.hpp"

namespace lapwing {

class Walk {
  public:
    Walk(const std::vector<LoopNest>& nests);

    // Side a to side b, and back. Local.
    void forward(std::byte* base) const { run<&LoopNest::forward>(base); }
    void backward(std::byte* base) const { run<&LoopNest::backward>(base); }
    // Side a to side b, whose lines lie in the cache of another core; worth it where all runs are long.
    void outward(std::byte* base) const { run<&LoopNest::outward>(base); }
    [[nodiscard]] bool in_long_runs() const;
    // Says that the blocks of memory have moved by these numbers of bytes. Local.
    void move(std::span<const Index> by);

  private:
    // A nest alone, by one call of its copy or by several; or nests begin <= n < end, `chunk` planes of each in turn.
    enum class Way { one_call, one_nest, in_turns };
    struct Group {
        std::size_t begin = 0, end = 0;
        Index turns = 1, chunk = 1;
        Way way = Way::one_nest;
    };

    void cut(const LoopNest& nest);
    void gather_groups(std::vector<LoopNest> from);
    template <CopyFunction Copies::* copy>
    void run(std::byte* base) const;
    template <CopyFunction Copies::* copy>
    void run_in_turns(const Group& group, std::byte* base) const;

    std::vector<LoopNest> nests_;
    std::vector<Group> groups_;
};

}  // namespace lapwing
