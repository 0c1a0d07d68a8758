#pragma once
// Moves what is kept of columns to the front, in its order. Which values stay is unpredictable, so no branch
// depends on it; processors with AVX-512 move sixteen at a time.

#include <cstddef>
#include <cstdint>

namespace aqbench {

// Keeps the rows of four columns whose last value is positive, and returns their number.
std::size_t keep_positive(float* u, float* v, float* h, float* k, std::size_t count);

// Writes a key for each value up to `limit` whose index is not `excluded`, its bits above those of its index,
// and returns their number. The values are not negative: keys are in the order of values, then of indices.
// `keys` has room for eight more than `count`.
std::size_t keys_up_to(float limit, std::uint32_t excluded, const float* values, const std::uint32_t* index,
                       std::size_t count, std::uint64_t* keys);

}  // namespace aqbench
