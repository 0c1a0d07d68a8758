#include "cli/ab/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "harness/ab/document.h"
#include "harness/project/project.h"
#include "harness/statistics/pair_plan.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/registry.h"

namespace aqbench::cli {
namespace {

// Runs of a unit that are thrown away where --warmup is not given.
constexpr int kUnitWarmup = 1;
constexpr int kDefaultLooks = 3;
// Warm runs of a unit where --repetitions is not given: of a case, of one with --quick; where the program is
// compared with itself, whose case is short, so that of ten runs one is free of a busy neighbour more often
// than of five; and where metrics are validated, for which an output is enough.
constexpr int kUnitRepetitions = 5, kFewestRepetitions = 3, kAaRepetitions = 10, kMetricRepetitions = 0;

// Reads "5%" or "0.1" into the outcome.
void read_margin(const std::string& given, std::string_view text, AbOutcome& outcome) {
  const bool share = text.ends_with('%');
  if (share) text.remove_suffix(1);
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number) || *number <= 0 || (share && *number >= 100))
    throw usage_error("--margin '{}': expected a share like 5% or a value in the metric's unit", given);
  outcome.margin = share ? *number / 100 : *number;
  outcome.margin_absolute = !share;
}

void set_margin(const std::string& given, std::vector<AbOutcome>& outcomes) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos) {
    for (AbOutcome& outcome : outcomes) read_margin(given, given, outcome);
    return;
  }
  const auto outcome = std::ranges::find(outcomes, given.substr(0, equals), &AbOutcome::name);
  if (outcome == outcomes.end()) throw usage_error("--margin '{}': no --metric of that name", given);
  read_margin(given, std::string_view(given).substr(equals + 1), *outcome);
}

// Of bundles the records say what the registry does not.
AbOutcome outcome_of(const std::string& name, bool of_bundles) {
  AbOutcome outcome{.name = name, .kind = AbOutcome::Kind::metric, .unit = {}, .margin = kUsualMargin};
  const auto spec = std::ranges::find(metric_registry(), name, &MetricSpec::name);
  if (const auto of_protocol = find_protocol_metric(name)) {
    outcome.unit = of_protocol->unit;
    outcome.better = of_protocol->better;
    return outcome;
  }
  if (spec == metric_registry().end() && of_bundles) return outcome;
  if (spec == metric_registry().end())
    throw usage_error("--metric '{}': unknown (aqbench list metrics)", name);
  if (spec->better == Better::equal && !spec->ideal)
    throw usage_error("--metric '{}': no value of it is better than another; gate it (aqbench gate)", name);
  outcome.unit = spec->unit;
  outcome.better = spec->better;
  return outcome;
}

// Returns the settings of the policy as it was given; `looks` is used where --looks is not given.
AbSettings settings_of(const AbRequest::Policy& given, int looks) {
  AbSettings settings;
  settings.policy = paired_policy(given.name);
  PairedPolicy& policy = settings.policy;
  policy.tau = given.tau.value_or(policy.tau);
  policy.delta = given.delta.value_or(std::max(policy.delta, policy.tau));
  policy.alpha = given.alpha.value_or(policy.alpha);
  policy.looks = given.looks.value_or(looks);
  const double draws =
      std::ceil(2 * policy.looks / policy.alpha);  // so many reach into the bootstrap's tails
  if (!(draws <= kMaxBootstrapDraws))
    throw usage_error("--alpha {}: with {} looks at least {:.2g}", policy.alpha, policy.looks,
                      2.0 * policy.looks / kMaxBootstrapDraws);
  const double early = std::ceil(2 * kEarlyLooks / policy.alpha);
  policy.bootstrap_draws = std::max(
      policy.bootstrap_draws, static_cast<int>(early <= kMaxBootstrapDraws ? std::max(draws, early) : draws));
  policy.seed = given.order_seed;
  settings.confirm = given.confirm;
  settings.separately = given.separately;
  check(policy);
  return settings;
}

// Fills in how often a unit runs its case; once, cold, where no time is judged (usual_repetitions 0).
void complete_timing(TimingRequest& timing, int usual_repetitions) {
  check(timing);
  if (usual_repetitions == 0 && timing.warmup && timing.repetitions.value_or(0) == 0)
    throw usage_error(
        "--warmup: needs --repetitions, since a unit runs its case once where no time is judged");
  if (!timing.repetitions) timing.repetitions = usual_repetitions;
  if (!timing.warmup && *timing.repetitions > 0) timing.warmup = kUnitWarmup;
  if (*timing.repetitions < kFewestRepetitions && *timing.repetitions != usual_repetitions)
    throw usage_error("--repetitions {}: a unit needs at least {} warm runs", *timing.repetitions,
                      kFewestRepetitions);
}

}  // namespace

std::vector<AbOutcome> metric_outcomes(const AbMetricRequest& request) {
  std::vector<AbOutcome> outcomes;
  for (const std::string& name : request.names) {
    if (std::ranges::count(request.names, name) > 1) throw usage_error("--metric '{}': is given twice", name);
    outcomes.push_back(outcome_of(name, request.of_bundles()));
  }
  for (const std::string& margin : request.margins) set_margin(margin, outcomes);
  for (const AbOutcome& outcome : outcomes)
    if (outcome.better == Better::equal && !outcome.margin_absolute)
      throw usage_error(
          "--metric {0}: should be near {1:g}, of which a share means nothing: --margin {0}=X ({2})",
          outcome.name, metric_ideal(outcome.name).value_or(0), outcome.unit);
  return outcomes;
}

void complete_ab_request(AbRequest& request) {
  if (request.commands.rules.quick)
    for (const char* const name : {"pairs", "looks"})
      if (request.given.contains(name))
        throw usage_error("--{}: --quick takes what fits into a minute", name);
  if (!request.metrics.of_bundles() && request.metrics.paired_over == "scenes")
    throw usage_error("--paired-over scenes: only with --bundle-a");
  if (!request.metrics.of_bundles() && !request.metrics.methods[0].empty() &&
      request.metrics.methods[1].empty())
    throw usage_error("--method-a: needs --method-b");
  if (!request.samples) use_current_project(request.plan);
  // A setting of the project's own program says which method it is of.
  if (request.variant && request.plan.suite.empty() && request.plan.methods.empty() &&
      request.plan.workloads.empty())
    for (const MethodDeclaration& method : request.plan.project.methods)
      if (request.variant->name.starts_with(method.name + ".")) request.plan.methods = {method.name};
  request.injects = std::exchange(request.plan.injects, {});
  if (request.commands.given())
    check(request.plan.timing);
  else
    complete_timing(request.plan.timing, request.commands.rules.quick    ? kFewestRepetitions
                                         : !request.validates()          ? kUnitRepetitions
                                         : request.metrics.names.empty() ? kAaRepetitions
                                                                         : kMetricRepetitions);
  if (request.commands.rules.quick && !request.judges_recorded() && !request.policy.alpha)
    request.policy.alpha = kQuickAlpha;
  request.settings = settings_of(request.policy, request.judges_recorded() ? 1 : kDefaultLooks);
  request.settings.outcomes = metric_outcomes(request.metrics);
  if (!request.validates()) return;
  request.settings.separately = true;  // each comparison is one of its own
  request.settings.wall_time = request.metrics.names.empty();
}

std::vector<std::string> command_lines_of(const AbCommandRequest& request) {
  std::vector<std::string> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const char letter = side == 0 ? 'A' : 'B';
    const AbCommand& command = request.sides[side];
    for (const auto& [what, text] :
         {std::pair(":", command.line), {" is prepared by:", command.prepare}, {" runs in:", command.folder}})
      if (!text.empty()) found.push_back(fmt::format("{}{} {}", letter, what, text));
    for (const auto& [name, value] : command.environment)
      found.push_back(fmt::format("{} runs with: {}={}", letter, name, value));
  }
  return found;
}

}  // namespace aqbench::cli
