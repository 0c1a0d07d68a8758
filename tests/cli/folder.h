#pragma once
// Tests with a folder in which the program runs.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/cli/program.h"

namespace aqbench::testing {

// A folder for each test, in which the program runs.
class Folder : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) const { write_text(dir_ / name, text); }
  ProgramResult run(const Arguments& arguments, ProgramOptions options = {}) const {
    if (options.working_dir.empty()) options.working_dir = where_;
    return run_program(arguments, options);
  }
  template <class... Values>
  ProgramResult run(const char* line, const Values&... values) const {
    return run(words(line, values...));
  }

  const TemporaryDir dir_;
  std::filesystem::path where_ = dir_.path();  // the working folder
};

// The folder of a user who has programs of their own.
class UserFolder : public Folder {
 protected:
  // Sweeps into `out` and returns results.json of the only bundle there, which is `bundle_` from then on.
  nlohmann::json sweep(const std::string& out, const Arguments& more, int exit_code = 0) {
    swept_ = run(with({"sweep", "--out", dir_ / out}, more));
    EXPECT_EQ(swept_.exit_code, exit_code) << swept_.err << swept_.out;
    bundle_ = only_bundle(dir_ / out);
    return json_file(bundle_ / "results.json");
  }

  const WithoutLibTorch program_;
  ProgramResult swept_;
  std::filesystem::path bundle_;
};

}  // namespace aqbench::testing
