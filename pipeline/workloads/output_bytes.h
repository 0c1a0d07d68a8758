#pragma once
// Hashes of arrays, little-endian as they lie in memory.

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "core/sha256.h"

namespace aqbench {

// Returns the SHA-256 of the values as they lie in memory, little-endian.
template <class Value>
std::string sha256_of_values(const std::vector<Value>& values) {
  static_assert(std::endian::native == std::endian::little);
  return sha256_hex({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
}

}  // namespace aqbench
