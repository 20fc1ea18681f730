// Rows in vectors: every cell once, in its order.
#include <lapwing_coast/row_vectors.hpp>

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

using namespace lapwing_coast;

TEST_CASE("every cell of a row is in one vector, and none beyond it") {
    for (Index length = 0; length < 40; ++length) {
        std::vector<Index> found, expected(static_cast<std::size_t>(length));
        std::iota(expected.begin(), expected.end(), Index{0});
        for_vectors(length, [&](Index first, auto count) {
            static_assert(count <= 8);
            for (Index i = first; i < first + count; ++i) found.push_back(i);
        });
        INFO(length << " cells");
        CHECK(found == expected);
    }
}

TEST_CASE("what is fetched keeps its values, and may lie beyond the row's memory") {
    std::vector<double> row(20, 1.5);
    for_vectors(20, [&](Index first, auto count) { fetch(first, count, row.data()); });
    fetch_layer(20, row.data() + layers_ahead * 20, row.data() - layers_ahead * 20);
    CHECK(row == std::vector<double>(20, 1.5));
}
