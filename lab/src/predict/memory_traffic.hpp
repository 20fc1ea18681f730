#pragma once
// The bytes that tasks load from memory and store to it, where a cache does not hold what earlier tasks touched.

#include <vector>

#include "lapwing/step/outline.hpp"

namespace lapwing::predict {

// Returns for each task of each step the bytes of its fields that a cache of `cache` bytes does not hold. The cells
// that were not touched for longest leave the cache first. What a task writes is loaded before and stored later, so it
// counts twice; what it reads around its box does not count. All are 0 for no cache. Local.
std::vector<std::vector<double>> bytes_from_memory(const RankOutline& outline, double cache);

}  // namespace lapwing::predict
