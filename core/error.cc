#include "core/error.h"

#include <algorithm>
#include <array>
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
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return ExitCode::usage;
    case ErrorKind::io:
      return ExitCode::io;
    case ErrorKind::method:
      return ExitCode::case_failed;
    case ErrorKind::not_comparable:
      return ExitCode::not_comparable;
    case ErrorKind::verification:
      return ExitCode::regression;
    case ErrorKind::interrupted:
      break;
  }
  return ExitCode::interrupted;
}

ExitCode combine(std::span<const ExitCode> codes) {
  constexpr std::array order = {
      ExitCode::usage,          ExitCode::io,         ExitCode::interrupted,   ExitCode::case_failed,
      ExitCode::not_comparable, ExitCode::regression, ExitCode::other_version, ExitCode::inconclusive};
  for (const ExitCode candidate : order)
    if (std::ranges::find(codes, candidate) != codes.end()) return candidate;
  return ExitCode::pass;
}

ExitCode combine(ExitCode a, ExitCode b) {
  const std::array both = {a, b};
  return combine(both);
}

}  // namespace aqbench
