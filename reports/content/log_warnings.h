#pragma once
// Warnings that stand in the logs of a bundle, so that nobody has to read a log to learn of them.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

struct LogWarning {
  std::string file;  // relative to the bundle
  std::size_t line = 0;
  std::string text;  // one line, at most 200 bytes
};

// Lines with the word "warning" or "warn", in any case ("0 warnings" and "forewarning" are none).
std::vector<LogWarning> find_warnings(std::string_view log, const std::string& file);

// Of bench.log and tests.log, where they are. Throws Error(input, io).
std::vector<LogWarning> read_warnings(const std::filesystem::path& bundle);

}  // namespace aqbench
