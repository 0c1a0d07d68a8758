#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "core/processes/process.h"
#include "core/text.h"
#include "reports/exports/tools.h"
#include "tests/reports/synthetic.h"
#include "tests/reports/xml_check.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using xml_testing::junit_schema_problems;
using xml_testing::parse_xml;
using xml_testing::XmlElement;

std::size_t lines_with(const std::string& text, const std::string& start) {
  std::size_t count = text.starts_with(start) ? 1 : 0;
  for (std::size_t at = 0; (at = text.find("\n" + start, at)) != text.npos; ++at) ++count;
  return count;
}

// The escapes of @actions/core: toCommandValue and toCommandProperty.
TEST(Github, Escapes) {
  EXPECT_EQ(github_escaped("50 %, a:b\r\nc", false), "50 %25, a:b%0D%0Ac");
  EXPECT_EQ(github_escaped("a:b,c%\n", true), "a%3Ab%2Cc%25%0A");
}

TEST(Github, NoAnnotationWhereTheGatePasses) {
  const Results results = synthetic_results();
  const Verdicts report = gate(results, synthetic_baseline(results));
  EXPECT_EQ(github_annotations(report), "");
  EXPECT_THAT(
      github_step_summary(report, results),
      StartsWith(
          "### PASS 32 values of 4 cases within their tolerances; times are not gated\n\naccepted in run "));
}

// Twelve cases; each has one annotation, which names the headline that moved most.
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
  EXPECT_THAT(text, StartsWith("::error title=undulating/lightglue_like/seed=42::rmse "));
  EXPECT_THAT(text, HasSubstr(" and 2 more values of this case\n"));
  EXPECT_EQ(lines_with(text, "::error "), 10u);
  EXPECT_THAT(text, ::testing::EndsWith("::notice title=aqbench gate::2 more cases\n"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), 11u);
}

TEST(Github, WhatIsOpenIsAWarning) {
  Verdicts report;
  report.rows.emplace_back().verdict = Verdict::open;
  EXPECT_THAT(github_annotations(report), StartsWith("::warning title="));
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
  EXPECT_LE(text.size(), 1U << 20);                                        // GitHub drops longer ones
  EXPECT_THAT(text, HasSubstr("\nand 2980 more: the page of the run\n"));  // a row for each of 20
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
  EXPECT_THAT(github_step_summary(report, results), HasSubstr("time is not gated: use aqbench ab"));
}

Record skipped_record() {
  Record record = synthetic_record("mound", "roma_like", 42, 1);
  record.status = Status::skipped;
  record.reason = "there is no CUDA device here";
  record.metrics.clear();
  return record;
}

// The parsed file, its form checked.
XmlElement junit_of(const Verdicts& report, const Results& results) {
  const XmlElement root = parse_xml(junit_text(report, results));
  EXPECT_THAT(junit_schema_problems(root), IsEmpty());
  return root.children.at(0);
}

const XmlElement& test_named(const XmlElement& suite, const std::string& name) {
  for (const XmlElement& child : suite.children)
    if (child.name == "testcase" && child.attributes.at("name") == name) return child;
  throw std::runtime_error("no test case " + name);
}

TEST(XmlCheck, RefusesWhatIsNotXmlOrNotJUnit) {
  const std::string head = R"(<?xml version="1.0" encoding="UTF-8"?>)";
  for (const std::string& bad : {std::string("<a/>"), head + "<a>", head + "<a></b>", head + "<a>&x;</a>",
                                 head + "<a b=\"<\"/>", head + "<a>\x01</a>", head + "<a>\xEF\xBF\xBF</a>",
                                 head + "<a>\xC3</a>", head + "<a b=\"1\" b=\"1\"/>", head + "<a/><a/>"})
    EXPECT_THROW(parse_xml(bad), std::runtime_error) << bad;
  for (const char* bad :
       {"<testsuite name=\"x\" tests=\"0\"/>", "<testsuites><testsuite tests=\"0\"/></testsuites>",
        "<testsuites tests=\"1\"/>", "<testsuites><testcase name=\"x\"/></testsuites>",
        "<testsuites colour=\"red\"/>", "<testsuites>words</testsuites>"})
    EXPECT_FALSE(junit_schema_problems(parse_xml(head + bad)).empty()) << bad;
}

TEST(JUnit, OneTestCaseForEachCaseAndAllPass) {
  const Results results = synthetic_results();
  const XmlElement suite = junit_of(gate(results, synthetic_baseline(results)), results);
  EXPECT_EQ(suite.attributes.at("name"), "seed");
  EXPECT_EQ(suite.attributes.at("tests"), "4");
  EXPECT_EQ(suite.attributes.at("timestamp"), "2025-05-20T10:11:12");
  const XmlElement& test = test_named(suite, "undulating/roma_like/seed=42");
  EXPECT_EQ(test.attributes.at("classname"), "seed.undulating");
  EXPECT_EQ(test.attributes.at("time"), "0.012750");
  EXPECT_TRUE(test.children.empty());
}

TEST(JUnit, RegressionIsFailureCrashIsErrorSkipIsSkipped) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  metric_of(results.records[0], "accuracy_mean_mm").value = 9;
  metric_of(results.records[0], "precision_2mm_pct") = {{}, "%", Better::higher, "the cloud is empty"};
  results.records[1].status = Status::crashed;
  results.records[1].reason = "died of signal 6 (Aborted)";
  results.records[2].axes.clear();
  results.records[3].options[0].second = 0.5;
  results.records.push_back(skipped_record());
  const Verdicts report = gate(results, baseline);
  const XmlElement suite = junit_of(report, results);
  EXPECT_EQ(suite.attributes.at("failures"), "1");
  EXPECT_EQ(suite.attributes.at("errors"), "2");
  EXPECT_EQ(suite.attributes.at("skipped"), "1");

  const XmlElement& regressed = test_named(suite, results.records[0].case_name).children.at(0);
  EXPECT_EQ(regressed.name, "failure");
  EXPECT_THAT(regressed.text, HasSubstr("mean error 1.53 -> 9 mm (5.9 x, allowed ± 5 %)\n"));
  EXPECT_THAT(regressed.text,
              HasSubstr("precision at 2 mm: undefined: the cloud is empty (before 72.9 %)\n"));
  EXPECT_THAT(regressed.attributes.at("message"), HasSubstr("(and 1 more)"));
  const XmlElement& crashed = test_named(suite, results.records[1].case_name).children.at(0);
  EXPECT_EQ(crashed.name, "error");
  EXPECT_EQ(crashed.attributes.at("type"), "failed case");
  EXPECT_THAT(crashed.attributes.at("message"), HasSubstr("crashed: died of signal 6 (Aborted)"));
  EXPECT_EQ(test_named(suite, results.records[3].case_name).children.at(0).attributes.at("type"),
            "not comparable");
  const XmlElement& skipped = test_named(suite, "mound/roma_like/seed=42").children.at(0);
  EXPECT_EQ(skipped.name, "skipped");
  EXPECT_THAT(skipped.attributes.at("message"), HasSubstr("there is no CUDA device here"));
}

TEST(JUnit, AMissingCaseIsAFailureAndASelfComparisonAnError) {
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  results.records.pop_back();
  const XmlElement suite = junit_of(gate(results, baseline), results);
  EXPECT_EQ(test_named(suite, "undulating/roma_like/seed=42").children.at(0).name, "failure");
  EXPECT_EQ(suite.attributes.at("tests"), "4");
  baseline.accepted_root_digest = root_digest(results);
  const XmlElement refused = junit_of(gate(results, baseline), results);
  EXPECT_EQ(refused.attributes.at("errors"), "1");
  EXPECT_THAT(refused.children.at(1).children.at(0).text, HasSubstr("self comparison"));
}

// No byte of a name or reason breaks the file, and all that XML can hold comes back as it was.
TEST(JUnit, EveryByteInAReasonLeavesAValidFile) {
  const Results good = synthetic_results();
  Baseline baseline = synthetic_baseline(good);
  for (int byte = 1; byte < 256; ++byte) {
    Results results = good;
    results.records[0].status = Status::failed;
    std::string reason = "a?b ]]> <x y='1'>&amp; \"";
    reason[1] = static_cast<char>(byte);
    results.records[0].reason = reason;
    results.run.suite = baseline.suite = std::string("s") + static_cast<char>(byte);
    results.records[1].case_name += static_cast<char>(byte);
    const XmlElement suite = junit_of(gate(results, baseline), results);
    if (byte < 0x20 || byte >= 0x7F) continue;
    const XmlElement& error = test_named(suite, results.records[0].case_name).children.at(0);
    EXPECT_THAT(error.attributes.at("message"), HasSubstr("failed: " + results.records[0].reason));
  }
  EXPECT_EQ(xml_escape("\xEF\xBF\xBE|\xEF\xBF\xBF|\xED\xA0\x80"), "?|?|???");
  EXPECT_EQ(xml_escape("ä\n<"), "ä&#10;&lt;");
}

// ---- tests/data/junit.xsd, by a validator that knows nothing of this project ----

// What xmllint says; empty where the text is valid.
std::string xsd_problem(const std::string& text) {
  const TemporaryDirectory folder;
  const ProgramAnswer answer =
      ask_program({"xmllint", "--noout", "--schema", AQBENCH_SOURCE_DIR "/tests/data/junit.xsd",
                   folder.file("junit.xml", text)},
                  60);
  return answer.ok ? "" : "not valid: " + answer.problem;
}

struct JUnitSchema : ::testing::Test {
  void SetUp() override {
    if (std::system("xmllint --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no xmllint (package libxml2-utils)";
  }
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
};

TEST_F(JUnitSchema, HoldsForEveryOutcome) {
  const auto expect_valid = [&] { EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), ""); };
  expect_valid();
  metric_of(results.records[0], "accuracy_mean_mm").value = 9;
  results.records[1].status = Status::crashed;
  results.records[1].reason = "died of signal 6 <Aborted> & \"more\"\n]]>";
  results.records[3].options[0].second = 0.5;
  results.records.push_back(skipped_record());
  expect_valid();
  results.records.pop_back();
  results.run.suite.clear();
  results.records.pop_back();
  expect_valid();
  baseline.accepted_root_digest = root_digest(results);
  expect_valid();
}

TEST_F(JUnitSchema, HoldsForHostileNames) {
  for (const char* name : {"a\x01\x1f\x7f", "a\xC3(", "\xEF\xBF\xBE", "x\ty\rz\n", "<testcase name=\"y\"/>",
                           "&#0;", "'\" >", "]]>"}) {
    results.records[0].case_name = std::string("s/") + name;
    results.records[0].scene = name;
    results.run.suite = name;
    EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), "") << name;
  }
}

TEST_F(JUnitSchema, RefusesWhatParsersWouldMisread) {
  const std::string good = junit_text(gate(results, baseline), results);
  const auto replaced = [&](const std::string& part, const std::string& by) {
    std::string text = good;
    const std::size_t at = text.find(part);
    if (at == std::string::npos) ADD_FAILURE() << part;
    return text.replace(at, part.size(), by);
  };
  const std::string properties =
      good.substr(good.find("  <properties>"), good.find("  <testcase") - good.find("  <properties>"));
  std::string late = replaced(properties, "");
  late.insert(late.find(" </testsuite>"), properties);
  for (const std::string& bad :
       {late, replaced(" classname=", " class="), replaced(" skipped=\"0\"", ""),
        replaced("tests=\"4\"", "tests=\"four\""), replaced("T10:11:12\"", "T10:11:12Z\""),
        replaced("time=\"0.0", "time=\"-0.0"),
        replaced("/>\n </testsuite>", "><failure/></testcase>\n </testsuite>"),
        replaced("/>\n </testsuite>",
                 "><failure type=\"t\" message=\"m\"/><skipped message=\"m\"/></testcase>\n </testsuite>")})
    EXPECT_NE(xsd_problem(bad), "") << bad;
}

}  // namespace

}  // namespace aqbench
