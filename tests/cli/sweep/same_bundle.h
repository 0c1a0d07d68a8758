#pragma once
// That a bundle of several processes is that of one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::testing {

inline const Arguments kFourCases =
    words("sweep --scene flat_plane --method roma_like --set roma_like.points=500 --repeat 4 --threads 1");

inline std::string digest_line(const std::filesystem::path& bundle) {
  const std::string text = succeeded(run_line("verify {}", bundle)).out;
  const std::size_t at = text.find("metrics digest");
  return at == std::string::npos ? "no digest in: " + text : text.substr(at, text.find('\n', at) - at);
}

// The names of all files of a bundle.
inline std::vector<std::string> files_of(const std::filesystem::path& bundle) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bundle))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(bundle).string());
  std::ranges::sort(names);
  return names;
}

// Expects the same metrics, options, files of cases and 3D views.
inline void expect_same_bundle(const std::filesystem::path& bundle, const std::filesystem::path& expected) {
  EXPECT_EQ(digest_line(bundle), digest_line(expected));
  std::vector<std::string> files = files_of(bundle);
  std::erase(files, "notes.txt");
  EXPECT_EQ(files, files_of(expected));
  EXPECT_THAT(files, ::testing::Contains(::testing::HasSubstr("viewer/")));
  for (const std::string& name : files)
    if (name.starts_with("viewer/") || name.starts_with("tiles/")) {
      EXPECT_EQ(read_file(bundle / name), read_file(expected / name)) << name;
    }
  const auto run = json_file(bundle / "results.json").at("run"),
             alone = json_file(expected / "results.json").at("run");
  for (const char* const key : {"requested", "effective", "plan_sha256", "planned_cases", "complete"})
    EXPECT_EQ(run.at(key), alone.at(key)) << key;
}

}  // namespace aqbench::testing
