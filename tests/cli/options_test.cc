#include "cli/options.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace aqbench::cli {
namespace {

TEST(PrintJson, EscapesWhatSteersATerminalAndMeansTheSame) {
  const std::string json = "{\"a\":\"\u009b2J\u0080\u009f\u007f\u00a0\u00e9\"}\n";
  ::testing::internal::CaptureStdout();
  print_json(json);
  std::fflush(stdout);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed, "{\"a\":\"\\u009b2J\\u0080\\u009f\\u007f\u00a0\u00e9\"}\n");
  EXPECT_EQ(nlohmann::json::parse(printed), nlohmann::json::parse(json));
}

}  // namespace
}  // namespace aqbench::cli
