// `aqbench bisect` in a repository of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BisectCommand : public Ab {
 protected:
  // Commits 0 to 9; from the seventh on the program reports 30 % more CPU time, and the points of the method
  // lie 1.3 mm too high, not 1; the fourth does not build.
  void SetUp() override {
    Ab::SetUp();
    ASSERT_EQ(std::system(("cd '" + dir_.path().string() +
                           "' && git init -q && git config user.name a && "
                           "git config user.email a@b")
                              .c_str()),
              0);
    write("aqbench.json",
          R"({"version": 1, "methods": [{"name": "mine", "command": "/bin/sh run.sh {output}"}]})");
    script("run.sh",
           "z=$(awk -v t=$(cat built) -v seed=\"$(od -An -N4 -tu4 /dev/urandom)\" "
           "'BEGIN { srand(seed); printf \"%.6f\", 1.178 + t * 1e-6 * (1 + 0.02 * rand()) }')\n" +
               shell_plane("$1/cloud.ply", "$z"));
    for (int i = 0; i < 10; ++i) {
      std::ofstream(dir_ / "time_ns") << (i < 7 ? 1000 : 1300);
      std::ofstream(dir_ / "number") << i;
      std::ofstream(dir_ / "build.sh") << (i == 4 ? "echo no compiler >&2; exit 1\n" : "cp time_ns built\n");
      std::ofstream(dir_ / "bench.sh")
          << "awk -v t=$(cat built) -v seed=\"$(od -An -N4 -tu4 /dev/urandom)\" 'BEGIN { srand(seed); t *= 1 "
             "+ 0.01 * "
             "rand();\n"
             R"(printf "{\"benchmarks\": [{\"name\": \"BM_a\", \"threads\": 1, \"real_time\": %f, \"cpu_time\": %f}]}", t, t }')"
             "\n";
      ASSERT_EQ(std::system(("cd '" + dir_.path().string() + "' && git add -A && git commit -qm 'change " +
                             std::to_string(i) + "'")
                                .c_str()),
                0);
    }
  }
  ProgramResult search(const Arguments& more) {
    return run(with({"bisect", "--build", "sh build.sh", "--gbench", "sh bench.sh", "--benchmark", "BM_a",
                     "--pairs", "12"},
                    more));
  }
};

TEST_F(BisectCommand, NamesTheCommitAndLeavesOutWhatDoesNotBuild) {
  const auto found = exits(search({"--good", "HEAD~9"}), 0);
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("FIRST SLOWER COMMIT"), HasSubstr("change 7"), HasSubstr("like good")));
  const auto json =
      nlohmann::json::parse(exits(search({"--good", "HEAD~9", "--json"}), 0).out);  // nothing is built again
  EXPECT_EQ(json.at("steps").front().at("verdict"), "like bad");
  EXPECT_TRUE(json.at("slower").get<bool>());
  EXPECT_THAT(exits(search({"--good", "HEAD~2"}), 5).out, HasSubstr("is not certainly slower"));
  // A tree that another command built is built again.
  EXPECT_THAT(exits(run({"bisect", "--good", "HEAD~9", "--build", "exit 7", "--run", "true"}), 2).err,
              HasSubstr("does not build"));
}

TEST_F(BisectCommand, NamesTheCommitThatMadeAMetricWorse) {
  const auto search_metric = [&](const std::string& good, const Arguments& more) {
    return run(with({"bisect", "--build", "sh build.sh", "--good", good, "--sweep",
                     "--method mine --scene flat_plane --rig single_pair --width 48", "--metric",
                     "accuracy_mean_mm", "--pairs", "10"},
                    more));
  };
  const auto found = exits(search_metric("HEAD~3", {}), 0);
  EXPECT_THAT(found.out, AllOf(HasSubstr("FIRST WORSE COMMIT"), HasSubstr("change 7"), HasSubstr("+30."),
                               HasSubstr("by accuracy_mean_mm over seeds")));
  EXPECT_THAT(exits(search_metric("HEAD~2", {"--margin", "1"}), 5).out, HasSubstr("is not certainly worse"));
  EXPECT_THAT(exits(search_metric("HEAD~9", {"--run", "true"}), 2).err, HasSubstr("one of --run"));
  EXPECT_THAT(exits(search_metric("HEAD~9", {"--decide-by", "cpu"}), 2).err, HasSubstr("--metric decides"));
  EXPECT_THAT(exits(run({"bisect", "--build", "true", "--good", "HEAD~9", "--sweep",
                         "--method roma_like --scene flat_plane --scene step --set roma_like.points=200",
                         "--metric", "accuracy_mean_mm"}),
                    2)
                  .err,
              HasSubstr("must be one for each"));
}

TEST_F(BisectCommand, SaysWhatIsWrong) {
  EXPECT_THAT(exits(search({"--good", "HEAD"}), 2).err, HasSubstr("no commit follows --good HEAD"));
  EXPECT_THAT(exits(search({"--good", "v9"}), 2).err, HasSubstr("git rev-parse"));
  EXPECT_THAT(exits(search({"--good", "HEAD~5"}), 2).err, HasSubstr("--good HEAD~5: does not build"));
  EXPECT_THAT(exits(run("bisect --build true --run true"), 2).err, HasSubstr("--good is missing"));
}

}  // namespace
}  // namespace aqbench::testing
