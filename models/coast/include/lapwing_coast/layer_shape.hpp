#pragma once
// How thick the layers of a column are: the same shares of its depth everywhere.

#include "lapwing_coast/c_grid.hpp"

namespace lapwing_coast {

// Thicknesses of layers relative to their mean, from the bottom: h_k = relative(k) (depth + sea level) / levels. Where
// all are alike, every number here is 1, and the bits of what it multiplies stay. Local.
struct LayerShape {
    const double* values = nullptr;  // one for each layer; null: all are 1

    [[nodiscard]] double relative(Index k) const { return values == nullptr ? 1.0 : values[k]; }
    [[nodiscard]] double over(Index k) const { return 1.0 / relative(k); }
    // Between the centres of layers k and k + 1.
    [[nodiscard]] double between(Index k) const { return 0.5 * (relative(k) + relative(k + 1)); }
    [[nodiscard]] double over_between(Index k) const { return 1.0 / between(k); }
};

}  // namespace lapwing_coast
