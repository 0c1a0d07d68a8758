// `aqbench accept`: who accepted a baseline, and when.

#include <gtest/gtest.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

TEST(Accept, WritesWhoAcceptedAndWhen) {
  const TemporaryDir dir;
  ASSERT_EQ(run_line("sweep --scene flat_plane --method roma_like --out {}", dir / "out").exit_code, 0);
  const std::string bundle = only_bundle(dir / "out"), baseline = dir / "baseline.json";
  const auto accepted_from = [&](const Arguments& more) {
    succeeded(run_program(with({"accept", bundle, "--baseline", baseline}, more)));
    return json_file(baseline).at("accepted_from");
  };
  const auto named = accepted_from({"--by", "A. Person"});
  EXPECT_EQ(named.at("by"), "A. Person");
  const std::string utc = named.at("utc").get<std::string>();
  EXPECT_EQ(utc.size(), std::string("2026-11-21T12:00:00Z").size()) << utc;
  EXPECT_EQ(named.at("root_digest").get<std::string>().size(), 64u);
  // Without --by what git says, and without that the login.
  ::setenv("GIT_CONFIG_COUNT", "1", 1);
  ::setenv("GIT_CONFIG_KEY_0", "user.name", 1);
  ::setenv("GIT_CONFIG_VALUE_0", "Git User", 1);
  EXPECT_EQ(accepted_from({}).at("by"), "Git User");
  ::setenv("GIT_CONFIG_VALUE_0", "", 1);
  EXPECT_EQ(accepted_from({}).at("by"), ::getpwuid(::geteuid())->pw_name);
  for (const char* const name : {"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"})
    ::unsetenv(name);
  for (const char* const blank : {"", " ", "\t", "\n \r"}) {
    expect_mistake(run_line("accept {} --baseline {} --by {}", bundle, baseline, blank),
                   "--by: must not be empty");
  }
  // What was accepted gates, as it did before: another run with the same values passes.
  ASSERT_EQ(run_line("sweep --scene flat_plane --method roma_like --out {}", dir / "again").exit_code, 0);
  EXPECT_EQ(run_program({"gate", only_bundle(dir / "again"), "--baseline", baseline}).exit_code, 0);
}

}  // namespace
}  // namespace aqbench::testing
