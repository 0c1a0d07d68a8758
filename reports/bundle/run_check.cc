#include "reports/bundle/run_check.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr const char* kResultsFile = "results.json";

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
  require((header.schema_version == 1) == (results.schema_version == 1), kJournalFile,
          fmt::format("is of format {}, results.json of {}", header.schema_version, results.schema_version));
  require(header.case_names.size() == run.planned_cases, kJournalFile,
          fmt::format("plans {} cases, results.json {}", header.case_names.size(), run.planned_cases));
  require(requested_json(header.request) == *run.requested, kResultsFile,
          "run.requested is not what the journal says");
  require(header.schema_version == 1 || environment_without_load(*results.environment) ==
                                            environment_without_load(environment_of_run(journal)),
          kResultsFile, "environment is not the journal's");
}

void check_records(const Results& results, const JournalContents& journal, std::vector<Finding>& findings) {
  const auto report = [&](std::string what) { findings.push_back({kResultsFile, std::move(what)}); };
  std::map<std::string, std::string> journalled;  // the hashes of the records
  for (const CaseEnd& end : case_ends(journal)) journalled[end.case_name] = end.record_sha256;
  for (const Record& record : results.records) {
    const auto entry = journalled.find(record.case_name);
    const std::string name = printable(record.case_name);
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

Json environment_without_load(Json environment) {
  if (environment.is_object()) environment.erase("load");
  return environment;
}

}  // namespace aqbench
