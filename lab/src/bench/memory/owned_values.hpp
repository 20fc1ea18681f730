#pragma once
// Copies between a rank's cells of a field and values without halo, x fastest, components slowest.

#include <span>

#include "lapwing/memory/any_field.hpp"

namespace lapwing::bench {

// The field has one box per rank, and rows whose cells follow each other. Local.
template <class T>
void store(std::span<const T> values, const AnyField& field);
template <class T>
void load(const AnyField& field, std::span<T> values);

}  // namespace lapwing::bench
