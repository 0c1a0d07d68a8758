// Lies about a sweep, each with all hashes made right again: verify must find every one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/signals/stop_signals.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/plan.h"
#include "harness/planning/plan_flags.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/text/summary.h"
#include "tests/reports/bundle/forged_lies.h"
#include "tests/reports/bundle/forger.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using forging::ForgedSweep;
using forging::Lie;

// Three points on the plane, and a line for the log of the case.
constexpr const char* kProgram =
    "echo working\n"
    "printf 'ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty float x\\nproperty float y\\nproperty "
    "float "
    "z\\nend_header\\n0 0 1.179\\n0.1 0 1.179\\n0 0.1 1.179\\n' > \"$2/cloud.ply\"\n";

PlanRequest request_of(const fs::path& folder) {
  const fs::path script = folder / "program.sh";
  std::ofstream(script) << kProgram;
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like", "lightglue_like", "external", "dense_flow"};
  request.workloads = {"absorption"};
  request.images = {"single_pair", "clean", 64, 48};
  request.sets = {parse_override("external.command=/bin/sh " + script.string() + " {dataset} {output}"),
                  parse_override("absorption.size=64"), parse_override("absorption.variant=loop")};
  request.injects = {parse_inject("*roma_like*:simulation=2ms"),
                     parse_inject("*lightglue_like*:simulation=throw")};
  request.timing.repetitions = 2;
  request.timing.warmup = 0;
  request.timing.blocks = 2;
  request.threads = 1;
  return request;
}

// A diagnosis in which nobody gave a depth for the holes that cameras see.
void add_diagnosis(CaseResult& result, const std::string& file) {
  MetricSet& metrics = result.record.metrics;
  const auto found =
      std::ranges::find_if(result.artefacts, [](const auto& a) { return a.first.starts_with("views/"); });
  std::string areas;
  double hidden_pct = 0;
  std::istringstream rows(found->second);
  std::string row;
  std::getline(rows, row);  // the header
  while (std::getline(rows, row)) {
    const std::size_t first = row.find(','), second = row.find(',', first + 1);
    const std::string views = row.substr(0, first), surface = row.substr(first + 1, second - first - 1),
                      complete = row.substr(second + 1);
    areas +=
        "area," + views + " views," + surface + ",%\ncompleteness," + views + " views," + complete + ",%\n";
    if (std::stoi(views) < 2)
      hidden_pct += std::stod(surface) * (1 - (complete.empty() ? 0 : std::stod(complete)) / 100);
  }
  const double holes_pct = 100 - *find_metric(metrics, "completeness_2mm_pct")->value;
  std::string csv = "quantity,of,value,unit\n";
  const std::pair<const char*, double> kHoles[] = {{"not_visible", hidden_pct},
                                                   {"no_depth", holes_pct - hidden_pct},
                                                   {"wrong_depth", 0},
                                                   {"filtered", 0},
                                                   {"fused", 0}};
  const auto six = [](double value) { return fmt::format("{:.6g}", value); };
  for (const auto& [cause, share_pct] : kHoles) {
    csv += fmt::format("holes,{},{},%\n", cause, six(share_pct));
    metrics.emplace_back(
        fmt::format("holes_{}_pct", cause),
        Metric{share_pct, "%", std::string_view(cause) == "not_visible" ? Better::equal : Better::lower, ""});
  }
  for (const char* const name : {"normal_mean_deg", "normal_median_deg"})
    metrics.emplace_back(name, Metric{4, "deg", Better::lower, ""});
  for (const char* const name :
       {"normal_within_5deg_pct", "normal_within_11.25deg_pct", "normal_within_22.5deg_pct"})
    metrics.emplace_back(name, Metric{100, "%", Better::higher, ""});
  const double rmse_mm = *find_metric(metrics, "accuracy_rmse_mm")->value;
  csv += areas +
         "bias,cam00,0.5,mm\nrmse,cam00,1,mm\nconfirmed,cam00,50,%\n"
         "bias,cam01,-0.75,mm\nrmse,cam01,1,mm\nconfirmed,cam01,50,%\ncrb_1px,patch,2,mm\n";
  metrics.emplace_back("precision_confident_2mm_pct", Metric{100, "%", Better::higher, ""});
  metrics.emplace_back("camera_worst_bias_mm", Metric{0.75, "mm", Better::lower, ""});
  metrics.emplace_back("crb_ratio", Metric{rmse_mm / 2, "1", Better::lower, ""});
  result.artefacts.emplace_back(file, std::move(csv));
}

// Stands in for a method with depth maps, which takes longer than a test may: the external program's cloud,
// with depths and a diagnosis by formula.
CaseResult run_with_depths(const SweepPlan& plan, const Case& planned, CaseBoard& board) {
  Case external = *std::ranges::find(plan.cases, "external", &Case::method);
  external.name = planned.name;
  CaseResult result = run_case_keeping(external, board, {.cloud = true, .pictures = true});
  Record& record = result.record;
  record.method = planned.method;
  record.options = planned.options;
  record.program.reset();
  std::erase_if(result.artefacts, [](const auto& file) { return file.first.starts_with("logs/"); });
  for (StageRecord& stage : record.stages)
    if (stage.name == "external_command") stage.name = "dense_matching";
  const auto add = [&](const char* name, double value, const char* unit, Better better) {
    record.metrics.emplace_back(name, Metric{value, unit, better, ""});
  };
  add("depth_mae_mm", 2, "mm", Better::lower);
  add("depth_rmse_mm", 3, "mm", Better::lower);
  add("depth_median_ae_mm", 1.25, "mm", Better::lower);
  add("depth_abs_rel_pct", 1, "%", Better::lower);
  add("depth_bad_1mm_pct", 50, "%", Better::lower);
  add("depth_bad_2mm_pct", 20, "%", Better::lower);
  add("depth_bad_4mm_pct", 15, "%", Better::lower);
  add("depth_fill_rate_pct", 80, "%", Better::higher);
  const std::string name = file_name_of(planned.name);
  result.artefacts.emplace_back("depth/" + name + ".csv",
                                "camera,depth_mae_mm,depth_rmse_mm,depth_median_ae_mm,depth_abs_rel_pct,"
                                "depth_bad_1mm_pct,depth_bad_2mm_pct,depth_bad_4mm_pct,depth_fill_rate_pct\n"
                                "cam00,1.5,2,1,0.75,40,10,5,70\ncam01,2.5,4,1.5,1.25,60,30,25,90\n");
  add_diagnosis(result, "diagnosis/" + name + ".csv");
  result.artefacts.emplace_back("pictures/" + name + "/depth.png", "\x89PNG of depths");
  result.artefacts.emplace_back("pictures/" + name + "/pictures.csv",
                                "depth.png,depth,cam00,m,0.2,0.3,1,80,0\n");
  return result;
}

// Runs a small sweep as the command does.
fs::path honest_sweep(const fs::path& folder) {
  const SweepPlan plan = plan_sweep(request_of(folder));
  const Json environment = environment_json({1, "cpu"});
  const fs::path bundle = create_bundle_dir(folder / "out", std::chrono::system_clock::now());
  const RunClock clock;
  Journal journal = Journal::create(bundle, plan, bundle.filename().string(), utc_now(), environment);
  std::vector<std::string> words = plan_words(plan.request);
  words.insert(words.begin(), {"aqbench", "sweep"});
  begin_command(bundle, utc_now(), read_git_state("."), words);
  run_sweep(plan, journal, {}, [&](const Case& planned, CaseBoard& board) {
    if (planned.method == "dense_flow") return run_with_depths(plan, planned, board);
    return run_case_keeping(planned, board, {.cloud = true, .pictures = true});
  });
  for (const Record& record : journal.records())
    EXPECT_EQ(record.status == Status::ok, !record.case_name.starts_with(forging::kFailed))
        << record.case_name << ": " << record.reason;
  Results results;
  results.run.id = journal.header().run_id;
  results.run.started_utc = journal.header().started_utc;
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.text_version = kSummaryVersion;
  results.run.requested = requested_json(plan.request);
  results.run.effective = effective_json(plan);
  results.environment = environment;
  results.records = journal.records();
  end_command(bundle, utc_now(), read_git_state("."), 3, clock.elapsed());
  finalise_bundle(bundle, results);
  return bundle;
}

class ForgedSweepTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryDirectory;
    ::setenv("AQBENCH_CACHE_DIR", (folder_->path() / "cache").c_str(), 1);
    honest_ = honest_sweep(folder_->path());
  }
  static void TearDownTestSuite() {
    ::unsetenv("AQBENCH_CACHE_DIR");
    delete folder_;
  }

  // Returns the verdict on a copy of the honest bundle with this lie.
  static VerifyReport verdict_on(const Lie& lie) {
    const fs::path copy = folder_->path() / "forged";
    fs::remove_all(copy);
    fs::copy(honest_, copy, fs::copy_options::recursive);
    ForgedSweep forged(copy);
    if (lie.about_data) {
      lie.about_data(forged);
      forged.seal();
    }
    if (lie.about_texts) {
      lie.about_texts(forged);
      forging::rehash(copy);
    }
    return verify_bundle(copy);
  }
  static void expect_all_found(const std::vector<Lie>& lies) {
    for (const Lie& lie : lies) EXPECT_NE(verdict_on(lie).verdict(), VerifyVerdict::verified) << lie.name;
  }

  static void expect_each_named(const forging::Lies& lies) {
    const VerifyReport report = verdict_on({"several", lies.about_data});
    for (const char* const text : lies.findings)
      EXPECT_TRUE(forging::has_finding(report, text)) << text << "\n" << render_verify(report);
  }

  static TemporaryDirectory* folder_;
  static fs::path honest_;
};
TemporaryDirectory* ForgedSweepTest::folder_ = nullptr;
fs::path ForgedSweepTest::honest_;

TEST_F(ForgedSweepTest, TheHonestBundleVerifiesAndAForgerWhoLiesNothingToo) {
  const VerifyReport report = verify_bundle(honest_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.records, 5u);
  const VerifyReport again = verdict_on({"nothing", [](ForgedSweep&) {}, [](ForgedSweep&) {}});
  EXPECT_TRUE(again.ok()) << render_verify(again);
  EXPECT_EQ(again.root_digest, report.root_digest);
}

TEST_F(ForgedSweepTest, EveryLieAboutMetricsIsFound) { expect_all_found(forging::lies_about_metrics()); }
TEST_F(ForgedSweepTest, EveryLieAboutTimesIsFound) { expect_all_found(forging::lies_about_times()); }
TEST_F(ForgedSweepTest, EveryLieAboutCasesIsFound) { expect_all_found(forging::lies_about_cases()); }
TEST_F(ForgedSweepTest, EveryLieAboutFilesIsFound) { expect_all_found(forging::lies_about_files()); }

TEST_F(ForgedSweepTest, EveryLieAboutSourcesIsFound) { expect_each_named(forging::lies_about_sources()); }
TEST_F(ForgedSweepTest, EveryLieAboutErrorsIsFound) { expect_each_named(forging::lies_about_errors()); }
TEST_F(ForgedSweepTest, EveryLieAboutCommandsIsFound) { expect_each_named(forging::lies_about_commands()); }

TEST_F(ForgedSweepTest, EveryLieInATableIsFound) {
  for (const forging::TableLie& lie : forging::lies_about_tables()) {
    const VerifyReport report = verdict_on(
        {lie.finding, [&](ForgedSweep& b) { b.edit(b.file_of(lie.start, lie.folder), lie.from, lie.to); }});
    EXPECT_TRUE(forging::has_finding(report, lie.finding)) << lie.to << "\n" << render_verify(report);
  }
}

// commands.txt is what aqbench writes and nothing else, and its flags are those of the plan, whatever the
// program is called.
TEST_F(ForgedSweepTest, EveryLieInTheCommandIsFound) {
  const std::pair<std::pair<const char*, const char*>, const char*> kLies[] = {
      {{"aqbench sweep", "./aqbench sweep --suite seed"}, "has --suite, unlike run.requested"},
      {{"aqbench sweep", "aqbench eval"}, "has a command that is no sweep"},
      {{"aqbench sweep", "aqbench sweep --resume x"}, "goes on 1 times, the journal 0"},
      {{"aqbench sweep", "aqbench sweep --resume x"}, "has --scene beside --resume"},
      {{"aqbench sweep", "aqbench sweep --shard 1/2"}, "has --shard, unlike run.requested"},
      {{"--threads 1", "--threads 1 --threads 2"}, "has --threads twice"},
      {{"--method external", "--method sparse"}, "says --method roma_like lightglue_like sparse"},
      {{"absorption.size=64", "absorption.size=65"}, "says --set "},
      {{"--threads 1", "--threads many"}, "--threads"},
      {{"exit code: 3\n", "exit code: 3\nexit code: 0\n"}, "does not begin with 'real '"},
      {{"exit code: 3", "exit code: 03"}, "holds no exit code"},
      {{"\nuser ", "\nuser -"}, "holds no seconds"},
      {{"\nsys ", "\nSYS "}, "does not begin with 'sys '"},
      {{"\nbranch: ", "\npraise: "}, "does not begin with 'branch: '"},
      {{"# Commands", "# Good commands"}, "line 1 is not the title"}};
  for (const auto& [change, finding] : kLies) {
    const VerifyReport report = verdict_on(
        {finding, {}, [&](ForgedSweep& b) { b.edit("commands.txt", change.first, change.second); }});
    EXPECT_NE(render_verify(report).find(finding), std::string::npos) << change.second << "\n"
                                                                      << render_verify(report);
  }
}

TEST_F(ForgedSweepTest, ThereAreManyLies) {
  EXPECT_GE(forging::lies_about_metrics().size() + forging::lies_about_times().size() +
                forging::lies_about_cases().size() + forging::lies_about_files().size(),
            100u);
}

// The journal knows no more commands that went on than commands.txt does.
TEST_F(ForgedSweepTest, ResumptionsThatNoCommandMadeAreFound) {
  const auto insert = [](ForgedSweep& b, std::ptrdiff_t at, int times) {
    Json line;
    line["resumed"] = {{"utc", b.run()["finished_utc"]}, {"environment", b.header()["environment"]}};
    b.journal.insert(b.journal.begin() + at, static_cast<std::size_t>(times), line);
  };
  const auto found = [&](const std::function<void(ForgedSweep&)>& lie) {
    return render_verify(verdict_on({"resumed", lie})).find("goes on 0 times, the journal") !=
           std::string::npos;
  };
  EXPECT_TRUE(found([&](ForgedSweep& b) { insert(b, 2, 1); }));
  EXPECT_TRUE(found([&](ForgedSweep& b) { insert(b, std::ssize(b.journal), 200); }));
  EXPECT_FALSE(found([&](ForgedSweep& b) { insert(b, std::ssize(b.journal), 50); }))
      << "killed at once, each";
}

TEST_F(ForgedSweepTest, CommandsThatCannotBeReadAreNamedThemselves) {
  const VerifyReport report =
      verdict_on({"no text", {}, [](ForgedSweep& b) { b.edit("commands.txt", "# Commands", "# \xff"); }});
  EXPECT_FALSE(report.ok());
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.file, "commands.txt") << finding.what;
}

// What another version may have written is neither called forged nor verified.
TEST_F(ForgedSweepTest, AnotherVersionHasAVerdictOfItsOwn) {
  const VerifyReport report =
      verdict_on({"texts of version 5", [](ForgedSweep& b) { b.run()["text_version"] = 5; }});
  EXPECT_EQ(report.verdict(), VerifyVerdict::other_version) << render_verify(report);
  EXPECT_EQ(static_cast<int>(exit_code(report.verdict())), 7);
  EXPECT_NE(render_verify(report).find("NOT VERIFIED BY THIS VERSION"), std::string::npos);
  EXPECT_EQ(render_verify(report).find("\nverified"), std::string::npos);
  ASSERT_TRUE(report.findings.empty());
  EXPECT_THROW(require_verified(report, "here"), Error);  // as gate, stamp and report do
}

// Cases of a shared sweep ran at the same time; its log says so.
TEST(ForgedTimes, OfOneProcessAreNoLongerThanTheRunAndItsCommand) {
  const TemporaryDirectory directory;
  Results results = synthetic_results();
  for (Record& record : results.records) record.timing.cold_ms = 2600;
  const fs::path bundle = synthetic_bundle(directory.path(), results);
  EXPECT_EQ(verify_bundle(bundle).findings.size(), 2u) << render_verify(verify_bundle(bundle));
  ForgedSweep shared(bundle);
  for (const Record& record : results.records)
    shared.edit("bench.log", record.case_name + "\n",
                record.case_name + "\non host, process " + record.case_name + "\n");
  shared.seal();
  EXPECT_EQ(verify_bundle(bundle).findings.size(), 4u) << "lines of the log make no sweep a shared one";
  shared.edit("commands.txt", "command: aqbench sweep", "command: aqbench sweep --local 2");
  shared.seal();
  EXPECT_TRUE(verify_bundle(bundle).ok()) << "two more may have joined it";
}

// Nothing but a signature finds these: they are told the same way in every place (docs/evidence.md).
TEST_F(ForgedSweepTest, WhatOnlyASignatureFinds) {
  const VerifyReport report = verdict_on({"a warning taken out of the log", [](ForgedSweep& b) {
                                            b.edit("bench.log", "rendering cam00\n", "");
                                          }});
  EXPECT_TRUE(report.ok()) << render_verify(report);
}

}  // namespace
}  // namespace aqbench
