#include "harness/ab/aa_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/ab/report.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

// ---- Series ----

double shortest_run(const std::vector<double>& runs) { return *std::ranges::min_element(runs); }

// Time of the stage in one unit, or of the whole run for "" and "*"; nullopt where the unit has none.
std::optional<double> unit_time(const AbUnit& unit, const std::string& stage) {
  if (unit.status != Status::ok) return std::nullopt;
  if (stage.empty() || stage == "*")
    return unit.warm_ms.empty() ? std::nullopt : std::optional(shortest_run(unit.warm_ms));
  const auto found = std::ranges::find(unit.stages, stage, &AbStageSamples::name);
  if (found == unit.stages.end() || found->self_ms.empty()) return std::nullopt;
  const double shortest = shortest_run(found->self_ms);
  return shortest >= kMinStageMs ? std::optional(shortest) : std::nullopt;
}

// nullopt where a unit has no such time; `reason` then says why.
std::optional<PairedSeries> series_of(const AaValidationSeries& series, std::string& reason) {
  PairedSeries paired;
  paired.name = series.stage.empty() ? "A/A" : series.stage;
  for (const AbUnit& unit : series.samples.units) {
    const auto time = unit_time(unit, series.stage);
    if (!time) {
      reason =
          unit.status == Status::ok
              ? fmt::format("stage {} did not run in every unit, or is too short for the clock", series.stage)
              : fmt::format("a unit {}: {}", to_string(unit.status), unit.reason);
      return std::nullopt;
    }
    (unit.side == AbSide::a ? paired.u_a : paired.u_b).push_back(*time);
  }
  return paired;
}

std::optional<BlockCheck> check_series(const PairedSeries& series, const AaValidationDocument& document,
                                       std::string& reason) {
  const std::size_t needed = kBlocksPerSeries * document.pairs_per_draw;
  if (series.u_a.size() < needed) {
    reason = fmt::format("{} pairs measured, blocks of {} need {}", series.u_a.size(),
                         document.pairs_per_draw, needed);
    return std::nullopt;
  }
  BlockCheckRequest request;
  request.draws = document.draws;
  request.pairs_per_draw = document.pairs_per_draw;
  request.seed = document.policy.seed;
  return check_blocks(series, request, document.policy);
}

// The shift that one comparison of all these pairs would estimate; nullopt for too few pairs.
std::optional<double> shift_by_rule(const PairedSeries& series, PairedPolicy policy) {
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  if (kept_of(series.u_a.size()) < minimum_kept_pairs(policy, 1)) return std::nullopt;
  return compare_pairs(std::span(&series, 1), policy).front().shift;
}

// |shift| of neighbouring blocks that share no pair, as whole comparisons would have estimated it.
std::vector<double> block_shifts(const PairedSeries& series, const AaValidationDocument& document) {
  std::vector<double> shifts;
  for (std::size_t start = 0; start + document.pairs_per_draw <= series.u_a.size();
       start += document.pairs_per_draw) {
    PairedSeries block;
    block.name = series.name;
    const auto begin = static_cast<std::ptrdiff_t>(start);
    const auto end = begin + static_cast<std::ptrdiff_t>(document.pairs_per_draw);
    block.u_a.assign(series.u_a.begin() + begin, series.u_a.begin() + end);
    block.u_b.assign(series.u_b.begin() + begin, series.u_b.begin() + end);
    if (const auto shift = shift_by_rule(block, document.policy)) shifts.push_back(*shift);
  }
  return shifts;
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1));
}

StagePower judge_stage(const AaValidationSeries& series, const AaValidationDocument& document) {
  StagePower power;
  power.stage = series.stage;
  power.effect = series.effect;
  const auto paired = series_of(series, power.reason);
  if (paired) power.check = check_series(*paired, document, power.reason);
  if (paired)
    if (const auto shift = shift_by_rule(*paired, document.policy))
      power.measured_change = std::expm1(*shift);
  power.insensitive =
      power.check && (share(power.check->regressed, power.check->draws) < kMinDetected ||
                      share(power.check->confirmed_regressed, power.check->draws) < kMinConfirmed);
  return power;
}

void judge_a_a(const AaValidationSeries& series, const AaValidationDocument& document,
               AaValidationReport& report) {
  std::string reason;
  const auto paired = series_of(series, reason);
  report.aa_pairs = series.samples.units.size() / 2;
  if (paired) report.aa = check_series(*paired, document, reason);
  // Too few pairs of an interrupted run were to be expected and are no problem.
  if (!reason.empty() && (!paired || document.run.complete)) report.problems.push_back("A/A: " + reason);
  if (!report.aa) return;
  const PairNoise noise = estimate_pair_noise(paired->u_a, paired->u_b);
  report.cv = noise.cv;
  report.correlation = noise.correlation;
  report.measured_alarms = count_separate_blocks(*paired, document.pairs_per_draw, document.policy);
  report.simulated_alarms = simulate_blocks(
      *paired,
      {.draws = kSimulatedBlocks, .pairs_per_draw = document.pairs_per_draw, .seed = document.policy.seed},
      document.policy);
  const CaseTau tau = tau_of_case(block_shifts(*paired, document), document.policy);
  report.tau = tau.tau;
  report.aa_blocks = tau.aa_runs;
}

// nullopt where a unit failed or lacks the metric; `reason` then says so.
std::optional<PairedSeries> metric_series(const AbSamples& samples, const AbOutcome& outcome,
                                          std::string& reason) {
  PairedSeries series;
  series.name = outcome.name;
  series.quality = quality_scale_of(outcome);
  for (const AbUnit& unit : samples.units) {
    const auto found = std::ranges::find(unit.outcomes, outcome.name, &AbOutcomeSamples::name);
    if (unit.status != Status::ok) {
      reason = fmt::format("a unit {}: {}", to_string(unit.status), unit.reason);
      return std::nullopt;
    }
    if (found == unit.outcomes.end() || found->values.empty()) {
      reason = fmt::format("{} is undefined in a unit", outcome.name);
      return std::nullopt;
    }
    (unit.side == AbSide::a ? series.u_a : series.u_b).push_back(found->values.front());
  }
  return series;
}

void judge_metrics(const AaValidationSeries& series, const AaValidationDocument& document,
                   AaValidationReport& report) {
  report.aa_pairs = series.samples.units.size() / 2;
  report.outcomes = document.outcomes;
  std::vector<PairedSeries> metrics;
  std::string reason;
  for (const AbOutcome& outcome : document.outcomes)
    if (auto one = metric_series(series.samples, outcome, reason)) metrics.push_back(*std::move(one));
  if (reason.empty() && report.aa_pairs < kBlocksPerSeries * document.pairs_per_draw) {
    if (!document.run.complete) return;
    reason = fmt::format("{} pairs measured, blocks of {} need {}", report.aa_pairs, document.pairs_per_draw,
                         kBlocksPerSeries * document.pairs_per_draw);
  }
  if (!reason.empty()) return report.problems.push_back("A/A: " + reason);
  BlockCheckRequest request;
  request.draws = document.draws;
  request.pairs_per_draw = document.pairs_per_draw;
  request.seed = document.policy.seed;
  report.quality = check_quality(metrics, request, document.policy);
}

bool is_finished_live_run(const AaValidationDocument& document, const AbSamples& run) {
  const AbProtocol protocol = follow_ab(run, run_options_of(live_document(document, run)));
  return protocol.problem.empty() && protocol.finished;
}

void judge_live(const AaValidationDocument& document, AaValidationReport& report) {
  LiveReport live;
  for (const AbSamples& run : document.live) {
    live.units += run.units.size();
    if (!is_finished_live_run(document, run)) continue;
    const AbReport judged = judge_ab(live_document(document, run));
    const auto has = [&](std::initializer_list<AbVerdict> verdicts) {
      return std::ranges::any_of(judged.cases, [&](const AbCaseReport& one) {
        return std::ranges::find(verdicts, one.verdict) != verdicts.end();
      });
    };
    ++live.runs;
    live.cases = judged.cases.size();
    live.regressed += has({AbVerdict::regressed, AbVerdict::invalid});
    live.faster += has({AbVerdict::faster});
    live.undecided += has({AbVerdict::inconclusive, AbVerdict::refused});
    live.failed += has({AbVerdict::failed});
    std::vector<std::string>& verdicts = live.verdicts.emplace_back();
    for (const AbCaseReport& one : judged.cases) {
      verdicts.push_back(to_string(one.verdict));
      if (one.verdict == AbVerdict::failed)
        report.problems.push_back(fmt::format("live run {}: {}: {}", live.runs, one.name, one.reason));
    }
  }
  if (report.case_name.empty()) report.case_name = fmt::format("live A/A runs of {} cases", live.cases);
  report.live = std::move(live);
}

}  // namespace

bool AaValidationReport::live_ok() const {
  return live && live->regressed <= std::max<std::size_t>(1, live->runs / kLiveRunsPerFalseAlarm);
}

bool AaValidationReport::too_few_live_runs() const {
  return live && live->regressed > 0 && live->runs < kLiveRunsPerFalseAlarm;
}

bool AaValidationReport::too_many_metric_alarms() const {
  return quality &&
         std::max(rate_lower(quality->separate), rate_lower(quality->simulated)) > kMaxMetricAlarms;
}

bool AaValidationReport::metrics_sensitive() const {
  if (!quality || quality->powers.empty()) return false;
  const std::size_t fewest = quality->powers.front().pairs_per_draw;
  return std::ranges::all_of(quality->powers, [&](const QualityPower& power) {
    return power.pairs_per_draw != fewest || share(power.worse, power.draws) >= kMinMetricPower;
  });
}

bool AaValidationReport::false_alarms_ok() const {
  return aa && share(aa->regressed, aa->draws) <= kMaxFalseAlarms;
}

bool AaValidationReport::bounded_by_measured() const {
  return measured_alarms && measured_alarms->rate_upper() <= kMaxFalseAlarms;
}

bool AaValidationReport::false_alarms_bounded() const {
  return bounded_by_measured() || (simulated_alarms && simulated_alarms->rate_upper() <= kMaxFalseAlarms);
}

ExitCode AaValidationReport::exit_code() const {
  if (!problems.empty()) return ExitCode::case_failed;
  if (!outcomes.empty()) {
    if (too_many_metric_alarms()) return ExitCode::regression;
    return complete && metrics_sensitive() ? ExitCode::pass : ExitCode::inconclusive;
  }
  if (!complete || (wants_pairs && !aa)) return ExitCode::inconclusive;
  bool missed = (wants_pairs && !false_alarms_ok()) || (live && !live_ok());
  bool unknown = too_few_live_runs() || (wants_pairs && !false_alarms_bounded());
  for (const StagePower& stage : stages) {
    // The time of a whole run has to be sensitive. A stage may be too short for that; then the report says
    // so.
    missed = missed || (stage.stage == "*" && stage.insensitive);
    unknown = unknown || (stage.stage == "*" && !stage.check);
  }
  if (missed) return ExitCode::regression;
  return unknown ? ExitCode::inconclusive : ExitCode::pass;
}

std::uint64_t series_order_seed(std::uint64_t order_seed, std::size_t n) { return order_seed + n; }

std::uint64_t live_order_seed(std::uint64_t order_seed, std::size_t n) { return order_seed + 1000 + n; }

AbDocument live_document(const AaValidationDocument& document, const AbSamples& run) {
  AbDocument one;
  one.run = document.run;
  one.run.complete = true;  // only such runs are judged
  one.run.pairs_per_look = document.plan.live_pairs_per_look;
  one.settings = document.plan.live_settings;
  one.a = one.b = document.program;
  one.samples = run;
  return one;
}

AaValidationReport judge_aa_validation(const AaValidationDocument& document) {
  AaValidationReport report;
  report.complete = document.run.complete;
  report.wants_pairs = document.plan.pairs > 0;
  for (const AaValidationSeries& series : document.series) {
    if (report.case_name.empty()) report.case_name = series.samples.cases.front().name;
    if (!document.outcomes.empty())
      judge_metrics(series, document, report);
    else if (series.stage.empty())
      judge_a_a(series, document, report);
    else
      report.stages.push_back(judge_stage(series, document));
  }
  for (const std::string& stage : document.plan.too_short)
    report.stages.push_back(
        {stage, "", std::nullopt, "too short for the clock, not measured", std::nullopt, true});
  if (document.plan.live_runs > 0) judge_live(document, report);
  return report;
}

namespace {

// Collects the first problem. A part that is not finished must be the last one.
struct PartCheck {
  std::string problem;
  bool finished = true;

  void add(const std::string& place, const AbSamples& samples, std::uint64_t order_seed,
           const AbProtocol& protocol) {
    if (!problem.empty()) return;
    if (!finished)
      problem = place + ": comes after one that was not finished";
    else if (samples.order_seed != order_seed)
      problem = fmt::format("{}.order_seed: is {}, expected {}", place, samples.order_seed, order_seed);
    else if (!protocol.problem.empty())
      problem = place + "." + protocol.problem;
    finished = protocol.finished;
  }
};

}  // namespace

std::string aa_validation_problem(const AaValidationDocument& document) {
  const AaValidationPlan& plan = document.plan;
  const std::size_t planned_series = plan.pairs > 0 ? 1 + plan.stages.size() : 0;
  if (document.series.size() > planned_series || document.live.size() > plan.live_runs)
    return "series: more of them than planned";
  PartCheck check;
  for (std::size_t i = 0; i < document.series.size(); ++i) {
    const AaValidationSeries& series = document.series[i];
    const std::string place = fmt::format("series[{}]", i);
    const std::string stage = i == 0 ? std::string() : plan.stages[i - 1];
    if (series.stage != stage || series.effect != (i == 0 ? "" : kAaValidationDelay))
      return place + ": is not of the stage and effect that were planned";
    const AbSamples& samples = series.samples;
    check.add(place + ".samples", samples, series_order_seed(document.policy.seed, i),
              follow_ab_pairs(samples, i == 0 ? plan.pairs : plan.delayed_pairs));
  }
  if (document.series.size() < planned_series && !document.live.empty())
    return "series: fewer than planned, though live runs came after them";
  for (std::size_t i = 0; i < document.live.size(); ++i) {
    const AbSamples& samples = document.live[i];
    check.add(fmt::format("live[{}]", i), samples, live_order_seed(document.policy.seed, i),
              follow_ab(samples, run_options_of(live_document(document, samples))));
  }
  if (!check.problem.empty()) return check.problem;
  const bool complete =
      check.finished && document.series.size() == planned_series && document.live.size() == plan.live_runs;
  if (complete == document.run.complete) return {};
  return complete ? "run.complete is false, though nothing is missing"
                  : "run.complete is true, though pairs are missing";
}

}  // namespace aqbench
