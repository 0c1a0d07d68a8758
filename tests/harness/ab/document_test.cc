#include "harness/ab/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "harness/ab/report.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

std::string text_of(const AbDocument& document) { return ab_text(document, judge_ab(document)); }

Results results_with_header(const AbDocument& document, JournalHeader* given = nullptr) {
  JournalHeader header = journal_header_of(document, {"--a", "x"}, {"plan"});
  header.run_id = document.run.id;
  header.started_utc = document.run.started_utc;
  if (given != nullptr) *given = header;
  Results results = results_of(document, header);
  results.run.text_version = 1;
  return results;
}

TEST(AbDocument, ReadsBackFromResultsWithItsVerdicts) {
  const std::string hash(64, 'a');
  AbDocument document = document_of(timed_samples(40, 1.07));
  for (Record& unit : document.samples.units) unit.output_sha256 = hash;
  document.run.started_utc = document.run.finished_utc = "2026-11-21T12:00:00Z";
  document.notes = {"a note"};
  document.samples.cases[0].tau = 0.03;
  for (const AbDocument& one : {document, validation_document(3, 1.05)}) {
    Results results = results_with_header(one);
    EXPECT_EQ(text_of(document_of(std::move(results))), text_of(one));
    EXPECT_EQ(results.run.planned_cases, one.samples.cases.size());
  }
  const std::string text = results_text(results_with_header(document));
  EXPECT_EQ(results_text(results_from_text(text, "results.json")), text);
  EXPECT_EQ(text_of(document_of(results_from_text(text, "results.json"))), text_of(document));
}

TEST(AbDocument, IsWhatItsJournalBeganWith) {
  const AbDocument good = document_of(timed_samples(20, 1));
  JournalHeader header;
  const Results results = results_with_header(good, &header);
  const auto problem_after = [&](const std::function<void(AbDocument&)>& change) {
    AbDocument document = good;
    change(document);
    return comparison_problem(document, *results_with_header(document).comparison, header, 0);
  };
  EXPECT_EQ(problem_after([](auto&) {}), "");
  for (const std::function<void(AbDocument&)>& change :
       std::initializer_list<std::function<void(AbDocument&)>>{
           [](auto& d) { d.b.program_sha256 = "3333"; }, [](auto& d) { d.a.file_sha256 = "3333"; },
           [](auto& d) { d.samples.cases[0].name = "other"; }, [](auto& d) { d.samples.cases[0].tau = 0.5; },
           [](auto& d) { d.settings.policy.tau = 0.04; }, [](auto& d) { d.run.pairs_per_look = 19; }})
    EXPECT_THAT(problem_after(change), HasSubstr("comparison is not what journal.jsonl begins with"));
  EXPECT_THAT(problem_after([](auto& d) { d.run.resumed = 1; }), HasSubstr("run.resumed is 1"));
  const auto cut = [](AbDocument& d) { d.samples.units.resize(d.samples.units.size() - 4); };
  EXPECT_THAT(problem_after(cut), HasSubstr("pairs are missing at the end"));
  EXPECT_EQ(problem_after([&](auto& d) {
              cut(d);
              d.run.complete = false;
            }),
            "");
  EXPECT_THAT(problem_after([](auto& d) { d.run.complete = false; }), HasSubstr("nothing is missing"));
  EXPECT_THAT(problem_after([](auto& d) { d.samples.units[4].unit->scored = true; }),
              HasSubstr("records[4]: is scored, though it is not the first of its side"));
}

TEST(AbDocument, WithoutItsPartsIsRefused) {
  Results results = results_with_header(document_of(timed_samples(20, 1)));
  Json comparison = *results.comparison;
  comparison.erase("settings");
  results.comparison = comparison;
  try {
    document_of(std::move(results));
    ADD_FAILURE() << "no settings";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("settings"));
  }
}

}  // namespace
}  // namespace aqbench
