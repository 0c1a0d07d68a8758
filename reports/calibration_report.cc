#include "reports/calibration_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/json_place.h"
#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/pair_plan.h"
#include "scenes/core/error.h"

namespace aqbench {
namespace {

// ---- Series ----

double shortest_run(const std::vector<double>& runs) { return *std::ranges::min_element(runs); }

// Time of the stage in one unit; of the whole run for "" and "*". nullopt: the unit has none.
std::optional<double> unit_time(const AbUnit& unit, const std::string& stage) {
  if (unit.status != Status::ok) return std::nullopt;
  if (stage.empty() || stage == "*") return shortest_run(unit.warm_ms);
  const auto found = std::ranges::find(unit.stages, stage, &AbStageSamples::name);
  if (found == unit.stages.end() || found->self_ms.empty()) return std::nullopt;
  const double shortest = shortest_run(found->self_ms);
  return shortest >= kShortestStageMs ? std::optional(shortest) : std::nullopt;
}

// nullopt: a unit has no such time, and why.
std::optional<PairedSeries> series_of(const CalibrationSeries& series, std::string& reason) {
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

std::optional<BlockCheck> check_series(const PairedSeries& series, const CalibrationDocument& document,
                                       std::string& reason) {
  const std::size_t needed = 3 * document.pairs_per_suite;
  if (series.u_a.size() < needed) {
    reason = fmt::format("{} pairs measured, blocks of {} need {}", series.u_a.size(),
                         document.pairs_per_suite, needed);
    return std::nullopt;
  }
  BlockCheckRequest request;
  request.suites = document.suites;
  request.pairs_per_suite = document.pairs_per_suite;
  request.seed = document.policy.seed;
  return check_blocks(series, request, document.policy);
}

// Hodges-Lehmann shift of all pairs of a series, in batches where there are too many for the exact rule.
double shift_of(const PairedSeries& series) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(series.u_a.size(), std::size_t{2000}); ++i)
    differences.push_back(std::log(series.u_b[i] / series.u_a[i]));
  return hodges_lehmann(differences).estimate;
}

// |shift| of neighbouring blocks that share no pair, as whole comparisons would have estimated it.
std::vector<double> block_shifts(const PairedSeries& series, const CalibrationDocument& document) {
  PairedPolicy policy = document.policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  std::vector<double> shifts;
  for (std::size_t start = 0; start + document.pairs_per_suite <= series.u_a.size();
       start += document.pairs_per_suite) {
    PairedSeries block;
    block.name = series.name;
    const auto begin = static_cast<std::ptrdiff_t>(start);
    const auto end = begin + static_cast<std::ptrdiff_t>(document.pairs_per_suite);
    block.u_a.assign(series.u_a.begin() + begin, series.u_a.begin() + end);
    block.u_b.assign(series.u_b.begin() + begin, series.u_b.begin() + end);
    shifts.push_back(compare_pairs(std::span(&block, 1), policy).front().shift);
  }
  return shifts;
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1));
}

StagePower judge_stage(const CalibrationSeries& series, const CalibrationDocument& document) {
  StagePower power;
  power.stage = series.stage;
  power.effect = series.effect;
  const auto paired = series_of(series, power.reason);
  if (paired) power.check = check_series(*paired, document, power.reason);
  if (paired && !paired->u_a.empty()) power.measured_change = std::expm1(shift_of(*paired));
  power.insensitive =
      power.check && (share(power.check->regressed, power.check->suites) < kLeastDetected ||
                      share(power.check->confirmed_regressed, power.check->suites) < kLeastConfirmed);
  return power;
}

void judge_a_a(const CalibrationSeries& series, const CalibrationDocument& document,
               CalibrationReport& report) {
  std::string reason;
  const auto paired = series_of(series, reason);
  report.aa_pairs = series.samples.units.size() / 2;
  if (paired) report.aa = check_series(*paired, document, reason);
  if (!reason.empty()) report.problems.push_back("A/A: " + reason);
  if (!report.aa) return;
  const PairNoise noise = estimate_pair_noise(paired->u_a, paired->u_b);
  report.cv = noise.cv;
  report.correlation = noise.correlation;
  const TauCalibration tau = calibrate_tau(block_shifts(*paired, document), document.policy);
  report.tau = tau.tau;
  report.aa_blocks = tau.aa_runs;
}

// ---- JSON ----

Json check_json(const std::optional<BlockCheck>& check) {
  if (!check) return nullptr;
  return {{"suites", check->suites},
          {"regressed", check->regressed},
          {"confirmed_regressed", check->confirmed_regressed},
          {"faster", check->faster},
          {"pass", check->pass},
          {"inconclusive", check->inconclusive}};
}

CalibrationSeries read_series(const JsonPlace& place, const std::string& source) {
  place.allow_only({"stage", "effect", "samples"});
  CalibrationSeries series;
  series.stage = place.at("stage").text();
  series.effect = place.at("effect").text();
  series.samples = ab_samples_from_json(place.at("samples").value(), source + ": samples");
  if (series.samples.cases.size() != 1) place.at("samples").fail("has more than one case");
  return series;
}

}  // namespace

bool CalibrationReport::false_alarms_ok() const {
  return aa && share(aa->regressed, aa->suites) <= kMostFalseAlarms;
}

ExitCode CalibrationReport::exit_code() const {
  if (!complete || !aa) return problems.empty() ? ExitCode::inconclusive : ExitCode::case_failed;
  bool missed = !false_alarms_ok(), unknown = false;
  for (const StagePower& stage : stages) {
    // The time of a whole run has to be sensitive; a stage may be too short to be, and is called that.
    missed = missed || (stage.stage == "*" && stage.insensitive);
    unknown = unknown || (stage.stage == "*" && !stage.check);
  }
  if (missed) return ExitCode::regression;
  return unknown ? ExitCode::inconclusive : ExitCode::pass;
}

CalibrationReport judge_calibration(const CalibrationDocument& document) {
  CalibrationReport report;
  report.complete = document.run.complete;
  for (const CalibrationSeries& series : document.series) {
    if (report.case_name.empty()) report.case_name = series.samples.cases.front().name;
    if (series.stage.empty())
      judge_a_a(series, document, report);
    else
      report.stages.push_back(judge_stage(series, document));
  }
  return report;
}

Json to_json(const CalibrationReport& report) {
  Json stages = Json::array();
  for (const StagePower& stage : report.stages)
    stages.push_back({{"stage", stage.stage},
                      {"effect", stage.effect},
                      {"check", check_json(stage.check)},
                      {"reason", stage.reason},
                      {"measured_change", rounded_json(stage.measured_change)},
                      {"insensitive", stage.insensitive}});
  return {{"case", report.case_name},
          {"complete", report.complete},
          {"aa_pairs", report.aa_pairs},
          {"aa", check_json(report.aa)},
          {"false_alarm_rate",
           report.aa ? rounded_json(share(report.aa->regressed, report.aa->suites)) : Json(nullptr)},
          {"cv", rounded_json(report.cv)},
          {"correlation", rounded_json(report.correlation)},
          {"tau", rounded_json(report.tau)},
          {"aa_blocks", report.aa_blocks},
          {"stages", stages},
          {"problems", report.problems}};
}

Json to_json(const CalibrationDocument& document, const CalibrationReport& report) {
  Json series = Json::array();
  for (const CalibrationSeries& one : document.series)
    series.push_back({{"stage", one.stage}, {"effect", one.effect}, {"samples", to_json(one.samples)}});
  return {{"aqbench_calibration", kCalibrationSchemaVersion},
          {"run", to_json(document.run)},
          {"settings", to_json(AbSettings{document.policy, true, false})},
          {"suites", document.suites},
          {"pairs_per_suite", document.pairs_per_suite},
          {"program", to_json(document.program)},
          {"environment", Json::parse(document.environment_json)},
          {"result", to_json(report)},
          {"series", series}};
}

std::string calibration_text(const CalibrationDocument& document, const CalibrationReport& report) {
  return to_json(document, report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

CalibrationDocument calibration_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  const std::int64_t version = root.at("aqbench_calibration").integer();
  if (version != kCalibrationSchemaVersion)
    throw Error(ErrorKind::not_comparable, fmt::format("{}: schema version {}, this program reads {}", source,
                                                       version, kCalibrationSchemaVersion));
  root.allow_only({"aqbench_calibration", "run", "settings", "suites", "pairs_per_suite", "program",
                   "environment", "result", "series"});
  CalibrationDocument document;
  document.run = ab_run_from_json(root.at("run").value(), source + ": run");
  document.policy = ab_settings_from_json(root.at("settings").value(), source + ": settings").policy;
  document.suites = root.at("suites").count();
  document.pairs_per_suite = root.at("pairs_per_suite").count();
  if (document.suites == 0 || document.suites > 1000000) root.at("suites").fail("must be 1 to 1000000");
  if (document.pairs_per_suite == 0 || document.pairs_per_suite > 2000)
    root.at("pairs_per_suite").fail("must be 1 to 2000");
  document.program = ab_side_from_json(root.at("program").value(), source + ": program");
  root.at("environment").members();
  document.environment_json = root.at("environment").value().dump();
  for (const JsonPlace& place : root.at("series").elements())
    document.series.push_back(read_series(place, source + ": series"));
  if (document.series.empty()) root.at("series").fail("is empty");
  return document;
}

}  // namespace aqbench
