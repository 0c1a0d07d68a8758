// What a bundle holds besides its results: statement, inventory, warnings, notes, tests, sentences.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/statement.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_content.h"
#include "reports/content/narrative.h"
#include "reports/content/test_run.h"
#include "reports/text/summary.h"
#include "tests/reports/synthetic.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

BundleContent content_of(Results results) {
  BundleContent content;
  content.results = std::move(results);
  return content;
}

TEST(LogWarnings, TheWordInAnyCaseAndNothingLikeIt) {
  const auto warnings = warnings_of_log(
      "all fine\nfoo.cc:3: warning: unused\r\n0 warnings, forewarning, warning_count\n[WARN] x\nWarning",
      "a.log");
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].line, 2u);
  EXPECT_THAT(warnings[0].text, ::testing::StartsWith("foo.cc:3: warning: unused"));
  EXPECT_EQ(warnings[1].line, 4u);
  EXPECT_EQ(warnings[2].line, 5u);
  EXPECT_LE(warnings_of_log("warning " + std::string(5000, 'x'), "a").at(0).text.size(), 203u);
  EXPECT_THAT(warnings_of_log("", "a"), IsEmpty());
}

// The fields of https://in-toto.io/Statement/v1 and of the test-result predicate v0.1.
TEST(Statement, IsAnInTotoTestResult) {
  const Json json = Json::parse(statement_text(content_of(synthetic_results()),
                                               {{std::string(64, '1'), "a"}, {std::string(64, '2'), "b/c"}}));
  EXPECT_EQ(json.at("_type"), "https://in-toto.io/Statement/v1");
  EXPECT_EQ(json.at("predicateType"), "https://in-toto.io/attestation/test-result/v0.1");
  ASSERT_EQ(json.at("subject").size(), 2u);
  EXPECT_EQ(json.at("subject")[1].at("name"), "b/c");
  EXPECT_EQ(json.at("subject")[1].at("digest").at("sha256"), std::string(64, '2'));
  const Json& predicate = json.at("predicate");
  EXPECT_EQ(predicate.at("result"), "PASSED");
  EXPECT_EQ(predicate.at("passedTests").size(), 4u);
  EXPECT_TRUE(predicate.at("failedTests").empty());
  for (const Json& resource : predicate.at("configuration")) EXPECT_TRUE(resource.contains("digest"));
}

TEST(Statement, ResultFollowsCasesGateAndTests) {
  const auto result_of = [](const BundleContent& content) {
    return Json::parse(statement_text(content, {})).at("predicate").at("result").get<std::string>();
  };
  BundleContent content = content_of(synthetic_results());
  content.baseline = synthetic_baseline(content.results);
  EXPECT_EQ(result_of(content), "PASSED");
  content.tests = "failed: ctest ended with exit code 8";
  EXPECT_EQ(result_of(content), "FAILED");
  content.tests = "passed";
  content.results.run.complete = false;
  EXPECT_EQ(result_of(content), "WARNED");
  content.results.run.complete = true;
  metric_of(content.results.records[0], "accuracy_mean_mm").value = 99;
  EXPECT_EQ(result_of(content), "FAILED");
  EXPECT_EQ(Json::parse(statement_text(content, {})).at("predicate").at("failedTests"),
            Json::array({content.results.records[0].case_name}));
  content = content_of(synthetic_results());
  content.results.records[3].status = Status::skipped;
  content.results.records[3].reason = "no CUDA";
  EXPECT_EQ(result_of(content), "WARNED");
  content.results.records[2].status = Status::timeout;
  content.results.records[2].reason = "killed";
  EXPECT_EQ(result_of(content), "FAILED");
}

TEST(Inventory, SizesAndTheirSum) {
  const std::string text = inventory_text({{"results.json", 1000}, {"x", 24}});
  EXPECT_THAT(text, HasSubstr("        1000  results.json  records: raw samples"));
  EXPECT_THAT(text, HasSubstr("          24  x\n"));
  EXPECT_TRUE(text.ends_with("        1024  2 files\n")) << text;
}

TEST(Narrative, SentencesAreComputed) {
  BundleContent content = content_of(synthetic_results());
  Record& record = content.results.records[3];
  record.simulated = false;
  record.stages = {{"depth", "", 1, {90}, {60}, {}, {}},
                   {"extract", "depth", 1, {30}, {30}, {}, {}},
                   {"fusion", "", 1, {10}, {10}, {}, {}}};
  record.timing = {30, {10, 10, 12}, {}, ""};
  content.tests = "passed";
  const auto lines = narrative_lines(content);
  EXPECT_EQ(lines.front(), "4 of 4 planned cases ok.");
  EXPECT_THAT(lines,
              Contains("undulating: roma_like has the smallest mean error, 0.800 mm, 2.000 x less than "
                       "lightglue_like."));
  EXPECT_EQ(lines[1], "All cases have seed=42; the names in these sentences leave it out.");
  EXPECT_THAT(lines,
              Contains("undulating/roma_like: the stage depth takes 60.0 % of the time of all stages."));
  EXPECT_THAT(lines,
              Contains("undulating/roma_like: the first call of a fresh process takes 3.000 x the median of "
                       "the warm ones."));
  EXPECT_EQ(lines.back(), "The program's own tests: passed.");
  content.results.records[0].status = Status::crashed;
  content.results.records[0].reason = "x";
  EXPECT_EQ(narrative_lines(content).front(), "3 of 4 planned cases ok, 1 crashed.");
}

TEST(Narrative, WhatBatchingChangesAndWhatTheGateFound) {
  BundleContent content = content_of(synthetic_results());
  content.results.records.clear();
  for (const int batch : {1, 8}) {
    Record record = synthetic_record("flat_plane", "plane_sweep", 42, 1);
    record.case_name += "/batch=" + std::to_string(batch) + "/size=256";
    record.axes.emplace_back("batch", std::int64_t{batch});
    record.timing = {{}, {batch == 1 ? 100.0 : 50.0}, {}, ""};
    content.results.records.push_back(record);
  }
  content.baseline = synthetic_baseline(content.results);
  EXPECT_THAT(
      narrative_lines(content),
      Contains(
          "flat_plane/plane_sweep/seed=42/size=256: batch 8 takes 0.500 x the time of batch 1 (a trend, not "
          "a comparison in pairs)."));
  content.baseline.reset();
  EXPECT_THAT(
      narrative_lines(content),
      Contains("flat_plane: plane_sweep batch=1 has the smallest mean error, 1.000 mm, as small as that "
               "of plane_sweep batch=8."));
  content.baseline = synthetic_baseline(content.results);
  EXPECT_THAT(narrative_lines(content), Contains(HasSubstr("nothing is worse than its tolerance allows")));
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 2;
  EXPECT_THAT(
      narrative_lines(content),
      Contains(HasSubstr(
          "1 finding, worst: flat_plane/plane_sweep/seed=42/batch=8/size=256: accuracy_mean_mm is 2 mm")));
}

TEST(Summary, CurrentAgainstBaselineTimesWarningsAndNotes) {
  BundleContent content = content_of(synthetic_results());
  content.baseline = synthetic_baseline(content.results);
  content.notes = {"after the <b>fix</b>"};
  content.warnings = {{"bench.log", 7, "warning: x | y"}};
  *metric_of(content.results.records[0], "accuracy_mean_mm").value = 1.683;
  content.results.records[1].timing = {20, {9, 10, 11}, 2.5e6, "px/s"};
  const std::string text = render_summary(content);
  EXPECT_THAT(
      text, HasSubstr("| flat_plane/lightglue_like/seed=42 | accuracy_mean_mm | regressed | 1.683 | 1.530 | "
                      "+0.153 (+10.00 %) | 5 % |\n"));
  EXPECT_THAT(text, HasSubstr("| flat_plane/roma_like/seed=42 | accuracy_mean_mm | pass | 0.793 | 0.793 |"));
  EXPECT_THAT(
      text,
      HasSubstr("| flat_plane/roma_like/seed=42 | 20.00 | 3 | 10.00 ± 1.000 | 10.00 | n/a | 9.000 | 11.00 | "
                "2500000 px/s |"));
  EXPECT_THAT(text, HasSubstr("- after the &lt;b>fix&lt;/b>\n"));
  EXPECT_THAT(text, HasSubstr("- bench.log:7: warning: x \\| y\n"));
  EXPECT_THAT(text, HasSubstr("## In words\n\n- 4 of 4 planned cases ok.\n"));
}

class TestRunFixture : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  fs::path build_with(const std::string& tests) {
    fs::create_directories(directory_ / "build");
    write_file(directory_ / "build/CTestTestfile.cmake", tests);
    fs::create_directories(directory_ / "bundle");
    return directory_ / "build";
  }
};

TEST_F(TestRunFixture, ListsAndRunsTheTestsOfABuildFolder) {
  const fs::path build = build_with("add_test(good /bin/true)\nadd_test(other /bin/true)\n");
  const TestRun run = run_tests(directory_ / "bundle", build);
  EXPECT_TRUE(run.passed) << run.problem;
  const std::string log = read_file(directory_ / "bundle/tests.log");
  EXPECT_THAT(log, HasSubstr("Test #1: good\n"));
  EXPECT_THAT(log, HasSubstr("Total Tests: 2\n"));
  EXPECT_THAT(log, HasSubstr("100% tests passed"));
  EXPECT_THAT(log, ::testing::ContainsRegex("exit code: 0\nreal [0-9.]+ s\nuser [0-9.]+ s\nsys [0-9.]+ s\n"));
  EXPECT_EQ(test_result(log), "passed");
  EXPECT_EQ(test_result(log.substr(0, log.size() - 3)), "");
}

TEST_F(TestRunFixture, AFailingTestIsAFailedRunWithItsOutput) {
  const fs::path build = build_with("add_test(bad sh -c \"echo it broke; exit 3\")\n");
  const TestRun run = run_tests(directory_ / "bundle", build);
  EXPECT_FALSE(run.passed);
  const std::string log = read_file(directory_ / "bundle/tests.log");
  EXPECT_THAT(log, HasSubstr("it broke"));
  EXPECT_EQ(test_result(log), "failed: ctest ended with exit code 8");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { check_test_dir(directory_ / "bundle"); }),
              HasSubstr("no tests there"));
}

TEST(BundleWithEvidence, VerifiesAndEveryPartIsChecked) {
  const TemporaryDirectory directory;
  Results results = synthetic_results();
  const fs::path bundle = synthetic_bundle(directory.path(), results);
  add_notes(bundle, {"one", "two\nlines"});
  write_file(bundle / kBaselineCopyName, baseline_text(synthetic_baseline(results)));
  finalise_bundle(bundle, results);
  EXPECT_TRUE(verify_bundle(bundle).ok()) << render_verify(verify_bundle(bundle));
  EXPECT_EQ(read_file(bundle / kNotesName), "one\ntwo lines\n");
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("## Against the baseline"));
  EXPECT_THAT(read_file(bundle / kInventoryName), HasSubstr("baseline.json"));
  // Hashes made right again do not help where one file says another thing than the others.
  for (const auto& [file, text] : {std::pair<std::string, std::string>{kNotesName, "other\n"},
                                   {kStatementName, "{}\n"},
                                   {kInventoryName, "none\n"},
                                   {kBaselineCopyName, "{\"schema_version\": 1}"},
                                   {kBaselineCopyName, std::string(200000, '[')}}) {
    const std::string good = read_file(bundle / file);
    write_file(bundle / file, text);
    std::vector<HashLine> lines;
    for (const std::string& name : list_bundle_files(bundle).files)
      if (name != kHashListName) lines.push_back({sha256_file_hex(bundle / name), name});
    write_file(bundle / kHashListName, hash_list_text(lines));
    EXPECT_FALSE(verify_bundle(bundle).ok()) << file;
    write_file(bundle / file, good);
  }
  finalise_bundle(bundle, results);
  for (const char* file : {kStatementName, kInventoryName}) {
    const std::string good = read_file(bundle / file);
    fs::remove(bundle / file);
    std::vector<HashLine> lines;
    for (const std::string& name : list_bundle_files(bundle).files)
      if (name != kHashListName) lines.push_back({sha256_file_hex(bundle / name), name});
    write_file(bundle / kHashListName, hash_list_text(lines));
    std::vector<std::string> named;
    for (const Finding& finding : verify_bundle(bundle).findings) named.push_back(finding.file);
    EXPECT_THAT(named, Contains(file));
    write_file(bundle / file, good);
  }
}

}  // namespace
}  // namespace aqbench
