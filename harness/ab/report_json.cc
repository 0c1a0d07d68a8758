#include "harness/ab/report.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/json_members.h"
#include "harness/ab/decision.h"

namespace aqbench {
namespace {

Json interval_json(const ShiftInterval& interval) {
  return {{"lower", rounded_json(interval.lower)},
          {"upper", rounded_json(interval.upper)},
          {"coverage", rounded_json(interval.coverage)}};
}

Json slow_side_json(const SlowSide& side) {
  return {{"runs", side.runs},
          {"slow_runs", side.slow_runs},
          {"slow_units", side.slow_units},
          {"usual_median", rounded_json(side.usual_median)},
          {"slow_median", rounded_json(side.slow_median)},
          {"two_modes", side.two_modes}};
}

Json beyond_json(const BeyondLimit& beyond) {
  return {{"limit", rounded_json(beyond.limit)}, {"a", beyond.a}, {"b", beyond.b}};
}

Json slow_runs_json(const SlowRuns& slow) {
  return {{"typical", rounded_json(slow.typical)},
          {"limit", rounded_json(slow.limit)},
          {"a", slow_side_json(slow.a)},
          {"b", slow_side_json(slow.b)},
          {"p_more", rounded_json(slow.p_more)},
          {"p_fewer", rounded_json(slow.p_fewer)},
          {"most_more", beyond_json(slow.most_more)},
          {"most_fewer", beyond_json(slow.most_fewer)},
          {"level", rounded_json(slow.level)},
          {"excess", rounded_json(slow.excess)},
          {"excess_upper", rounded_json(slow.excess_upper)}};
}

Json comparison_json(const PairedComparison& c) {
  Json json = {{"measured_pairs", c.measured_pairs},
               {"kept", c.kept},
               {"zeros", c.zeros},
               {"ties", c.ties},
               {"cv_a", rounded_json(c.cv_a)},
               {"cv_b", rounded_json(c.cv_b)},
               {"shift", rounded_json(c.shift)},
               {"change", rounded_json(change_of(c.scale, c.shift))},
               {"interval", interval_json(c.interval)},
               {"all_pairs",
                {{"shift", rounded_json(c.whole.shift)},
                 {"change", rounded_json(change_of(c.scale, c.whole.shift))},
                 {"interval", interval_json(c.whole.interval)}}},
               {"slow_runs", slow_runs_json(c.slow_runs)},
               {"if_dependent", c.if_dependent ? interval_json(*c.if_dependent) : Json(nullptr)},
               {"clock_step", rounded_json(c.step)},
               {"pairs_needed", c.pairs_needed ? Json(*c.pairs_needed) : Json(nullptr)},
               {"flag_above", rounded_json(c.flag_above)},
               {"flag_below", rounded_json(c.flag_below)},
               {"pass_below", rounded_json(c.pass_below)},
               {"visible_shift", rounded_json(c.visible_shift)},
               {"p_worse", rounded_json(c.p_worse)},
               {"p_better", rounded_json(c.p_better)},
               {"p_worse_holm", rounded_json(c.p_worse_holm)},
               {"p_better_holm", rounded_json(c.p_better_holm)},
               {"level", rounded_json(c.level)},
               {"verdict", to_string(c.verdict)},
               {"reason", c.reason}};
  json["bootstrap"] = nullptr;
  if (c.bootstrap)
    json["bootstrap"] = {{"lower", rounded_json(c.bootstrap->lower)},
                         {"upper", rounded_json(c.bootstrap->upper)},
                         {"draws", c.bootstrap->draws},
                         {"seed", c.bootstrap->seed}};
  return json;
}

Json stage_json(const AbStageDecision& stage) {
  return {{"name", stage.name},
          {"median_a_ms", rounded_json(stage.median_a_ms)},
          {"median_b_ms", rounded_json(stage.median_b_ms)},
          {"change_ms", rounded_json(stage.change_ms)},
          {"comparison", stage.comparison ? comparison_json(*stage.comparison) : Json(nullptr)},
          {"reason", stage.reason}};
}

Json time_json(const AbTimeDecision& time) {
  Json stages = Json::array();
  for (const AbStageDecision& stage : time.stages) stages.push_back(stage_json(stage));
  Json json = {{"verdict", to_string(time.verdict)},
               {"reason", time.reason},
               {"look", time.look},
               {"median_a_ms", rounded_json(time.median_a_ms)},
               {"median_b_ms", rounded_json(time.median_b_ms)},
               {"cold_a_ms", rounded_json(time.cold_a_ms)},
               {"cold_b_ms", rounded_json(time.cold_b_ms)},
               {"comparison", time.comparison ? comparison_json(*time.comparison) : Json(nullptr)},
               {"confirmation", time.confirmation ? comparison_json(*time.confirmation) : Json(nullptr)},
               {"stages", stages}};
  if (time.decided_by != DecidingTime::wall) json["decided_by"] = to_string(time.decided_by);
  if (time.decided_by == DecidingTime::instructions)
    for (const char* const side : {"median_a", "median_b"})
      json[side] = std::exchange(json[std::string(side) + "_ms"], nullptr);
  return json;
}

// The verdict's name is that of the outcome's kind; medians are in its unit.
Json outcome_reports_json(const std::vector<AbOutcomeReport>& outcomes) {
  Json list = Json::array();
  for (const auto& [outcome, decision] : outcomes)
    list.push_back(
        {{"name", outcome.name},
         {"unit", outcome.unit},
         {"verdict", outcome_verdict_text(outcome, decision.verdict)},
         {"reason", decision.reason},
         {"look", decision.look},
         {"median_a", rounded_json(decision.median_a_ms)},
         {"median_b", rounded_json(decision.median_b_ms)},
         {"comparison", decision.comparison ? comparison_json(*decision.comparison) : Json(nullptr)},
         {"confirmation", decision.confirmation ? comparison_json(*decision.confirmation) : Json(nullptr)}});
  return list;
}

Json accuracy_row_json(const VerdictRow& row) {
  const bool information = row.verdict == Verdict::pass && !row.tolerance;
  return {{"metric", row.metric},
          {"verdict", information ? "information" : to_string(row.verdict)},
          {"a", rounded_json(row.baseline)},
          {"b", rounded_json(row.current)},
          {"unit", row.unit},
          {"tolerance", row.tolerance ? Json(to_string(*row.tolerance)) : Json(nullptr)}};
}

Json to_json(const ValidationCounts& counts) {
  return {{"slower", counts.slower},
          {"faster", counts.faster},
          {"pass", counts.pass},
          {"open", counts.open},
          {"failed", counts.failed}};
}

Json to_json(const ValidationReport& report) {
  return {{"itself", to_json(report.itself)},
          {"delayed", to_json(report.delayed)},
          {"alarm_rate_lower", rounded_json(report.alarm_rate_lower)},
          {"alarm_rate_upper", rounded_json(report.alarm_rate_upper)},
          {"largest_change", rounded_json(report.largest_change)},
          {"tau", rounded_json(report.tau)}};
}

}  // namespace

Json rounded_json(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::strtod(fmt::format("{:.11e}", *value).c_str(), nullptr);
}

Json to_json(const AbReport& report) {
  Json cases = Json::array();
  for (const AbCaseReport& one : report.cases) {
    Json accuracy = Json::array();
    for (const VerdictRow& row : one.accuracy)
      if (!row.metric.empty()) accuracy.push_back(accuracy_row_json(row));
    Json json = {{"name", one.name},
                 {"verdict", to_string(one.verdict)},
                 {"reason", one.reason},
                 {"outputs", one.outputs},
                 {"accuracy", accuracy},
                 {"pareto", one.pareto},
                 {"time", one.time ? time_json(*one.time) : Json(nullptr)}};
    if (!one.outcomes.empty()) json["outcomes"] = outcome_reports_json(one.outcomes);
    cases.push_back(std::move(json));
  }
  Json json = {
      {"exit_code", static_cast<int>(report.exit_code())}, {"notes", report.notes}, {"cases", cases}};
  if (report.validation) json["validation"] = to_json(*report.validation);
  return json;
}

Json to_json(const AbDocument& document, const AbReport& report) {
  Json run = {{"id", document.run.id},
              {"started_utc", document.run.started_utc},
              {"finished_utc", document.run.finished_utc},
              {"complete", document.run.complete}};
  run.update(JsonOf<AbRunInfo>::write(document.run));
  return {{"aqbench_ab", kAbJsonVersion},
          {"run", run},
          {"settings", JsonOf<AbSettings>::write(document.settings)},
          {"a", JsonOf<AbSideInfo>::write(document.a)},
          {"b", JsonOf<AbSideInfo>::write(document.b)},
          {"notes", document.notes},
          {"environment", *document.environment},
          {"decision", to_json(report)},
          {"samples", to_json(document.samples)}};
}

std::string ab_text(const AbDocument& document, const AbReport& report) {
  return to_json(document, report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aqbench
