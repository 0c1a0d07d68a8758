#pragma once
// Conversion of errors at the library's boundary; not installed.

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "aqbench/failure.h"
#include "core/error.h"

namespace aqbench::v1 {

// Returns the result of `body`; an Error becomes a Failure with the same text.
template <class Body>
auto with_failures(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Failure(static_cast<int>(exit_code(error.kind())), error.what());
  }
}

// Throws the Failure of an array of the wrong length.
inline void require_length(std::string_view what, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw Failure(2, fmt::format("{}: {} values, expected {}", what, length, wanted));
}

}  // namespace aqbench::v1
