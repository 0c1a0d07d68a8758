// Who ran as a program of the user: recorded, shown, and compared before a replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"
#include "tests/cli/when_lines.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kScript = "cat weights/a.bin >/dev/null || exit 5\n" +
                            shell_plane("$1/cloud.ply", "1.178") +
                            "echo '{\"stages\": [{\"name\": \"load\", \"ms\": 0.5}]}' >$1/stages.json\n";

class GuestRun : public UserFolder {
 protected:
  GuestRun() {
    write("run.sh", kScript);
    write("weights/a.bin", "a");
    write("weights/b.bin", "b");
    write("aqbench.json", R"({"version": 1, "methods": [
      {"name": "mine", "command": "/bin/sh run.sh {output}", "reads": ["weights"]},
      {"name": "boxed", "command": "/bin/sh run.sh {output}", "runs_in": {"apptainer": "box.sif"}},
      {"name": "inside", "command": "launch run.sh {output}", "runs_in": {"venv": "env"}, "reads": ["weights"]}]})");
  }
  json record_of(const std::string& method) {
    return sweep(method, words("--scene flat_plane --method {}", method)).at("records").at(0);
  }
};

TEST_F(GuestRun, ProgramScriptAndWeightsAreRecordedAndAnotherOneIsNotReplayed) {
  const json guest = record_of("mine").at("guest");
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
  write("run.sh", kScript + "#");
  EXPECT_THAT(exits(run({"replay", bundle_, "--all"}), 4).err,
              AllOf(HasSubstr("another program would run: run.sh is "),
                    HasSubstr("was " + sha256_hex(kScript).substr(0, 12))));
  write("run.sh", kScript);
  write("weights/b.bin", "c");
  EXPECT_THAT(exits(run({"replay", bundle_, "--all"}), 4).err,
              HasSubstr("another program would run: weights/ is "));
}

// One result has one program: whatever would mix two is refused, and names the file.
TEST_F(GuestRun, IsTheSameInAResumedSweepInShardsAndInWhatIsAccepted) {
  const Arguments three = words("--scene flat_plane --method mine --repeat 3");
  ProgramOptions interrupt;
  interrupt.interrupt_when = [&] { return bundle_lines(dir_ / "part", "journal.jsonl") >= 2; };
  exits(run(with({"sweep", "--out", dir_ / "part"}, three), interrupt), 130);
  const auto part = only_bundle(dir_ / "part");
  const auto records = [&] { return json_file(part / "results.json").at("records").size(); };
  ASSERT_LT(records(), 3u);
  const std::string verified = run({"verify", part}).out;
  write("weights/b.bin", "c");
  EXPECT_THAT(exits(run({"sweep", "--resume", part}), 4).err,
              AllOf(HasSubstr("another program than in flat_plane/mine/"), HasSubstr("weights/ is ")));
  EXPECT_EQ(run({"verify", part}).out, verified) << "a refusal writes nothing";
  write("weights/b.bin", "b");
  succeeded(run({"sweep", "--resume", part}));
  EXPECT_EQ(records(), 3u);

  const Arguments shards = with(three, words("--threads 1 --shard"));
  succeeded(run(with({"sweep", "--out", dir_ / "shards"}, with(shards, {"1/2"}))));
  write("run.sh", kScript + "#");
  succeeded(run(with({"sweep", "--out", dir_ / "shards"}, with(shards, {"2/2"}))));
  Arguments merge = {"merge", "--out", dir_ / "merged"};
  for (const auto& shard : std::filesystem::directory_iterator(dir_ / "shards"))
    merge.push_back(shard.path());
  EXPECT_THAT(exits(run(merge), 4).err,
              AllOf(HasSubstr("run.sh is "), HasSubstr("was "), HasSubstr((dir_ / "shards").string())));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "merged"));

  // A bundle in which an earlier version mixed two.
  Results results = read_results(part / "results.json");
  JournalHeader header = read_journal(part, TornTail::refuse).header;
  std::string& hash = results.records.back().guest->files.front().second;
  hash = std::string(64, 'a');
  write_file(dir_ / "mixed.json", results_text(results));
  EXPECT_THAT(exits(run("gate mixed.json --baseline {}", AQBENCH_SOURCE_DIR "/baselines/seed.json"), 4).err,
              HasSubstr("/bin/sh is aaaaaaaaaaaa, was "));
}

TEST_F(GuestRun, ThatChangesWhileItRunsStopsTheSweep) {
  write("aqbench.json", R"({"version": 1, "methods": [
      {"name": "mine", "command": "/bin/sh run.sh {output}", "reads": ["weights"]}]})");
  std::thread editor = when_lines(dir_ / "out", 2, [&] { write("weights/a.bin", "another"); });
  const auto stopped = run(words("sweep --scene flat_plane --method mine --repeat 200 --out out"));
  editor.join();
  EXPECT_THAT(exits(stopped, 4).err, AllOf(HasSubstr("weights/ is "), HasSubstr("was ")));
  write("weights/a.bin", "a");
  // What ran is there, and goes on with the first program.
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_GE(bundle_lines(dir_ / "out", "journal.jsonl"), 2u);
  const std::vector<Record> records = read_journal(bundle, TornTail::refuse).records;
  for (const Record& record : records) EXPECT_EQ(record.guest->files, records.front().guest->files);
}

TEST_F(GuestRun, TheCommitOfItsRepositoryIsRecordedAndShown) {
  const std::string git = "git -c user.name=a -c user.email=a@b.c -C '" + dir_.path().string() + "' ";
  if (std::system(
          (git + "init -q && " + git + "add run.sh weights && " + git + "commit -qm first").c_str()) != 0)
    GTEST_SKIP() << "git does not work here";
  const json clean = record_of("mine").at("guest");
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
  EXPECT_EQ(record_of("mine").at("guest")["changed"], true);
  const auto compared = run({"compare", first, bundle_});
  EXPECT_THAT(compared.out + compared.err,
              HasSubstr("commit " + commit.substr(0, 12) + ", changed (aqbench "));
}

// Its stage takes one microsecond for each photograph, mask and file of poses of the recording that it
// reaches.
TEST_F(GuestRun, HeldOutViewsAreOutOfReach) {
  std::filesystem::copy(AQBENCH_SOURCE_DIR "/conformance/layouts/colmap-text", dir_ / "data",
                        std::filesystem::copy_options::recursive);
  write("look.sh",
        "n=0; for f in data/images/* data/masks/* data/sparse/0/images.txt; do\n"
        "cat $f >/dev/null 2>&1 && n=$((n + 1)); done\n"
        "echo '0 0 1' >$1/cloud.xyz; [ -d $2/images ] &&\n"
        "echo '{\"stages\": [{\"name\": \"reached\", \"ms\": '$n'e-3}]}' >$1/stages.json\n");
  write("aqbench.json", R"({"version": 1, "methods": [{"name": "look", "result": "cloud.xyz",
      "command": "/bin/sh look.sh {output} {dataset}"}]})");
  for (const auto& [hold_out, reached] : {std::pair("0", 12 + 8 + 1), std::pair("3", 8 + 4)}) {
    const json record = sweep(std::string("out") + hold_out,
                              words("--scene dataset:data --method look --set dataset.hold_out={}", hold_out))
                            .at("records")
                            .at(0);
    if (record.at("isolation").get<std::string>().starts_with("none")) GTEST_SKIP() << "no isolation here";
    for (const json& stage : record.at("stages"))
      if (stage.at("name") == "reached") {
        EXPECT_DOUBLE_EQ(stage.at("wall_ms").at(0).get<double>(), 1e-3 * reached) << "hold_out " << hold_out;
      }
    EXPECT_THAT(record.at("stages").dump(), HasSubstr("reached"));
  }
}

TEST_F(GuestRun, AnEnvironmentComesFirstInThePathAndItsLockIsRecorded) {
  EXPECT_THAT(run("sweep --scene flat_plane --method inside").err,
              HasSubstr("is not an environment of venv: it has no folder bin"));
  write_program(dir_ / "env/bin/launch",
                "#!/bin/sh\ncommand -v inner >\"$2/where.txt\"\n[ -n \"$VIRTUAL_ENV\" ] || exit 7\n"
                "inner && exec /bin/sh \"$@\"\n");
  write_program(dir_ / "env/bin/inner", "#!/bin/sh\nexit 0\n");
  write("requirements.txt", "numpy==1.0\n");
  const json guest = record_of("inside").at("guest");
  EXPECT_EQ(guest["runs_in"], "venv env");
  EXPECT_EQ(guest["files"]["requirements.txt"], sha256_hex("numpy==1.0\n"));
  EXPECT_TRUE(guest["files"].contains("env/bin/launch")) << guest;
}

TEST_F(GuestRun, AContainerThatCannotStartInsideTheIsolationIsSkipped) {
  EXPECT_THAT(run("sweep --scene flat_plane --method boxed").err, HasSubstr("runs_in: "));
  write("box.sif", "an image");
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", ((dir_ / "tools").string() + ":" + path).c_str(), 1), 0);
  write_program(dir_ / "tools/apptainer", "#!/bin/sh\necho no user namespaces here >&2\nexit 255\n");
  const json skipped = record_of("boxed");
  EXPECT_EQ(skipped["status"], "skipped");
  EXPECT_THAT(skipped["reason"].get<std::string>(),
              AllOf(HasSubstr("apptainer cannot start image box.sif inside the isolation"),
                    HasSubstr("no user namespaces here")));
  EXPECT_EQ(skipped["guest"]["files"]["box.sif"], sha256_hex("an image"));
  std::filesystem::remove_all(dir_ / "boxed");
  // One that starts: it drops its own words up to the image.
  write_program(dir_ / "tools/apptainer",
                "#!/bin/sh\nwhile [ \"${1##*/}\" != box.sif ]; do shift; done\nshift\nexec \"$@\"\n");
  write("weights/a.bin", "a");
  EXPECT_EQ(record_of("boxed")["status"], "ok");
  ASSERT_EQ(::setenv("PATH", path.c_str(), 1), 0);
}

}  // namespace
}  // namespace aqbench::testing
