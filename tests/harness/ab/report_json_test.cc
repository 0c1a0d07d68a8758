#include "harness/ab/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
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
  forged["run"]["id"] = "../../evil";  // pages and files are named after it
  EXPECT_THROW(ab_document_from_json(forged, "ab.json"), Error);
}

}  // namespace
}  // namespace aqbench
