#include "harness/gating/accept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <unordered_map>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/gating/verdicts.h"

namespace aqbench {
namespace {

using Kind = AcceptChange::Kind;

[[noreturn]] void refuse_acceptance(const std::filesystem::path& bundle, const std::string& why) {
  throw input_error("{}: cannot accept: {}", bundle.string(), printable(why));
}

// Only a complete run without failures may become a baseline: a gate against it would hide its faults.
void check_acceptable(const std::filesystem::path& bundle, const Results& results) {
  if (!results.run.complete)
    refuse_acceptance(bundle, fmt::format("the run was interrupted: {} of {} cases", results.records.size(),
                                          results.run.planned_cases));
  for (const Record& record : results.records)
    if (is_failure(record.status))
      refuse_acceptance(
          bundle, fmt::format("case {} {}: {}", record.case_name, to_string(record.status), record.reason));
  if (std::ranges::find(results.records, Status::ok, &Record::status) == results.records.end())
    refuse_acceptance(bundle, "no case has a result");
}

BaselineMetric accepted_metric(const std::string& name, const Metric& metric) {
  return {*metric.value, metric.better, default_tolerance(name, metric)};
}

// Counts the cases of each undefined metric by reason: many cases share one.
using UndefinedCounts = std::map<std::string, std::size_t>;

void accept_metrics(const Record& record, const BaselineCase* before, BaselineCase& after,
                    Acceptance& acceptance, UndefinedCounts& undefined) {
  for (const auto& [name, metric] : acceptable_metrics(record)) {
    const BaselineMetric* const old = before == nullptr ? nullptr : find_metric(*before, name);
    if (!metric.value) {
      ++undefined[name + ": undefined (" + metric.reason + ")"];
      continue;
    }
    const BaselineMetric accepted = old == nullptr
                                        ? accepted_metric(name, metric)
                                        : BaselineMetric{*metric.value, old->better, old->tolerance};
    if (accepted.value == 0 && accepted.tolerance.kind == Tolerance::Kind::relative)
      acceptance.notes.push_back(
          fmt::format("{} {}: is 0 with a relative tolerance, so any change will fail; give an absolute one",
                      record.case_name, name));
    if (before != nullptr && old == nullptr)
      acceptance.changes.push_back(
          {Kind::metric_added, record.case_name, name, {}, accepted.value, metric.unit, ""});
    if (old != nullptr && old->value != accepted.value)
      acceptance.changes.push_back(
          {Kind::value_changed, record.case_name, name, old->value, accepted.value, metric.unit, ""});
    after.metrics.emplace_back(name, accepted);
  }
  if (before == nullptr) return;
  for (const auto& [name, old] : before->metrics)
    if (find_metric(after, name) == nullptr)
      acceptance.changes.push_back({Kind::metric_removed, record.case_name, name, old.value, {}, "", ""});
}

void accept_case(const std::filesystem::path& bundle, const Record& record, const Baseline* existing,
                 Acceptance& acceptance, UndefinedCounts& undefined) {
  const BaselineCase* const before = existing == nullptr ? nullptr : find_case(*existing, record.case_name);
  if (record.status == Status::skipped) {
    if (before != nullptr)
      refuse_acceptance(
          bundle, fmt::format("case {} of the baseline was skipped: {}", record.case_name, record.reason));
    acceptance.notes.push_back(fmt::format("{}: skipped ({}): not gated", record.case_name, record.reason));
    return;
  }
  BaselineCase after{record.case_name, record.options, {}};
  if (before != nullptr)
    for (const std::string& difference : option_differences(*before, record))
      acceptance.changes.push_back(
          {.kind = Kind::options_changed, .case_name = record.case_name, .note = difference});
  accept_metrics(record, before, after, acceptance, undefined);
  if (before == nullptr)
    acceptance.changes.push_back({.kind = Kind::case_added,
                                  .case_name = record.case_name,
                                  .note = counted(after.metrics.size(), "metric")});
  acceptance.baseline.cases.push_back(std::move(after));
}

std::optional<Baseline> existing_baseline(const std::filesystem::path& path, const std::string& suite) {
  if (!path_exists(path)) return std::nullopt;
  Baseline baseline = read_baseline(path);
  if (baseline.suite != suite)
    throw not_comparable_error("{}: is the baseline of suite '{}', the bundle is of suite '{}'",
                               path.string(), printable(baseline.suite), printable(suite));
  return baseline;
}

// The subject of a refusal: its number, and the name of the first.
struct Affected {
  std::size_t count = 0;
  std::string first;

  void add(const std::string& name) {
    if (count++ == 0) first = name;
  }
};

// Collects what a gate would lose silently.
void collect_refusals(const AcceptedRun& run, const AcceptExceptions& allowed, Acceptance& acceptance) {
  if (!run.shard.empty() && !allowed.from_shard)
    acceptance.refusals.push_back(fmt::format("the run is shard {} of a sweep (--from-shard)", run.shard));
  Affected left_out, vanished, metrics, options, faults, undefined;
  std::unordered_map<std::string_view, const Record*> records;
  for (const Record& record : run.results.records) records[record.case_name] = &record;
  for (const BaselineCase& planned : run.suite_cases) {
    const auto record = records.find(planned.name);
    if (record == records.end())
      left_out.add(planned.name);
    else if (!option_differences(planned, *record->second).empty())
      options.add(planned.name);
  }
  for (const AcceptChange& change : acceptance.changes) {
    if (change.kind == Kind::case_removed) vanished.add(change.case_name);
    if (change.kind == Kind::metric_removed) metrics.add(change.case_name + " " + change.metric);
    if (change.kind == Kind::options_changed) options.add(change.case_name);
  }
  for (const Record& record : run.results.records) {
    if (!record.injected.empty()) faults.add(record.case_name);
    for (const auto& [name, metric] : gated_metrics(record))
      if (!metric.value && !is_never_defined(metric) && record.status == Status::ok)
        undefined.add(record.case_name + " " + name);
  }
  const struct {
    bool allowed;
    const Affected& affected;
    const char *noun, *what, *flag;
  } rows[] = {{allowed.part_of_suite, left_out, "case", "of the suite did not run", "--part-of-suite"},
              {allowed.remove_cases, vanished, "case", "of the baseline would go", "--remove-cases"},
              {allowed.remove_metrics, metrics, "gated metric", "would go", "--remove-metrics"},
              {allowed.new_options, options, "difference",
               "between the options of cases and those of the baseline or suite", "--new-options"},
              {allowed.injected_faults, faults, "case", "ran with an injected fault", "--injected-faults"},
              {allowed.leave_out_undefined, undefined, "value", "undefined", "--leave-out-undefined"}};
  for (const auto& [is_allowed, affected, noun, what, flag] : rows)
    if (!is_allowed && affected.count > 0)
      acceptance.refusals.push_back(fmt::format("{} {}{} ({})", counted(affected.count, noun), what,
                                                affected.first.empty() ? "" : ", first " + affected.first,
                                                flag));
}

void accept_times(const AcceptedRun& run, const std::optional<Baseline>& existing, Acceptance& acceptance) {
  if (run.stored_times) {
    acceptance.baseline.stored_times = stored_times_of(run.results);
    acceptance.notes.push_back(fmt::format("times of {} are stored",
                                           counted(acceptance.baseline.stored_times->cases.size(), "case")));
  } else if (existing && existing->stored_times) {
    acceptance.notes.emplace_back(
        "stored times are dropped because they belong to another run (--stored-times)");
  }
}

// Sets the tolerances given by name.
void set_tolerances(const AcceptedRun& run, Acceptance& acceptance) {
  for (const auto& [name, tolerance] : run.tolerances) {
    std::size_t found = 0;
    for (BaselineCase& one : acceptance.baseline.cases)
      for (auto& [metric, accepted] : one.metrics)
        if (metric == name) {
          accepted.tolerance = {tolerance.kind, tolerance.value, 0, true};
          ++found;
        }
    if (found == 0) throw usage_error("--tolerance '{}': no case has this metric", name);
    acceptance.notes.push_back(
        fmt::format("tolerance of {} is {} in {}", name, to_string(tolerance), counted(found, "case")));
  }
}

// The values of a run's cases, for their spread over seeds.
std::vector<BaselineCase> seeded_cases(const Results& results) {
  std::vector<BaselineCase> cases;
  for (const Record& record : results.records) {
    if (record.status != Status::ok)
      throw input_error("--tolerances-from: case {} {}: {}", printable(record.case_name),
                        to_string(record.status), printable(record.reason));
    BaselineCase one{record.case_name, record.options, {}};
    for (const auto& [name, metric] : acceptable_metrics(record))
      if (metric.value) one.metrics.emplace_back(name, accepted_metric(name, metric));
    cases.push_back(std::move(one));
  }
  return cases;
}

std::string change_line(const AcceptChange& change) {
  if (change.kind == Kind::case_added) return fmt::format("+ {} ({})", change.case_name, change.note);
  if (change.kind == Kind::case_removed) return fmt::format("- {}", change.case_name);
  if (change.kind == Kind::options_changed) return fmt::format("! {}: {}", change.case_name, change.note);
  return "";
}

// Removes files that a killed write_file() left beside the baseline: NAME.tmp<20 digits> not held by a
// process. Leaves everything else in the user's folder alone.
void remove_killed_writes(const std::filesystem::path& baseline_path) {
  const std::string start = baseline_path.filename().string() + ".tmp";
  const std::filesystem::path folder = baseline_path.has_parent_path() ? baseline_path.parent_path() : ".";
  for (const std::filesystem::path& file : entries_of(folder)) {
    const std::string name = file.filename().string();
    if (!name.starts_with(start) || name.size() != start.size() + 20 ||
        name.find_first_not_of("0123456789", start.size()) != std::string::npos)
      continue;
    const Descriptor held(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::error_code ignored;  // leftovers do no harm
    if (held.get() >= 0 && is_file(file) && ::flock(held.get(), LOCK_EX | LOCK_NB) == 0)
      std::filesystem::remove(file, ignored);
  }
}

}  // namespace

Acceptance plan_acceptance(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed) {
  const Results& results = run.results;
  check_acceptable(run.bundle, results);
  const std::optional<Baseline> existing = existing_baseline(baseline_path, results.run.suite);

  Acceptance acceptance;
  acceptance.existed = existing.has_value();
  acceptance.baseline.suite = results.run.suite;
  acceptance.baseline.accepted_bundle = results.run.id;
  acceptance.baseline.accepted_results_sha256 = results_sha256(results);
  acceptance.baseline.accepted_root_digest = root_digest(results);
  acceptance.baseline.accepted_commit = run.program_commit;
  acceptance.baseline.accepted_repository = run.repository;
  acceptance.baseline.accepted_by = run.by;
  acceptance.baseline.accepted_utc = run.utc;
  if (run.changed_sources)
    acceptance.notes.emplace_back("the program was built from sources with uncommitted changes");
  UndefinedCounts undefined;
  for (const Record& record : results.records)
    accept_case(run.bundle, record, existing ? &*existing : nullptr, acceptance, undefined);
  for (const auto& [what, cases] : undefined)
    acceptance.notes.push_back(fmt::format("{} in {}: not gated", what, counted(cases, "case")));
  if (existing)
    for (const BaselineCase& before : existing->cases)
      if (find_case(acceptance.baseline, before.name) == nullptr)
        acceptance.changes.push_back({Kind::case_removed, before.name, "", {}, {}, "", ""});
  if (run.times_alone && !run.stored_times)
    refuse_acceptance(run.bundle, "it has times alone: --stored-times");
  if (!run.times_alone &&
      std::ranges::all_of(acceptance.baseline.cases, [](const auto& one) { return one.metrics.empty(); }))
    refuse_acceptance(run.bundle, "no case has a metric to gate");
  accept_times(run, existing, acceptance);
  if (run.tolerances_from_seeds)
    learn_tolerances(std::vector(acceptance.baseline.cases), acceptance.baseline, acceptance.notes);
  if (run.seeds && run.tolerances_from_seeds)
    throw usage_error("--tolerances-from, --tolerances-from-seeds: exclude each other");
  if (run.seeds &&
      std::ranges::any_of(run.seeds->records, [](const Record& r) { return !r.injected.empty(); }))
    throw input_error("--tolerances-from: the run has injected faults");
  if (run.seeds) learn_tolerances(seeded_cases(*run.seeds), acceptance.baseline, acceptance.notes);
  cap_learned_tolerances(acceptance.baseline, acceptance.notes);
  set_tolerances(run, acceptance);
  collect_refusals(run, allowed, acceptance);
  return acceptance;
}

Acceptance accept_baseline(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed) {
  const std::filesystem::path folder =
      baseline_path.has_parent_path() ? baseline_path.parent_path() : std::filesystem::path(".");
  std::error_code unknown;  // writing reports any obstacle
  std::filesystem::create_directories(folder, unknown);
  std::optional<FileLock> alone;  // what another one accepts meanwhile must not be lost
  if (folder_exists(folder)) alone = FileLock::wait_folder(folder);
  Acceptance acceptance = plan_acceptance(run, baseline_path, allowed);
  if (!acceptance.refusals.empty())
    refuse_acceptance(run.bundle, fmt::format("{}", fmt::join(acceptance.refusals, "; ")));
  remove_killed_writes(baseline_path);
  write_file_parts(baseline_path,
                   [&](const WriteBytes& write) { write_baseline_text(acceptance.baseline, write); });
  return acceptance;
}

std::string render_acceptance(const Acceptance& acceptance, bool colours, std::size_t columns) {
  std::string text;
  for (const AcceptChange& change : acceptance.changes)
    if (const std::string line = change_line(change); !line.empty())
      text += wrap_text(printable(line), columns, 2);
  Table table{{{"case", Align::left, true},
               {"metric", Align::left, true},
               {"old", Align::right},
               {""},
               {"new", Align::right},
               {"unit"}},
              {}};
  for (const AcceptChange& change : acceptance.changes) {
    if (change.metric.empty()) continue;
    const bool alike =  // in the digits shown otherwise
        change.before && change.after && short_number(*change.before) == short_number(*change.after);
    const auto number = [alike](const std::optional<double>& value, const char* none) {
      return !value ? std::string(none) : alike ? fmt::format("{}", *value) : short_number(*value);
    };
    table.rows.push_back({{change.case_name},
                          {change.metric},
                          {number(change.before, "none")},
                          {"->"},
                          {number(change.after, "gone"), change.after ? Colour::none : Colour::yellow},
                          {change.unit}});
  }
  if (!table.rows.empty()) text += render_table(table, colours, columns);
  for (const std::string& note : acceptance.notes) text += wrap_text("note: " + printable(note), columns, 6);
  for (const std::string& refusal : acceptance.refusals)
    text += wrap_text("refused: " + printable(refusal), columns, 9);
  const Baseline& baseline = acceptance.baseline;
  return text +
         fmt::format("{} baseline{}: {}, {}, from bundle {}\n", acceptance.existed ? "updated" : "new",
                     baseline.suite.empty() ? "" : fmt::format(" of suite '{}'", printable(baseline.suite)),
                     counted(baseline.cases.size(), "case"), counted(acceptance.changes.size(), "change"),
                     printable(baseline.accepted_bundle));
}

}  // namespace aqbench
