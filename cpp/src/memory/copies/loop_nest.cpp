#include "memory/copies/loop_nest.hpp"

#include <algorithm>
#include <tuple>

namespace lapwing {

namespace {

// Up to four loops while a nest is made of them.
struct Loops {
    std::array<Loop, 4> loop;
    int number = 0;

    void add(const Loop& next) {
        if (next.count != 1) loop[number++] = next;
    }
    Loop take_first() { return number == 0 ? Loop{} : take(0); }
    Loop take(int place) {
        const Loop taken = loop[place];
        std::move(loop.begin() + place + 1, loop.begin() + number, loop.begin() + place);
        --number;
        return taken;
    }
};

// Every loop upwards in a, so that memory is walked as prefetching expects.
void turn_upwards(Loops& loops, LoopNest& nest) {
    for (int n = 0; n < loops.number; ++n) {
        Loop& loop = loops.loop[n];
        if (loop.a >= 0) continue;
        nest.a += (loop.count - 1) * loop.a;
        nest.b += (loop.count - 1) * loop.b;
        loop.a = -loop.a;
        loop.b = -loop.b;
    }
}

// Memory decides on the order: the buffer is smaller and dense, whatever its order. Insertion sort: four at most.
void order_by_memory(Loops& loops) {
    for (int n = 1; n < loops.number; ++n) {
        for (int m = n; m > 0 && loops.loop[m].a < loops.loop[m - 1].a; --m) {
            std::swap(loops.loop[m], loops.loop[m - 1]);
        }
    }
}

// Joins a loop to the one inside it if its step is just the length of the inner loop, on both sides.
void join(Loops& loops) {
    Loops out;
    for (int n = 0; n < loops.number; ++n) {
        const Loop& next = loops.loop[n];
        Loop* inner = out.number > 0 ? &out.loop[out.number - 1] : nullptr;
        if (inner != nullptr && next.a == inner->a * inner->count && next.b == inner->b * inner->count) {
            inner->count *= next.count;
        } else {
            out.add(next);
        }
    }
    loops = out;
}

constexpr Index square = 8;  // values along each side from which on squares pay

// Makes the loop that is contiguous on side a the rows, and that on side b the planes, where these are two long ones.
void take_transposed(Shape& shape, Loops& loops) {
    if (loops.number == 0 || loops.loop[0].a != shape.run || loops.loop[0].count < square) return;
    for (int n = 1; n < loops.number; ++n) {
        if (loops.loop[n].b != shape.run || loops.loop[n].count < square) continue;
        shape.transposed = true;
        shape.planes = loops.take(n);
        shape.rows = loops.take_first();
        return;
    }
}

// Makes the loop along which one side runs against the other a run from the lower end of both.
void take_turned(LoopNest& nest, Loops& loops) {
    if (loops.number == 0 || loops.loop[0].a != nest.shape.run || loops.loop[0].b != -nest.shape.run) return;
    const Loop run = loops.take_first();
    nest.shape.turned = true;
    nest.shape.run *= run.count;
    nest.b += (run.count - 1) * run.b;
}

// Gives the loops their places. Rows of an index list, if any, are in `nest` already.
void arrange(LoopNest& nest, Loops& loops, Index value_size) {
    turn_upwards(loops, nest);
    order_by_memory(loops);
    join(loops);
    nest.shape.run = value_size;
    if (loops.number > 0 && loops.loop[0].a == value_size && loops.loop[0].b == value_size) {
        nest.shape.run *= loops.take_first().count;
    }
    if (nest.shape.run == value_size) take_turned(nest, loops);
    const bool single = nest.shape.run == value_size && nest.shape.negated == Negated::no;
    if (nest.shape.a_list == nullptr && single) take_transposed(nest.shape, loops);
    if (nest.shape.a_list == nullptr && !nest.shape.transposed) nest.shape.rows = loops.take_first();
    if (!nest.shape.transposed) nest.shape.planes = loops.take_first();
    for (Loop& outer : nest.outer) outer = loops.take_first();
    static_cast<Copies&>(nest) = copies_for(nest.shape, value_size);
}

// The bytes that loop `axis` adds at each turn.
std::vector<Index> offsets_of(const StridedBlock& block, int axis) {
    if (block.list == axis) return block.offsets;
    std::vector<Index> offsets;
    for (Index n = 0; n < block.count[axis]; ++n) offsets.push_back(n * block.stride[axis]);
    return offsets;
}

// Loop `axis`, and `second` around it where that is another one.
std::vector<Index> offsets_of(const StridedBlock& block, int axis, int second) {
    const std::vector<Index> inner = offsets_of(block, axis);
    if (second == axis) return inner;
    std::vector<Index> both;
    for (Index outer : offsets_of(block, second)) {
        for (Index offset : inner) both.push_back(outer + offset);
    }
    return both;
}

LoopNest between(const StridedBlock& from, const StridedBlock& to, const std::byte* base) {
    LoopNest nest;
    nest.a = from.data;
    nest.b = to.data - base;
    nest.a_memory = from.memory;
    nest.b_memory = to.memory;
    nest.shape.negated = to.negated;
    return nest;
}

}  // namespace

LoopNest nest_of(const StridedBlock& block, Index offset) {
    LoopNest nest;
    nest.a = block.data;
    nest.b = offset;
    nest.a_memory = block.memory;
    nest.shape.negated = block.negated;
    if (block.bytes() == 0) return nest;
    Loops loops;
    Index dense = block.value_size;
    for (int axis = 0; axis < 4; ++axis) {
        if (axis == block.list) {
            nest.shape.rows = {block.count[axis], 0, dense};
            nest.shape.a_list = block.offsets.data();
        } else {
            loops.add({block.count[axis], block.stride[axis], dense});
        }
        dense *= block.count[axis];
    }
    arrange(nest, loops, block.value_size);
    return nest;
}

LoopNest nest_of(const StridedBlock& from, const StridedBlock& to, const std::byte* base) {
    LoopNest nest = between(from, to, base);
    if (from.bytes() == 0) return nest;
    Loops loops;
    for (int axis = 0; axis < 4; ++axis) loops.add({from.count[axis], from.stride[axis], to.stride[axis]});
    arrange(nest, loops, from.value_size);
    return nest;
}

LoopNest nest_of(const StridedBlock& from, const StridedBlock& to, const std::byte* base,
                 std::array<std::vector<Index>, 2>& lists) {
    if (from.list < 0 && to.list < 0) return nest_of(from, to, base);
    LoopNest nest = between(from, to, base);
    if (from.bytes() == 0) return nest;
    const int axis = from.list >= 0 ? from.list : to.list, second = to.list >= 0 ? to.list : from.list;
    lists = {offsets_of(from, axis, second), offsets_of(to, axis, second)};
    nest.shape.rows.count = lists[0].size();
    nest.shape.a_list = lists[0].data();
    nest.shape.b_list = lists[1].data();
    Loops loops;
    for (int other = 0; other < 4; ++other) {
        if (other != axis && other != second) {
            loops.add({from.count[other], from.stride[other], to.stride[other]});
        }
    }
    arrange(nest, loops, from.value_size);
    return nest;
}

std::pair<LoopNest, LoopNest> with_planes(const LoopNest& nest, Index planes) {
    LoopNest rows = nest, rest = nest;
    const Index each = nest.shape.rows.count / planes, whole = nest.shape.rows.count / each, done = whole * each;
    rows.shape.rows.count = each;
    rows.shape.planes = {whole, each * nest.shape.rows.a, each * nest.shape.rows.b};
    rest.shape.rows.count -= done;
    rest.a += done * nest.shape.rows.a;
    rest.b += done * nest.shape.rows.b;
    return {rows, rest};
}

Index turns(const LoopNest& nest) {
    if (nest.outer[1].count > 1) return nest.outer[1].count;
    return nest.outer[0].count > 1 ? nest.outer[0].count : nest.shape.planes.count;
}

}  // namespace lapwing
