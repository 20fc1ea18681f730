// Walks over many pieces against one piece after the other, one value after the other.
#include "lapwing/memory/copy_list.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <numeric>
#include <vector>

#include "count_allocations.hpp"
#include "memory/sign_change.hpp"
#include "strided_memory.hpp"

using namespace lapwing;
using namespace lapwing::testing;

namespace {

constexpr std::byte untouched{0x5a};

// Pieces of both value sizes in memory of their own, and what a buffer of them must hold.
struct Pieces {
    std::deque<Strided<double>> wide;
    std::deque<Strided<std::int32_t>> narrow;
    std::vector<StridedBlock> blocks;
    std::vector<bool> integer;
    std::vector<std::byte> wire;

    explicit Pieces(Random& random) {
        const int number = random.between(1, 6);
        const auto count = random_count(random);
        for (int n = 0; n < number; ++n) {
            const auto own = random.coin() ? count : random_count(random);
            if (random.coin()) {
                add(wide.emplace_back(random, own, random_list(random)), 1000.0 * n);
            } else {
                add(narrow.emplace_back(random, own, random_list(random)), 1000 * n);
            }
            integer.push_back(blocks.back().value_size == 4);
        }
    }

    template <class T>
    void add(Strided<T>& piece, T first) {
        piece.number_from(first);
        blocks.push_back(piece.block);
        piece.each([&](T& value) {
            const auto* bytes = reinterpret_cast<const std::byte*>(&value);
            wire.insert(wire.end(), bytes, bytes + sizeof(T));
        });
    }

    template <class Visit>
    void each(Visit&& visit) {
        for (auto& piece : wide) visit(piece);
        for (auto& piece : narrow) visit(piece);
    }
};

// One field of float64 with halo 2, periodic along x, as 3D and 2D exchanges see it.
struct HaloField {
    Index nx, ny, nz, row, plane;
    std::vector<double> memory;

    HaloField(Index x, Index y, Index z) : nx(x), ny(y), nz(z), row(x + 4), plane(row * (y + 4)), memory(plane * z) {
        std::iota(memory.begin(), memory.end(), 0.0);
    }
    StridedBlock box(Index i, Index j, Index ni, Index nj) {
        return {
            reinterpret_cast<std::byte*>(memory.data() + j * row + i), 8, {ni, nj, nz, 1}, {8, 8 * row, 8 * plane, 0}};
    }
    std::vector<StridedBlock> sources() { return {box(nx, 2, 2, ny), box(2, 2, 2, ny)}; }
    std::vector<StridedBlock> targets() { return {box(0, 2, 2, ny), box(nx + 2, 2, 2, ny)}; }
    std::vector<StridedBlock> row_and_corners() { return {box(2, 2, nx, 2), box(0, 2, 2, 2), box(nx + 2, 2, 2, 2)}; }
};

}  // namespace

TEST_CASE("a buffer holds piece after piece") {
    Random random(4);
    for (int n = 0; n < 400; ++n) {
        Pieces pieces(random);
        const PackList list(pieces.blocks, pieces.integer);
        REQUIRE(list.bytes() == static_cast<Index>(pieces.wire.size()));
        auto wire = pieces.wire;
        std::fill(wire.begin(), wire.end(), untouched);
        wire.push_back(untouched);
        list.pack(wire.data());
        REQUIRE(wire.back() == untouched);
        wire.pop_back();
        REQUIRE(wire == pieces.wire);
    }
}

TEST_CASE("packing outward gives the same buffer, whatever the length of runs") {
    Random random(11);
    for (int n = 0; n < 400; ++n) {
        Pieces pieces(random);
        std::vector<std::byte> wire(pieces.wire.size() + 1, untouched);
        PackList(pieces.blocks, pieces.integer).pack_outward(wire.data());
        REQUIRE(wire.back() == untouched);
        wire.pop_back();
        REQUIRE(wire == pieces.wire);
    }
    for (const Index values : {1, 511, 512, 513, 4099}) {  // runs of 8 bytes, 4088, 4096 and more
        std::vector<double> memory(3 * (values + 7)), wire(3 * values + 1, -1.0), expected;
        std::iota(memory.begin(), memory.end(), 0.0);
        const Index row = 8 * (values + 7);
        const StridedBlock rows{reinterpret_cast<std::byte*>(memory.data()), 8, {values, 3, 1, 1}, {8, row, 0, 0}};
        const PackList list({&rows, 1});
        REQUIRE(list.in_long_runs() == (values >= 512));
        list.pack_outward(reinterpret_cast<std::byte*>(wire.data()));
        for (Index r = 0; r < 3; ++r)
            for (Index i = 0; i < values; ++i) expected.push_back(memory[r * (values + 7) + i]);
        expected.push_back(-1.0);
        REQUIRE(wire == expected);
    }
}

TEST_CASE("unpacking puts every value into its place and touches no other") {
    Random random(5);
    for (int n = 0; n < 400; ++n) {
        Pieces pieces(random);
        const auto wide = pieces.wide;
        const auto narrow = pieces.narrow;
        pieces.each([](auto& piece) { piece.number_from(-5); });
        PackList first(pieces.blocks, pieces.integer);
        const PackList list = std::move(first);  // prepared data moves with it
        list.unpack(pieces.wire.data());
        for (std::size_t p = 0; p < wide.size(); ++p) REQUIRE(pieces.wide[p].memory == wide[p].memory);
        for (std::size_t p = 0; p < narrow.size(); ++p) REQUIRE(pieces.narrow[p].memory == narrow[p].memory);
    }
}

// Components of vectors beyond a fold, unpacked, copied, and changed where a transport has put them.
TEST_CASE("negated values change their sign where they arrive, whatever the loops") {
    Random random(12);
    for (int n = 0; n < 400; ++n) {
        Pieces pieces(random);
        const auto wide = pieces.wide;
        const auto narrow = pieces.narrow;
        std::vector<StridedBlock> negated = pieces.blocks;
        for (StridedBlock& block : negated) block.negated = block.value_size == 8 ? Negated::floats : Negated::integers;
        PackList(negated, pieces.integer).unpack(pieces.wire.data());
        SignChange(negated).run();  // back
        for (std::size_t p = 0; p < wide.size(); ++p) REQUIRE(pieces.wide[p].memory == wide[p].memory);
        for (std::size_t p = 0; p < narrow.size(); ++p) REQUIRE(pieces.narrow[p].memory == narrow[p].memory);

        Strided<double> from(random, random_count(random), random_list(random));
        Strided<double> to(random, from.block.count, random_list(random));
        from.number_from(1.0);
        to.block.negated = Negated::floats;
        CopyList({&from.block, 1}, {&to.block, 1}).run();
        double expected = -1.0;
        to.each([&](double& value) {
            REQUIRE(value == expected);
            expected -= 1.0;
        });
    }
}

TEST_CASE("unpack_add adds piece after piece, each in its type") {
    Random random(6);
    for (int n = 0; n < 200; ++n) {
        Pieces pieces(random);
        auto wide = pieces.wide;
        auto narrow = pieces.narrow;
        for (auto& piece : wide) piece.each([](double& value) { value += value; });
        for (auto& piece : narrow) piece.each([](std::int32_t& value) { value += value; });
        PackList(pieces.blocks, pieces.integer).unpack_add(pieces.wire.data());
        for (std::size_t p = 0; p < wide.size(); ++p) REQUIRE(pieces.wide[p].memory == wide[p].memory);
        for (std::size_t p = 0; p < narrow.size(); ++p) REQUIRE(pieces.narrow[p].memory == narrow[p].memory);
    }
}

TEST_CASE("pieces that overlap all add") {
    std::vector<double> memory(10, 1.0);
    auto* data = reinterpret_cast<std::byte*>(memory.data());
    const StridedBlock pieces[] = {{data, 8, {6, 1, 1, 1}, {8, 0, 0, 0}}, {data + 32, 8, {6, 1, 1, 1}, {8, 0, 0, 0}}};
    const std::vector<double> wire(12, 2.0);
    PackList(pieces).unpack_add(reinterpret_cast<const std::byte*>(wire.data()));
    REQUIRE(memory == std::vector<double>{3, 3, 3, 3, 5, 5, 3, 3, 3, 3});
}

TEMPLATE_TEST_CASE("copies reach their places in other strides and lists, and no other", "", float, std::int64_t,
                   std::uint8_t) {
    Random random(7);
    for (int n = 0; n < 300; ++n) {
        std::deque<Strided<TestType>> from, to, expected;
        std::vector<StridedBlock> sources, targets;
        for (int p = random.between(1, 5); p > 0; --p) {
            const auto count = random_count(random);
            from.emplace_back(random, count, random_list(random)).number_from(TestType(100 * p));
            to.emplace_back(random, count, random_list(random));
            expected.push_back(to.back());
            auto next = static_cast<TestType>(100 * p);
            expected.back().each([&](TestType& value) { value = next++; });
            sources.push_back(from.back().block);
            targets.push_back(to.back().block);
        }
        for (auto& piece : to) piece.number_from(TestType(0));
        CopyList(sources, targets).run();
        for (std::size_t p = 0; p < to.size(); ++p) REQUIRE(to[p].memory == expected[p].memory);
    }
}

TEMPLATE_TEST_CASE("long loops whose fastest is another one on each side: bits as value by value", "", float, double,
                   std::uint8_t) {
    Random random(9);
    int other_order = 0;
    for (int n = 0; n < 300; ++n) {
        std::array<Index, 4> count{random.between(5, 20), random.between(5, 35), random.between(5, 20), 1};
        count[random.between(0, 2)] = random.between(1, 9);
        count[3] = random.coin() ? 1 : 2;
        Strided<TestType> from(random, count), to(random, count);
        other_order += from.block.stride[0] != sizeof(TestType);
        from.number_from(TestType(0));
        auto expected = to;
        auto next = TestType(0);
        expected.each([&](TestType& value) { value = next++; });
        std::vector<TestType> wire;
        from.each([&](TestType& value) { wire.push_back(value); });
        to.number_from(TestType(-7));
        CopyList({&from.block, 1}, {&to.block, 1}).run();
        REQUIRE(to.memory == expected.memory);
        std::vector<TestType> packed(wire.size() + 1, TestType(-3));
        const PackList list({&from.block, 1});
        list.pack(reinterpret_cast<std::byte*>(packed.data()));
        REQUIRE(packed.back() == TestType(-3));
        packed.pop_back();
        REQUIRE(packed == wire);
        to.number_from(TestType(-7));
        PackList({&to.block, 1}).unpack(reinterpret_cast<const std::byte*>(wire.data()));
        REQUIRE(to.memory == expected.memory);
    }
    REQUIRE(other_order > 100);
}

TEST_CASE("wraps and rows with corners of a field are copied and packed alike") {
    for (const auto& [nx, ny, nz] : {Index3{60, 60, 1}, Index3{7, 1000, 1}, Index3{60, 60, 9}, Index3{5, 3, 70}}) {
        HaloField field(nx, ny, nz), expected(nx, ny, nz);
        for (std::size_t p = 0; p < 2; ++p) copy(expected.sources()[p], expected.targets()[p]);
        HaloField copied(nx, ny, nz);
        CopyList(copied.sources(), copied.targets()).run();
        REQUIRE(copied.memory == expected.memory);
        HaloField packed(nx, ny, nz);
        std::vector<double> wire(4 * ny * nz);
        PackList(packed.sources()).pack(reinterpret_cast<std::byte*>(wire.data()));
        PackList(packed.targets()).unpack(reinterpret_cast<const std::byte*>(wire.data()));
        REQUIRE(packed.memory == expected.memory);
        const auto pieces = field.row_and_corners();
        std::vector<double> rows(2 * (nx + 4) * nz), walked(rows.size());
        auto* next = reinterpret_cast<std::byte*>(rows.data());
        for (const StridedBlock& piece : pieces) {
            pack(piece, next);
            next += piece.bytes();
        }
        PackList(pieces).pack(reinterpret_cast<std::byte*>(walked.data()));
        REQUIRE(walked == rows);
    }
}

TEST_CASE("long runs and long lists are packed in order") {
    std::vector<double> memory(100003), target(memory.size()), wire(memory.size());
    std::iota(memory.begin(), memory.end(), 0.0);
    const auto bytes = [](std::vector<double>& values) { return reinterpret_cast<std::byte*>(values.data()); };
    StridedBlock run{bytes(memory), 8, {100003, 1, 1, 1}, {8, 0, 0, 0}};
    StridedBlock list{bytes(memory), 8, {50001, 1, 1, 1}, {}, 0, {}};
    for (Index n = 0; n < list.count[0]; ++n) list.offsets.push_back(16 * n);
    for (const StridedBlock& block : {run, list}) {
        std::fill(wire.begin(), wire.end(), -1.0);
        PackList({&block, 1}).pack(bytes(wire));
        const std::size_t volume = block.bytes() / 8;
        std::vector<double> expected(volume);
        for (std::size_t n = 0; n < volume; ++n) expected[n] = memory[block.list < 0 ? n : 2 * n];
        REQUIRE(std::equal(expected.begin(), expected.end(), wire.begin()));
        REQUIRE((volume == wire.size() || wire[volume] == -1.0));
    }
}

TEST_CASE("an empty list and pieces without values move nothing") {
    PackList({}).pack(nullptr);
    CopyList({}, {}).run();
    const StridedBlock none{nullptr, 8, {4, 0, 2, 1}, {8, 32, 96, 0}};
    const PackList list({&none, 1});
    list.pack(nullptr);
    list.unpack(nullptr);
    list.unpack_add(nullptr);
    REQUIRE(list.bytes() == 0);
}

TEST_CASE("walks allocate nothing") {
    Random random(8);
    for (int n = 0; n < 20; ++n) {
        Pieces pieces(random);
        long before = allocations();
        const PackList list(pieces.blocks, pieces.integer);
        REQUIRE(allocations() > before);  // the library's allocations are seen here
        HaloField field(20, 20, 3);
        const CopyList copies(field.sources(), field.targets());
        before = allocations();
        list.pack(pieces.wire.data());
        list.unpack(pieces.wire.data());
        list.unpack_add(pieces.wire.data());
        copies.run();
        for (const StridedBlock& block : pieces.blocks) pack(block, pieces.wire.data());
        const long made = allocations() - before;
        REQUIRE(made == 0);
    }
}
