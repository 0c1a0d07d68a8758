#pragma once
// Pages in a real browser, headless Chromium.

#include <gtest/gtest.h>
#include <unistd.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/processes/process.h"
#include "tests/temporary_directory.h"

namespace aqbench {

// A test that opens files of a folder of its own; skipped where there is no Chromium.
class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
      if (program_ = find_in_path(name); program_ != name) return;
    GTEST_SKIP() << "no chromium in PATH: apt-get install chromium";
  }

  // Opens a file of the folder and returns what the program prints: with --dump-dom what the file is after
  // its scripts have run.
  std::string opened(const std::string& file, std::initializer_list<std::string> flags) {
    std::vector<std::string> command = {program_, "--headless=new", "--no-first-run",
                                        "--user-data-dir=" + (folder_ / "profile").string()};
    command.insert(command.end(), flags);
    if (::geteuid() == 0) command.emplace_back("--no-sandbox");
    command.push_back("file://" + (folder_ / file).string());
    const ProgramAnswer answer = ask_program(command, 120);
    EXPECT_TRUE(answer.ok) << answer.problem;
    return answer.output;
  }

  TemporaryDirectory folder_;
  std::string program_;
};

}  // namespace aqbench
