#pragma once
// What the tests of `aqbench ab` share.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace aqbench::testing {

// A folder for each test, and files in it.
class Ab : public ::testing::Test {
 protected:
  // A file of samples for --samples.
  std::string samples(const std::vector<nlohmann::ordered_json>& cases) {
    const auto path = dir_ / "samples.json";
    std::ofstream(path) << nlohmann::ordered_json{{"cases", cases}}.dump();
    return path;
  }
  // A shell script with this body, as a program.
  std::string script(const std::string& name, const std::string& body) {
    const auto path = dir_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  // The lines of the journal: a header and one for each pair (and each resumption).
  static std::ptrdiff_t pair_lines(const std::filesystem::path& bundle) {
    std::ifstream file(bundle / "journal.jsonl");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
  TemporaryDir dir_;
};

}  // namespace aqbench::testing
