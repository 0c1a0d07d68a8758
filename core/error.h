#pragma once
// The one exception type of aqbench, and how its kinds become exit codes.

#include <stdexcept>
#include <string>

namespace aqbench {

enum class ErrorKind {
  usage,           // a wrong flag, name or value: exit 2
  input,           // a file or data that cannot be used as it is: exit 2
  io,              // reading or writing failed (disk full, no permission): exit 6
  method,          // a reconstruction method failed: a failed record, exit 3
  not_comparable,  // the two sides differ in what they measured: exit 4
  verification,    // evidence does not check out, or a regression: exit 1
  interrupted,     // Ctrl-C: exit 130
};

// `what()` is one line that names the file, field or flag at fault.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace aqbench
