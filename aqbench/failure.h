#pragma once
// The one exception type of this library.

#include <stdexcept>
#include <string>

namespace aqbench::v1 {

// An error in one line that names the file, the field or the argument. `exit_code` is the program's exit code
// for it: 2 for a wrong name, value or file, 6 for reading and writing, 3 for anything else.
class Failure : public std::runtime_error {
 public:
  Failure(int the_exit_code, const std::string& message);
  ~Failure() override;
  Failure(const Failure&) = default;
  Failure& operator=(const Failure&) = default;

  int exit_code;
};

}  // namespace aqbench::v1
