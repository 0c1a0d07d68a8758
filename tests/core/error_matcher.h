#pragma once
// Captures errors of calls, for tests of messages.

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "core/error.h"

namespace aqbench {

// Returns the message of the Error of `kind` thrown by `call`; otherwise a description of what happened
// instead. Also fails a test whose message is not one line.
template <class Call>
std::string error_of(ErrorKind kind, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    if (error.kind() == kind) return message;
    return "(another kind of error: " + message + ")";
  }
  return "(no error)";
}

}  // namespace aqbench
