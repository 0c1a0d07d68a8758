#include "reports/exports/github.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/table.h"
#include "core/text.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t lines_with(const std::string& text, const std::string& start) {
  std::size_t count = text.starts_with(start) ? 1 : 0;
  for (std::size_t at = 0; (at = text.find("\n" + start, at)) != text.npos; ++at) ++count;
  return count;
}

// The escapes of @actions/core: toCommandValue and toCommandProperty.
TEST(Github, Escapes) {
  EXPECT_EQ(github_escape_message("50 %, a:b\r\nc"), "50 %25, a:b%0D%0Ac");
  EXPECT_EQ(github_escape_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
}

TEST(Github, NoAnnotationWhereTheGatePasses) {
  const Results results = synthetic_results();
  const Verdicts report = gate(results, synthetic_baseline(results));
  EXPECT_EQ(github_annotations(report), "");
  EXPECT_THAT(
      github_step_summary(report, results),
      StartsWith(
          "## PASS: 36 values of 4 cases within their tolerances; times are not gated; accepted in run "));
}

// Twelve cases; each has one annotation, which names the first headline that moved.
TEST(Github, WorstFirstAtMostTenThenTheRestCounted) {
  Results results = synthetic_results();
  const std::vector<Record> once = results.records;
  for (const char* suffix : {"0", "1"})
    for (Record record : once) {
      record.case_name += suffix;
      results.records.push_back(std::move(record));
    }
  const Baseline baseline = synthetic_baseline(results);
  for (Record& record : results.records)
    for (const char* name : {"accuracy_mean_mm", "accuracy_median_mm", "accuracy_rmse_mm"})
      *metric_of(record, name).value *= 2;
  *metric_of(results.records[2], "accuracy_rmse_mm").value *= 10;
  const Verdicts report = gate(results, baseline);
  const std::string text = github_annotations(report);
  EXPECT_THAT(text, StartsWith("::error title=undulating/lightglue_like/seed=42::mean error "));
  EXPECT_THAT(text, HasSubstr(" and 2 more values of this case\n"));
  EXPECT_EQ(lines_with(text, "::error "), 10u);
  EXPECT_THAT(text, ::testing::EndsWith("::notice title=aqbench gate::2 more cases\n"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), 11u);
}

TEST(Github, NoNameCanStartACommandOfItsOwn) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  results.records[0].status = Status::crashed;
  results.records[0].reason = "x\n::set-env name=PATH::/evil\r::error::y, 100%";
  const std::string text = github_annotations(gate(results, baseline));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_EQ(std::ranges::count(text, '\r'), 0);
  EXPECT_THAT(text, HasSubstr("100%25"));
}

// As the runner reads a line back: "::error title=..,..::message"; properties end at a comma, the list at
// "::".
TEST(Github, HostileCaseNamesComeBackWhole) {
  for (const char* name : {"a,file=/etc/passwd,line=1", "a::error::b", "100%", "%0A::set-env::x", "a:b,c%d",
                           "%25", "a\r\n::error::b", "title=x", "\xC3\xA4,\xE2\x82\xAC"}) {
    Results results = synthetic_results();
    results.records[0].case_name = std::string("scene/") + name;
    Baseline baseline = synthetic_baseline(results);
    results.records[0].status = Status::crashed;
    results.records[0].reason = name;
    std::string line = github_annotations(gate(results, baseline));
    ASSERT_EQ(std::ranges::count(line, '\n'), 1) << name;
    line.pop_back();
    const std::string lead = "::error title=";
    ASSERT_TRUE(line.starts_with(lead)) << line;
    const std::size_t end = line.find("::", lead.size());
    const std::string title = line.substr(lead.size(), end - lead.size());
    EXPECT_EQ(title.find_first_of(",:\r\n"), std::string::npos) << line;
    const auto unescaped = [](std::string text, bool property) {
      std::vector<std::pair<std::string, std::string>> codes = {{"%0D", "\r"}, {"%0A", "\n"}};
      if (property) codes.insert(codes.end(), {{"%3A", ":"}, {"%2C", ","}});
      codes.emplace_back("%25", "%");  // last, as the runner does it
      for (const auto& [code, plain] : codes)
        for (std::size_t at = 0; (at = text.find(code, at)) != std::string::npos; at += plain.size())
          text.replace(at, code.size(), plain);
      return text;
    };
    EXPECT_EQ(unescaped(title, true), printable("scene/" + std::string(name)));
    EXPECT_THAT(unescaped(line.substr(end + 2), false), HasSubstr("crashed: " + printable(name)));
  }
}

TEST(Github, TheStepSummaryStaysBelowItsLimit) {
  Results results = synthetic_results();
  const Record one = results.records[0];
  results.records.clear();
  for (int i = 0; i < 3000; ++i) {
    results.records.push_back(one);
    results.records.back().case_name = "flat_plane/" + std::string(500, 'm') + "/seed=" + std::to_string(i);
    results.records.back().status = Status::crashed;
  }
  const Baseline baseline = synthetic_baseline(synthetic_results());
  Baseline wide = baseline;
  wide.cases.clear();
  for (const Record& record : results.records) {
    wide.cases.push_back(baseline.cases[0]);
    wide.cases.back().name = record.case_name;
  }
  const Verdicts report = gate(results, wide);
  const std::string text = github_step_summary(report, results);
  EXPECT_LE(text.size(), kMaxStepSummaryBytes);
  EXPECT_GT(text.size(), kMaxStepSummaryBytes / 2);
  EXPECT_THAT(text, HasSubstr(" more cases\n"));
  EXPECT_LE(github_step_summary(report, results, 1000).size(), 1000u);
  EXPECT_EQ(github_step_summary(report, results, 10), "");
}

TEST(GatedMetrics, TensorMemoryOfStagesIsGatedTimeIsNot) {
  Results results = synthetic_results();
  for (Record& record : results.records)
    record.stages = {{"depth", "", 1, {10}, {9}, 545'800'000, 600'000'000},
                     {"extract", "depth", 1, {1}, {1}, 0, {}},
                     {"extract", "fusion", 1, {1}, {1}, 5, {}}};
  Baseline baseline = synthetic_baseline(results);
  ASSERT_NE(find_metric(baseline.cases[0], "tensor_memory.depth.net_bytes"), nullptr);
  EXPECT_NE(find_metric(baseline.cases[0], "tensor_memory.fusion>extract.net_bytes"), nullptr);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  results.records[0].stages[0].wall_ms = {1e6};
  results.records[0].timing.cold_ms = 1e9;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  results.records[0].stages[0].net_bytes = 552'000'000;  // + 1.1 %
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::regression);
  EXPECT_EQ(report.rows[0].metric, "tensor_memory.depth.net_bytes");
  results.records[0].stages[0].net_bytes = std::nullopt;
  EXPECT_EQ(gate(results, baseline).rows[0].verdict, Verdict::missing);
  EXPECT_THAT(github_step_summary(report, results), HasSubstr("time is not: it is compared in pairs alone"));
}

}  // namespace
}  // namespace aqbench
