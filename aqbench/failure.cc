#include "aqbench/failure.h"

namespace aqbench::v1 {

Failure::Failure(int the_exit_code, const std::string& message)
    : std::runtime_error(message), exit_code(the_exit_code) {}

// Defined here, so that all programs share one vtable and one type to catch.
Failure::~Failure() = default;

}  // namespace aqbench::v1
