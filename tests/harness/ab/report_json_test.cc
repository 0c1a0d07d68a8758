#include "harness/ab/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

std::string text_of(const AbDocument& document) { return ab_text(document, judge_ab(document)); }

TEST(AbReport, TheDocumentReadsBackAndItsDecisionIsWorkedOutAgain) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const std::string text = text_of(document);
  EXPECT_EQ(text_of(ab_document_from_json(Json::parse(text), "ab.json")), text);
  Json forged = Json::parse(text);
  forged["decision"]["cases"][0]["verdict"] = "PASS";
  EXPECT_EQ(text_of(ab_document_from_json(forged, "ab.json")), text);
}

}  // namespace
}  // namespace aqbench
