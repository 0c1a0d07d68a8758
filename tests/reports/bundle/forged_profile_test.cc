// Lies about a profile, each with all hashes made right again: verify must find every one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>

#include "core/files.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/profiling/profile.h"
#include "harness/records/profile_details.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/html/flamegraph.h"
#include "reports/text/profile_text.h"
#include "reports/text/summary.h"
#include "tests/reports/bundle/forger.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using forging::ForgedSweep;

constexpr const char* kProfiled = "flat_plane/roma_like";
constexpr const char* kFailedProfile = "flat_plane/lightglue_like";

// Profiles two methods as the command does; with `samples` there are stacks, a flamegraph and a trace.
fs::path honest_profile(const fs::path& folder, bool samples) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  if (!samples) request.methods.push_back("lightglue_like");
  if (!samples) request.injects = {parse_inject("*lightglue_like*:simulation=throw")};
  request.threads = 1;
  const ProfileOptions options{.repetitions = samples ? 3 : 1,
                               .plain_runs = samples,
                               .trace = samples,
                               .sampler = samples ? SamplerChoice::in_process : SamplerChoice::none};
  std::vector<std::string> words = {"aqbench", "profile", "roma_like", "--threads", "1"};
  if (samples)
    words.insert(words.end(), {"--trace", "--flamegraph", "--sampler=in-process"});
  else
    words.insert(words.end(), {"--repetitions", "1", "lightglue_like", "--no-plain", "--sampler", "none",
                               "--inject", "*lightglue_like*:simulation=throw"});
  const SweepPlan plan = plan_sweep(request);
  const Json environment = environment_json({1, "cpu"});
  const fs::path bundle = create_bundle_dir(folder, std::chrono::system_clock::now());
  const RunClock clock;
  Journal journal = Journal::create(bundle, plan, bundle.filename().string(), utc_now(), environment);
  begin_command(bundle, utc_now(), read_git_state("."), words);
  run_sweep(plan, journal, {},
            [&](const Case& planned, CaseBoard& board) { return run_profile(planned, options, board); });
  Results results;
  results.run.id = journal.header().run_id;
  results.run.started_utc = journal.header().started_utc;
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.text_version = kSummaryVersion;
  results.run.requested = requested_json(plan.request);
  Json effective = effective_json(plan);
  effective["profile"] = Json::array();
  results.environment = environment;
  results.records = journal.records();
  for (const Record& record : results.records) {
    EXPECT_EQ(record.status == Status::ok, record.case_name.starts_with(kProfiled)) << record.reason;
    if (record.status != Status::ok) continue;
    const ProfiledCase profile = read_profiled_case(bundle, record);
    effective["profile"].push_back(to_json(profile));
    if (samples)
      write_file(bundle / profile_file(record.case_name, kFlamegraphFile),
                 flamegraph_svg(profile.stacks, {record.case_name, samples_line(profile)}));
  }
  results.run.effective = std::move(effective);
  end_command(bundle, utc_now(), read_git_state("."), samples ? 0 : 3, clock.elapsed());
  finalise_bundle(bundle, results);
  return bundle;
}

// A lie, and what verify says to it.
struct ProfileLie {
  const char* finding;
  std::function<void(ForgedSweep&)> lie;
};

Json& told(ForgedSweep& b) { return b.run().at("effective").at("profile").at(0); }

std::string path_of(ForgedSweep& b, const char* file) {
  return profile_file(told(b).at("case").get<std::string>(), file);
}

ProfileLie told_lie(const char* finding, const std::function<void(Json&)>& lie) {
  return {finding, [lie](ForgedSweep& b) { lie(told(b)); }};
}

ProfileLie record_lie(const char* finding, const std::function<void(Json&)>& lie) {
  return {finding, [lie](ForgedSweep& b) { b.record(kProfiled, lie); }};
}

ProfileLie file_lie(const char* finding, const char* file, const std::string& text) {
  return {finding, [=](ForgedSweep& b) { write_file(b.folder / path_of(b, file), text); }};
}

ProfileLie command_lie(const char* finding, const char* from, const char* to) {
  return {finding, [=](ForgedSweep& b) { b.edit("commands.txt", from, to); }};
}

void leave_out(ForgedSweep& b, const char* file) {
  const std::string path = path_of(b, file);
  fs::remove(b.folder / path);
  b.record(kProfiled, [&](Json& record) { record["files"].erase(path); });
}

std::vector<ProfileLie> lies_about_files() {
  const auto deep = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  return {
      file_lie("its profile cannot be read", kProfileDetailsFile, "{}"),
      file_lie("its profile cannot be read", kProfileDetailsFile, std::string(100000, '[')),
      file_lie("its profile cannot be read", kProfileStacksFile, "a -5\n"),
      file_lie("hottest does not follow", kProfileStacksFile, "nothing;to;see 360\n"),
      file_lie("is no trace of this case", kProfileTraceFile, "{\"traceEvents\":[]}"),
      file_lie("is no trace of this case", kProfileTraceFile, "{\"traceEvents\":" + deep(3000) + "}"),
      file_lie("is not what the samples give", kFlamegraphFile, "<svg/>"),
      {"is not in the form that aqbench writes",
       [](ForgedSweep& b) { b.edit(path_of(b, kProfileDetailsFile), "{", "{\n \"verdict\": \"good\","); }},
      {"lacks trace.json", [](ForgedSweep& b) { leave_out(b, kProfileTraceFile); }},
      {"lacks stacks.folded", [](ForgedSweep& b) { leave_out(b, kProfileStacksFile); }},
      {"lacks profile.json",
       [](ForgedSweep& b) {
         fs::remove_all(b.folder / kProfileFolder);
         b.record(kProfiled, [](Json& record) { record["files"] = Json::object(); });
       }},
      {"is missing, though the command asks for it",
       [](ForgedSweep& b) { fs::remove(b.folder / path_of(b, kFlamegraphFile)); }},
      {"has no flag for notes.txt",
       [](ForgedSweep& b) { write_file(b.folder / "notes.txt", "checked by two people\n"); }},
  };
}

std::vector<ProfileLie> lies_about_values() {
  const auto metric = [](const char* name, double value) {
    return [=](Json& record) { record["metrics"][name]["value"] = value; };
  };
  const auto scale_stages = [](Json& record) {
    for (Json& stage : record["stages"])
      for (const char* const times : {"wall_ms", "self_ms"})
        for (Json& ms : stage[times]) ms = 1e5 * ms.get<double>();
  };
  return {
      told_lie("hottest does not follow", [](Json& t) { t["hottest"][0]["function"] = "innocent"; }),
      told_lie("hottest does not follow", [](Json& t) { t["hottest"][0]["self_share"] = 9.9; }),
      told_lie("hottest does not follow", [](Json& t) { t["hottest"] = 5; }),
      told_lie("hottest does not follow", [](Json& t) { t.erase("hottest"); }),
      told_lie("bottlenecks does not follow", [](Json& t) { t["bottlenecks"].erase(0); }),
      told_lie("warnings does not follow", [](Json& t) { t["warnings"].push_back("none"); }),
      told_lie("total_ms does not follow", [](Json& t) { t["total_ms"] = 1e6; }),
      told_lie("total_ms does not follow", [](Json& t) { t["total_ms"] = "<script>"; }),
      told_lie("samples does not follow", [](Json& t) { t["samples"] = 1000000000; }),
      told_lie("sampler does not follow", [](Json& t) { t["sampler"] = "perf"; }),
      told_lie("shown does not follow", [](Json& t) { t["shown"] = 99; }),
      told_lie("shown does not follow", [](Json& t) { t["shown"] = -1; }),
      told_lie("overhead_ratio does not follow", [](Json& t) { t["overhead_ratio"] = 1.0; }),
      told_lie("profiled_ms does not follow", [](Json& t) { t["profiled_ms"] = Json::array(); }),
      told_lie("verdict is no member", [](Json& t) { t["verdict"] = "PERFECT"; }),
      record_lie("unattributed_pct does not follow", metric(kUnattributedMetric, -50)),
      record_lie("profile_overhead_ratio does not follow", metric(kOverheadMetric, 0.5)),
      record_lie("profile_overhead_ratio does not follow",
                 [](Json& record) { record["metrics"].erase(kOverheadMetric); }),
      record_lie("of a profiled run of", scale_stages),
      record_lie("has 0 samples of 3 profiled runs",
                 [](Json& record) {
                   for (const char* const times : {"wall_ms", "self_ms", "cpu_ms"})
                     record["stages"][1][times] = Json::array();
                 }),
      record_lie("are not the plain runs", [](Json& record) { record["timing"]["warm_ms"] = Json::array(); }),
  };
}

std::vector<ProfileLie> lies_about_commands() {
  return {
      command_lie("profiles method 'lightglue_like'", "profile roma_like", "profile lightglue_like"),
      command_lie("profiles scene 'undulating'", "--threads 1", "--threads 1 --scene undulating"),
      command_lie("profiles seed '7'", "--threads 1", "--threads 1 --seed 7"),
      command_lie("has --method, which no profile has", "--threads 1", "--threads 1 --method sparse"),
      command_lie("it stands alone", "--threads 1", "--threads 1 undulating/roma_like"),
      command_lie("the command asks for 50", "--threads 1", "--threads 1 --repetitions 50"),
      command_lie("plain runs: are not", "--threads 1", "--threads 1 --no-plain"),
      command_lie("the command asks for none", "--sampler=in-process", "--sampler none --sampler perf"),
      command_lie("has trace.json, unlike what the command asks for", "--trace ", ""),
      command_lie("is there, though the command does not ask", "--flamegraph ", ""),
      command_lie("says exit code 1, a run", "exit code: 0", "exit code: 1"),
      command_lie("says exit code 77, a run", "exit code: 0", "exit code: 77"),
  };
}

class ForgedProfileTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryDirectory;
    honest_ = honest_profile(folder_->path() / "out", true);
  }
  static void TearDownTestSuite() { delete folder_; }

  static void expect_found(const std::vector<ProfileLie>& lies) {
    for (const ProfileLie& lie : lies) {
      const fs::path copy = folder_->path() / "forged";
      fs::remove_all(copy);
      fs::copy(honest_, copy, fs::copy_options::recursive);
      ForgedSweep forged(copy);
      lie.lie(forged);
      forged.seal();
      const VerifyReport report = verify_bundle(copy);
      EXPECT_TRUE(forging::has_finding(report, lie.finding)) << lie.finding << "\n" << render_verify(report);
    }
  }

  static TemporaryDirectory* folder_;
  static fs::path honest_;
};
TemporaryDirectory* ForgedProfileTest::folder_ = nullptr;
fs::path ForgedProfileTest::honest_;

TEST_F(ForgedProfileTest, HonestProfilesVerify) {
  EXPECT_TRUE(verify_bundle(honest_).ok()) << render_verify(verify_bundle(honest_));
  expect_found({});
  const TemporaryDirectory other;
  const fs::path failed = honest_profile(other.path(), false);
  EXPECT_TRUE(verify_bundle(failed).ok()) << kFailedProfile << "\n" << render_verify(verify_bundle(failed));
}

TEST_F(ForgedProfileTest, EveryLieInAFileIsFound) { expect_found(lies_about_files()); }
TEST_F(ForgedProfileTest, EveryLieAboutAValueIsFound) { expect_found(lies_about_values()); }
TEST_F(ForgedProfileTest, EveryLieInTheCommandIsFound) { expect_found(lies_about_commands()); }

}  // namespace
}  // namespace aqbench
