#include "lapwing_coast/layers/column_chunk.hpp"

#include "lapwing/grid/narrow_rows.hpp"

namespace lapwing_coast {

void copy_layers(const Layers<const double>& from, const Layers<double>& to, Index columns, Index rows, Index levels) {
    lapwing::with_row_length(columns, [&](auto length) {
        for (Index k = 0; k < levels; ++k)
            for (Index row = 0; row < rows; ++row) {
                const double* source = from(k, row);
                double* target = to(k, row);
#pragma omp simd
                for (Index i = 0; i < length; ++i) target[i] = source[i];
            }
    });
}

}  // namespace lapwing_coast
