#include "core/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace aqbench {

std::string Error::problem() const {
  std::string_view text = what();
  if (file_.empty() || !text.starts_with(file_)) return std::string(text);
  text.remove_prefix(file_.size());
  while (text.starts_with(':') || text.starts_with(' ')) text.remove_prefix(1);
  return std::string(text);
}

ExitCode exit_code(ErrorKind kind) {
  // In the order of ErrorKind.
  constexpr ExitCode kCodes[] = {ExitCode::usage,       ExitCode::usage,          ExitCode::io,
                                 ExitCode::case_failed, ExitCode::not_comparable, ExitCode::regression,
                                 ExitCode::interrupted};
  return kCodes[static_cast<std::size_t>(kind)];
}

ExitCode combine(std::span<const ExitCode> codes) {
  constexpr std::array order = {
      ExitCode::usage,          ExitCode::io,         ExitCode::interrupted, ExitCode::case_failed,
      ExitCode::not_comparable, ExitCode::regression, ExitCode::inconclusive};
  for (const ExitCode candidate : order)
    if (std::ranges::find(codes, candidate) != codes.end()) return candidate;
  return ExitCode::pass;
}

ExitCode combine(ExitCode a, ExitCode b) {
  const std::array both = {a, b};
  return combine(both);
}

}  // namespace aqbench
