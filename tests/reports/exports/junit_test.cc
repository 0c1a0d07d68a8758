#include "reports/exports/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/files.h"
#include "core/text.h"
#include "tests/reports/synthetic.h"
#include "tests/reports/xml_check.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using xml_testing::junit_schema_problems;
using xml_testing::parse_xml;
using xml_testing::XmlElement;

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
  Record extra = synthetic_record("mound", "roma_like", 42, 1);
  extra.status = Status::skipped;
  extra.reason = "there is no CUDA device here";
  extra.metrics.clear();
  results.records.push_back(extra);
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

bool has_xmllint() { return std::system("xmllint --version >/dev/null 2>&1") == 0; }

// What xmllint says; empty where the text is valid.
std::string xsd_problem(const std::string& text) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "junit.xml", text);
  const std::string command = "xmllint --noout --schema " AQBENCH_SOURCE_DIR "/tests/data/junit.xsd '" +
                              (folder.path() / "junit.xml").string() + "' 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string said;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    said.append(buffer.data(), count);
  return ::pclose(pipe) == 0 ? std::string() : said;
}

struct JUnitSchema : ::testing::Test {
  void SetUp() override {
    if (!has_xmllint()) GTEST_SKIP() << "no xmllint (package libxml2-utils)";
  }
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
};

TEST_F(JUnitSchema, HoldsForEveryOutcome) {
  EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), "");
  metric_of(results.records[0], "accuracy_mean_mm").value = 9;
  results.records[1].status = Status::crashed;
  results.records[1].reason = "died of signal 6 <Aborted> & \"more\"\n]]>";
  results.records[3].options[0].second = 0.5;
  Record extra = synthetic_record("mound", "roma_like", 42, 1);
  extra.status = Status::skipped;
  extra.reason = "there is no CUDA device here";
  extra.metrics.clear();
  results.records.push_back(extra);
  EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), "");
  results.records.pop_back();
  results.run.suite.clear();
  results.records.pop_back();
  EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), "");
  baseline.accepted_root_digest = root_digest(results);
  EXPECT_EQ(xsd_problem(junit_text(gate(results, baseline), results)), "");
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
