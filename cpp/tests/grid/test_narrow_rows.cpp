#include "lapwing/grid/narrow_rows.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace lapwing;

TEST_CASE("A kernel sees the length of its rows, known to the compiler where they are short") {
    for (Index length = 0; length < 20; ++length) {
        std::vector<int> cells(20, 0);
        bool known = false;
        with_row_length(length, [&](auto n) {
            known = !std::is_same_v<decltype(n), Index>;
            for (Index i = 0; i < n; ++i) ++cells[i];
        });
        CHECK(known == ((length >= 1 && length <= 4) || length == 8));
        for (Index i = 0; i < 20; ++i) CHECK(cells[i] == (i < length ? 1 : 0));
    }
}
