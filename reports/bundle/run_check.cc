#include "reports/bundle/run_check.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/checking/environment_check.h"
#include "reports/content/utc.h"

namespace aqbench {
namespace {

constexpr const char* kResultsFile = "results.json";

// Returns the value at "build.commit"; null where there is none.
Json value_at(const Json& environment, std::string_view path) {
  const Json* at = &environment;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const auto found = at->is_object() ? at->find(path.substr(0, dot)) : at->end();
    if (!at->is_object() || found == at->end()) return nullptr;
    at = &*found;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return *at;
}

// How "comparability" tells what is null elsewhere.
bool is_unknown(const Json& value) { return value == Json("unknown") || value == Json(""); }

class RunChecker {
 public:
  RunChecker(const Results& results, const JournalContents& journal)
      : results_(results), run_(results.run), journal_(journal), header_(journal.header) {}

  std::vector<Finding> run() {
    check_header();
    check_records();
    check_program();
    check_environment();
    check_times();
    return std::move(findings_);
  }

 private:
  void report(const char* file, std::string what) { findings_.push_back({file, std::move(what)}); }

  void check_header() {
    if (header_.plan_sha256 != run_.plan_sha256) report(kJournalFile, "is of another plan than results.json");
    // It names folders of what is made of the bundle, and stands in what is printed.
    if (!is_bundle_path(run_.id) || run_.id.find('/') != std::string::npos)
      report(kResultsFile, fmt::format("run.id: '{}' is no name of a bundle", printable(run_.id)));
    if (header_.run_id != run_.id || header_.suite != run_.suite || header_.started_utc != run_.started_utc)
      report(kJournalFile, "is of another run than results.json");
    if ((header_.schema_version == 1) != (results_.schema_version == 1))
      report(kJournalFile, fmt::format("is of format {}, results.json of {}", header_.schema_version,
                                       results_.schema_version));
    if (header_.case_names.size() != run_.planned_cases)
      report(kJournalFile,
             fmt::format("plans {} cases, results.json {}", header_.case_names.size(), run_.planned_cases));
    if (requested_json(header_.request) != *run_.requested)
      report(kResultsFile, "run.requested is not what the journal says");
  }

  void check_records() {
    std::map<std::string, std::string> journalled;  // the hashes of the records
    for (const CaseEnd& end : case_ends(journal_)) journalled[end.case_name] = end.record_sha256;
    for (const Record& record : results_.records) {
      const auto entry = journalled.find(record.case_name);
      const std::string name = printable(record.case_name);
      if (entry == journalled.end())
        report(kResultsFile, fmt::format("has case {}, which the journal does not", name));
      else if (sha256_hex(record_text(record)) != entry->second)
        report(kResultsFile, fmt::format("has another record of case {} than the journal", name));
      if (entry != journalled.end()) journalled.erase(entry);
    }
    for (const auto& [name, hash] : journalled)
      report(kResultsFile, fmt::format("lacks case {} of the journal", printable(name)));
  }

  void check_program() {
    const Json commit = value_at(*results_.environment, "build.commit");
    if (commit != (header_.program_commit.empty() ? Json(nullptr) : Json(header_.program_commit)))
      report(kResultsFile, "environment.build.commit is not the journal's");
    const Json program = value_at(*results_.environment, "build.program_sha256");
    if (program != Json(header_.program_sha256))
      report(kResultsFile, "environment.build.program_sha256 is not the journal's");
  }

  void check_environment() {
    const Json& environment = *results_.environment;
    if (header_.schema_version > 1 && !is_journalled(environment_without_load(environment)))
      report(kResultsFile, "environment is not the journal's");
    check_types(environment);
    check_mixed();
    if (value_at(environment, "comparability").is_null() && is_of_this_program(header_))
      report(kResultsFile, "environment.comparability is missing");
    if (!value_at(environment, "comparability.mixed").is_null()) return;
    for (const std::string& problem : twice_told_problems(environment)) report(kResultsFile, problem);
    if (const auto& threads = header_.request.threads;
        threads && environment.contains("threads") && environment.at("threads") != Json(*threads))
      report(kResultsFile, "environment.threads is not what was asked for");
  }

  // A value of another type would not be compared with anything.
  void check_types(const Json& environment) {
    for (const char* const object : {"comparability", "cpu", "memory", "build", "libraries"})
      if (const Json value = value_at(environment, object); !value.is_null() && !value.is_object())
        report(kResultsFile, fmt::format("environment.{} is no object", object));
    for (const char* const count : {"cpu.cores_online", "cpu.cores_usable", "memory.total_bytes",
                                    "memory.available_bytes", "memory.cgroup_limit_bytes", "threads"})
      if (const Json value = value_at(environment, count); !value.is_null() && !value.is_number_integer())
        report(kResultsFile, fmt::format("environment.{} is no number", count));
  }

  // No machine says of itself that it is several: that follows when a run was gone on with, or merged.
  void check_mixed() {
    if (header_.schema_version < 2 || merged_runs(run_) > 1) return;
    std::vector<const Json*> told = {&*header_.environment};
    for (const JournalResumption& resumption : journal_.resumptions) told.push_back(&*resumption.environment);
    for (const Json* const environment : told)
      if (!value_at(*environment, "comparability.mixed").is_null())
        report(kJournalFile, "environment.comparability.mixed: is that of no machine");
  }

  // An older program told the environment in which a run was gone on with, whatever it began in.
  bool is_journalled(const Json& environment) const {
    if (environment == environment_without_load(environment_of_run(journal_))) return true;
    return !is_of_this_program(header_) && !journal_.resumptions.empty() &&
           environment == environment_without_load(*journal_.resumptions.back().environment);
  }

  void check_times() {
    const auto started = seconds_of_utc(run_.started_utc), finished = seconds_of_utc(run_.finished_utc);
    if (!started || !finished) return report(kResultsFile, "run: its times cannot be read");
    if (*finished < *started) return report(kResultsFile, "run.finished_utc is before run.started_utc");
    for (const JournalResumption& resumption : journal_.resumptions) {
      const auto resumed = seconds_of_utc(resumption.utc);
      if (!resumed || *resumed < *started || *resumed > *finished)
        report(kJournalFile, fmt::format("was resumed at {}, not within the run", resumption.utc));
    }
    const double wall_s = static_cast<double>(*finished - *started) + kClockSlackS;
    for (const Record& record : results_.records) {
      const double took_s = 1e-3 * measured_ms(record.timing);
      if (took_s > wall_s)
        report(kResultsFile, fmt::format("case {}: took {:.6g} s of a run of {:.6g} s",
                                         printable(record.case_name), took_s, wall_s));
    }
  }

  const Results& results_;
  const RunInfo& run_;
  const JournalContents& journal_;
  const JournalHeader& header_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<std::string> twice_told_problems(const Json& environment) {
  // What decides about comparing stands there twice.
  constexpr std::pair<const char*, const char*> kTwice[] = {
      {"comparability.architecture", "cpu.architecture"},
      {"comparability.compiler", "build.compiler"},
      {"comparability.flags", "build.flags"},
      {"comparability.build_type", "build.build_type"},
      {"comparability.sanitizers", "build.sanitizers"},
      {"comparability.device", "device"},
      {"comparability.dtype", "dtype"},
      {"comparability.threads", "threads"},
      {"comparability.gpu", "gpu"},
      {"comparability.cgroup_quota_cores", "cpu.cgroup_quota_cores"},
      {"comparability.cpu_model", "cpu.model"},
      {"comparability.libtorch", "libraries.libtorch"},
  };
  std::vector<std::string> problems;
  if (!environment.is_object() || !environment.contains("comparability") ||
      !value_at(environment, "comparability.mixed").is_null())
    return problems;
  for (const auto& [copy, original] : kTwice)
    if (value_at(environment, copy) != value_at(environment, original) &&
        !is_unknown(value_at(environment, copy)))
      problems.push_back(fmt::format("environment.{} is not environment.{}", copy, original));
  return problems;
}

Json environment_without_load(Json environment) {
  if (environment.is_object()) environment.erase("load");
  return environment;
}

std::vector<Finding> check_run(const Results& results, const JournalContents& journal) {
  return RunChecker(results, journal).run();
}

double measured_ms(const Timing& timing) {
  double sum = timing.cold_ms.value_or(0) + timing.dataset_ms.value_or(0);
  for (const auto* const samples : {&timing.warm_ms, &timing.more_cold_ms})
    for (const double ms : *samples)
      if (!std::isnan(ms)) sum += ms;  // a cold time that is missing, which the record's own check reports
  return sum;
}

std::size_t merged_runs(const RunInfo& run) {
  const auto from = run.effective->find("merged_from");
  return from == run.effective->end() || !from->is_array() ? 1 : std::max<std::size_t>(from->size(), 1);
}

}  // namespace aqbench
