// Packing, unpacking and copying of random strided memory against one value after the other.
#include <lapwing/strided_block.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

// A block of T in memory of its own: any loop fastest, rows padded, any direction.
template <class T>
struct Strided {
    std::vector<T> memory;
    StridedBlock block;

    Strided(Random& random, const std::array<Index, 4>& count) {
        std::array<std::size_t, 4> loops{0, 1, 2, 3};
        for (std::size_t n = 3; n > 0; --n) {
            std::swap(loops[n], loops[static_cast<std::size_t>(random.between(0, static_cast<int>(n)))]);
        }
        block.value_size = sizeof(T);
        block.count = count;
        Index stride = random.coin() ? 1 : random.between(1, 3);
        Index first = 0;
        for (std::size_t loop : loops) {
            const bool backwards = random.between(0, 3) == 0;
            block.stride[loop] = (backwards ? -stride : stride) * static_cast<Index>(sizeof(T));
            if (backwards) first += stride * (count[loop] - 1);
            stride *= count[loop] + (random.coin() ? random.between(0, 2) : 0);
        }
        memory.resize(static_cast<std::size_t>(stride) + 1, T(-1));
        block.data = reinterpret_cast<std::byte*>(memory.data() + first);
    }

    T& at(const std::array<Index, 4>& n) {
        Index bytes = 0;
        for (std::size_t a = 0; a < 4; ++a) bytes += n[a] * block.stride[a];
        return *reinterpret_cast<T*>(block.data + bytes);
    }

    // Calls visit(value) in wire order: loop 0 fastest.
    template <class Visit>
    void each(Visit&& visit) {
        for (Index l = 0; l < block.count[3]; ++l)
            for (Index k = 0; k < block.count[2]; ++k)
                for (Index j = 0; j < block.count[1]; ++j)
                    for (Index i = 0; i < block.count[0]; ++i) visit(at({i, j, k, l}));
    }
};

std::array<Index, 4> random_count(Random& random) {
    std::array<Index, 4> count;
    for (auto& n : count) n = random.between(1, 4);
    return count;
}

template <class T>
void number_from(T first, Strided<T>& block) {
    block.each([&](T& value) { value = first++; });
}

}  // namespace

TEMPLATE_TEST_CASE("pack and unpack move every value, in wire order, and no other", "", float, double, std::int32_t,
                   std::int64_t) {
    Random random(1);
    for (int n = 0; n < 500; ++n) {
        Strided<TestType> source(random, random_count(random));
        number_from(TestType(100), source);
        const auto volume = static_cast<std::size_t>(source.block.bytes()) / sizeof(TestType);
        std::vector<TestType> expected(volume), buffer(volume + 1, TestType(-7));
        std::iota(expected.begin(), expected.end(), TestType(100));
        const StridedBlock blocks[] = {source.block, merged(source.block)};
        for (const StridedBlock& block : blocks) {
            REQUIRE(block.bytes() == source.block.bytes());
            pack(block, reinterpret_cast<std::byte*>(buffer.data()));
            REQUIRE(std::equal(expected.begin(), expected.end(), buffer.begin()));
            REQUIRE(buffer.back() == TestType(-7));
        }
        const auto untouched = source.memory;
        number_from(TestType(0), source);
        unpack(random.coin() ? source.block : merged(source.block),
               reinterpret_cast<const std::byte*>(expected.data()));
        REQUIRE(source.memory == untouched);
    }
}

TEMPLATE_TEST_CASE("unpack_add adds to every value and touches no other", "", float, double, std::int32_t,
                   std::int64_t) {
    Random random(2);
    for (int n = 0; n < 300; ++n) {
        Strided<TestType> target(random, random_count(random));
        number_from(TestType(1000), target);
        auto expected = target;
        expected.block.data = reinterpret_cast<std::byte*>(expected.memory.data()) +
                              (target.block.data - reinterpret_cast<std::byte*>(target.memory.data()));
        const auto volume = static_cast<std::size_t>(target.block.bytes()) / sizeof(TestType);
        std::vector<TestType> wire(volume);
        std::iota(wire.begin(), wire.end(), TestType(-5));
        TestType next(-5);
        expected.each([&](TestType& value) { value += next++; });
        unpack_add(random.coin() ? target.block : merged(target.block), reinterpret_cast<const std::byte*>(wire.data()),
                   std::is_integral_v<TestType>);
        REQUIRE(target.memory == expected.memory);
    }
}

TEMPLATE_TEST_CASE("copy moves every value to its place in other strides, and no other", "", float, std::int64_t) {
    Random random(3);
    for (int n = 0; n < 300; ++n) {
        const auto count = random_count(random);
        Strided<TestType> source(random, count), target(random, count);
        number_from(TestType(10), source);
        const auto holes =
            static_cast<std::ptrdiff_t>(target.memory.size()) - count[0] * count[1] * count[2] * count[3];
        copy(source.block, target.block);
        TestType next(10);
        target.each([&](TestType& value) { REQUIRE(value == next++); });
        REQUIRE(std::count(target.memory.begin(), target.memory.end(), TestType(-1)) == holes);
    }
}

TEST_CASE("contiguous memory merges to one run") {
    StridedBlock block{nullptr, 8, {4, 3, 2, 5}, {8, 32, 96, 192}};
    REQUIRE(merged(block).count == std::array<Index, 4>{120, 1, 1, 1});
    block.stride[2] = 104;  // a gap between planes
    REQUIRE(merged(block).count == std::array<Index, 4>{12, 2, 5, 1});
    block.count = {1, 3, 1, 1};
    REQUIRE(merged(block).count == std::array<Index, 4>{3, 1, 1, 1});
}
