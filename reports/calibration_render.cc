#include <fmt/format.h>

#include <algorithm>

#include "reports/calibration_report.h"
#include "reports/environment_text.h"
#include "reports/markdown.h"
#include "reports/table.h"

namespace aqbench {
namespace {

std::string share_text(std::size_t part, std::size_t whole) {
  return fmt::format(
      "{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1)));
}

std::string stage_title(const StagePower& stage) { return stage.stage == "*" ? "whole run" : stage.stage; }

std::string stage_verdict(const StagePower& stage) {
  if (!stage.check) return "n/a: " + stage.reason;
  return stage.insensitive ? "insensitive" : "sensitive";
}

std::vector<std::string> stage_cells(const StagePower& stage) {
  return {stage_title(stage),
          stage.effect,
          stage.measured_change ? fmt::format("{:+.2f} %", 100 * *stage.measured_change) : "n/a",
          stage.check ? share_text(stage.check->regressed, stage.check->suites) : "n/a",
          stage.check ? share_text(stage.check->confirmed_regressed, stage.check->suites) : "n/a",
          stage_verdict(stage)};
}

std::vector<std::string> a_a_lines(const CalibrationReport& report) {
  std::vector<std::string> lines;
  if (report.aa) {
    lines.push_back(
        fmt::format("A/A: {} fresh pairs; of {} suites of neighbouring pairs {} were called slower "
                    "without a reason ({}, at most {:.1f} % wanted), {} after a second block, {} faster, "
                    "{} inconclusive",
                    report.aa_pairs, report.aa->suites, report.aa->regressed,
                    share_text(report.aa->regressed, report.aa->suites), 100 * kMostFalseAlarms,
                    report.aa->confirmed_regressed, report.aa->faster, report.aa->inconclusive));
    lines.push_back(fmt::format("noise of a unit: cv {:.2f} %, correlation within a pair {:.2f}",
                                100 * *report.cv, *report.correlation));
    lines.push_back(
        fmt::format("tau of this case here: {:.2f} % (from {} A/A comparisons that share no pair)",
                    100 * report.tau, report.aa_blocks));
  }
  lines.insert(lines.end(), report.problems.begin(), report.problems.end());
  if (!report.complete) lines.emplace_back("interrupted: this is what was measured until then");
  return lines;
}

std::string result_line(const CalibrationReport& report) {
  switch (report.exit_code()) {
    case ExitCode::pass:
      return "calibrated: few false alarms, delays are seen";
    case ExitCode::regression:
      return report.false_alarms_ok() ? "NOT SENSITIVE: a delay of the whole run is missed too often"
                                      : "TOO MANY FALSE ALARMS";
    case ExitCode::case_failed:
      return "FAILED";
    default:
      return "INCOMPLETE";
  }
}

std::string what_was_asked(const CalibrationDocument& document) {
  return fmt::format(
      "suites of {} pairs, tau {:.4g} %, alpha {:.4g}; wanted: delays seen in {:.0f} %, after a "
      "second block in {:.0f} %",
      document.pairs_per_suite, 100 * document.policy.tau, document.policy.alpha, 100 * kLeastDetected,
      100 * kLeastConfirmed);
}

}  // namespace

std::string render_calibration_summary(const CalibrationDocument& document, const CalibrationReport& report) {
  std::string text =
      fmt::format("# aqbench ab --calibrate {}\n\n**{}**\n\n- case: {}\n", md_escape(document.run.id),
                  md_escape(result_line(report)), md_escape(report.case_name));
  for (const std::string& line : a_a_lines(report)) text += fmt::format("- {}\n", md_escape(line));
  text += fmt::format("- {}\n", md_escape(what_was_asked(document)));
  text += fmt::format("- units: a {} process each, the shortest of {} warm runs after a cold one\n",
                      document.run.exec ? "newly started" : "newly forked", document.run.warm_runs);
  text += fmt::format("- UTC: {} to {}\n", md_escape(document.run.started_utc),
                      md_escape(document.run.finished_utc));
  if (document.environment_json != "{}")
    text += fmt::format("- environment: {}\n", md_escape(environment_line(document.environment_json)));
  text += "\n" + md_head({"delayed", "verdict", "by", "measured", "detected", "confirmed"}, 2);
  for (const StagePower& stage : report.stages) {
    const auto cells = stage_cells(stage);
    text += md_row({md_escape(cells[0]), md_escape(cells[5]), cells[1], cells[2], cells[3], cells[4]});
  }
  return text;
}

std::string render_calibration_table(const CalibrationReport& report, bool colours) {
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
  return text + "\n" + render_table(table, colours) + "\n" + result_line(report) + "\n";
}

}  // namespace aqbench
