#pragma once
// Text from a file made fit for a one-line message and for JSON.

#include <cstddef>
#include <string>
#include <string_view>

namespace aqbench {

// Bytes that are not printable ASCII become \xNN; beyond `max_size` bytes of input the text ends in "...".
std::string printable(std::string_view text, std::size_t max_size = 200);

}  // namespace aqbench
