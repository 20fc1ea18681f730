// Packing, unpacking and copying of random strided memory against one value after the other.
#include "lapwing/memory/strided_block.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "strided_memory.hpp"

using namespace lapwing;
using namespace lapwing::testing;

TEMPLATE_TEST_CASE("pack and unpack move every value, in wire order, and no other", "", float, double, std::int32_t,
                   std::int64_t) {
    Random random(1);
    for (int n = 0; n < 500; ++n) {
        Strided<TestType> source(random, random_count(random), random_list(random));
        source.number_from(TestType(100));
        const auto volume = source.values();
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
        source.number_from(TestType(0));
        unpack(random.coin() ? source.block : merged(source.block),
               reinterpret_cast<const std::byte*>(expected.data()));
        REQUIRE(source.memory == untouched);
    }
}

TEMPLATE_TEST_CASE("unpack_add adds to every value and touches no other", "", float, double, std::int32_t,
                   std::int64_t) {
    Random random(2);
    for (int n = 0; n < 300; ++n) {
        Strided<TestType> target(random, random_count(random), random_list(random));
        target.number_from(TestType(1000));
        auto expected = target;
        std::vector<TestType> wire(target.values());
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
        Strided<TestType> source(random, count, random_list(random)), target(random, count, random_list(random));
        source.number_from(TestType(10));
        const auto holes =
            static_cast<std::ptrdiff_t>(target.memory.size()) - count[0] * count[1] * count[2] * count[3];
        copy(source.block, target.block);
        TestType next(10);
        target.each([&](TestType& value) { REQUIRE(value == next++); });
        REQUIRE(std::count(target.memory.begin(), target.memory.end(), TestType(-1)) == holes);
    }
}

TEMPLATE_TEST_CASE("runs of every length are moved whole, at any alignment", "", float, double, std::uint8_t) {
    for (Index length = 1; length <= 80; ++length) {
        const Index rows = 3, gap = length + 5;
        std::vector<TestType> memory(rows * gap), back(memory.size(), TestType(-1));
        std::iota(memory.begin(), memory.end(), TestType(1));
        std::vector<std::byte> wire(rows * length * sizeof(TestType) + 5, std::byte{42});
        const auto size = static_cast<Index>(sizeof(TestType));
        StridedBlock block{reinterpret_cast<std::byte*>(memory.data() + 1),
                           static_cast<int>(size),
                           {length, rows, 1, 1},
                           {size, gap * size, 0, 0}};
        pack(block, wire.data() + 4);
        block.data = reinterpret_cast<std::byte*>(back.data() + 1);
        unpack(block, wire.data() + 4);
        for (std::size_t n = 0; n < memory.size(); ++n) {
            const auto place = static_cast<Index>(n) % gap;
            REQUIRE(back[n] == (place >= 1 && place <= length ? memory[n] : TestType(-1)));
        }
        REQUIRE(wire.front() == std::byte{42});
        REQUIRE(wire.back() == std::byte{42});
    }
}

TEST_CASE("loops next to an index list merge, the list stays") {
    StridedBlock block{nullptr, 8, {4, 3, 1, 5}, {8, 32, 0, 100}, 2, {64}};
    const StridedBlock one = merged(block);
    REQUIRE(one.count == std::array<Index, 4>{12, 1, 5, 1});
    REQUIRE(one.list == 1);
    REQUIRE(one.offsets == block.offsets);
    block.list = 0;
    block.offsets = {0, 8, 16, 24};
    block.stride[3] = 96;
    REQUIRE(merged(block).count == std::array<Index, 4>{4, 15, 1, 1});
    REQUIRE(merged(block).list == 0);
}

TEST_CASE("a block without values moves nothing") {
    StridedBlock block{nullptr, 8, {4, 0, 2, 1}, {8, 32, 96, 0}};
    pack(block, nullptr);
    unpack(block, nullptr);
    unpack_add(block, nullptr, false);
    copy(block, block);
    REQUIRE(merged(block).bytes() == 0);
}

TEST_CASE("contiguous memory merges to one run") {
    StridedBlock block{nullptr, 8, {4, 3, 2, 5}, {8, 32, 96, 192}};
    REQUIRE(merged(block).count == std::array<Index, 4>{120, 1, 1, 1});
    block.stride[2] = 104;  // a gap between planes
    REQUIRE(merged(block).count == std::array<Index, 4>{12, 2, 5, 1});
    block.count = {1, 3, 1, 1};
    REQUIRE(merged(block).count == std::array<Index, 4>{3, 1, 1, 1});
}
