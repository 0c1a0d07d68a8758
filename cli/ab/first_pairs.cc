#include "cli/ab/first_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
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
  return fmt::format("about {}, at most {} with all top-ups{}", duration_text(look_s),
                     duration_text(look_s * most), settings.confirm ? " and a confirmation" : "");
}

void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document) {
  const PairedPolicy& policy = document.settings.policy;
  const std::size_t pairs = request.pairs.value_or(std::max(minimum_pairs(policy, judged), kUsualPairs));
  require_enough_pairs(policy, judged, pairs);
  if (const std::size_t most = max_pairs_per_look(policy.looks); pairs > most)
    throw usage_error("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly",
                      pairs, most, policy.looks);
  document.run.pairs_per_look = pairs;
}

void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document) {
  FirstPairs first;
  const auto go_on = [&] { return !first.failed && (first.tried == 0 || first.spent_s < kLongestTrial_s); };
  measure_first_pairs(runner, document, go_on, first);
  runner = with_first_units(std::move(runner), std::move(first.units));
  if (first.failed) return;
  const std::size_t pairs = document.run.pairs_per_look, cases = document.samples.cases.size();
  const double round_s = first.spent_s * static_cast<double>(cases) / static_cast<double>(first.tried);
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(pairs, "pair"), counted(cases, "case"),
             time_needed(document, static_cast<double>(pairs) * round_s));
}

}  // namespace aqbench::cli
