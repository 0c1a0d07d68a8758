#include "reports/text/aa_validation_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/environment_text.h"

namespace aqbench {
namespace {

// A unit's cv above this means a busy machine; idle machines give 1 to 3 %.
constexpr double kBusyCv = 0.08;

std::string share_text(std::size_t part, std::size_t whole) {
  return fmt::format(
      "{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1)));
}

std::string stage_title(const StagePower& stage) { return stage.stage == "*" ? "whole run" : stage.stage; }

std::string stage_verdict(const StagePower& stage) {
  if (!stage.check) return (stage.insensitive ? "insensitive: " : "n/a: ") + stage.reason;
  return stage.insensitive ? "insensitive" : "sensitive";
}

std::vector<std::string> stage_cells(const StagePower& stage) {
  return {stage_title(stage),
          stage.effect.empty() ? "n/a" : stage.effect,
          stage.measured_change ? fmt::format("{:+.2f} %", 100 * *stage.measured_change) : "n/a",
          stage.check ? share_text(stage.check->regressed, stage.check->draws) : "n/a",
          stage.check ? share_text(stage.check->confirmed_regressed, stage.check->draws) : "n/a",
          stage_verdict(stage)};
}

// What the rate of false alarms is known from: draws that overlap say it, blocks that do not bound it.
std::string alarm_line(const AaValidationReport& report) {
  const AlarmCount &measured = *report.measured_alarms, &simulated = *report.simulated_alarms;
  const auto percent = [](double rate) { return fmt::format("{:.2g} %", 100 * rate); };
  std::string line = fmt::format(
      "independent: {} blocks share no pair, {} of them called slower, which bounds the rate of false alarms "
      "below {}",
      measured.blocks, measured.regressed, percent(measured.rate_upper()));
  if (report.bounded_by_measured())
    return line + fmt::format(" ({:.0f} % confidence)", 100 * kAlarmConfidence);
  return line +
         fmt::format(
             "; by simulation, {} blocks out of the noise that was measured, with coins thrown anew: {} "
             "called slower, below {} for such noise ({:.0f} % confidence; measured alone, {:.1f} % "
             "would take {} blocks without an alarm)",
             simulated.blocks, simulated.regressed, percent(simulated.rate_upper()), 100 * kAlarmConfidence,
             100 * kMaxFalseAlarms, blocks_to_bound(kMaxFalseAlarms));
}

std::string margin_text(const AbOutcome& outcome) {
  return outcome.margin_absolute ? fmt::format("{:.4g} {}", outcome.margin, outcome.unit)
                                 : fmt::format("{:.4g} %", 100 * outcome.margin);
}

// How often a change as large as the margin is seen, with more and more pairs.
std::string power_line(const AbOutcome& outcome, const QualityCheck& quality) {
  std::string line;
  for (const QualityPower& power : quality.powers)
    if (power.metric == outcome.name)
      line += fmt::format("{} {} with {} pairs", line.empty() ? "" : ",",
                          share_text(power.worse, power.draws), power.pairs_per_draw);
  return fmt::format("{}: worse by its margin, {}, it is called WORSE in{}", outcome.name,
                     margin_text(outcome), line);
}

std::vector<std::string> metric_lines(const AaValidationReport& report) {
  std::vector<std::string> lines;
  if (!report.quality) {
    lines.push_back(fmt::format("A/A: {} pairs measured, too few for a rate", report.aa_pairs));
    return lines;
  }
  const QualityCheck& quality = *report.quality;
  lines.push_back(
      fmt::format("A/A: {} pairs; of {} suites of neighbouring pairs, with coins thrown anew, {} called a "
                  "metric WORSE or "
                  "BETTER ({}, at most {:.0f} % wanted)",
                  report.aa_pairs, quality.simulated.blocks, quality.simulated.regressed,
                  share_text(quality.simulated.regressed, quality.simulated.blocks), 100 * kMaxMetricAlarms));
  lines.push_back(fmt::format(
      "independent: {} blocks share no pair, {} of them called different, which bounds the rate below {:.2g} "
      "% ({:.0f} % confidence)",
      quality.separate.blocks, quality.separate.regressed, 100 * quality.separate.rate_upper(),
      100 * kAlarmConfidence));
  if (quality.no_noise)
    lines.emplace_back("the two values of each pair are equal: nothing varies from run to run");
  for (const AbOutcome& outcome : report.outcomes) lines.push_back(power_line(outcome, quality));
  return lines;
}

std::vector<std::string> a_a_lines(const AaValidationReport& report) {
  std::vector<std::string> lines;
  if (!report.outcomes.empty()) {
    lines = metric_lines(report);
  } else if (report.aa) {
    lines.push_back(
        fmt::format("A/A: {} fresh pairs; of {} suites of neighbouring pairs {} were called slower "
                    "without a reason ({}, at most {:.1f} % wanted), {} after a second block, {} faster, "
                    "{} inconclusive",
                    report.aa_pairs, report.aa->draws, report.aa->regressed,
                    share_text(report.aa->regressed, report.aa->draws), 100 * kMaxFalseAlarms,
                    report.aa->confirmed_regressed, report.aa->faster, report.aa->inconclusive));
    lines.push_back(alarm_line(report));
    lines.push_back(fmt::format(
        "noise of a unit: cv {:.2f} %, correlation within a pair {:.2f}{}", 100 * *report.cv,
        *report.correlation,
        *report.cv > kBusyCv ? "; others were busy here: calibrate again when they are not" : ""));
    lines.push_back(
        fmt::format("tau of this case here: {:.2f} % (from {} A/A comparisons that share no pair)",
                    100 * report.tau, report.aa_blocks));
  } else if (report.wants_pairs)
    lines.push_back(fmt::format("A/A: {} pairs measured, too few for a rate", report.aa_pairs));
  if (report.live)
    lines.push_back(fmt::format(
        "live: {} whole A/A comparisons of {} cases each, {} units: {} called a case slower (at "
        "most {} wanted), "
        "{} faster, {} left one open; the rate of such runs is below {:.2g} % ({:.0f} % confidence)",
        report.live->runs, report.live->cases, report.live->units, report.live->regressed,
        std::max<std::size_t>(1, report.live->runs / kLiveRunsPerFalseAlarm), report.live->faster,
        report.live->undecided, 100 * AlarmCount{report.live->runs, report.live->regressed}.rate_upper(),
        100 * kAlarmConfidence));
  lines.insert(lines.end(), report.problems.begin(), report.problems.end());
  if (!report.complete) lines.emplace_back("interrupted: this is what was measured until then");
  return lines;
}

std::string metric_result_line(const AaValidationReport& report) {
  if (!report.problems.empty()) return "FAILED";
  if (report.too_many_metric_alarms()) return "TOO MANY FALSE ALARMS";
  if (!report.complete || !report.quality) return "INCOMPLETE";
  if (report.metrics_sensitive())
    return "calibrated: few false alarms, changes as large as the margins are seen";
  return fmt::format(
      "OPEN: few false alarms, but with {} pairs a change as large as a margin is seen in less "
      "than {:.0f} %: more pairs, or a wider margin",
      kPairsPerMetricDraw, 100 * kMinMetricPower);
}

std::string result_line(const AaValidationReport& report) {
  if (!report.outcomes.empty()) return metric_result_line(report);
  switch (report.exit_code()) {
    case ExitCode::pass:
      return report.wants_pairs ? "calibrated: few false alarms, delays are seen" : "few false alarms";
    case ExitCode::regression:
      if (report.live && !report.live_ok()) return "TOO MANY FALSE ALARMS in live runs";
      return report.false_alarms_ok() ? "NOT SENSITIVE: a delay of the whole run is missed too often"
                                      : "TOO MANY FALSE ALARMS";
    case ExitCode::case_failed:
      return "FAILED";
    default:
      if (report.complete && report.too_few_live_runs())
        return fmt::format(
            "OPEN: a false alarm in {} live runs, too few to tell how often; ask for --live {}",
            report.live->runs, kLiveRunsPerFalseAlarm);
      if (report.complete && report.aa && !report.false_alarms_bounded())
        return fmt::format("OPEN: the rate of false alarms is not bounded by {:.1f} %",
                           100 * kMaxFalseAlarms);
      return "INCOMPLETE";
  }
}

std::string what_was_asked(const AaValidationDocument& document) {
  if (document.plan.pairs == 0)
    return fmt::format("live runs: {} pairs a look, {}", document.plan.live_pairs_per_look,
                       settings_line(document.plan.live_settings));
  if (!document.outcomes.empty())
    return fmt::format(
        "suites of {} pairs, alpha {:.4g}; wanted: changes as large as the margins seen in {:.0f} %",
        document.pairs_per_draw, document.policy.alpha, 100 * kMinMetricPower);
  return fmt::format(
      "suites of {} pairs, tau {:.4g} %, alpha {:.4g}; wanted: delays seen in {:.0f} %, after a "
      "second block in {:.0f} %",
      document.pairs_per_draw, 100 * document.policy.tau, document.policy.alpha, 100 * kMinDetected,
      100 * kMinConfirmed);
}

}  // namespace

std::string render_aa_validation_summary(const AaValidationDocument& document,
                                         const AaValidationReport& report) {
  std::string text = fmt::format(
      "# aqbench ab {} {}\n\n**{}**\n\n- case: {}\n", document.plan.pairs > 0 ? "--calibrate" : "--live",
      md_escape(document.run.id), md_escape(result_line(report)), md_escape(report.case_name));
  for (const std::string& line : a_a_lines(report)) text += fmt::format("- {}\n", md_escape(line));
  text += fmt::format("- {}\n", md_escape(what_was_asked(document)));
  const char* const process = document.run.exec ? "newly started" : "newly forked";
  text += document.run.warm_runs == 0
              ? fmt::format("- units: a {} process each, of one run\n", process)
              : fmt::format("- units: a {} process each, the shortest of {} warm runs after a cold one\n",
                            process, document.run.warm_runs);
  text += fmt::format("- UTC: {} to {}\n", md_escape(document.run.started_utc),
                      md_escape(document.run.finished_utc));
  if (!document.environment->empty())
    text += fmt::format("- environment: {}\n", md_escape(environment_line(*document.environment)));
  if (document.run.resumed > 0)
    text += fmt::format("- interrupted and gone on with, times: {}\n", document.run.resumed);
  if (report.stages.empty()) return text;
  text += "\n" + md_head({"delayed", "verdict", "by", "measured", "detected", "confirmed"}, 2);
  for (const StagePower& stage : report.stages) {
    const auto cells = stage_cells(stage);
    text +=
        md_row({md_escape(cells[0]), md_escape(cells[5]), md_escape(cells[1]), cells[2], cells[3], cells[4]});
  }
  return text;
}

std::string render_aa_validation_table(const AaValidationReport& report, bool colours) {
  Table table;
  table.columns = {{"delayed", Align::left, true}, {"by", Align::right},        {"measured", Align::right},
                   {"detected", Align::right},     {"confirmed", Align::right}, {"verdict"}};
  for (const StagePower& stage : report.stages) {
    std::vector<TableCell> row;
    for (const std::string& cell : stage_cells(stage)) row.push_back({cell});
    row.back().colour = stage.check && !stage.insensitive ? Colour::green : Colour::yellow;
    table.rows.push_back(std::move(row));
  }
  std::string text = printable(report.case_name) + "\n";
  for (const std::string& line : a_a_lines(report)) text += wrap_text(printable(line), kScreenColumns, 2);
  if (!table.rows.empty()) text += "\n" + render_table(table, colours);
  return text + "\n" + result_line(report) + "\n";
}

}  // namespace aqbench
