#include "harness/records/results.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/sha256.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(Results, TextReadsBackToTheSameText) {
  Results results = synthetic_results();
  results.records[1].status = Status::timeout;
  results.records[1].reason = "ran longer than 600 s";
  results.records[1].metrics.clear();
  results.records[2].timing.warm_ms = {1.0 / 3, 2e-300};
  results.records[2].timing.throughput = 13.8e6;
  results.records[2].timing.throughput_unit = "px/s";
  results.records[2].injected = {{"simulation", "20ms", 1}};
  const std::string text = results_text(results);
  EXPECT_EQ(results_text(results_from_text(text, "results.json")), text);
  EXPECT_EQ(text.back(), '\n');
}

// The text is made record by record; made of one document it is the same.
TEST(Results, TextIsThatOfTheWholeDocument) {
  Results results = synthetic_results();
  results.records[0].case_name += "\n \"records\": [\x80";
  results.records[1].injected = {{"simulate", "20ms", 1}};
  const auto whole = [](const Results& from) {
    return to_json(from).dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  };
  EXPECT_EQ(results_text(results), whole(results));
  EXPECT_EQ(results_sha256(results), sha256_hex(whole(results)));
  results.records.resize(1);
  EXPECT_EQ(results_text(results), whole(results));
  results.records.clear();
  EXPECT_EQ(results_text(results), whole(results));
}

// A file is read record by record; what is wrong with it is said as of one document.
TEST(Results, FilesAreReadAsTextsAre) {
  const TemporaryDirectory folder;
  const std::string text = results_text(synthetic_results());
  EXPECT_EQ(results_text(read_results(folder.file("good", text))), text);
  const auto error_text = [](const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      return fmt::format("{}: {}", static_cast<int>(error.kind()), error.what());
    }
    return std::string("(no error)");
  };
  std::size_t number = 0;
  for (const auto& [what, instead] : std::vector<std::pair<std::string, std::string>>{
           {"\"status\": \"ok\"", "\"status\": \"fine\""},
           {"\"status\": \"ok\"", "\"status\": \"ok"},
           {"\"status\": \"ok\",", "\"status\": \"ok\", \"status\": \"ok\","},
           {"\"schema_version\": 4", "\"schema_version\": 9"},
           {"\"environment\": {", "\"environment\": ["},
           {"\"records\": [", "\"records\": [{}, "},
           {"\"records\"", "\"record\""},
           {"\"files\"", "\"field\""},
           {"seed=42", "seed=\x01"}}) {
    std::string bad = text;
    const std::size_t at = bad.rfind(what);
    ASSERT_NE(at, bad.npos) << what;
    bad.replace(at, what.size(), instead);
    const auto file = folder.file(fmt::format("bad{}", ++number), bad);
    const std::string message = error_text([&] { read_results(file); });
    EXPECT_EQ(message, error_text([&] { results_from_text(bad, file.string()); }));
    EXPECT_NE(message, "(no error)") << instead;
  }
}

TEST(Results, UndefinedIsNullWithItsReasonAndNeverANumber) {
  Results results = synthetic_results();
  metric_of(results.records[0], "accuracy_mean_mm").value = std::numeric_limits<double>::quiet_NaN();
  const Results read = results_from_text(results_text(results), "results.json");
  const Metric* const metric = find_metric(read.records[0].metrics, "accuracy_mean_mm");
  ASSERT_NE(metric, nullptr);
  EXPECT_FALSE(metric->value.has_value());
  EXPECT_FALSE(metric->reason.empty());
}

TEST(Results, OrderOfRecordsDoesNotMatter) {
  Results results = synthetic_results();
  const std::string text = results_text(results), root = root_digest(results),
                    metrics = metrics_digest(results);
  std::ranges::reverse(results.records);
  EXPECT_EQ(results_text(results), text);
  EXPECT_EQ(root_digest(results), root);
  EXPECT_EQ(metrics_digest(results), metrics);
}

TEST(Results, RootDigestIsTheHashOfTheSortedRecordLines) {
  const Results results = synthetic_results();
  std::string lines;
  for (const Record& record : results.records) lines += to_json(record).dump() + "\n";
  EXPECT_EQ(root_digest(results), sha256_hex(lines));
}

// Time, memory, thread count and details of the run may differ; computed values may not.
TEST(Results, MetricsDigestIsOfTheDeterministicPartAlone) {
  const Results results = synthetic_results();
  const auto changed = [&](const std::function<void(Results&)>& change) {
    Results other = results;
    change(other);
    EXPECT_TRUE(root_digest(other) != root_digest(results) || results_text(other) != results_text(results));
    return metrics_digest(other) != metrics_digest(results);
  };
  EXPECT_FALSE(changed([](Results& r) { r.records[0].timing.cold_ms = 99; }));
  EXPECT_FALSE(changed([](Results& r) { r.records[0].stages[0].wall_ms = {5}; }));
  EXPECT_FALSE(changed([](Results& r) { r.records[0].peak_rss_bytes = 1; }));
  EXPECT_FALSE(changed([](Results& r) { r.records[0].axes[1].second = std::int64_t{1}; }));
  EXPECT_FALSE(changed([](Results& r) { r.run.finished_utc = "2025-05-20T10:11:15Z"; }));
  EXPECT_FALSE(changed([](Results& r) { r.environment = {}; }));
  EXPECT_FALSE(changed([](Results& r) { r.records[0].defaults.emplace_back("roma_like.added_later", 0.5); }));
  EXPECT_TRUE(changed([](Results& r) { r.records[0].status = Status::failed; }));
  EXPECT_TRUE(changed([](Results& r) { r.records[0].case_name += "x"; }));
  EXPECT_TRUE(changed([](Results& r) { r.records[0].options[1].second = std::int64_t{3001}; }));
  EXPECT_TRUE(changed([](Results& r) { r.records[0].output_sha256[0] = 'b'; }));
  EXPECT_TRUE(changed([](Results& r) {
    double& value = *metric_of(r.records[0], "accuracy_mean_mm").value;
    value = std::nextafter(value, 2);  // the last bit counts
  }));
}

TEST(Results, TwoRecordsOfACaseAreRefused) {
  Results results = synthetic_results();
  results.records[1].case_name = results.records[0].case_name;
  EXPECT_THAT(error_of(ErrorKind::input, [&] { results_text(results); }),
              ::testing::HasSubstr("has two records"));
  Json json = to_json(synthetic_results());
  json["records"][1]["case"] = json["records"][0]["case"];
  EXPECT_EQ(error_of(ErrorKind::input, [&] { results_from_json(json, "r.json"); }),
            "r.json: results: case 'flat_plane/lightglue_like/seed=42' has two records");
}

TEST(Results, AnotherSchemaVersionIsNotComparable) {
  Json json = to_json(synthetic_results());
  json["schema_version"] = 5;
  EXPECT_EQ(error_of(ErrorKind::not_comparable, [&] { results_from_json(json, "r.json"); }),
            "r.json: schema_version: 5; this program reads 4");
}

// Returns whether an independent validator accepts a document.
bool follows_schema(const Json& json) {
  static const valijson::Schema* const schema = [] {
    static valijson::Schema parsed;
    const auto document = nlohmann::json::parse(results_schema_text());
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(document), parsed);
    return &parsed;
  }();
  const nlohmann::json document = json;
  return valijson::Validator().validate(*schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

TEST(Schema, AcceptsWhatIsWritten) {
  Results results = synthetic_results();
  results.run.suite.clear();
  results.records[0].status = Status::skipped;
  results.records[0].reason = "no CUDA device";
  results.records[0].output_sha256.clear();
  results.records[3].injected = {{"*", "+5%", 3}};
  EXPECT_TRUE(follows_schema(to_json(results)));
  results.comparison = Json{{"sides", "two"}};
  results.records[0].unit = UnitOfRecord{.outcomes = {{"cpu_ms", {1, 2}}}};
  EXPECT_TRUE(follows_schema(to_json(results))) << "of a comparison";
}

struct Mutation {
  const char* pointer;
  const char* value;  // JSON; nullptr: taken out
  const char* path;   // what the refusal must name
};

TEST(Schema, RefusesWhatIsNotAResult) {
  const Mutation mutations[] = {
      {"/schema_version", nullptr, "'schema_version' is missing"},
      {"/schema_version", "\"4\"", "schema_version"},
      {"/run", nullptr, "'run' is missing"},
      {"/run", "[]", "run"},
      {"/run/id", "\"\"", "run.id"},
      {"/run/started_utc", "\"yesterday\"", "run.started_utc"},
      {"/run/complete", "1", "run.complete"},
      {"/run/planned_cases", "-1", "run.planned_cases"},
      {"/run/planned_cases", "1.5", "run.planned_cases"},
      {"/run/plan_sha256", "\"abc\"", "run.plan_sha256"},
      {"/run/requested", "null", "run.requested"},
      {"/run/extra", "1", "run.extra"},
      {"/environment", "\"linux\"", "environment"},
      {"/records", "{}", "records"},
      {"/records/0", "null", "records[0]"},
      {"/records/0/case", "\"\"", "records[0].case"},
      {"/records/0/case", nullptr, "records[0]"},
      {"/records/1/status", "\"fine\"", "records[1].status"},
      {"/records/1/status", "\"failed\"", "records[1].reason"},
      {"/records/0/metrics/points/value", "\"many\"", "records[0].metrics.points.value"},
      {"/records/0/metrics/points/better", "\"up\"", "records[0].metrics.points.better"},
      {"/records/0/metrics/points/unit", nullptr, "records[0].metrics.points"},
      {"/records/0/metrics/points", "3", "records[0].metrics.points"},
      {"/records/0/stages/0/calls", "-1", "records[0].stages[0].calls"},
      {"/records/0/stages/0/wall_ms", "[null]", "records[0].stages[0].wall_ms[0]"},
      {"/records/0/timing/cold_ms", "-1", "records[0].timing.cold_ms"},
      {"/records/0/timing/throughput", "5", "records[0].timing.throughput"},
      {"/records/0/peak_rss_bytes", "-5", "records[0].peak_rss_bytes"},
      {"/records/0/output_sha256", "\"zz\"", "records[0].output_sha256"},
      {"/records/0/simulated", "null", "records[0].simulated"},
      {"/records/0/options", "[]", "records[0].options"},
      {"/records/0/axes/seed", "[1]", "records[0].axes.seed"},
      {"/records/0/unknown", "1", "records[0].unknown: "},
  };
  const Json good = to_json(synthetic_results());
  ASSERT_TRUE(follows_schema(good));
  for (const Mutation& mutation : mutations) {
    Json bad = good;
    const Json::json_pointer pointer(mutation.pointer);
    if (mutation.value != nullptr)
      bad[pointer] = Json::parse(mutation.value);
    else
      bad[pointer.parent_pointer()].erase(pointer.back());
    const std::string message = error_of(ErrorKind::input, [&] { results_from_json(bad, "r.json"); });
    EXPECT_TRUE(message.starts_with(std::string("r.json: ") + mutation.path))
        << mutation.pointer << " gave " << message;
    EXPECT_FALSE(follows_schema(bad)) << mutation.pointer;
  }
}

// "Undefined" has its reason in what aqbench writes; a file edited by hand is still read as undefined.
TEST(Schema, NullWithoutAReasonIsNotValidButReadAsUndefined) {
  Json json = to_json(synthetic_results());
  json["records"][0]["metrics"]["points"]["value"] = nullptr;
  EXPECT_FALSE(follows_schema(json));
  const Results results = results_from_json(json, "r.json");
  const Metric* const points = find_metric(results.records[0].metrics, "points");
  ASSERT_NE(points, nullptr);
  EXPECT_FALSE(points->value.has_value());
  EXPECT_EQ(points->reason, "null without a reason");
}

TEST(Schema, SurvivesHostileDocuments) {
  const Json good = to_json(synthetic_results());
  Json bad = good;
  bad["records"][0]["output_sha256"] =
      std::string(2'000'000, 'a');  // a regular expression may recurse on this
  EXPECT_NE(error_of(ErrorKind::input, [&] { results_from_json(bad, "r"); }), "(no error)");
  bad = good;
  bad["run"]["planned_cases"] = 1e300;
  EXPECT_NE(error_of(ErrorKind::input, [&] { results_from_json(bad, "r"); }), "(no error)");
  bad = good;
  bad["records"][0]["peak_rss_bytes"] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(results_from_json(bad, "r").records[0].peak_rss_bytes, std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"null", "[]", "3", "\"x\"", "{}", "{\"schema_version\":4}"})
    EXPECT_TRUE(error_of(ErrorKind::input, [&] { results_from_text(text, "r"); }).starts_with("r: ")) << text;
}

}  // namespace
}  // namespace aqbench
