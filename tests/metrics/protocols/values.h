#pragma once
// Values of a protocol's result by name.

#include <gtest/gtest.h>

#include <string>

#include "metrics/protocols/protocol_result.h"

namespace aqbench::test {

// Returns a number, which must be defined.
inline double number(const ProtocolResult& result, const char* name) {
  const ProtocolValue* value = find_value(result, name);
  EXPECT_TRUE(value != nullptr && value->value) << name;
  return value != nullptr && value->value ? *value->value : -1;
}

// Returns why a number is undefined; "" if it is defined or missing.
inline std::string reason(const ProtocolResult& result, const char* name) {
  const ProtocolValue* value = find_value(result, name);
  return value == nullptr || value->value ? "" : value->reason;
}

}  // namespace aqbench::test
