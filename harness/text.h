#pragma once
// Small text helpers of the harness.

#include <string>
#include <string_view>

namespace aqbench {

// Fit for a reason or a log line: valid UTF-8, control characters and line breaks as spaces, at most
// `max_bytes` (cut with "..." at a character's border).
std::string one_line(std::string_view text, std::size_t max_bytes = 400);

bool is_valid_utf8(std::string_view text);

// Current time as 2026-01-31T12:00:00Z.
std::string utc_now();

}  // namespace aqbench
