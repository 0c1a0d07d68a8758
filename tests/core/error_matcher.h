#pragma once
// Captures errors of calls, for tests of messages.

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "core/error.h"

namespace aqbench {

// Returns the message of the Error thrown by `call`, "(no error)" without one. Fails a test whose error is of
// another kind or not one line.
template <class Call>
std::string error_of(ErrorKind kind, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << message;
    return message;
  }
  return "(no error)";
}

}  // namespace aqbench
