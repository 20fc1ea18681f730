#pragma once
// Rows of a few columns, as strategies cut them off at the sides of a box, in loops without beginnings and ends.

#include <type_traits>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// Calls work(length) once, with a length that the compiler knows if it is the length of a narrow zone (1, 2, 3, 4 or
// 8), else with the number itself. Put it around the loop over the rows. Local.
template <class Work>
inline void with_row_length(Index length, Work&& work) {
    switch (length) {
        case 1:
            return work(std::integral_constant<Index, 1>{});
        case 2:
            return work(std::integral_constant<Index, 2>{});
        case 3:
            return work(std::integral_constant<Index, 3>{});
        case 4:
            return work(std::integral_constant<Index, 4>{});
        case 8:
            return work(std::integral_constant<Index, 8>{});
        default:
            return work(length);
    }
}

}  // namespace lapwing
