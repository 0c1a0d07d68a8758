#include "harness/gating/accept.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/files.h"
#include "core/sha256.h"
#include "core/table.h"
#include "harness/gating/gate.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// The synthetic clouds have no normals.
constexpr AcceptExceptions kUndefined{.leave_out_undefined = true};

class Accept : public ::testing::Test {
 protected:
  // A bundle of `results` of its own.
  fs::path bundle_of(Results results) {
    results.run.id += "-" + std::to_string(++count_);
    return synthetic_bundle(directory_.path(), results);
  }
  std::string refusal(const Results& results) {
    const fs::path bundle = bundle_of(results);
    const std::string message = error_of(ErrorKind::input, [&] { accept(bundle); });
    EXPECT_TRUE(message.starts_with(bundle.string() + ": cannot accept: ") || message.starts_with("("))
        << message;
    return message;
  }

  std::string refusal_of(const AcceptedRun& run) {
    return error_of(ErrorKind::input, [&] { accept_baseline(run, file_, kUndefined); });
  }
  Acceptance accept(const fs::path& bundle) {
    return accept_baseline(read_accepted_run(bundle), file_, kUndefined);
  }

  TemporaryDirectory directory_;
  fs::path file_ = directory_ / "seed.json";
  int count_ = 0;
};

TEST_F(Accept, ANewBaselineGatesALaterRunAndRefusesItsOwn) {
  const fs::path bundle = bundle_of(synthetic_results());
  const Acceptance acceptance = accept(bundle);
  EXPECT_FALSE(acceptance.existed);
  const Baseline baseline = read_baseline(file_);
  EXPECT_EQ(baseline.suite, "seed");
  EXPECT_EQ(baseline.accepted_bundle, bundle.filename().string());
  EXPECT_EQ(baseline.accepted_results_sha256, sha256_file_hex(bundle / "results.json"));
  EXPECT_EQ(baseline.cases.size(), 4u);
  EXPECT_EQ(find_metric(baseline.cases[1], "accuracy_mean_mm")->value, 0.793);
  EXPECT_EQ(find_metric(baseline.cases[1], "accuracy_mean_mm")->tolerance,
            (Tolerance{Tolerance::Kind::relative, 0.05}));
  EXPECT_EQ(find_metric(baseline.cases[1], "points")->tolerance, (Tolerance{Tolerance::Kind::absolute, 0}));
  EXPECT_EQ(find_metric(baseline.cases[1], "normal_mean_deg"), nullptr);  // undefined: said, not stored
  EXPECT_THAT(acceptance.notes,
              Contains("normal_mean_deg: undefined (the cloud has no normals) in 4 cases: not gated"));

  EXPECT_EQ(gate(read_gate_input(bundle).results, baseline).exit_code(), ExitCode::not_comparable);
  Results later = synthetic_results();
  later.records[0].timing.cold_ms = 12.875;
  EXPECT_EQ(gate(read_gate_input(bundle_of(later)).results, baseline).exit_code(), ExitCode::pass);
}

TEST_F(Accept, KeepsReviewedTolerancesAndDirectionsAndShowsWhatChanges) {
  Results results = synthetic_results();
  Baseline old = synthetic_baseline(results);
  old.cases[1].metrics[0].second = {0.9, Better::equal, {Tolerance::Kind::absolute, 0.2}};
  old.cases[1].metrics.emplace_back("retired_mm", BaselineMetric{1, Better::lower, {}});
  old.cases[1].options[0].second = 0.3;
  std::erase_if(old.cases[2].metrics, [](const auto& metric) { return metric.first == "points"; });
  old.cases[3].name = "undulating/vanished/seed=42";
  write_file(file_, baseline_text(old));
  const fs::path bundle = bundle_of(results);
  const std::string before = read_file(file_);
  EXPECT_EQ(plan_acceptance(read_accepted_run(bundle), file_).refusals.size(), 4u);
  AcceptExceptions allowed = kUndefined;
  allowed.remove_cases = allowed.remove_metrics = allowed.new_options = true;
  const Acceptance planned = plan_acceptance(read_accepted_run(bundle), file_, allowed);
  EXPECT_EQ(read_file(file_), before);  // planning writes nothing
  const Acceptance acceptance = accept_baseline(read_accepted_run(bundle), file_, allowed);
  EXPECT_EQ(render_acceptance(planned), render_acceptance(acceptance));
  EXPECT_TRUE(acceptance.existed);

  const Baseline now = read_baseline(file_);
  const BaselineMetric* const mean =
      find_metric(*find_case(now, "flat_plane/roma_like/seed=42"), "accuracy_mean_mm");
  EXPECT_EQ(mean->value, 0.793);
  EXPECT_EQ(mean->better, Better::equal);
  EXPECT_EQ(mean->tolerance, (Tolerance{Tolerance::Kind::absolute, 0.2}));
  const std::string text = render_acceptance(acceptance);
  for (const char* part : {"+ undulating/roma_like/seed=42 (", "- undulating/vanished/seed=42",
                           "! flat_plane/roma_like/seed=42: option flat_plane.x_max_m is 0.25, was 0.3",
                           "retired_mm", "gone", "updated baseline of suite 'seed': 4 cases, "})
    EXPECT_THAT(text, HasSubstr(part)) << part << " in\n" << text;
  EXPECT_THAT(text, ::testing::ContainsRegex("accuracy_mean_mm +0\\.9 +-> +0\\.793"));
  EXPECT_THAT(text, ::testing::ContainsRegex("points +none +-> +2850"));
}

TEST_F(Accept, GatesTensorMemoryWhereAStageUsesTensorsAlone) {
  Results results = synthetic_results();
  for (Record& record : results.records) record.stages = {{"simulation", ""}, {"noise", "simulation"}};
  for (Record& record : results.records)
    for (StageRecord& stage : record.stages) stage.net_bytes = stage.peak_bytes = 0;
  results.records[1].stages[0].peak_bytes = 4096;
  accept(bundle_of(results));
  const auto gated = [&](std::size_t i) {
    const Baseline baseline = read_baseline(file_);
    const BaselineCase& accepted = *find_case(baseline, results.records[i].case_name);
    return std::ranges::count_if(
        accepted.metrics, [](const auto& metric) { return metric.first.starts_with("tensor_memory."); });
  };
  EXPECT_EQ(gated(0), 0) << "a number that is always 0 gates nothing";
  EXPECT_EQ(gated(1), 4) << "a stage without tensors beside one with them is worth a gate";

  // A baseline that has such a gate still finds its value, until it is accepted again.
  Baseline old = read_baseline(file_);
  old.cases[0].metrics.emplace_back("tensor_memory.simulation.net_bytes",
                                    BaselineMetric{0, Better::lower, {Tolerance::Kind::absolute, 0}});
  results.records[0].timing.cold_ms = 12.875;
  const Verdicts report = gate(read_gate_input(bundle_of(results)).results, old);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  EXPECT_FALSE(std::ranges::any_of(report.rows, [](const VerdictRow& row) {
    return row.verdict == Verdict::added && row.metric.starts_with("tensor_memory.");
  }));
  write_file(file_, baseline_text(old));
  EXPECT_THAT(render_acceptance(accept_baseline(read_accepted_run(bundle_of(results)), file_,
                                                {.remove_metrics = true, .leave_out_undefined = true})),
              HasSubstr("tensor_memory.simulation.net_bytes"));
  EXPECT_EQ(gated(0), 0);
}

// The stages' tensors by their sizes; a quarter of a full-HD image's floats is one grey image.
TEST(SyntheticProfileBaseline, HoldsWhatEachStageKeepsAndTheDocumentsQuoteIt) {
  const fs::path source = AQBENCH_SOURCE_DIR;
  const Baseline baseline = read_baseline(source / "baselines/synthetic_profile.json");
  ASSERT_EQ(baseline.cases.size(), 1u);
  constexpr double kGrey = 1920.0 * 1080 * 4;
  for (const auto& [stage, bytes] : {std::pair<const char*, double>{"undistortion", 8 * 3 * kGrey},
                                     {"depth_estimation", (4 + 64 + 1) * kGrey},
                                     {"extract_depth", kGrey},
                                     {"fusion", 4 * kGrey}})
    EXPECT_EQ(find_metric(baseline.cases[0], fmt::format("tensor_memory.{}.net_bytes", stage))->value, bytes)
        << stage;
  EXPECT_NEAR(find_metric(baseline.cases[0], "tensor_memory.sparse_matching.net_bytes")->value / 0x1p20, 2.0,
              0.005);
  EXPECT_THAT(read_file(source / "docs/ci.md"), HasSubstr("net_bytes\": {\"value\":572313600,"));
}

TEST_F(Accept, NothingChangedIsSaid) {
  accept(bundle_of(synthetic_results()));
  const Acceptance again = accept(bundle_of(synthetic_results()));
  EXPECT_TRUE(again.changes.empty());
  EXPECT_THAT(render_acceptance(again), HasSubstr("4 cases, 0 changes, from bundle"));
}

TEST(AcceptText, ShowsAllDigitsWhereFewerWouldShowNoChange) {
  Acceptance acceptance;
  acceptance.changes = {{AcceptChange::Kind::value_changed, "a", "m", 1.9635999, 1.9636001, "mm", ""}};
  EXPECT_THAT(render_acceptance(acceptance), HasSubstr("1.9635999  ->  1.9636001"));
}

TEST_F(Accept, RefusesWhatIsNotAWholeSoundRun) {
  Results results = synthetic_results();
  results.records[0].status = Status::timeout;
  results.records[0].reason = "600 s";
  EXPECT_THAT(refusal(results), HasSubstr("case flat_plane/lightglue_like/seed=42 timeout: 600 s"));
  results = synthetic_results();
  for (Record& record : results.records) {
    record.status = Status::skipped;
    record.reason = "no CUDA device";
  }
  EXPECT_THAT(refusal(results), HasSubstr("no case has a result"));
  EXPECT_FALSE(fs::exists(file_));
}

// Each loss is refused by itself, and its own flag and no other one allows it.
TEST_F(Accept, EachSilentLossNeedsItsOwnFlag) {
  Results old = synthetic_results();
  accept(bundle_of(old));
  struct Loss {
    const char* flag;
    bool AcceptExceptions::*allow;
    std::function<void(Results&)> spoil;
    std::function<void(AcceptedRun&)> spoil_run = [](AcceptedRun&) {};
  };
  const auto nothing = [](Results&) {};
  const std::vector<Loss> losses = {
      {"--from-shard", &AcceptExceptions::from_shard, nothing, [](AcceptedRun& run) { run.shard = "1/2"; }},
      {"--part-of-suite", &AcceptExceptions::part_of_suite, nothing,
       [](AcceptedRun& run) {
         run.suite_cases = {{"step/roma_like/seed=42", {}, {}}};
       }},
      {"--new-options", &AcceptExceptions::new_options, nothing,
       [](AcceptedRun& run) {
         run.suite_cases = {{run.results.records[0].case_name, run.results.records[0].options, {}}};
         run.suite_cases[0].options[0].second = 0.5;
       }},
      {"--remove-cases", &AcceptExceptions::remove_cases,
       [](Results& results) { results.records.pop_back(); }},
      {"--remove-metrics", &AcceptExceptions::remove_metrics,
       [](Results& results) { results.records[0].metrics.erase(results.records[0].metrics.begin()); }},
      {"--new-options", &AcceptExceptions::new_options,
       [](Results& results) { results.records[0].options[0].second = 0.5; }},
      {"--injected-faults", &AcceptExceptions::injected_faults,
       [](Results& results) {
         results.records[3].injected = {{"*", "+5%", 1}};
       }},
      {"--leave-out-undefined", &AcceptExceptions::leave_out_undefined, nothing}};
  const std::string before = read_file(file_);
  for (const Loss& loss : losses) {
    AcceptedRun run = read_accepted_run(bundle_of(synthetic_results()));
    loss.spoil(run.results);
    loss.spoil_run(run);
    AcceptExceptions allowed = kUndefined;
    allowed.*loss.allow = false;
    const Acceptance planned = plan_acceptance(run, file_, allowed);
    ASSERT_EQ(planned.refusals.size(), 1u) << loss.flag;
    EXPECT_THAT(planned.refusals[0], ::testing::EndsWith(fmt::format("({})", loss.flag)));
    EXPECT_THAT(error_of(ErrorKind::input, [&] { accept_baseline(run, file_, allowed); }),
                HasSubstr(planned.refusals[0]));
    EXPECT_EQ(read_file(file_), before);
    allowed.*loss.allow = true;
    EXPECT_TRUE(plan_acceptance(run, file_, allowed).refusals.empty()) << loss.flag;
  }
}

TEST_F(Accept, AsksForNoFlagWhereTheTruthLeavesAValueUndefined) {
  AcceptedRun run = read_accepted_run(bundle_of(synthetic_results()));
  for (Record& record : run.results.records)
    for (auto& [name, metric] : record.metrics)
      if (!metric.value) metric.reason = kNoPatchToTile;
  const Acceptance acceptance = plan_acceptance(run, file_);
  EXPECT_THAT(acceptance.refusals, ::testing::IsEmpty());
  EXPECT_THAT(acceptance.notes, Contains("normal_mean_deg: undefined (the true surface has no "
                                         "patch to cut into tiles) in 4 cases: not gated"));
  // Of recordings: what the board has no positions for, and of depth maps where the method gives none.
  for (const char* const reason : {kNoTrueCorners, kNoDepthMaps}) {
    for (Record& record : run.results.records)
      for (auto& [name, metric] : record.metrics)
        if (!metric.value) metric.reason = reason;
    const Acceptance other = plan_acceptance(run, file_);
    EXPECT_THAT(other.refusals, ::testing::IsEmpty()) << reason;
    EXPECT_THAT(other.notes,
                Contains(fmt::format("normal_mean_deg: undefined ({}) in 4 cases: not gated", reason)));
  }
  run.results.records[0].metrics.back().second.value.reset();
  EXPECT_THAT(plan_acceptance(run, file_).refusals, ::testing::SizeIs(1)) << "a value that could be there";
}

TEST_F(Accept, RefusesARunThatGatesNothing) {
  AcceptedRun run = read_accepted_run(bundle_of(synthetic_results()));
  for (Record& record : run.results.records) record.metrics.clear();
  EXPECT_THAT(refusal_of(run), HasSubstr("no case has a metric to gate"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Accept, RefusesAnInterruptedRun) {
  Results results = synthetic_results();
  PlanRequest request;
  request.suite = "seed";
  request.threads = 2;
  results.records.pop_back();
  const fs::path bundle = synthetic_bundle(directory_.path(), results, plan_sweep(request));
  EXPECT_EQ(error_of(ErrorKind::input, [&] { accept(bundle); }),
            bundle.string() + ": cannot accept: the run was interrupted: 3 of 4 cases");
}

TEST_F(Accept, RefusesABundleThatDoesNotVerifyAndABareFile) {
  const fs::path bundle = bundle_of(synthetic_results());
  EXPECT_THAT(
      error_of(ErrorKind::input, [&] { accept_baseline(read_accepted_run(bundle / "results.json"), file_); }),
      HasSubstr("is a file; a bundle is a folder"));
  write_file(bundle / "bench.log", "edited");
  EXPECT_THAT(error_of(ErrorKind::verification, [&] { accept(bundle); }), HasSubstr("bench.log"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Accept, SkippedCasesAreLeftOutUnlessTheBaselineHasThem) {
  Results results = synthetic_results();
  AcceptedRun run = read_accepted_run(bundle_of(results));
  accept_baseline(run, file_, kUndefined);
  run.results.records[3].status = Status::skipped;
  run.results.records[3].reason = "no CUDA device";
  EXPECT_THAT(refusal_of(run), HasSubstr("of the baseline was skipped: no CUDA device"));
  const fs::path fresh = directory_ / "fresh.json";
  const Acceptance acceptance = accept_baseline(run, fresh, kUndefined);
  EXPECT_EQ(acceptance.baseline.cases.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(acceptance.notes,
                                  [](const std::string& note) { return note.find("skipped") != note.npos; }));
}

TEST_F(Accept, TheBaselineOfAnotherSuiteIsNotOverwritten) {
  Baseline other = synthetic_baseline(synthetic_results());
  other.suite = "pipeline";
  write_file(file_, baseline_text(other));
  const fs::path bundle = bundle_of(synthetic_results());
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { accept(bundle); }), HasSubstr("suite 'pipeline'"));
  EXPECT_EQ(read_file(file_), baseline_text(other));
  write_file(file_, "{ broken");
  EXPECT_NE(error_of(ErrorKind::input, [&] { accept(bundle); }), "(no error)");
  EXPECT_EQ(read_file(file_), "{ broken");
}

TEST_F(Accept, AFileThatCannotBeWrittenIsAnIoError) {
  const fs::path bundle = bundle_of(synthetic_results());
  write_file(directory_ / "file", "a file where a folder is wanted");
  const fs::path target = directory_ / "file/seed.json";
  EXPECT_TRUE(error_of(ErrorKind::io, [&] {
                accept_baseline(read_accepted_run(bundle), target, kUndefined);
              }).starts_with(target.string()));
}

TEST_F(Accept, WhatAKilledWriteHasLeftIsGone) {
  const fs::path bundle = bundle_of(synthetic_results());
  const fs::path left = file_.string() + ".tmp" + std::string(20, '7'), foreign = file_.string() + ".tmp7";
  for (const fs::path& file : {left, foreign}) write_file(file, "{");
  accept(bundle);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(foreign));
}

}  // namespace
}  // namespace aqbench
