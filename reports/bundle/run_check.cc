#include "reports/bundle/run_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr const char* kResultsFile = "results.json";

// The load differs from one moment to the next.
Json environment_without_load(Json environment) {
  if (environment.is_object()) environment.erase("load");
  return environment;
}

void check_header(const Results& results, const JournalContents& journal, std::vector<Finding>& findings) {
  const RunInfo& run = results.run;
  const JournalHeader& header = journal.header;
  const auto require = [&](bool same, const char* file, std::string what) {
    if (!same) findings.push_back({file, std::move(what)});
  };
  require(header.plan_sha256 == run.plan_sha256, kJournalFile, "is of another plan than results.json");
  // Folders are named after it.
  require(is_bundle_path(run.id) && run.id.find('/') == std::string::npos, kResultsFile,
          fmt::format("run.id: '{}' is not a name of a bundle", printable(run.id)));
  require(header.run_id == run.id && header.suite == run.suite && header.started_utc == run.started_utc,
          kJournalFile, "is of another run than results.json");
  require(header.case_names.size() == run.planned_cases, kJournalFile,
          fmt::format("plans {} cases, results.json {}", header.case_names.size(), run.planned_cases));
  require(header.sides.has_value() == results.is_comparison(), kJournalFile,
          "is of another kind of run than results.json");
  require((header.sides ? Json{{"arguments", header.sides->arguments}} : requested_json(header.request)) ==
              *run.requested,
          kResultsFile, "run.requested is not what the journal says");
  require(
      environment_without_load(*results.environment) == environment_without_load(environment_of_run(journal)),
      kResultsFile, "environment is not the journal's");
}

void check_records(const Results& results, const JournalContents& journal, std::vector<Finding>& findings) {
  const auto report = [&](std::string what) { findings.push_back({kResultsFile, std::move(what)}); };
  std::map<std::string, std::string> journalled;  // the hashes of the records
  for (const CaseEnd& end : case_ends(journal)) journalled[end.case_name] = end.record_sha256;
  for (const Record& record : results.records) {
    const auto entry = journalled.find(record_key(record));
    const std::string name = printable(record_key(record));
    if (entry == journalled.end()) {
      report(fmt::format("has case {}, which the journal does not", name));
      continue;
    }
    if (sha256_hex(record_text(record)) != entry->second)
      report(fmt::format("has another record of case {} than the journal", name));
    journalled.erase(entry);
  }
  for (const auto& [name, hash] : journalled)
    report(fmt::format("lacks case {} of the journal", printable(name)));
}

}  // namespace

std::vector<Finding> check_run(const Results& results, const JournalContents& journal) {
  std::vector<Finding> findings;
  check_header(results, journal, findings);
  check_records(results, journal, findings);
  return findings;
}

std::vector<Finding> check_case_files(const std::filesystem::path& bundle, const Results& results,
                                      const std::vector<std::string>& files) {
  std::vector<Finding> findings;
  for (const Record& record : results.records) {
    for (const CaseFile& file : record.files)
      if (!std::ranges::binary_search(files, file.path))
        findings.push_back({file.path, "is missing, though a record names it"});
      else if (sha256_file_hex(bundle / file.path) != file.sha256)
        findings.push_back({file.path, "is not the file that the case's process wrote"});
  }
  return findings;
}

std::vector<Finding> check_log(const std::filesystem::path& bundle, bool complete,
                               const JournalContents& journal) {
  const std::string log = read_file(bundle / kLogFile);
  std::uint64_t start = 0;
  for (const LogMark& mark : journal.log_marks) {
    if (mark.bytes < start || mark.bytes > log.size())
      return {{kLogFile, "is not as long as the journal says"}};
    if (sha256_hex(std::string_view(log).substr(start, mark.bytes - start)) != mark.sha256)
      return {{kLogFile, fmt::format("bytes {} to {} are not what the journal knows", start, mark.bytes)}};
    start = mark.bytes;
  }
  if (complete && start != log.size()) return {{kLogFile, "has lines after the last record of the journal"}};
  return {};
}

}  // namespace aqbench
