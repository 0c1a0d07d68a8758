#include "harness/gating/baseline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/gating/gate.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

// The example of the format's description, with every kind of value.
constexpr const char* kText = R"({
 "schema_version": 1, "suite": "seed",
 "accepted_from": {"bundle": "20250520T101112Z", "results_sha256":
   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "commit": "c0ffee"},
 "cases": {"undulating/roma_like/seed=43": {
   "options": {"undulating.amplitude_m": 0.005, "roma_like.points": 3000, "plane_sweep.cost": "zncc"},
   "metrics": {"accuracy_mean_mm": {"value": 0.79, "better": "lower", "tolerance": {"relative": 0.05}},
               "completeness_2mm_pct": {"value": 21.5, "better": "higher", "tolerance": {"absolute": 0.1}},
               "points": {"value": 2850, "better": "equal", "tolerance": {"absolute": 0}}}}}})";

TEST(Baseline, ReadsTheDocumentedFormat) {
  const Baseline baseline = baseline_from_json(Json::parse(kText), "b.json");
  EXPECT_EQ(baseline.suite, "seed");
  EXPECT_EQ(baseline.accepted_bundle, "20250520T101112Z");
  EXPECT_EQ(baseline.accepted_commit, "c0ffee");
  const BaselineCase* const found = find_case(baseline, "undulating/roma_like/seed=43");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(find_case(baseline, "undulating/roma_like/seed=44"), nullptr);
  EXPECT_EQ(found->options[0].second, ParameterValue(0.005));
  EXPECT_EQ(found->options[1].second, ParameterValue(std::int64_t{3000}));
  EXPECT_EQ(found->options[2].second, ParameterValue(std::string("zncc")));
  const BaselineMetric* const mean = find_metric(*found, "accuracy_mean_mm");
  ASSERT_NE(mean, nullptr);
  EXPECT_EQ(mean->value, 0.79);
  EXPECT_EQ(mean->better, Better::lower);
  EXPECT_EQ(mean->tolerance, (Tolerance{Tolerance::Kind::relative, 0.05}));
  EXPECT_EQ(find_metric(*found, "completeness_2mm_pct")->tolerance,
            (Tolerance{Tolerance::Kind::absolute, 0.1}));
  EXPECT_EQ(find_metric(*found, "bias_mean_mm"), nullptr);
}

TEST(Baseline, TextReadsBackToTheSameTextWithAMetricALine) {
  Baseline baseline = synthetic_baseline(synthetic_results());
  baseline.cases[0].options.clear();
  baseline.cases[1].metrics.clear();
  baseline.suite = "odd \"name\"";
  EXPECT_EQ(baseline_text(baseline).find("\"by\""), std::string::npos);  // as in older files
  EXPECT_EQ(baseline_text(baseline).find("\"utc\""), std::string::npos);
  baseline.accepted_by = "A \"B\"";
  baseline.accepted_utc = "2026-11-21T12:00:00Z";
  const std::string text = baseline_text(baseline);
  const Baseline back = baseline_from_json(parse_strict_json(text, "b"), "b");
  EXPECT_EQ(baseline_text(back), text);
  EXPECT_EQ(back.accepted_by, baseline.accepted_by);
  EXPECT_EQ(back.accepted_utc, baseline.accepted_utc);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n    \"points\": {\"value\":2850.0,\"better\":\"equal\",\"tolerance\":{\"absolute\":0.0}},\n"))
      << text;
}

// Written case by case and read case by case, the committed files come out as they are.
TEST(Baseline, FilesAreWrittenAsTheyWereRead) {
  for (const char* const name : {"seed", "pipeline"}) {
    const auto file = std::filesystem::path(AQBENCH_SOURCE_DIR) / "baselines" / (std::string(name) + ".json");
    EXPECT_EQ(baseline_text(read_baseline(file)), read_file(file)) << name;
    EXPECT_EQ(to_json(read_baseline(file)), to_json(baseline_from_json(read_strict_json(file), name)));
  }
}

TEST(Baseline, FilesThatAreWrongAreRefusedAsTextsAre) {
  const TemporaryDirectory folder;
  const std::string text = baseline_text(synthetic_baseline(synthetic_results()));
  const auto refused = [&](const std::string& what, const std::string& instead) {
    std::string bad = text;
    bad.replace(bad.find(what), what.size(), instead);
    const auto file = folder.file("bad.json", bad);
    const std::string message = error_of(
        ErrorKind::input, [&] { baseline_from_json(parse_strict_json(bad, file.string()), file.string()); });
    EXPECT_EQ(error_of(ErrorKind::input, [&] { read_baseline(file); }), message);
    return message;
  };
  EXPECT_THAT(refused("\"value\":", "\"values\":"), HasSubstr(": cases.flat_plane/"));
  // A misspelled key is named, and not that the right one is missing.
  EXPECT_THAT(refused("\"value\":", "\"values\":"), HasSubstr("unknown key 'values'; did you mean value?"));
  EXPECT_THAT(refused("lower", "low"), HasSubstr(".better: "));
  EXPECT_THAT(refused("undulating/lightglue_like/", "undulating/roma_like/"), HasSubstr("duplicate key"));
  EXPECT_THAT(refused("\"cases\": {", "\"cases\": {,"), HasSubstr("bad.json:"));
}

TEST(Baseline, ErrorsNameThePath) {
  const std::string case_path = "cases.undulating/roma_like/seed=43";
  const std::string case_pointer = "/cases/undulating~1roma_like~1seed=43";
  const std::vector<std::tuple<std::string, const char*, std::string>> mutations = {
      {"/schema_version", nullptr, "'schema_version' is missing"},
      {"/schema_version", "\"1\"", "schema_version: "},
      {"/suite", "null", "suite: "},
      {"/surplus", "1", "surplus"},
      {"/accepted_from", nullptr, "'accepted_from' is missing"},
      {"/accepted_from/results_sha256", "\"abc\"", "accepted_from.results_sha256: expected a SHA-256"},
      {"/accepted_from/root_digest", "\"abc\"", "accepted_from.root_digest: expected a SHA-256"},
      {"/accepted_from/commit", "5", "accepted_from.commit: "},
      {"/cases", "[]", "cases: "},
      {"/cases", "{}", "cases: is empty"},
      {case_pointer, "3", case_path},
      {case_pointer + "/options", nullptr, case_path + ": 'options' is missing"},
      {case_pointer + "/options/x", "null", case_path + ".options.x: "},
      {case_pointer + "/metrics/points", "1", case_path + ".metrics.points: "},
      {case_pointer + "/metrics/points/value", "null", case_path + ".metrics.points.value: "},
      {case_pointer + "/metrics/points/value", "\"1\"", case_path + ".metrics.points.value: "},
      {case_pointer + "/metrics/points/better", "\"up\"",
       case_path + ".metrics.points.better: expected lower, higher or equal"},
      {case_pointer + "/metrics/points/tolerance", nullptr,
       case_path + ".metrics.points: 'tolerance' is missing"},
      {case_pointer + "/metrics/points/tolerance", "{}",
       case_path + ".metrics.points.tolerance: expected either"},
      {case_pointer + "/metrics/points/tolerance", R"({"relative":1,"absolute":1})",
       case_path + ".metrics.points.tolerance: expected either"},
      {case_pointer + "/metrics/points/tolerance", R"({"percent":5})",
       case_path + ".metrics.points.tolerance"},
      {case_pointer + "/metrics/points/tolerance/absolute", "-1",
       case_path + ".metrics.points.tolerance.absolute: must not be negative"},
  };
  for (const auto& [text, value, expected] : mutations) {
    Json bad = Json::parse(kText);
    const Json::json_pointer pointer(text);
    if (value != nullptr)
      bad[pointer] = Json::parse(value);
    else
      bad[pointer.parent_pointer()].erase(pointer.back());
    const std::string message = error_of(ErrorKind::input, [&] { baseline_from_json(bad, "b.json"); });
    EXPECT_TRUE(message.starts_with("b.json: " + expected)) << text << " gave " << message;
  }
}

TEST(Baseline, AnotherVersionIsNotComparableAndABrokenFileIsBadInput) {
  Json json = Json::parse(kText);
  json["schema_version"] = 2;
  EXPECT_EQ(error_of(ErrorKind::not_comparable, [&] { baseline_from_json(json, "b.json"); }),
            "b.json: schema_version: 2; this program reads 1");
  const TemporaryDirectory directory;
  for (const char* text : {"", "{", "NaN", "[]", "{\"schema_version\":1,\"schema_version\":1}"}) {
    const auto path = directory.file("b.json", text);
    EXPECT_TRUE(error_of(ErrorKind::input, [&] { read_baseline(path); }).starts_with(path.string())) << text;
  }
}

TEST(Tolerance, ReadsWell) {
  EXPECT_EQ(to_string(Tolerance{Tolerance::Kind::relative, 0.05}), "5 %");
  EXPECT_EQ(to_string(Tolerance{Tolerance::Kind::absolute, 0.1}), "0.1");
}

// Results whose first case ran five times, 8 to 12 ms with a median of 10 ms, at 40 units a second.
Results timed_results(double slower = 1) {
  Results results = synthetic_results();
  results.environment = Json{{"comparability", {{"cpu_model", "A"}, {"threads", 2}}}};
  Timing& timing = results.records[0].timing;
  timing.warm_ms = {12 * slower, 8 * slower, 10 * slower, 11 * slower, 9 * slower};
  timing.throughput = 40 / slower;
  timing.throughput_unit = "Mpx/s";
  return results;
}

Baseline timed_baseline() {
  Baseline baseline = synthetic_baseline(timed_results());
  baseline.stored_times = stored_times_of(timed_results());
  return baseline;
}

std::vector<VerdictRow> time_rows(const Results& results) {
  Verdicts report;
  gate_stored_times(results, timed_baseline(), report);
  return report.rows;
}

TEST(StoredTimes, AreMediansOfCasesWithEnoughRuns) {
  const StoredTimes times = stored_times_of(timed_results());
  ASSERT_EQ(times.cases.size(), 1u);
  EXPECT_EQ(times.cases[0].case_name, timed_results().records[0].case_name);
  EXPECT_EQ(times.cases[0].median_ms, 10);
  EXPECT_EQ(times.cases[0].throughput, 40);
  Results few = timed_results();
  few.records[0].timing.warm_ms.pop_back();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { stored_times_of(few); }), HasSubstr("5 warm runs"));
}

// A baseline of times alone reports each failed case once, also one without a stored time. With other
// verdicts, these report it.
TEST(StoredTimes, ACaseThatFailedIsFailedAndNotMissing) {
  Results results = timed_results();
  results.records[0].status = results.records[1].status = Status::crashed;
  results.records[0].reason = results.records[1].reason = "signal 11";
  const std::vector<VerdictRow> rows = time_rows(results);
  ASSERT_EQ(rows.size(), 2u);
  for (const VerdictRow& row : rows) EXPECT_EQ(row.verdict, Verdict::failed_case) << row.reason;
  Verdicts report = gate(results, timed_baseline());
  const std::size_t before = report.rows.size();
  gate_stored_times(results, timed_baseline(), report);
  EXPECT_EQ(report.rows.size(), before);
  EXPECT_EQ(report.exit_code(), ExitCode::case_failed);
}

TEST(StoredTimes, ComeBackFromTheBaselinesText) {
  const std::string text = baseline_text(timed_baseline());
  const Baseline read = baseline_from_json(Json::parse(text), "b.json");
  EXPECT_EQ(baseline_text(read), text);
  Json zero = Json::parse(text);
  zero["stored_times"]["cases"].front()["median_ms"] = 0;
  EXPECT_THAT(error_of(ErrorKind::input, [&] { baseline_from_json(zero, "b.json"); }),
              HasSubstr("median_ms: must be positive"));
}

TEST(StoredTimes, FivePerCentIsTheLimitBothWays) {
  for (const auto& [slower, verdict] : {std::pair{1.04, Verdict::pass},
                                        {1.06, Verdict::regressed},
                                        {0.96, Verdict::pass},
                                        {0.9, Verdict::improved}})
    EXPECT_EQ(time_rows(timed_results(slower)).at(0).verdict, verdict) << slower;
  Results results = timed_results();
  for (const auto& [throughput, verdict] :
       {std::pair{38.1, Verdict::pass}, {37.9, Verdict::regressed}, {42.1, Verdict::improved}}) {
    results.records[0].timing.throughput = throughput;
    const auto rows = time_rows(results);
    const auto row = std::ranges::find(rows, "throughput", &VerdictRow::metric);
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->verdict, verdict) << throughput;
  }
}

// Wall time is 24 % longer under load, where CPU time is the same.
TEST(StoredTimes, UnderLoadCpuTimeDecides) {
  const auto loaded = [](double cpu) {
    Results results = timed_results(1.24);
    results.environment = Json{{"comparability", {{"cpu_model", "A"}, {"threads", 2}, {"cores", 2u}}}};
    Timing& timing = results.records[0].timing;
    timing.cpu_ms = std::vector<double>(5, cpu);
    timing.blocks.emplace_back().load_1m = 7;
    return results;
  };
  Results then = loaded(8);
  then.records[0].timing.blocks.clear();
  then.records[0].timing.warm_ms = timed_results().records[0].timing.warm_ms;
  Baseline baseline = synthetic_baseline(then);
  baseline.stored_times = stored_times_of(then);
  const auto verdict = [&](double cpu, DecideBy wanted) {
    Verdicts report;
    gate_stored_times(loaded(cpu), baseline_from_json(Json::parse(baseline_text(baseline)), "b.json"), report,
                      wanted);
    return report.rows.front().verdict;
  };
  EXPECT_EQ(verdict(8.02, DecideBy::automatic), Verdict::pass);
  EXPECT_EQ(verdict(8.5, DecideBy::automatic), Verdict::regressed);
  EXPECT_EQ(verdict(8.02, DecideBy::cpu), Verdict::pass);
  EXPECT_EQ(verdict(8.02, DecideBy::wall), Verdict::regressed);
  EXPECT_EQ(verdict(8.02, DecideBy::both), Verdict::regressed);
  Verdicts report;
  EXPECT_THAT(error_of(ErrorKind::not_comparable,
                       [&] { gate_stored_times(timed_results(), timed_baseline(), report, DecideBy::cpu); }),
              HasSubstr("its CPU time is unknown"));
}

TEST(StoredTimes, AMissingTimeFailsAndAnotherMachineIsNotComparable) {
  Results results = timed_results();
  results.records[0].timing.warm_ms.clear();
  const auto rows = time_rows(results);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict, Verdict::missing);
  results = timed_results();
  results.environment = Json{{"comparability", {{"cpu_model", "B"}, {"threads", 2}}}};
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { time_rows(results); }),
              HasSubstr(R"(cpu_model is "B", the baseline's "A")"));
  Verdicts report;
  Baseline none = timed_baseline();
  none.stored_times.reset();
  EXPECT_THAT(error_of(ErrorKind::not_comparable, [&] { gate_stored_times(timed_results(), none, report); }),
              HasSubstr("stores no times"));
}

}  // namespace

}  // namespace aqbench
