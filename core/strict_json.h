#pragma once
// JSON of files that somebody else may have written: bounded in size, depth and time (linear, also for an
// object of a million keys), without repeated keys, and with errors that name the place.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/json_fwd.h"

namespace aqbench {

struct JsonLimits {
  std::size_t max_bytes = std::size_t{256} << 20;
  int max_depth = 32;  // nested arrays and objects
};

// Throws Error(input) "SOURCE:LINE:COLUMN: ..." for anything that is not JSON (NaN and Infinity literals and
// numbers beyond a double included), for an object that gives a key twice, for text after the document and
// beyond the limits.
Json parse_strict_json(std::string_view text, const std::string& source, const JsonLimits& limits = {});

// The same of a file; also the errors of read_file.
Json read_strict_json(const std::filesystem::path& path, const JsonLimits& limits = {});

}  // namespace aqbench
