#pragma once
// Systems of equations as the tests write them down: all coefficients.

#include <cmath>
#include <utility>
#include <vector>

namespace lapwing_coast::testing {

// The solution of a x = b by elimination with pivots.
inline std::vector<double> dense_solution(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c; r < n; ++r)
            if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
        std::swap(a[c], a[pivot]);
        std::swap(b[c], b[pivot]);
        for (std::size_t r = c + 1; r < n; ++r) {
            const double f = a[r][c] / a[c][c];
            for (std::size_t m = c; m < n; ++m) a[r][m] -= f * a[c][m];
            b[r] -= f * b[c];
        }
    }
    for (std::size_t r = n; r-- > 0;) {
        for (std::size_t m = r + 1; m < n; ++m) b[r] -= a[r][m] * b[m];
        b[r] /= a[r][r];
    }
    return b;
}

}  // namespace lapwing_coast::testing
