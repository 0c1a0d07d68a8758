// Who ran as a program of the user: recorded, shown, and compared before a replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const kScript =
    "cat weights/a.bin >/dev/null || exit 5\n"
    "{ echo ply; echo format ascii 1.0; echo element vertex 4; echo property float x\n"
    "echo property float y; echo property float z; echo end_header\n"
    "for xy in '0 0' '0.01 0' '0 0.01' '0.012 0.009'; do echo $xy 1.178; done; } >$1/cloud.ply\n"
    "echo '{\"stages\": [{\"name\": \"load\", \"ms\": 0.5}]}' >$1/stages.json\n";

class GuestRun : public ::testing::Test {
 protected:
  WithoutLibTorch program_;
  GuestRun() {
    std::filesystem::create_directories(dir_ / "weights");
    write("run.sh", kScript);
    write("weights/a.bin", "a");
    write("weights/b.bin", "b");
    write("aqbench.json", R"({"version": 1, "methods": [
      {"name": "mine", "command": "/bin/sh run.sh {output}", "reads": ["weights"]},
      {"name": "boxed", "command": "/bin/sh run.sh {output}", "runs_in": {"apptainer": "box.sif"}},
      {"name": "inside", "command": "launch run.sh {output}", "runs_in": {"venv": "env"}, "reads": ["weights"]}]})");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ / name) << text; }
  void write_program(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((dir_ / name).parent_path());
    write(name, text);
    std::filesystem::permissions(dir_ / name, std::filesystem::perms::owner_all);
  }
  ProgramResult run(const Arguments& arguments) const {
    return run_program(arguments, {.working_dir = dir_.path()});
  }
  json sweep(const std::string& method, int exit_code = 0) {
    const auto swept = run({"sweep", "--scene", "flat_plane", "--method", method, "--out", dir_ / method});
    EXPECT_EQ(swept.exit_code, exit_code) << swept.err << swept.out;
    bundle_ = only_bundle(dir_ / method);
    std::ifstream file(bundle_ / "results.json");
    return json::parse(file).at("records").at(0);
  }
  TemporaryDir dir_;
  std::filesystem::path bundle_;
};

TEST_F(GuestRun, ProgramScriptAndWeightsAreRecordedAndAnotherOneIsNotReplayed) {
  const json guest = sweep("mine").at("guest");
  const json& files = guest["files"];
  EXPECT_EQ(files["run.sh"], sha256_hex(kScript));
  EXPECT_EQ(files["weights/"], sha256_hex("a.bin " + sha256_hex("a") + "\nb.bin " + sha256_hex("b") + "\n"));
  EXPECT_EQ(files["/bin/sh"], sha256_file_hex("/bin/sh"));
  EXPECT_EQ(run({"verify", bundle_}).exit_code, 0);
  const std::string summary = read_file(bundle_ / "summary.md");
  EXPECT_THAT(summary, HasSubstr("program of mine: /bin/sh "));
  EXPECT_THAT(summary, HasSubstr("run.sh " + sha256_hex(kScript).substr(0, 12)));
  EXPECT_THAT(summary, HasSubstr("loading takes 0.000500 s"));
  EXPECT_EQ(run({"replay", bundle_, "--all"}).exit_code, 0);
  write("run.sh", std::string(kScript) + "#");
  const auto changed = run({"replay", bundle_, "--all"});
  EXPECT_EQ(changed.exit_code, 4) << changed.out;
  EXPECT_THAT(changed.err, AllOf(HasSubstr("another program would run: run.sh is "),
                                 HasSubstr("was " + sha256_hex(kScript).substr(0, 12))));
  write("run.sh", kScript);
  write("weights/b.bin", "c");
  const auto retrained = run({"replay", bundle_, "--all"});
  EXPECT_EQ(retrained.exit_code, 4);
  EXPECT_THAT(retrained.err, HasSubstr("another program would run: weights/ is "));
}

TEST_F(GuestRun, TheCommitOfItsRepositoryIsRecordedAndShown) {
  const std::string git = "git -c user.name=a -c user.email=a@b.c -C '" + dir_.path().string() + "' ";
  if (std::system(
          (git + "init -q && " + git + "add run.sh weights && " + git + "commit -qm first").c_str()) != 0)
    GTEST_SKIP() << "git does not work here";
  const json clean = sweep("mine").at("guest");
  const auto commit = clean["commit"].get<std::string>();
  EXPECT_EQ(commit.size(), 40U);
  EXPECT_EQ(clean["changed"], false);
  const auto first = dir_ / "first";
  std::filesystem::rename(bundle_, first);
  ASSERT_EQ(run({"accept", first, "--baseline", dir_ / "base.json"}).exit_code, 0);
  EXPECT_THAT(read_file(dir_ / "base.json"), HasSubstr("\"repository\": \"" + commit.substr(0, 12) + "\""));
  EXPECT_THAT(read_file(first / "report.html"), HasSubstr("commit " + commit.substr(0, 12)));
  write("weights/b.bin", "c");
  std::filesystem::remove_all(dir_ / "mine");
  EXPECT_EQ(sweep("mine").at("guest")["changed"], true);
  const auto compared = run({"compare", first, bundle_});
  EXPECT_THAT(compared.out + compared.err,
              HasSubstr("commit " + commit.substr(0, 12) + ", changed (aqbench "));
}

// Its stage takes one millisecond for each photograph, mask and file of poses of the recording that it
// reaches.
TEST_F(GuestRun, HeldOutViewsAreOutOfReach) {
  std::filesystem::copy(AQBENCH_SOURCE_DIR "/conformance/layouts/colmap-text", dir_ / "data",
                        std::filesystem::copy_options::recursive);
  write("look.sh",
        "n=0; for f in data/images/* data/masks/* data/sparse/0/images.txt; do\n"
        "cat $f >/dev/null 2>&1 && n=$((n + 1)); done\n"
        "echo '0 0 1' >$1/cloud.xyz; [ -d $2/images ] &&\n"
        "echo '{\"stages\": [{\"name\": \"reached\", \"ms\": '$n'}]}' >$1/stages.json\n");
  write("aqbench.json", R"({"version": 1, "methods": [{"name": "look", "result": "cloud.xyz",
      "command": "/bin/sh look.sh {output} {dataset}"}]})");
  for (const auto& [hold_out, reached] : {std::pair("0", 12 + 8 + 1), std::pair("3", 8 + 4)}) {
    const auto out = dir_ / (std::string("out") + hold_out);
    const auto swept = run({"sweep", "--scene", "dataset:data", "--method", "look", "--set",
                            std::string("dataset.hold_out=") + hold_out, "--out", out});
    ASSERT_EQ(swept.exit_code, 0) << swept.err << swept.out;
    const json record = json::parse(read_file(only_bundle(out) / "results.json")).at("records").at(0);
    if (record.at("isolation").get<std::string>().starts_with("none")) GTEST_SKIP() << "no isolation here";
    for (const json& stage : record.at("stages"))
      if (stage.at("name") == "reached") {
        EXPECT_EQ(stage.at("wall_ms").at(0), reached) << "hold_out " << hold_out;
      }
    EXPECT_THAT(record.at("stages").dump(), HasSubstr("reached"));
  }
}

TEST_F(GuestRun, AnEnvironmentComesFirstInThePathAndItsLockIsRecorded) {
  EXPECT_THAT(run({"sweep", "--scene", "flat_plane", "--method", "inside"}).err,
              HasSubstr("is not an environment of venv: it has no folder bin"));
  write_program("env/bin/launch",
                "#!/bin/sh\ncommand -v inner >\"$2/where.txt\"\n[ -n \"$VIRTUAL_ENV\" ] || exit 7\n"
                "inner && exec /bin/sh \"$@\"\n");
  write_program("env/bin/inner", "#!/bin/sh\nexit 0\n");
  write("requirements.txt", "numpy==1.0\n");
  const json guest = sweep("inside").at("guest");
  EXPECT_EQ(guest["runs_in"], "venv env");
  EXPECT_EQ(guest["files"]["requirements.txt"], sha256_hex("numpy==1.0\n"));
  EXPECT_TRUE(guest["files"].contains("env/bin/launch")) << guest;
}

TEST_F(GuestRun, AContainerThatCannotStartInsideTheIsolationIsSkipped) {
  EXPECT_THAT(run({"sweep", "--scene", "flat_plane", "--method", "boxed"}).err, HasSubstr("runs_in: "));
  write("box.sif", "an image");
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", ((dir_ / "tools").string() + ":" + path).c_str(), 1), 0);
  write_program("tools/apptainer", "#!/bin/sh\necho no user namespaces here >&2\nexit 255\n");
  const json skipped = sweep("boxed");
  EXPECT_EQ(skipped["status"], "skipped");
  EXPECT_THAT(skipped["reason"].get<std::string>(),
              AllOf(HasSubstr("apptainer cannot start image box.sif inside the isolation"),
                    HasSubstr("no user namespaces here")));
  EXPECT_EQ(skipped["guest"]["files"]["box.sif"], sha256_hex("an image"));
  std::filesystem::remove_all(dir_ / "boxed");
  // One that starts: it drops its own words up to the image.
  write_program("tools/apptainer",
                "#!/bin/sh\nwhile [ \"${1##*/}\" != box.sif ]; do shift; done\nshift\nexec \"$@\"\n");
  write("weights/a.bin", "a");
  EXPECT_EQ(sweep("boxed")["status"], "ok");
  ASSERT_EQ(::setenv("PATH", path.c_str(), 1), 0);
}

}  // namespace
}  // namespace aqbench::testing
