// Where things are named: datasets, cases, methods, and the work that is kept of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A project with a dataset and two programs of its own: `mine` writes four points, `broken` says why not.
class Names : public UserFolder {
 protected:
  Names() {
    write("run.sh", shell_plane("$2/cloud.ply", "1.178") + "ls $1/images >$2/seen.txt\n");
    write("broken.sh", "echo no weights; exit 4\n");
    write("aqbench.json", R"({"version": 1, "datasets": {"reef": "data/tank"},
      "methods": [{"name": "mine", "command": "/bin/sh run.sh {dataset} {output}"},
                  {"name": "broken", "command": "/bin/sh broken.sh {dataset} {output}"}],
      "suites": [{"name": "all", "scenes": ["flat_plane"], "methods": ["roma_like", "lightglue_like"]}]})");
    succeeded(run("render flat_plane --rig single_pair --width 48 --mesh-pitch-mm 50 --out data/tank"));
  }
};

TEST_F(Names, ADatasetIsTheSameByNameAndByFolder) {
  for (const char* const given : {"reef", "data/tank", "dataset:reef"}) {
    const auto planned = succeeded(run("sweep --dataset {} --method mine --dry-run", given));
    EXPECT_THAT(planned.out, HasSubstr("dataset:reef/mine/seed=42")) << given;
  }
  EXPECT_THAT(run("sweep --dataset reaf --method mine --dry-run").err, HasSubstr("did you mean reef"));
  EXPECT_THAT(run("sweep --scene reef --method mine --dry-run").err, HasSubstr("--dataset reef"));
  const auto listed = run({"list", "datasets"});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("reef"), HasSubstr("layout calibration"), HasSubstr("2 cameras")));
  EXPECT_EQ(run("list --dataset data/tank").out, listed.out);
  EXPECT_EQ(run("list --dataset nowhere").exit_code, 2);
  EXPECT_EQ(run("ab --method-a mine --method-b broken --dataset reef --quick").exit_code, 3);
}

TEST_F(Names, WorkIsKeptWithALineThatRunsItAgain) {
  const auto swept =
      exits(run("sweep --dataset reef --method mine --method broken --keep-work=failed --out out"), 3);
  EXPECT_THAT(swept.err, Not(HasSubstr("mine/seed=42: its work")));
  EXPECT_THAT(swept.err, HasSubstr("broken/seed=42: its work is in "));
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "out.work" / bundle.filename().string()));
  const auto ran = succeeded(run("run mine --dataset reef --out result --keep-work"));
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
  EXPECT_EQ(run("run mine --dataset reef --out x --keep-work=some").exit_code, 2);
}

TEST_F(Names, WorkIsKeptBySeveralProcessesAndRefusedElsewhere) {
  const auto swept =
      exits(run("sweep --dataset reef --method mine --method broken --local 2 --keep-work"), 3);
  const auto kept = dir_ / "out.work" / only_bundle(dir_ / "out").filename().string();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(kept), {}), 2);
  EXPECT_THAT(swept.err, AllOf(HasSubstr("mine/seed=42: its work is in "),
                               HasSubstr("broken/seed=42: its work is in ")));
  EXPECT_THAT(run("sweep --dataset reef --method mine --slurm --keep-work").err,
              HasSubstr("--keep-work: not with --slurm; sweep the case again without --slurm"));
  EXPECT_THAT(run("ab --method-a mine --method-b broken --dataset reef --keep-work").err,
              HasSubstr("ab has no --keep-work; sweep and run have it"));
}

TEST_F(Names, ACaseIsFoundByTheNameThatTablesShow) {
  EXPECT_EQ(run("sweep --suite all --out out").exit_code, 0);
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_THAT(succeeded(run("replay {} --case flat_plane/roma_like", bundle)).out,
              HasSubstr("flat_plane/roma_like/seed=42"));
  const auto several = exits(run("replay {} --case flat_plane", bundle), 2);
  EXPECT_THAT(several.err,
              HasSubstr("may be flat_plane/lightglue_like/seed=42 or flat_plane/roma_like/seed=42"));
}

TEST_F(Names, APartOfASuiteIsGatedAndMethodsAreCompared) {
  EXPECT_EQ(run("sweep --suite all --out out").exit_code, 0);
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(run("accept {} --baseline all.json", bundle).exit_code, 0);
  const auto part =
      succeeded(run("sweep --suite all --method roma_like --out part --baseline all.json --gate"));
  EXPECT_THAT(part.out, AllOf(HasSubstr("did not run"), HasSubstr("flat_plane/lightglue_like/seed=42")));
  EXPECT_THAT(succeeded(run("compare {} --a-method roma_like --b-method lightglue_like", bundle)).out,
              AllOf(HasSubstr("precision at 2 mm"), HasSubstr("flat_plane")));
  succeeded(run("compare {} {} --a-method lightglue_like --b-method roma_like", bundle,
                only_bundle(dir_ / "part")));
  EXPECT_THAT(run("compare {} --a-method roma --b-method roma_like", bundle).err,
              HasSubstr("--a-method: unknown method 'roma'"));
  EXPECT_EQ(run({"compare", bundle}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
