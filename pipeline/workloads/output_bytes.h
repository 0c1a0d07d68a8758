#pragma once
// Hashes of arrays in memory layout, little-endian.

#include <bit>
#include <string>
#include <vector>

#include "core/sha256.h"

namespace aqbench {

// Returns the SHA-256 of the values in memory layout, little-endian.
template <class Value>
std::string sha256_of_values(const std::vector<Value>& values) {
  static_assert(std::endian::native == std::endian::little);
  return sha256_hex({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
}

}  // namespace aqbench
