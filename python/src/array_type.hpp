#pragma once
// The types of values in the words of arrays.

#include <nanobind/ndarray.h>

#include <cstdint>

#include "lapwing/plan/field_spec.hpp"

namespace lapwing::python {

inline nanobind::dlpack::dtype dtype_of(ElementType type) {
    switch (type) {
        case ElementType::float32:
            return nanobind::dtype<float>();
        case ElementType::float64:
            return nanobind::dtype<double>();
        case ElementType::int32:
            return nanobind::dtype<std::int32_t>();
        case ElementType::int64:
            return nanobind::dtype<std::int64_t>();
    }
    return nanobind::dtype<double>();
}

}  // namespace lapwing::python
