// The n-th way to cut, against all of them written down.
#include "lapwing/partition/cuts/cut_order.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"
#include "random_numbers.hpp"

using namespace lapwing;
using lapwing::testing::Random;

namespace {

using Way = std::vector<Cut>;

// Prime factors up to 7, ascending.
std::vector<int> small_factors(int parts) {
    std::vector<int> factors;
    for (int factor = 2; factor <= 7; ++factor) {
        for (; parts % factor == 0; parts /= factor) factors.push_back(factor);
    }
    return factors;
}

// All ways, orders ascending and for each of them all axes, the first cut's the most significant digit.
std::vector<Way> all_ways(int parts) {
    std::vector<int> factors = small_factors(parts);
    const int cuts = static_cast<int>(factors.size());
    std::vector<Way> ways;
    do {
        for (int axes = 0; axes < 1 << cuts; ++axes) {
            Way way;
            for (int cut = 0; cut < cuts; ++cut) way.push_back({axes >> (cuts - 1 - cut) & 1, factors[cut]});
            ways.push_back(way);
        }
    } while (std::next_permutation(factors.begin(), factors.end()));
    return ways;
}

void check_all_ways(int parts) {
    CAPTURE(parts);
    const CutOrders orders(parts);
    const std::vector<Way> ways = all_ways(parts);
    REQUIRE(orders.count() == static_cast<Index>(ways.size()));
    Index wrong = 0;
    std::set<std::vector<std::pair<int, int>>> distinct;
    for (Index n = 0; n < orders.count(); ++n) {
        const Way way = orders.at(n);
        wrong += way != ways[n];
        std::vector<std::pair<int, int>> plain;
        for (const Cut& cut : way) plain.emplace_back(cut.axis, cut.parts);
        distinct.insert(plain);
    }
    REQUIRE(wrong == 0);
    REQUIRE(distinct.size() == ways.size());
}

// The factors, then the axes: by what ways are numbered.
std::pair<std::vector<int>, std::vector<int>> key(const Way& way) {
    std::pair<std::vector<int>, std::vector<int>> key;
    for (const Cut& cut : way) key.first.push_back(cut.parts), key.second.push_back(cut.axis);
    return key;
}

}  // namespace

TEST_CASE("way n is the n-th of all distinct orders and axes") {
    for (int parts = 1; parts <= 512; ++parts) check_all_ways(parts);
    for (const int parts : {720, 1024, 1260, 9973, 2 * 97, 2 * 3 * 9973, 7 * 7 * 7 * 7}) check_all_ways(parts);
}

TEST_CASE("a rank, and a prime above 7, are not cut") {
    for (const int parts : {1, 11, 97, 9973, 11 * 13}) {
        const CutOrders orders(parts);
        REQUIRE(orders.count() == 1);
        REQUIRE(orders.at(0).empty());
    }
    REQUIRE(CutOrders(2 * 97).at(1) == Way{{1, 2}});
}

TEST_CASE("many ways are numbered without writing them down") {
    REQUIRE(CutOrders(16384).count() == 16384);
    REQUIRE(CutOrders(16384).at(0) == Way(14, Cut{0, 2}));
    REQUIRE(CutOrders(16384).at(16383) == Way(14, Cut{1, 2}));

    const CutOrders orders((1 << 20) * 243);
    REQUIRE(orders.count() == Index{53130} << 25);  // 25! / (20! 5!) orders, 2^25 choices of axes
    Way first(20, Cut{0, 2}), last(5, Cut{1, 3});
    first.resize(25, Cut{0, 3});
    last.resize(25, Cut{1, 2});
    REQUIRE(orders.at(0) == first);
    REQUIRE(orders.at(orders.count() - 1) == last);

    Random random(5);
    std::vector<Index> numbers;
    for (int n = 0; n < 2000; ++n) {
        numbers.push_back((Index{random.between(0, 53129)} << 25) + random.between(0, (1 << 25) - 1));
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (std::size_t n = 1; n < numbers.size(); ++n) {
        REQUIRE(key(orders.at(numbers[n - 1])) < key(orders.at(numbers[n])));
    }
}

TEST_CASE("neighbouring numbers of many ways follow each other in the order") {
    const CutOrders orders((1 << 20) * 243);
    const Index axes = Index{1} << 25;
    for (const Index order : {0, 1, 17, 4844, 42503, 42504, 53128}) {
        std::vector<int> factors = key(orders.at(order * axes)).first;
        REQUIRE(key(orders.at(order * axes + axes - 1)).first == factors);
        REQUIRE(std::ranges::next_permutation(factors).found);
        REQUIRE(key(orders.at((order + 1) * axes)).first == factors);
    }
}

TEST_CASE("wrong numbers of parts and ways are errors") {
    REQUIRE_THROWS_WITH(CutOrders(0), Catch::StartsWith("parts: got 0; expected at least 1"));
    REQUIRE_THROWS_AS(CutOrders(-6), UserError);
    REQUIRE_THROWS_WITH(CutOrders(6).at(8), Catch::StartsWith("number of a way to cut: got 8; expected 0 to 7"));
    REQUIRE_THROWS_AS(CutOrders(6).at(-1), UserError);
    REQUIRE_THROWS_AS(CutOrders(1).at(1), UserError);
}
