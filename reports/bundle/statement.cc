#include "reports/bundle/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/case_result.h"
#include "harness/records/json_values.h"

namespace aqbench {
namespace {

Json digest_json(const std::string& sha256) { return {{"sha256", sha256}}; }

// The elements of "subject" as text: a bundle may have very many files, and a document of all takes four
// times the room.
std::string subjects_text(const std::vector<HashLine>& files) {
  std::string text;
  for (const HashLine& file : files) {
    text += text.empty() ? "\n  " : ",\n  ";
    text += indented_json({{"name", file.path}, {"digest", digest_json(file.sha256)}}, 2);
  }
  return text;
}

// Resource descriptors of the run's inputs.
Json configuration_json(const BundleContent& content, const std::vector<HashLine>& files) {
  Json configuration = Json::array();
  configuration.push_back({{"name", "plan"}, {"digest", digest_json(content.results.run.plan_sha256)}});
  const auto baseline = std::ranges::find(files, kBaselineCopyName, &HashLine::path);
  if (baseline != files.end())
    configuration.push_back({{"name", kBaselineCopyName}, {"digest", digest_json(baseline->sha256)}});
  return configuration;
}

struct StatedCases {
  std::set<std::string> failed, warned;
};

StatedCases verdicts_of(const BundleContent& content) {
  StatedCases verdicts;
  for (const Record& record : content.results.records) {
    if (record.status == Status::skipped)
      verdicts.warned.insert(record.case_name);
    else if (record.status != Status::ok)
      verdicts.failed.insert(record.case_name);
  }
  if (!content.baseline) return verdicts;
  const Verdicts& report = *content.gated;
  for (const VerdictRow& row : report.rows) {
    if (row.verdict == Verdict::added && row.metric.empty()) verdicts.warned.insert(row.case_name);
    if (is_refused(row.verdict)) verdicts.failed.insert(row.case_name);
  }
  for (const std::string& name : verdicts.failed) verdicts.warned.erase(name);
  return verdicts;
}

const char* what_is(const std::string& path) {
  static constexpr std::pair<const char*, const char*> kKnown[] = {
      {"results.json", "records: raw samples, unrounded, effective options"},
      {"journal.jsonl", "the same records as they finished, each line chained to the one before"},
      {"summary.md", "the results for people"},
      {"report.html", "the results as pictures, self-contained"},
      {"env.json", "machine, build, libraries"},
      {"commands.txt", "what was run, from which commit, how it ended, real, user and system time"},
      {"bench.log", "what the cases wrote"},
      {"tests.log", "the program's tests: list and run"},
      {"notes.txt", "notes of whoever ran it"},
      {"baseline.json", "the accepted values that the run was gated on"},
      {"benchmark.json", "times in Google Benchmark's format"},
  };
  for (const auto& [name, meaning] : kKnown)
    if (path == name) return meaning;
  if (is_in_folder(path, kTilesFolder)) return "errors by place";
  if (is_in_folder(path, kViewsFolder)) return "completeness by number of views";
  if (is_in_folder(path, kCloudsFolder)) return "what was scored";
  if (is_in_folder(path, kPicturesFolder)) return "depths of a camera and their errors, for people";
  if (is_in_folder(path, kDiagnosisFolder)) return "why there are holes, each camera's errors";
  if (is_in_folder(path, kDepthFolder)) return "depth errors of each camera";
  if (is_in_folder(path, kViewerFolder))
    return "points with their errors, holes, cameras: what the page turns";
  if (is_in_folder(path, kLogsFolder)) return "what external commands printed";
  return "";
}

}  // namespace

std::string statement_text(const BundleContent& content, const std::vector<HashLine>& files) {
  const StatedCases verdicts = verdicts_of(content);
  Json passed = Json::array(), warned = Json::array(), failed = Json::array();
  for (const Record& record : content.results.records) {
    if (verdicts.failed.contains(record.case_name)) continue;
    (verdicts.warned.contains(record.case_name) ? warned : passed).push_back(record.case_name);
  }
  // Cases of the baseline without a record, too.
  for (const std::string& name : verdicts.failed) failed.push_back(name);
  const bool doubtful = !warned.empty() || !content.results.run.complete;
  const bool tests_failed = !content.tests.empty() && content.tests != "passed";
  const Json statement = {{"_type", "https://in-toto.io/Statement/v1"},
                          {"subject", Json::array()},
                          {"predicateType", kTestResultPredicate},
                          {"predicate",
                           {{"result", !failed.empty() || tests_failed ? "FAILED"
                                       : doubtful                      ? "WARNED"
                                                                       : "PASSED"},
                            {"configuration", configuration_json(content, files)},
                            {"passedTests", std::move(passed)},
                            {"warnedTests", std::move(warned)},
                            {"failedTests", std::move(failed)}}}};
  std::string text = indented_json(statement) + '\n';
  constexpr std::string_view kNoSubjects = "\"subject\": []";
  if (!files.empty())
    text.insert(text.find(kNoSubjects) + kNoSubjects.size() - 1, subjects_text(files) + "\n ");
  return text;
}

std::string inventory_text(const std::vector<InventoryItem>& items) {
  std::size_t width = 5;
  std::uintmax_t total = 0;
  for (const InventoryItem& item : items) {
    width = std::max(width, item.path.size());
    total += item.bytes;
  }
  std::string text =
      "# Files of this bundle but inventory.txt, statement.json, sha256.txt, signature.json.\n";
  for (const InventoryItem& item : items) {
    std::string line = fmt::format("{:>12}  {:<{}}  {}", item.bytes, item.path, width, what_is(item.path));
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text + fmt::format("{:>12}  {}\n", total, counted(items.size(), "file"));
}

}  // namespace aqbench
