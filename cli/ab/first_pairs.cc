#include "cli/ab/first_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/deciding_time.h"
#include "harness/ab/decision.h"
#include "harness/ab/report.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

constexpr double kLongestTrial_s = 30;  // cases that are left are taken to be as the others

void say_first_outputs(const AbDocument& document, std::size_t case_index, const Record& a, const Record& b) {
  const std::string &hash_a = a.output_sha256, &hash_b = b.output_sha256;
  if (hash_a.empty() || hash_b.empty() || hash_a == hash_b) return;
  std::string values;
  for (const OutcomeSamples& outcome : a.unit->outcomes) {
    const std::vector<double>* const other = find_outcome(b, outcome.name);
    const auto known = std::ranges::find(document.settings.outcomes, outcome.name, &AbOutcome::name);
    if (other != nullptr && known != document.settings.outcomes.end() &&
        known->kind == AbOutcome::Kind::metric)
      values += fmt::format("{} {} {} and {}", values.empty() ? ":" : ",", outcome.name,
                            short_number(outcome.values.front()), short_number(other->front()));
  }
  fmt::print(stderr, "aqbench: {}: the outputs of the first pair differ{}\n",
             printable(document.samples.cases.at(case_index).name), values);
}

constexpr double kLookZ = 2.9, kPowerZ = 1.3;

// The standard deviation of the logarithms of runs within a unit, over all units; nullopt where no unit has
// two runs.
std::optional<double> spread_of_runs(const FirstUnits& units, const char* outcome) {
  double squares = 0, degrees = 0;
  for (const auto& [place, unit] : units) {
    const std::vector<double>* const runs = unit.record.unit ? find_outcome(unit.record, outcome) : nullptr;
    if (runs == nullptr || runs->size() < 2) continue;
    double mean = 0;
    for (const double run : *runs) mean += std::log(run) / static_cast<double>(runs->size());
    for (const double run : *runs) squares += (std::log(run) - mean) * (std::log(run) - mean);
    degrees += static_cast<double>(runs->size()) - 1;
  }
  return degrees > 0 ? std::optional(std::sqrt(squares / degrees)) : std::nullopt;
}

}  // namespace

void measure_first_pairs(const AbUnitRunner& run, const AbDocument& document,
                         const std::function<bool()>& go_on, FirstPairs& pairs) {
  while (pairs.tried < document.samples.cases.size() && go_on()) {
    const AbSide first = first_side(document.samples.order_seed, pairs.tried);
    for (const AbSide side : {first, other_side(first)}) {
      auto answer = run({.case_index = pairs.tried, .side = side, .score = true});
      if (!answer) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
      pairs.failed = answer->record.status != Status::ok;
      pairs.units[{pairs.tried, side}] = std::move(*answer);
      if (pairs.failed) break;
    }
    if (!pairs.failed)
      say_first_outputs(document, pairs.tried, pairs.units.at({pairs.tried, AbSide::a}).record,
                        pairs.units.at({pairs.tried, AbSide::b}).record);
    ++pairs.tried;
    pairs.spent_s = seconds_since(pairs.start);
  }
}

AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first) {
  return [run = std::move(run), first = std::make_shared<FirstUnits>(std::move(first))](
             const AbUnitTask& task) -> std::optional<CaseResult> {
    const auto found = task.draw == 0 ? first->find({task.case_index, task.side}) : first->end();
    if (found == first->end()) return run(task);
    CaseResult answer = std::move(found->second);
    first->erase(found);
    return answer;
  };
}

std::string duration_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", seconds) : clock_text(seconds);
}

std::string time_needed(const AbDocument& document, double look_s) {
  const AbSettings& settings = document.settings;
  const int most = (settings.confirm ? 2 : 1) * settings.policy.looks;
  if (most == 1) return "about " + duration_text(look_s);
  return fmt::format("about {}, at most {} with all top-ups{}", duration_text(look_s),
                     duration_text(look_s * most), settings.confirm ? " and a confirmation" : "");
}

void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document) {
  if (request.resume) return take_plan(ab_header(*request.resume), document);
  PairedPolicy& policy = document.settings.policy;
  const bool early = !request.pairs && !request.policy.looks && document.samples.cases.size() == 1 &&
                     !has_metrics(document.settings) && max_bootstrap_looks(policy) >= kEarlyLooks;
  if (early) policy.looks = kEarlyLooks;
  const std::size_t pairs =
      request.pairs.value_or(std::max(minimum_pairs(policy, judged), early ? kEarlyPairs : kUsualPairs));
  require_enough_pairs(policy, judged, pairs);
  if (const std::size_t most = max_pairs_per_look(policy.looks); pairs > most)
    throw usage_error("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly",
                      pairs, most, policy.looks);
  document.run.pairs_per_look = pairs;
}

int max_bootstrap_looks(const PairedPolicy& policy) {
  return static_cast<int>(policy.bootstrap_draws * policy.alpha / 2);
}

std::string load_warning(const MachineLoad& load, const AbDocument& document, const FirstUnits& units) {
  // The share that pairs see: z of a look's level and of 90 %, times sqrt(2 pi / 3 pairs), times the spread.
  const double pairs = static_cast<double>(document.run.pairs_per_look) * document.settings.policy.looks;
  const double seen = (kLookZ + kPowerZ) * std::sqrt(2 * std::numbers::pi / 3 / std::max(pairs, 1.0));
  std::string text;
  for (const auto& [name, words] : {std::pair(kCpuOutcome, "CPU"), {kWallOutcome, "wall"}})
    if (const auto spread = spread_of_runs(units, name))
      text += fmt::format("{} {:.2g} % in {} time", text.empty() ? "" : " and", 100 * seen * *spread, words);
  if (!text.empty())
    text = fmt::format("; by the first ones, {:.0f} pairs see a change of about{}", pairs, text);
  return fmt::format("a load of {:.1f} on {}: runs take longer and vary{}", load.load_1m,
                     counted(load.processors, "processor"), text);
}

void warn_of_load(const AbDocument& document, const FirstUnits& units) {
  if (const auto load = load_of_this_machine(); load && load->is_high())
    fmt::print(stderr, "aqbench: warning: {}\n", load_warning(*load, document, units));
}

void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document) {
  FirstPairs first;
  const auto go_on = [&] { return !first.failed && (first.tried == 0 || first.spent_s < kLongestTrial_s); };
  measure_first_pairs(runner, document, go_on, first);
  if (!first.failed) warn_of_load(document, first.units);
  runner = with_first_units(std::move(runner), std::move(first.units));
  if (first.failed) return;
  const std::size_t pairs = document.run.pairs_per_look, cases = document.samples.cases.size();
  const double round_s = first.spent_s * static_cast<double>(cases) / static_cast<double>(first.tried);
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(pairs, "pair"), counted(cases, "case"),
             time_needed(document, static_cast<double>(pairs) * round_s));
}

}  // namespace aqbench::cli
