#pragma once
// What tests of `aqbench eval` share.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.h"

namespace aqbench::testing {

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline Arguments with(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The JSON that a successful run printed.
inline nlohmann::json document_of(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

// The value of a metric of the only record.
inline double metric_of(const nlohmann::json& document, const char* name) {
  return document.at("records").at(0).at("metrics").at(name).at("value").get<double>();
}

// Expects one line that says why, and nothing else.
inline void expect_refused(const ProgramResult& result, const std::string& why) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr(why));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(result.out, "");
}

}  // namespace aqbench::testing
