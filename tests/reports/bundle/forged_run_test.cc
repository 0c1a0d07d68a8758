// Lies about how a run went: its commands, its machine, its faults, its journal and its shards. Each has all
// hashes made right again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/planning/plan.h"
#include "harness/records/sealed_line.h"
#include "pipeline/method/method.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/merge.h"
#include "reports/bundle/verify.h"
#include "reports/content/test_run.h"
#include "tests/reports/bundle/forger.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using forging::ForgedSweep;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns what verify says of a bundle, each finding on one line.
std::string said_of_bundle(const fs::path& bundle) {
  std::string text = render_verify(verify_bundle(bundle));
  for (std::size_t at = 0; (at = text.find("\n    ", at)) != text.npos;) text.replace(at, 5, " ");
  return text;
}

class ForgedRun : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  Results results_ = synthetic_results();

  static SweepPlan seed_plan(std::size_t index = 1, std::size_t count = 1) {
    PlanRequest request;
    request.suite = "seed";
    request.threads = 2;
    request.shard = {index, count};
    return plan_sweep(request);
  }

  fs::path bundle_with(const std::vector<std::string>& flags) {
    return synthetic_bundle(directory_.path(), results_, seed_plan(), flags);
  }

  // Adds a command that goes on with the run.
  static void go_on(ForgedSweep& b) {
    const std::string commands = read_file(b.folder / "commands.txt"),
                      title = commands.substr(0, commands.find('\n') + 1),
                      first = commands.substr(title.size());
    std::string second = first;
    const std::size_t words = second.find("aqbench sweep");
    second.replace(words, second.find('\n', words) - words, "aqbench sweep --resume here");
    write_file(b.folder / "commands.txt", title + first + second);
  }

  // Returns what verify says of a bundle after a lie.
  static std::string said_of(const fs::path& bundle, const std::function<void(ForgedSweep&)>& lie) {
    const fs::path copy = bundle.parent_path() / "copy" / bundle.filename();
    fs::remove_all(copy);
    fs::create_directories(copy.parent_path());
    fs::copy(bundle, copy, fs::copy_options::recursive);
    ForgedSweep forged(copy);
    lie(forged);
    forged.seal();
    return said_of_bundle(copy);
  }
};

TEST_F(ForgedRun, TestsThatFailedGiveTheExitCode) {
  const fs::path bundle = bundle_with({"--with-tests"});
  const auto said = [&](const std::string& log, int code) {
    return said_of(bundle, [&](ForgedSweep& b) {
      write_file(b.folder / kTestsLog, log);
      b.edit("commands.txt", "exit code: 0", fmt::format("exit code: {}", code));
    });
  };
  const std::string passed = "# Tests\nexit code: 0\n\nresult: passed\n",
                    failed = "# Tests\nexit code: 8\n\nresult: failed: ctest ended with exit code 8\n";
  EXPECT_THAT(said(passed, 0), HasSubstr("\nverified"));
  EXPECT_THAT(said(failed, 1), HasSubstr("\nverified"));
  EXPECT_THAT(said(failed, 0), HasSubstr("says exit code 0, a run without a gate and the tests give 1"));
  EXPECT_THAT(said(passed, 77), HasSubstr("says exit code 77"));
  EXPECT_THAT(said("# Tests of here, 1999-01-01T00:00:00Z\n\nresult: passed\n", 0),
              HasSubstr("1999-01-01T00:00:00Z' is within no command"));
  EXPECT_THAT(said("# Tests of here, 2025-05-20T10:11:13Z\n\nresult: passed\n", 0), HasSubstr("\nverified"));
  EXPECT_THAT(said("exit code: 0\n", 0), HasSubstr("says exit code 0"));
  EXPECT_THAT(
      said("# Tests\n1/2 Test #1: core ....***Failed    0.01 sec\nexit code: 0\n\nresult: passed\n", 0),
      HasSubstr("says that the tests passed, and '1/2 Test #1"));
}

// The first of two commands, which left cases for the other one or did not.
TEST_F(ForgedRun, AnEarlierCommandWasInterruptedIfCasesWereLeft) {
  const fs::path bundle = bundle_with({});
  const auto said = [&](int code, bool left_cases, const std::string& flag = "") {
    return said_of(bundle, [&](ForgedSweep& b) {
      go_on(b);
      b.edit("commands.txt", "exit code: 0", fmt::format("exit code: {}", code));
      if (!flag.empty()) b.edit("commands.txt", "aqbench sweep", "aqbench sweep " + flag);
      Json line;
      line["resumed"] = {{"utc", b.run()["started_utc"]}, {"environment", b.header()["environment"]}};
      b.journal.insert(b.journal.end() - (left_cases ? 1 : 0), line);
    });
  };
  EXPECT_THAT(said(130, true), HasSubstr("\nverified"));
  EXPECT_THAT(said(0, false), HasSubstr("\nverified"));
  EXPECT_THAT(said(1, false, "--with-tests=elsewhere"), Not(HasSubstr("of command 1")));
  EXPECT_THAT(said(0, true, "--local 2"), Not(HasSubstr("of command 1"))) << "others may have cases";
  EXPECT_THAT(said(0, true), HasSubstr("says exit code 0 of command 1, after which some cases were left"));
  for (const int code : {1, 3, 130, 255})
    EXPECT_THAT(said(code, false), HasSubstr(fmt::format("says exit code {} of command 1", code)));
}

TEST_F(ForgedRun, TheJournalIsResumedAsACommandBegins) {
  const fs::path bundle = bundle_with({});
  const auto said = [&](const char* resumed_utc) {
    return said_of(bundle, [&](ForgedSweep& b) {
      go_on(b);
      Json line;
      line["resumed"] = {{"utc", resumed_utc}, {"environment", b.header()["environment"]}};
      b.journal.push_back(line);
    });
  };
  EXPECT_THAT(said("2025-05-20T10:11:12Z"), HasSubstr("\nverified"));
  EXPECT_THAT(said("2025-05-20T10:11:13Z"), HasSubstr("the journal at 2025-05-20T10:11:13Z"));
}

TEST_F(ForgedRun, FaultsAreThoseThatTheStagesShow) {
  const std::string stage = find_method("roma_like").stages.front();
  const auto said = [&](const std::string& effect, std::uint64_t times) {
    Results results = synthetic_results();
    for (Record& record : results.records)
      if (record.method == "roma_like") record.injected = {{stage, effect, times}};
    const TemporaryDirectory folder;
    return said_of_bundle(synthetic_bundle(folder.path(), results));
  };
  EXPECT_THAT(said("10ms", 1), HasSubstr("\nverified")) << "of 12.5 ms";
  EXPECT_THAT(said("corrupt", 1), HasSubstr("\nverified"));
  EXPECT_THAT(said("5s", 1), HasSubstr("5s struck in stage"));
  EXPECT_THAT(said("+5%", 1000), HasSubstr("struck 1000 times in 1 calls"));
  for (const char* const deadly : {"throw", "abort", "hang", "oom"})
    EXPECT_THAT(said(deadly, 1), HasSubstr("and the case ended well")) << deadly;
}

TEST_F(ForgedRun, ACaseFailedByAFaultThatStruck) {
  Record& record = results_.records[1];
  const auto said = [&](std::uint64_t times) {
    const std::string stage = find_method(record.method).stages.front();
    record.status = Status::failed;
    record.reason = fmt::format("injected failure in stage '{}'", stage);
    record.injected = {{stage, "throw", times}};
    record.timing = {};
    record.output_sha256.clear();
    record.stages.clear();
    const TemporaryDirectory folder;
    return said_of_bundle(synthetic_bundle(folder.path(), results_));
  };
  EXPECT_THAT(said(1), HasSubstr("\nverified"));
  EXPECT_THAT(said(0), HasSubstr("no fault struck, and the case failed by one"));
}

TEST_F(ForgedRun, AMachineContradictsNothing) {
  const fs::path bundle = bundle_with({});
  constexpr std::uint64_t kTotal = std::uint64_t{8} << 30;
  const auto said = [&](const std::function<void(Json&)>& lie) {
    return said_of(bundle, [&](ForgedSweep& b) {
      b.environment([&](Json& environment) {
        environment["cpu"]["affinity"] = {0, 1};
        environment["comparability"]["cores"] = 2;
        environment["comparability"]["memory"] = "4 to 8 GiB";
        environment["memory"] = {{"total_bytes", kTotal}, {"available_bytes", kTotal / 2}};
        lie(environment);
      });
      b.run()["effective"]["memory_limit_bytes"] = memory_limit_bytes(kTotal, std::nullopt);
    });
  };
  EXPECT_THAT(said([](Json&) {}), HasSubstr("\nverified"));
  const std::pair<std::function<void(Json&)>, const char*> kLies[] = {
      {[](Json& e) {
         e["comparability"] = {{"mixed", "x"}};
       },
       "comparability.mixed: is that of no machine"},
      {[](Json& e) { e.erase("comparability"); }, "environment.comparability is missing"},
      {[](Json& e) { e["comparability"] = "unknown"; }, "environment.comparability is no object"},
      {[](Json& e) { e["cpu"]["cores_online"] = "two"; }, "environment.cpu.cores_online is no number"},
      {[](Json& e) { e["memory"]["total_bytes"] = "much"; }, "environment.memory.total_bytes is no number"},
      {[](Json& e) { e["cpu"]["cores_usable"] = 64; }, "cores_usable are more than"},
      {[](Json& e) { e["memory"]["available_bytes"] = 2 * kTotal; }, "available_bytes are more than"},
      {[](Json& e) { e["memory"]["total_bytes"] = 2 * kTotal; }, "memory_limit_bytes is 6442450944, the"},
      {[](Json& e) { e["memory"]["cgroup_limit_bytes"] = kTotal / 4; }, "memory_limit_bytes is 6442450944"}};
  for (const auto& [lie, finding] : kLies) EXPECT_THAT(said(lie), HasSubstr(finding));
}

TEST_F(ForgedRun, ThreadsThatNobodyAskedForAreThoseOfTheCases) {
  PlanRequest request;
  request.suite = "seed";
  const fs::path bundle = synthetic_bundle(directory_.path(), results_, plan_sweep(request));
  EXPECT_THAT(said_of(bundle, [](ForgedSweep& b) { b.environment([](Json& e) { e["threads"] = 4096; }); }),
              HasSubstr("environment.threads is 4096, the cases ran with"));
}

TEST_F(ForgedRun, ThoseOfAnotherBuildAreNoted) {
  const fs::path bundle = bundle_with({});
  const std::string said = said_of(bundle, [](ForgedSweep& b) {
    const std::string other(64, 'f');
    b.header()["program"]["sha256"] = other;
    b.environment([&](Json& environment) { environment["build"]["program_sha256"] = other; });
  });
  EXPECT_THAT(said, HasSubstr("note: of another build of aqbench"));
  EXPECT_THAT(said_of(bundle, [](ForgedSweep&) {}), Not(HasSubstr("another build")));
}

TEST_F(ForgedRun, AJournalHoldsNothingElse) {
  const fs::path bundle = bundle_with({});
  const auto said = [&](const std::function<void(Json&)>& lie) {
    return said_of(bundle, [&](ForgedSweep& b) { lie(b.header()); });
  };
  EXPECT_THAT(said([](Json& head) { head["approved_by"] = "us"; }), HasSubstr("approved_by"));
  EXPECT_THAT(said([](Json& head) { head["run"]["operator"] = "us"; }), HasSubstr("operator"));
  EXPECT_THAT(said([](Json& head) { head["program"]["vendor"] = "us"; }), HasSubstr("vendor"));
  EXPECT_THAT(said_of(bundle,
                      [](ForgedSweep& b) {
                        Json line;
                        line["resumed"] = {{"utc", b.run()["finished_utc"]},
                                           {"environment", b.header()["environment"]},
                                           {"by", "us"}};
                        b.journal.push_back(line);
                      }),
              HasSubstr("by"));
}

TEST_F(ForgedRun, CasesOfTheLogBeganAtATime) {
  const fs::path bundle = bundle_with({});
  EXPECT_THAT(
      said_of(bundle, [](ForgedSweep& b) { b.edit("bench.log", "== 2025-05-20T", "== 2025-99-99T"); }),
      HasSubstr("has no time"));
}

TEST_F(ForgedRun, TheLogTellsOfCasesInTheirOrder) {
  const fs::path bundle = bundle_with({});
  EXPECT_THAT(said_of(bundle, [](ForgedSweep& b) { std::swap(b.journal[1], b.journal[2]); }),
              HasSubstr("where the journal has it"));
  EXPECT_THAT(
      said_of(bundle, [](ForgedSweep& b) { b.journal[1]["log"]["bytes"] = b.journal[4]["log"]["bytes"]; }),
      HasSubstr("where the journal has it"));
}

// A line in another form than aqbench writes hides what no reader sees.
TEST(CompactJson, IsWhatTheLibraryWrites) {
  for (const char* const good : {"{}", R"({"a b":[1,"x\n\u001f\"\\ y\t"]})", "[1.5e-07,null]"})
    EXPECT_TRUE(is_compact_json(good)) << good;
  EXPECT_TRUE(is_compact_json(Json{{"text", std::string("\x01\x1f\x7f\xc3\xbc \"/\\")}}.dump()));
  for (const char* const bad :
       {R"({"a": 1})", "[1,\t2]", "[1]\r", R"(["\u0061"])", R"(["\/"])", R"(["\u001F"])"})
    EXPECT_FALSE(is_compact_json(bad)) << bad;
}

TEST_F(ForgedRun, AMergeAddsNothingToItsShards) {
  std::vector<fs::path> shards;
  for (const std::size_t i : {1, 2}) {
    Results results = synthetic_results();
    const SweepPlan plan = seed_plan(i, 2);
    results.records.clear();
    for (const Case& planned : plan.cases)
      results.records.push_back(
          synthetic_record(planned.scene, planned.method, static_cast<int>(planned.seed), 1));
    results.run.id = fmt::format("run{}", i);
    shards.push_back(synthetic_bundle(directory_.path(), results, plan, {"--note", "from here"}));
    write_file(shards.back() / "notes.txt", "from here\n");
    finalise_bundle(shards.back(), results);
  }
  const fs::path merged = merge_bundles(shards, directory_ / "out", {"aqbench", "merge"});
  EXPECT_THAT(said_of(merged, [](ForgedSweep&) {}), HasSubstr("\nverified"));
  const auto put = [&](const char* file, const std::string& text) {
    return said_of(merged, [&](ForgedSweep& b) { write_file(b.folder / file, text); });
  };
  EXPECT_THAT(put("tests.log", "\nresult: passed\n"), HasSubstr("tests.log: a merge runs no tests"));
  EXPECT_THAT(put("notes.txt", "checked\n"), HasSubstr("notes.txt: is not the notes of the shards"));
  EXPECT_THAT(put("baseline.json", baseline_text(synthetic_baseline(results_))),
              HasSubstr("baseline.json: is not what all shards were gated on"));
  const std::pair<std::function<void(ForgedSweep&)>, const char*> kLies[] = {
      {[](ForgedSweep& b) { write_file(b.folder / "shards/1-run1/certificate.pdf", "x"); },
       "was in no shard"},
      {[](ForgedSweep& b) {
         const fs::path list = b.folder / "shards/1-run1/sha256.txt";
         const std::string text = read_file(list);
         const std::size_t at = text.find("  env.json\n");
         write_file(list, text.substr(0, at - 64) + text.substr(at + 11));
       },
       "lacks env.json, which every bundle has"},
      {[](ForgedSweep& b) { fs::remove(b.folder / "notes.txt"); }, "notes.txt: is not the notes"},
      {[](ForgedSweep& b) { b.environment([](Json& e) { e["cpu"]["model"] = "Cray-1"; }); },
       "environment is not what the environments of the shards give"},
      {[](ForgedSweep& b) { b.run()["effective"]["merged_from"][0]["approved"] = true; },
       "is no list of runs"},
      {[](ForgedSweep& b) { b.run()["finished_utc"] = "2030-05-20T10:11:14Z"; }, "is after the last shard"},
      {[](ForgedSweep& b) {
         b.run()["started_utc"] = b.header()["run"]["started_utc"] = "2025-05-20T10:00:00Z";
       },
       "is not when the first shard began"},
      {[](ForgedSweep& b) { b.edit("commands.txt", "\nreal ", "\nreal 999999"); }, "real 999999"},
      {[](ForgedSweep& b) { b.edit("commands.txt", "\nuser ", "\nuser 999999"); }, "user and sys 999999"},
      {[](ForgedSweep& b) { b.edit("commands.txt", "started: 20", "started: 19"); }, "what ended at 2025"}};
  for (const auto& [lie, finding] : kLies) EXPECT_THAT(said_of(merged, lie), HasSubstr(finding));
  EXPECT_THAT(said_of(merged,
                      [](ForgedSweep& b) {
                        for (Json& shard : b.results["environment"]["shards"]) {
                          shard["environment"]["memory"] = {{"total_bytes", std::uint64_t{9} << 30}};
                          shard["environment"]["comparability"] = {{"memory", "8 to 16 GiB"}};
                        }
                        b.record("flat_plane",
                                 [](Json& one) { one["peak_rss_bytes"] = std::uint64_t{17} << 30; });
                      }),
              HasSubstr("of a machine with 17179869184"));
}

}  // namespace
}  // namespace aqbench
