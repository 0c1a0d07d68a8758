#include "reports/bundle/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// The fields of https://in-toto.io/Statement/v1 and of the test-result predicate v0.1.
TEST(Statement, IsAnInTotoTestResult) {
  const std::string text = statement_text(content_of(synthetic_results()),
                                          {{std::string(64, '1'), "a"}, {std::string(64, '2'), "b/c"}});
  const Json json = Json::parse(text);
  EXPECT_EQ(text, json.dump(1) + '\n') << "its subjects are written one by one";
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
  set_baseline(content, synthetic_baseline(content.results));
  EXPECT_EQ(result_of(content), "PASSED");
  content.tests = "failed: ctest ended with exit code 8";
  EXPECT_EQ(result_of(content), "FAILED");
  content.tests = "passed";
  content.results.run.complete = false;
  EXPECT_EQ(result_of(content), "WARNED");
  content.results.run.complete = true;
  metric_of(content.results.records[0], "accuracy_mean_mm").value = 99;
  set_baseline(content, *content.baseline);
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

}  // namespace
}  // namespace aqbench
