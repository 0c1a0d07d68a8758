#include "harness/ab/aa_validation_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "harness/ab/report_json.h"

namespace aqbench {
namespace {

Json check_json(const std::optional<BlockCheck>& check) {
  if (!check) return nullptr;
  return {{"suites", check->draws},
          {"regressed", check->regressed},
          {"confirmed_regressed", check->confirmed_regressed},
          {"faster", check->faster},
          {"pass", check->pass},
          {"inconclusive", check->inconclusive}};
}

Json alarms_json(const std::optional<AlarmCount>& alarms) {
  if (!alarms) return nullptr;
  return {{"blocks", alarms->blocks},
          {"regressed", alarms->regressed},
          {"rate_upper", rounded_json(alarms->rate_upper())}};
}

Json quality_json(const AaValidationReport& report) {
  Json powers = Json::array();
  if (!report.quality) return nullptr;
  for (const QualityPower& power : report.quality->powers)
    powers.push_back({{"metric", power.metric},
                      {"pairs_per_suite", power.pairs_per_draw},
                      {"suites", power.draws},
                      {"worse", power.worse}});
  return {{"wanted", kMaxMetricAlarms},
          {"separate_blocks", alarms_json(report.quality->separate)},
          {"simulated_blocks", alarms_json(report.quality->simulated)},
          {"no_noise", report.quality->no_noise},
          {"margin_seen", powers}};
}

// What the rate of false alarms is known from; null without pairs.
Json false_alarms_json(const AaValidationReport& report) {
  if (!report.aa) return nullptr;
  return {{"confidence", kAlarmConfidence},
          {"wanted", kMaxFalseAlarms},
          {"measured_blocks", alarms_json(report.measured_alarms)},
          {"simulated_blocks", alarms_json(report.simulated_alarms)},
          {"bounded_by", report.bounded_by_measured()    ? Json("measured blocks")
                         : report.false_alarms_bounded() ? Json("blocks simulated from measured noise")
                                                         : Json(nullptr)},
          {"blocks_wanted", blocks_to_bound(kMaxFalseAlarms)}};
}

Json live_json(const std::optional<LiveReport>& live) {
  if (!live) return nullptr;
  return {{"runs", live->runs},
          {"cases", live->cases},
          {"units", live->units},
          {"regressed", live->regressed},
          {"faster", live->faster},
          {"undecided", live->undecided},
          {"failed", live->failed},
          {"verdicts", live->verdicts},
          {"regressed_rate_upper", rounded_json(AlarmCount{live->runs, live->regressed}.rate_upper())}};
}

std::vector<std::string> read_texts(const JsonPlace& place) {
  std::vector<std::string> texts;
  for (const JsonPlace& element : place.elements()) texts.push_back(element.text());
  return texts;
}

std::size_t read_count(const JsonPlace& place, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t count = place.count();
  if (count < least || count > most) place.fail(fmt::format("is {}, must be {} to {}", count, least, most));
  return count;
}

AaValidationSeries read_series(const JsonPlace& place, const std::string& source) {
  place.allow_only({"stage", "effect", "samples"});
  AaValidationSeries series;
  series.stage = place.at("stage").text();
  series.effect = place.at("effect").text();
  series.samples = ab_samples_from_json(place.at("samples").value(), source + ": samples");
  if (series.samples.cases.size() != 1) place.at("samples").fail("has more than one case");
  return series;
}

}  // namespace

Json to_json(const AaValidationReport& report) {
  Json stages = Json::array();
  for (const StagePower& stage : report.stages)
    stages.push_back({{"stage", stage.stage},
                      {"effect", stage.effect},
                      {"check", check_json(stage.check)},
                      {"reason", stage.reason},
                      {"measured_change", rounded_json(stage.measured_change)},
                      {"insensitive", stage.insensitive}});
  Json json = {{"case", report.case_name},
               {"complete", report.complete},
               {"aa_pairs", report.aa_pairs},
               {"aa", check_json(report.aa)},
               {"false_alarm_rate", report.aa ? rounded_json(static_cast<double>(report.aa->regressed) /
                                                             static_cast<double>(report.aa->draws))
                                              : Json(nullptr)},
               {"false_alarms", false_alarms_json(report)},
               {"cv", rounded_json(report.cv)},
               {"correlation", rounded_json(report.correlation)},
               {"tau", rounded_json(report.tau)},
               {"aa_blocks", report.aa_blocks},
               {"stages", stages},
               {"live", live_json(report.live)},
               {"problems", report.problems}};
  if (!report.outcomes.empty()) json["metrics"] = quality_json(report);
  return json;
}

Json to_json(const AaValidationPlan& plan) {
  Json case_settings = Json::object();
  for (const auto& [name, value] : plan.case_settings) case_settings[name] = value;
  return {{"pairs", plan.pairs},
          {"delayed_pairs", plan.delayed_pairs},
          {"stages", plan.stages},
          {"too_short", plan.too_short},
          {"case_settings", std::move(case_settings)},
          {"live_runs", plan.live_runs},
          {"live_pairs_per_look", plan.live_pairs_per_look},
          {"live_settings", to_json(plan.live_settings)}};
}

AaValidationPlan aa_validation_plan_from_json(const Json& json, const std::string& source) {
  const JsonPlace place(json, source);
  place.allow_only({"pairs", "delayed_pairs", "stages", "too_short", "case_settings", "live_runs",
                    "live_pairs_per_look", "live_settings"});
  AaValidationPlan plan;
  plan.pairs = read_count(place.at("pairs"), 0, kMaxAaValidationPairs);
  plan.delayed_pairs = read_count(place.at("delayed_pairs"), 0, kMaxAaValidationPairs);
  plan.stages = read_texts(place.at("stages"));
  plan.too_short = read_texts(place.at("too_short"));
  for (const auto& [name, value] : place.at("case_settings").members())
    plan.case_settings.emplace_back(name, value.text());
  plan.live_runs = read_count(place.at("live_runs"), 0, kMaxLiveRuns);
  plan.live_pairs_per_look = read_count(place.at("live_pairs_per_look"), 0, kMaxAaValidationPairs);
  plan.live_settings = ab_settings_from_json(place.at("live_settings").value(), source + ": live_settings");
  return plan;
}

Json to_json(const AaValidationDocument& document, const AaValidationReport& report) {
  Json series = Json::array(), live = Json::array();
  for (const AbSamples& run : document.live) live.push_back(to_json(run));
  for (const AaValidationSeries& one : document.series)
    series.push_back({{"stage", one.stage}, {"effect", one.effect}, {"samples", to_json(one.samples)}});
  return {{"aqbench_calibration", document.schema_version},
          {"run", to_json(document.run)},
          {"settings", to_json(AbSettings{document.policy, true, false, document.outcomes})},
          {"plan", to_json(document.plan)},
          {"suites", document.draws},
          {"pairs_per_suite", document.pairs_per_draw},
          {"program", to_json(document.program)},
          {"environment", *document.environment},
          {"result", to_json(report)},
          {"series", series},
          {"live", live}};
}

std::string aa_validation_text(const AaValidationDocument& document, const AaValidationReport& report) {
  return to_json(document, report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

AaValidationDocument aa_validation_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  const std::int64_t version = root.at("aqbench_calibration").integer();
  if (version < kOldestAaValidationSchemaVersion || version > kAaValidationSchemaVersion)
    throw Error(ErrorKind::not_comparable,
                fmt::format("{}: schema version {}, this program reads {} to {}", source, version,
                            kOldestAaValidationSchemaVersion, kAaValidationSchemaVersion));
  root.allow_only({"aqbench_calibration", "run", "settings", "plan", "suites", "pairs_per_suite", "program",
                   "environment", "result", "series", "live"});
  AaValidationDocument document;
  document.schema_version = static_cast<int>(version);
  document.run = ab_run_from_json(root.at("run").value(), source + ": run");
  const AbSettings settings = ab_settings_from_json(root.at("settings").value(), source + ": settings");
  document.policy = settings.policy;
  document.outcomes = settings.outcomes;
  document.plan = aa_validation_plan_from_json(root.at("plan").value(), source + ": plan");
  // Limited because the cost of verifying grows with them.
  document.draws = read_count(root.at("suites"), 1, kMaxAaValidationDraws);
  document.pairs_per_draw = read_count(root.at("pairs_per_suite"), 1, kMaxPairsPerDraw);
  document.program = ab_side_from_json(root.at("program").value(), source + ": program");
  root.at("environment").members();
  document.environment = root.at("environment").value();
  for (const JsonPlace& place : root.at("series").elements())
    document.series.push_back(read_series(place, source + ": series"));
  for (const JsonPlace& place : root.at("live").elements())
    document.live.push_back(ab_samples_from_json(place.value(), source + ": live"));
  if (document.series.empty() && document.live.empty()) root.at("series").fail("is empty");
  return document;
}

}  // namespace aqbench
