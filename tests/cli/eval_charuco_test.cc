// `aqbench eval --charuco` on corners that are 1, 2 and 3 mm off.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

class EvalCharuco : public ::testing::Test {
 protected:
  EvalCharuco() {
    std::ofstream(dir_ / "board.xyz") << "0 0 1100\n40 0 1100\n80 0 1100\n";
    std::ofstream(dir_ / "detected.xyz") << "1 0 1100\n40 -2 1100\n80 0 1103\n";
    std::ofstream(dir_ / "two.xyz") << "0 0 1100\n40 0 1100\n";
    std::ofstream(dir_ / "empty.xyz") << "# no corner\n";
  }
  ProgramResult run(const std::string& detected, const Arguments& more) const {
    Arguments arguments = {"eval", "--charuco", (dir_ / detected).string(), "--unit", "mm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  std::string board() const { return (dir_ / "board.xyz").string(); }

  TemporaryDir dir_;
};

TEST_F(EvalCharuco, OneTwoAndThreeMillimetresHaveTheMeanTwo) {
  const ProgramResult result = run("detected.xyz", {"--board", board(), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto distances = nlohmann::json::parse(result.out);
  EXPECT_EQ(distances.at("corners"), 3);
  EXPECT_NEAR(distances.at("error_mm").at(2).get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("mean_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("median_mm").get<double>(), 2, 1e-9);
  EXPECT_NEAR(distances.at("max_mm").get<double>(), 3, 1e-9);
  EXPECT_NEAR(distances.at("rmse_mm").get<double>(), std::sqrt(14.0 / 3), 1e-9);
}

TEST_F(EvalCharuco, ShowsEachCornerAndTheSummary) {
  const ProgramResult result = run("detected.xyz", {"--board", board()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"corner", "mean", "median", "max", "rmse"})
    EXPECT_NE(result.out.find(word), std::string::npos) << result.out;
}

TEST_F(EvalCharuco, NamesOfFilesDoNotSteerTheTerminal) {
  const std::string odd = "odd\x1b[31m.xyz";
  std::filesystem::copy_file(dir_ / "detected.xyz", dir_ / odd);
  const ProgramResult result = run(odd, {"--board", board()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << result.out;
}

TEST_F(EvalCharuco, BadInputIsOneLineAndExitTwo) {
  for (const auto& result : {run("two.xyz", {"--board", board()}), run("empty.xyz", {"--board", board()}),
                             run("missing.xyz", {"--board", board()}), run("detected.xyz", {}),
                             run("detected.xyz", {"--board", board(), "--scene", "flat_plane"})}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace aqbench::testing
