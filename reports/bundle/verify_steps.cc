#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/records/bundle_path.h"
#include "harness/records/guests.h"
#include "harness/records/numbers.h"
#include "harness/records/one_case.h"
#include "harness/running/plan_check.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/registry.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/environment_text.h"

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
  require(requested_of(header) == *run.requested, kResultsFile, "run.requested is not what the journal says");
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

// What a metric's name means: its unit and its direction; nullopt for a name that this build does not know.
std::optional<Metric> meaning_of(std::string_view name) {
  for (const MetricSpec& metric : metric_registry())
    if (metric.name == name) return Metric{{}, metric.unit, metric.better, {}};
  const auto of_protocol = find_protocol_metric(name);
  return of_protocol ? std::optional(Metric{{}, of_protocol->unit, of_protocol->better, {}}) : std::nullopt;
}

// Another unit than a metric's own would turn 1 mm into 1 m, and a gate compares values; another direction
// would turn what is worse into what is better. Between a direction and none older builds had other ones.
void check_meanings(const Results& results, const JournalContents& journal, std::vector<Finding>& findings) {
  std::unordered_map<std::string_view, std::optional<Metric>> meanings;
  const auto report = [&](const Record& record, std::string_view name, std::string_view what,
                          std::string_view given, std::string_view own) {
    findings.push_back(
        {kResultsFile, fmt::format("case {}: {} {} '{}' instead of '{}'", printable(record_key(record)),
                                   printable(name), what, printable(given), own)});
  };
  for (const Record& record : results.records)
    for (const auto& [name, metric] : record.metrics) {
      const auto known = meanings.try_emplace(name);
      if (known.second) known.first->second = meaning_of(name);
      const std::optional<Metric>& own = known.first->second;
      if (!own) continue;
      if (metric.unit != own->unit) report(record, name, "has the unit", metric.unit, own->unit);
      const bool turned = metric.better != Better::equal && own->better != Better::equal;
      if (metric.better != own->better && (turned || is_of_this_program(journal.header)))
        report(record, name, "has the direction", to_string(metric.better), to_string(own->better));
    }
}

}  // namespace

std::string render_verify(const VerifyReport& report, const Screen& screen) {
  Lines lines;
  for (const Finding& finding : report.findings) lines.items.push_back(finding.file + ": " + finding.what);
  for (const std::string& note : report.notes) lines.items.push_back("note: " + note);
  if (!report.root_digest.empty())
    lines.items.insert(lines.items.end(),
                       {"root digest     " + report.root_digest, "metrics digest  " + report.metrics_digest});
  Banner banner{Colour::red, "NOT VERIFIED", counted(report.findings.size(), "finding")};
  if (report.ok())
    banner = {Colour::green, "verified",
              fmt::format("{} files, {}{}", report.files + 1,
                          counted(report.records, report.of_units ? "unit" : "record"),
                          report.complete ? "" : ", of an interrupted run"),
              "", ""};
  return terminal_of({std::move(lines), std::move(banner)}, screen);
}

std::string first_problem(const VerifyReport& report) {
  if (report.ok()) return {};
  const Finding& first = report.findings.front();
  const std::size_t more = report.findings.size() - 1;
  return fmt::format("{}: {}{}", first.file, first.what,
                     more == 0 ? "" : fmt::format(" (and {} more; see aqbench verify)", more));
}

void require_verified(const VerifyReport& report, const std::filesystem::path& bundle) {
  if (!report.ok())
    throw Error(ErrorKind::verification, bundle.string() + ": does not verify: " + first_problem(report));
}

std::string without_path(std::string_view message, const std::filesystem::path& path) {
  const std::string prefix = path.string();
  if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  while (message.starts_with(':') || message.starts_with(' ')) message.remove_prefix(1);
  return std::string(message);
}

HashCheck check_hashes(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                       const std::vector<std::string>& required) {
  HashCheck check;
  if (!std::ranges::binary_search(files, kHashListName)) return check;
  const auto add_finding = [&](const std::string& file, std::string what) {
    check.findings.push_back({file, std::move(what)});
  };
  HashList list;
  try {
    list = parse_hash_list(read_text_file(bundle / kHashListName, kMaxHashListBytes));
  } catch (const Error& error) {
    add_finding(kHashListName, without_path(error.what(), bundle / kHashListName));
  }
  for (const std::string& problem : list.problems) add_finding(kHashListName, problem);
  std::map<std::string, std::string> expected;
  for (const HashLine& line : list.lines) expected[line.path] = line.sha256;
  if (list.problems.empty()) check.lines = std::move(list.lines);
  expected.erase(kHashListName);  // it states its own hash
  for (const std::string& file : files) {
    if (file == kHashListName || file == kOldSignatureName) continue;  // written after it
    const auto entry = expected.find(file);
    if (entry == expected.end()) {
      add_finding(file, "is not in sha256.txt");
      continue;
    }
    try {
      if (sha256_file_hex(bundle / file) != entry->second)
        add_finding(file, "does not have the hash in sha256.txt");
    } catch (const Error& error) {
      add_finding(file, without_path(error.what(), bundle / file));
    }
    ++check.files;
    expected.erase(entry);
  }
  for (const auto& [file, hash] : expected)
    if (std::ranges::find(required, file) == required.end()) add_finding(file, "is missing");
  return check;
}

std::vector<Finding> check_run(const Results& results, const JournalContents& journal) {
  std::vector<Finding> findings;
  check_header(results, journal, findings);
  check_records(results, journal, findings);
  check_meanings(results, journal, findings);
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

std::vector<Finding> check_numbers(const std::filesystem::path& bundle, const Results& results,
                                   const JournalHeader& header) {
  if (header.numbers->contains(kEvalRequest)) {
    if (cases_text_of(results.records) == header.cases_text) return {};
    return {{kJournalFile, "its cases are not those of the results"}};
  }
  const NumbersRequest request = numbers_request(*header.numbers, kJournalFile);
  const std::string text = read_text_file(bundle / kNumbersName);
  if (sha256_hex(text) != request.sha256) return {{kNumbersName, "is not the table that was imported"}};
  const ImportedNumbers numbers = read_numbers(text, request);
  std::vector<Finding> findings;
  if (!std::ranges::equal(numbers.records, results.records, {}, record_text, record_text))
    findings.push_back({kResultsFile, "its records are not the numbers of the table"});
  if (cases_text_of(numbers.records) != header.cases_text)
    findings.push_back({kJournalFile, "its cases are not those of the table"});
  if (effective_json(numbers, request) != *results.run.effective)
    findings.push_back({kResultsFile, "run.effective is not what the table says"});
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

GateInput read_gate_input(const std::filesystem::path& results_path, bool measured_here) {
  if (!path_exists(results_path / "results.json") && !benchmark_tool(results_path).empty())
    return {results_of_benchmarks(results_path, measured_here), false, true};
  if (!path_exists(results_path)) require_bundle_folder(results_path);
  GateInput input{{}, folder_exists(results_path), false};
  if (input.verified) {
    VerifyReport report = verify_bundle(results_path, &input.results);
    require_verified(report, results_path);
    input.old_plan = std::move(report.old_plan);
    require_sweep(input.results, results_path / "results.json");
  } else {
    input.results = read_results(results_path);
  }
  require_one_guest(input.results);
  return input;
}

AcceptedRun read_accepted_run(const std::filesystem::path& bundle, bool measured_here, bool old_plan) {
  if (!folder_exists(bundle) && (!path_exists(bundle) || benchmark_tool(bundle).empty()))
    require_bundle_folder(bundle);
  AcceptedRun run;
  run.bundle = bundle;
  GateInput input = read_gate_input(bundle, measured_here);
  if (!input.old_plan.empty() && !old_plan)
    throw not_comparable_error("{}: {}; --old-plan accepts it", bundle.string(), input.old_plan);
  run.results = std::move(input.results);
  run.times_alone = input.of_benchmark;
  if (run.times_alone) return run;
  const JournalHeader header = read_journal(bundle, TornTail::refuse, KeptRecords::ends).header;
  run.program_commit = header.program_commit;
  run.repository = users_commit(run.results);
  const Shard& shard = header.request.shard;
  if (header.plan_sha256 != header.all_shards_sha256)
    run.shard = fmt::format("{}/{}", shard.index, shard.count);
  run.changed_sources = environment_value(*run.results.environment, "build.dirty") == "true";
  return run;
}

}  // namespace aqbench
