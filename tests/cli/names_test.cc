// Where things are named: datasets, cases, methods, and the work that is kept of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A project with a dataset and two programs of its own: `mine` writes four points, `broken` says why not.
class Names : public ::testing::Test {
 protected:
  WithoutLibTorch program_;
  Names() {
    std::ofstream(dir_ / "run.sh")
        << "{ echo ply; echo format ascii 1.0; echo element vertex 4; echo property float x\n"
           "echo property float y; echo property float z; echo end_header\n"
           "for xy in '0 0' '0.01 0' '0 0.01' '0.012 0.009'; do echo $xy 1.178; done; } >$2/cloud.ply\n"
           "ls $1/images >$2/seen.txt\n";
    std::ofstream(dir_ / "broken.sh") << "echo no weights; exit 4\n";
    std::ofstream(dir_ / "aqbench.json") << R"({"version": 1, "datasets": {"reef": "data/tank"},
      "methods": [{"name": "mine", "command": "/bin/sh run.sh {dataset} {output}"},
                  {"name": "broken", "command": "/bin/sh broken.sh {dataset} {output}"}],
      "suites": [{"name": "all", "scenes": ["flat_plane"], "methods": ["roma_like", "lightglue_like"]}]})";
    const auto rendered = run({"render", "flat_plane", "--rig", "single_pair", "--width", "48",
                               "--mesh-pitch-mm", "50", "--out", "data/tank"});
    EXPECT_EQ(rendered.exit_code, 0) << rendered.err;
  }
  ProgramResult run(const Arguments& arguments) const {
    return run_program(arguments, {.working_dir = dir_.path()});
  }
  TemporaryDir dir_;
};

TEST_F(Names, ADatasetIsTheSameByNameAndByFolder) {
  for (const char* const given : {"reef", "data/tank", "dataset:reef"}) {
    const auto planned = run({"sweep", "--dataset", given, "--method", "mine", "--dry-run"});
    EXPECT_EQ(planned.exit_code, 0) << planned.err;
    EXPECT_THAT(planned.out, HasSubstr("dataset:reef/mine/seed=42")) << given;
  }
  EXPECT_THAT(run({"sweep", "--dataset", "reaf", "--method", "mine", "--dry-run"}).err,
              HasSubstr("did you mean reef"));
  EXPECT_THAT(run({"sweep", "--scene", "reef", "--method", "mine", "--dry-run"}).err,
              HasSubstr("--dataset reef"));
  const auto listed = run({"list", "datasets"});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("reef"), HasSubstr("layout calibration"), HasSubstr("2 cameras")));
  EXPECT_EQ(run({"list", "--dataset", "data/tank"}).out, listed.out);
  EXPECT_EQ(run({"list", "--dataset", "nowhere"}).exit_code, 2);
  EXPECT_EQ(
      run({"ab", "--method-a", "mine", "--method-b", "broken", "--dataset", "reef", "--quick"}).exit_code, 3);
}

TEST_F(Names, WorkIsKeptWithALineThatRunsItAgain) {
  const auto swept = run({"sweep", "--dataset", "reef", "--method", "mine", "--method", "broken",
                          "--keep-work=failed", "--out", "out"});
  EXPECT_EQ(swept.exit_code, 3);
  EXPECT_THAT(swept.err, Not(HasSubstr("mine/seed=42: its work")));
  EXPECT_THAT(swept.err, HasSubstr("broken/seed=42: its work is in "));
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "out.work" / bundle.filename().string()));
  const auto ran = run({"run", "mine", "--dataset", "reef", "--out", "result", "--keep-work"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::string mark = "again by hand: ";
  ASSERT_THAT(ran.err, HasSubstr(mark));
  const auto kept = (*std::filesystem::directory_iterator(dir_ / "result.work")).path();
  EXPECT_TRUE(std::filesystem::exists(kept / "dataset/calibration.json"));
  EXPECT_FALSE(std::filesystem::exists(kept / "dataset/truth"));
  // What the line does is what the method did.
  std::filesystem::rename(kept / "output/cloud.ply", kept / "first.ply");
  const std::string line = ran.err.substr(ran.err.find(mark) + mark.size());
  ASSERT_EQ(std::system(line.substr(0, line.find('\n')).c_str()), 0) << line;
  EXPECT_EQ(read_file(kept / "first.ply"), read_file(kept / "output/cloud.ply"));
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  EXPECT_EQ(run({"run", "mine", "--dataset", "reef", "--out", "x", "--keep-work=some"}).exit_code, 2);
}

TEST_F(Names, WorkIsKeptBySeveralProcessesAndRefusedElsewhere) {
  const Arguments words = {"sweep",    "--dataset", "reef",    "--method", "mine",
                           "--method", "broken",    "--local", "2",        "--keep-work"};
  const auto swept = run(words);
  EXPECT_EQ(swept.exit_code, 3) << swept.err;
  const auto kept = dir_ / "out.work" / only_bundle(dir_ / "out").filename().string();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kept), {}), 2);
  EXPECT_THAT(swept.err, AllOf(HasSubstr("mine/seed=42: its work is in "),
                               HasSubstr("broken/seed=42: its work is in ")));
  EXPECT_THAT(run({"sweep", "--dataset", "reef", "--method", "mine", "--slurm", "--keep-work"}).err,
              HasSubstr("--keep-work: not with --slurm; sweep the case again without --slurm"));
  EXPECT_THAT(
      run({"ab", "--method-a", "mine", "--method-b", "broken", "--dataset", "reef", "--keep-work"}).err,
      HasSubstr("ab has no --keep-work; sweep and run have it"));
}

TEST_F(Names, ACaseIsFoundByTheNameThatTablesShow) {
  EXPECT_EQ(run({"sweep", "--suite", "all", "--out", "out"}).exit_code, 0);
  const auto bundle = only_bundle(dir_ / "out");
  const auto replayed = run({"replay", bundle, "--case", "flat_plane/roma_like"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("flat_plane/roma_like/seed=42"));
  const auto several = run({"replay", bundle, "--case", "flat_plane"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err,
              HasSubstr("may be flat_plane/lightglue_like/seed=42 or flat_plane/roma_like/seed=42"));
}

TEST_F(Names, APartOfASuiteIsGatedAndMethodsAreCompared) {
  EXPECT_EQ(run({"sweep", "--suite", "all", "--out", "out"}).exit_code, 0);
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(run({"accept", bundle, "--baseline", "all.json"}).exit_code, 0);
  const auto part = run({"sweep", "--suite", "all", "--method", "roma_like", "--out", "part", "--baseline",
                         "all.json", "--gate"});
  EXPECT_EQ(part.exit_code, 0) << part.out;
  EXPECT_THAT(part.out, AllOf(HasSubstr("did not run"), HasSubstr("flat_plane/lightglue_like/seed=42")));
  const auto compared = run({"compare", bundle, "--a-method", "roma_like", "--b-method", "lightglue_like"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, AllOf(HasSubstr("accuracy_mean_mm"), HasSubstr("flat_plane")));
  const auto both = run({"compare", bundle, only_bundle(dir_ / "part"), "--a-method", "lightglue_like",
                         "--b-method", "roma_like"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(run({"compare", bundle, "--a-method", "roma", "--b-method", "roma_like"}).err,
              HasSubstr("--a-method: unknown method 'roma'"));
  EXPECT_EQ(run({"compare", bundle}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
