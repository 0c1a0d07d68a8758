#include "harness/ab/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_members.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxOutcomes = 100;

// Checks what a file may ask its reader to compute.
void check_limits(const AbSettings& settings, const JsonPlace& place) {
  check(settings.policy);
  if (settings.policy.resolution_draws > kMaxResolutionDraws)
    place.at("resolution_draws").fail("is above {}", kMaxResolutionDraws);
  if (settings.policy.bootstrap_draws > kMaxBootstrapDraws)
    place.at("bootstrap_draws").fail("is above {}", kMaxBootstrapDraws);
  if (settings.outcomes.size() > kMaxOutcomes) place.at("outcomes").fail("more than {}", kMaxOutcomes);
}

void check_limits(const AbRunInfo& run, const JsonPlace& place) {
  if (run.pairs_per_look > max_pairs_per_look(1))
    place.at("pairs_per_look").fail("is above {}", max_pairs_per_look(1));
  if (run.validation && run.validation->comparisons > kMaxComparisons)
    place.at("validation").at("comparisons").fail("must be at most {}", kMaxComparisons);
}

// The hash of what was run for a side: "PROGRAM", or "FILE:PROGRAM" where the user named a file.
std::string subject_of(const AbSideInfo& side) {
  return side.file_sha256.empty() ? side.program_sha256 : side.file_sha256 + ":" + side.program_sha256;
}

void append(const std::vector<double>& values, std::vector<double>& all) {
  all.insert(all.end(), values.begin(), values.end());
}

// Adds the times of a unit to those of its case.
void add_unit(const Record& unit, Record& record) {
  if (unit.status != Status::ok) {
    record.status = unit.status;
    record.reason = unit.reason;
  }
  append(unit.timing.warm_ms, record.timing.warm_ms);
  if (const auto* const cpu_ms = find_outcome(unit, kCpuOutcome)) append(*cpu_ms, record.timing.cpu_ms);
  for (const StageRecord& stage : unit.stages)
    if (const StageRecord* const known = find_stage(record.stages, stage))
      append(stage.self_ms, record.stages[static_cast<std::size_t>(known - record.stages.data())].self_ms);
    else
      record.stages.push_back(stage);
}

// The median of a metric that was compared, over units.
std::optional<Metric> compared_metric(const AbOutcome& outcome, std::span<const Record* const> units) {
  std::vector<double> values;
  for (const Record* const unit : units)
    if (const auto* const found = find_outcome(*unit, outcome.name)) append(*found, values);
  if (values.empty()) return std::nullopt;
  return Metric{median_of(std::move(values)), outcome.unit, outcome.better, ""};
}

// The load average over 1 minute before the first pair; nullopt where the environment does not say.
std::optional<double> load_before(const Json& environment) {
  const auto found = Json::json_pointer("/load/before/0");
  if (!environment.is_object() || !environment.contains(found)) return std::nullopt;
  const Json& load = environment.at(found);
  return load.is_number() ? std::optional(load.get<double>()) : std::nullopt;
}

// One case of a comparison as its B would stand in a sweep; a failed unit has failed it.
Record record_of_b(const AbDocument& document, std::size_t case_index,
                   const std::vector<const Record*>& units) {
  const Record* const scored = scored_unit(document.samples, case_index, AbSide::b);
  Record record = scored != nullptr ? *scored : units.empty() ? Record{} : *units.front();
  record.case_name = document.samples.cases[case_index].name;
  if (units.empty()) record.reason = "B was not measured";
  if (record.method.empty() && record.workload.empty()) record.workload = record.case_name;
  record.unit.reset();
  record.files.clear();
  record.stages.clear();
  record.timing.warm_ms.clear();
  record.timing.cpu_ms.clear();
  record.timing.blocks.clear();
  for (const Record* const unit : units) add_unit(*unit, record);
  if (const auto load_1m = load_before(*document.environment)) {
    TimedBlock& block = record.timing.blocks.emplace_back();
    block.count = record.timing.warm_ms.size();
    block.load_1m = load_1m;
  }
  for (const AbOutcome& outcome : document.settings.outcomes)
    if (const auto metric =
            outcome.kind == AbOutcome::Kind::metric ? compared_metric(outcome, units) : std::nullopt) {
      std::erase_if(record.metrics, [&](const auto& known) { return known.first == outcome.name; });
      record.metrics.emplace_back(outcome.name, *metric);
    }
  return record;
}

// Returns what of "comparison" is known before the first pair.
Json planned_part(Json comparison) {
  comparison.erase("notes");
  comparison["run"].erase("resumed");
  return comparison;
}

}  // namespace

std::string AbValidation::name_of(std::size_t i) const {
  return is_delayed(i) ? fmt::format("{} {} {}", case_name, delay, i - comparisons + 1)
                       : fmt::format("{} A/A {}", case_name, i + 1);
}

JournalHeader journal_header_of(const AbDocument& document, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& plans) {
  JournalHeader header;
  header.started_utc = utc_now();
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.sides = ComparedSides{
      arguments, {subject_of(document.a), subject_of(document.b)}, JsonOf<AbDocument>::write(document)};
  header.environment = document.environment;
  header.cases_text = compact_json(JsonOf<std::vector<AbCase>>::write(document.samples.cases, 0, {}));
  header.plan_sha256 = sha256_hex(header.cases_text);
  header.all_shards_sha256 = sha256_hex(fmt::format("{}", fmt::join(plans, "\n")));
  return header;
}

void take_plan(const JournalHeader& header, AbDocument& document) {
  const Json comparison = header.sides ? *header.sides->comparison : Json();
  const JsonPlace place(comparison, fmt::format("{}: comparison", kJournalFile));
  const auto run = from_json<AbRunInfo>(place.at("run"));
  check_limits(run, place.at("run"));
  document.run.pairs_per_look = run.pairs_per_look;
  document.run.warm_runs = run.warm_runs;
  document.settings = from_json<AbSettings>(place.at("settings"));
  check_limits(document.settings, place.at("settings"));
}

std::vector<AbCase> cases_of(const JournalHeader& header) {
  const Json cases = parse_strict_json(header.cases_text, kJournalFile, kMessageJson);
  return from_json<std::vector<AbCase>>(JsonPlace(cases, kJournalFile));
}

bool is_a_a(const AbDocument& document) {
  return !document.a.program_sha256.empty() && document.a.program_sha256 == document.b.program_sha256 &&
         document.a.file_sha256 == document.b.file_sha256 && document.a.variant == document.b.variant &&
         document.a.injected == document.b.injected;
}

Results results_of(AbDocument document, const JournalHeader& header) {
  Results results;
  results.run.id = header.run_id;
  results.run.started_utc = header.started_utc;
  results.run.finished_utc = document.run.finished_utc;
  results.run.complete = document.run.complete;
  results.run.planned_cases = document.samples.cases.size();
  results.run.plan_sha256 = header.plan_sha256;
  results.run.requested = Json{{"arguments", header.sides.value().arguments}};
  results.environment = document.environment;
  results.comparison = JsonOf<AbDocument>::write(document);
  results.records = std::move(document.samples.units);
  return results;
}

Results results_of_b(const AbDocument& document) {
  Results results;
  results.run.id = document.run.id;
  results.run.suite = "ab";
  results.run.started_utc = document.run.started_utc;
  results.run.finished_utc = document.run.finished_utc;
  results.run.complete = document.run.complete;
  results.run.planned_cases = document.samples.cases.size();
  results.run.requested = Json::object();
  results.run.effective = Json::object();
  results.environment = document.environment;
  std::vector<std::vector<const Record*>> units(document.samples.cases.size());
  for (const Record& unit : document.samples.units)
    if (unit.unit->side == AbSide::b) units[unit.unit->case_index].push_back(&unit);
  for (std::size_t i = 0; i < units.size(); ++i)
    results.records.push_back(record_of_b(document, i, units[i]));
  std::string names;
  for (const Record& record : results.records) names += record.case_name + "\n";
  results.run.plan_sha256 = sha256_hex(names);
  std::ranges::sort(results.records, {}, &Record::case_name);
  return results;
}

AbDocument document_of(Results&& results) {
  const std::string source = "results.json: comparison";
  const JsonPlace place(*results.comparison, source);
  auto document = from_json<AbDocument>(place);
  check_limits(document.run, place.at("run"));
  check_limits(document.settings, place.at("settings"));
  document.run.id = results.run.id;
  document.run.started_utc = results.run.started_utc;
  document.run.finished_utc = results.run.finished_utc;
  document.run.complete = results.run.complete;
  document.environment = results.environment;
  // The protocol of units that were run can be checked; samples from a file have none.
  if ((document.run.pairs_per_look == 0) != !document.run.samples_file.empty())
    place.at("run").at("pairs_per_look").fail("must be above 0, and 0 with samples_file");
  add_units(std::move(results.records), document.samples);
  check_pairs(document.samples);
  return document;
}

std::string comparison_problem(const AbDocument& document, const Json& comparison,
                               const JournalHeader& header, std::size_t resumptions) {
  if (!header.sides || planned_part(*header.sides->comparison) != planned_part(comparison))
    return fmt::format("comparison is not what {} begins with", kJournalFile);
  if (static_cast<std::size_t>(document.run.resumed) != resumptions)
    return fmt::format("run.resumed is {}, but {} has {}", document.run.resumed, kJournalFile,
                       counted(resumptions, "resumption"));
  if (document.run.pairs_per_look == 0) return {};  // --samples
  const AbProtocol protocol = follow_ab(document.samples, document.settings, document.run.pairs_per_look);
  if (!protocol.problem.empty()) return protocol.problem;
  if (protocol.finished == document.run.complete) return {};
  if (document.run.complete && document.run.is_quick()) return {};
  return document.run.complete ? "pairs are missing at the end, though run.complete is true"
                               : "run.complete is false, though nothing is missing";
}

std::string settings_line(const AbSettings& settings) {
  const PairedPolicy& policy = settings.policy;
  const std::string of_times =
      settings.wall_time ? fmt::format("tau {:.4g} %, delta {:.4g} %, ", 100 * policy.tau, 100 * policy.delta)
                         : "";
  return of_times +
         fmt::format("alpha {:.4g}, {} planned look{}{}{}", policy.alpha, policy.looks,
                     policy.looks == 1 ? "" : "s",
                     settings.confirm ? ", flags confirmed with fresh pairs" : ", flags not confirmed",
                     settings.separately ? ", every case judged alone" : "") +
         (settings.outputs_may_differ ? ", outputs may differ" : "");
}

}  // namespace aqbench
