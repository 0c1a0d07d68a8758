#pragma once
// The only exception type of aqbench, and the exit code of each kind of error (docs/statistics.md, "Exit
// codes").

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace aqbench {

// The kind of an error.
enum class ErrorKind {
  usage,           // a wrong flag, name or value: exit 2
  input,           // an unusable file or data: exit 2
  io,              // reading or writing failed (disk full, no permission): exit 6
  method,          // a reconstruction method failed: a failed record, exit 3
  not_comparable,  // the two sides differ in what they measured: exit 4
  verification,    // evidence does not check out, or a regression: exit 1
  interrupted,     // Ctrl-C: exit 130
};

// An error whose `what()` is one line that names the file, field or flag at fault.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  // An error about a file (or another named source): `message` begins with "FILE:".
  Error(ErrorKind kind, const std::string& message, std::string file)
      : std::runtime_error(message), kind_(kind), file_(std::move(file)) {}

  ErrorKind kind() const { return kind_; }

  // Returns the file at fault as the message names it; empty if the error is not about a file.
  const std::string& file() const { return file_; }

  // Returns the message without its leading "FILE: ".
  std::string problem() const;

 private:
  ErrorKind kind_;
  std::string file_;
};

// Makes errors of one kind; their arguments are those of fmt::format(), behind the file for an error about
// one.
template <ErrorKind kKind>
struct ErrorOf {
  template <class... Args>
  Error operator()(fmt::format_string<Args...> text, Args&&... args) const {
    return {kKind, fmt::format(text, std::forward<Args>(args)...)};
  }
  template <class... Args>
  Error of_file(const std::string& file, fmt::format_string<Args...> text, Args&&... args) const {
    return {kKind, file + ": " + fmt::format(text, std::forward<Args>(args)...), file};
  }
};
inline constexpr ErrorOf<ErrorKind::usage> usage_error{};
inline constexpr ErrorOf<ErrorKind::input> input_error{};
inline constexpr ErrorOf<ErrorKind::io> io_error{};
inline constexpr ErrorOf<ErrorKind::method> method_error{};
inline constexpr ErrorOf<ErrorKind::not_comparable> not_comparable_error{};

// The exit code of a command.
enum class ExitCode : int {
  pass = 0,
  regression = 1,  // or a verification that failed
  usage = 2,       // or bad configuration or input
  case_failed = 3,
  not_comparable = 4,
  inconclusive = 5,
  io = 6,
  interrupted = 130,
};

// Returns the exit code of a command that ends with an error of this kind.
ExitCode exit_code(ErrorKind kind);

// Combines exit codes: returns the first of 2, 6, 130, 3, 4, 1, 5 that occurs, else pass.
ExitCode combine(std::span<const ExitCode> codes);
ExitCode combine(ExitCode a, ExitCode b);

}  // namespace aqbench
