#include "reports/text/ab_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "harness/ab/decision.h"
#include "reports/content/environment_text.h"
#include "reports/content/verdict_blocks.h"

namespace aqbench {
namespace {

// The rate that a simulation from measured noise gives: tests/harness/statistics/paired_simulation_test.cc
// holds it.
constexpr const char* kFalseAlarmLine =
    "A/A rate behind it: 0.02 % false \"slower\" at tau 2 % (20 pairs, simulated from measured noise); "
    "this machine's: aqbench ab --calibrate";

std::string cv_text(const std::optional<double>& cv) {
  return cv ? fmt::format("{:.2f} %", 100 * *cv) : "n/a";
}

// Says which change the comparison could have seen.
std::string resolution_text(const PairedComparison& c, const AbSettings& settings) {
  std::string text = fmt::format("{} pairs", c.measured_pairs);
  if (c.kept.size() < c.measured_pairs) text += fmt::format(", {} of them without slow runs", c.kept.size());
  text += fmt::format(", cv {} / {}", cv_text(c.cv_a), cv_text(c.cv_b));
  text += c.visible_shift ? fmt::format(", would have flagged {} ({:.0f} % of the time)",
                                        shift_text(c.scale, *c.visible_shift), 100 * settings.policy.power)
                          : std::string(", too few pairs for any flag");
  // Of a metric both p are two-sided: the smaller one is that of the direction that was found.
  text += c.quality ? fmt::format(", two-sided p {:.2g} (Holm {:.2g})", std::min(c.p_worse, c.p_better),
                                  std::min(c.p_worse_holm, c.p_better_holm))
                    : fmt::format(", p slower {:.2g} (Holm {:.2g})", c.p_worse, c.p_worse_holm);
  if (c.ties) text += ", ties";
  if (c.zeros > 0) text += fmt::format(", {} without difference", c.zeros);
  return text;
}

// "slower", "faster", "same", "unclear", or "n/a: REASON".
std::string ab_stage_text(const AbStageDecision& stage) {
  if (!stage.comparison) return "n/a: " + stage.reason;
  const PairedVerdict verdict = stage.comparison->verdict;
  return verdict == PairedVerdict::regressed ? "slower"
         : verdict == PairedVerdict::faster  ? "faster"
         : verdict == PairedVerdict::pass    ? "same"
         : verdict == PairedVerdict::trade   ? "a trade"
                                             : "unclear";
}

// "B: 52 % of runs near 24 ms, 48 % near 64 ms", where a side has two modes.
std::string modes_text(const char* name, const SlowSide& side, const std::string& unit) {
  if (!side.two_modes) return {};
  const double slow = std::round(100 * static_cast<double>(side.slow_runs) / static_cast<double>(side.runs));
  return fmt::format("{}: {:.0f} % of runs near {}{}, {:.0f} % near {}{}", name, 100 - slow,
                     short_number(side.usual_median.value()), unit, slow,
                     short_number(side.slow_median.value()), unit);
}

// What the comparison says of slow modes, and what it could not have seen.
std::vector<std::string> slow_lines(const PairedComparison& c, const std::string& unit_name) {
  const SlowRuns& slow = c.slow_runs;
  const std::string unit = unit_name.empty() || unit_name == "1" ? "" : " " + unit_name;
  std::vector<std::string> lines;
  for (const auto& [name, side] : {std::pair("A", &slow.a), {"B", &slow.b}})
    if (std::string modes = modes_text(name, *side, unit); !modes.empty()) lines.push_back(std::move(modes));
  const std::string unseen =
      slow.more() ? fmt::format("B has more, p {:.2g}", slow.p_more)
                  : fmt::format("{} in up to {:.0f} % of B's {} would not have been seen",
                                c.quality ? "bad values" : "a slow mode", std::ceil(100 * slow.excess_upper),
                                c.quality ? "pairs" : "runs");
  lines.push_back(fmt::format("{} (beyond {}{}): {} of {} of A, {} of {} of B; {}",
                              c.quality ? "bad values" : "slow runs", short_number(slow.limit), unit,
                              slow.a.slow_runs, slow.a.runs, slow.b.slow_runs, slow.b.runs, unseen));
  if (c.step)
    lines.push_back(fmt::format("all times are multiples of {}{}: half of that is added to the interval",
                                short_number(*c.step), unit));
  return lines;
}

// "cpu_ms PASS: 10.1 -> 10.2 ms, +1.00 % (-0.50 .. +2.50 %)", then why, then what could have been seen.
std::vector<std::string> outcome_lines(const AbOutcomeReport& one, const AbSettings& settings) {
  const auto& [outcome, decision] = one;
  std::string line = fmt::format("{} {}", outcome.name, outcome_verdict_text(outcome, decision.verdict));
  if (!decision.comparison) return {line + ": " + decision.reason};
  const PairedComparison& c = *decision.comparison;
  const auto [a, b] = number_pair(decision.median_a_ms.value(), decision.median_b_ms.value());
  line += fmt::format(": {} -> {}{}, {} ({})", a, b,
                      outcome.unit == "1" || outcome.unit.empty() ? "" : " " + outcome.unit,
                      ab_change_text(c), ab_interval_text(c));
  if (outcome.kind == AbOutcome::Kind::metric)
    line += outcome.margin_absolute ? fmt::format(", margin {}", short_number(outcome.margin))
                                    : fmt::format(", margin {} %", short_number(100 * outcome.margin));
  if (!decision.reason.empty()) line += "; " + decision.reason;
  std::vector<std::string> lines{line, "  " + resolution_text(c, settings)};
  for (const std::string& slow : slow_lines(c, outcome.unit)) lines.push_back("  " + slow);
  return lines;
}

// "LABEL: LINE in FOLDER, after PREPARE, sha256 ...".
std::string command_line_text(const AbSideInfo& side) {
  const AbCommand& command = *side.command;
  std::string text = side.label == command.line ? side.label : side.label + ": " + command.line;
  text += ", in " + command.folder;
  for (const auto& [name, value] : command.environment) text += fmt::format(", {}={}", name, value);
  if (!command.prepare.empty()) text += ", prepared by: " + command.prepare;
  if (!side.file_sha256.empty()) text += ", sha256 " + side.file_sha256.substr(0, 16);
  return text;
}

std::vector<std::string> ab_case_lines(const AbCaseReport& one, const AbSettings& settings) {
  std::vector<std::string> lines;
  if (!one.reason.empty()) lines.push_back(one.reason);
  if (!one.outputs.empty()) lines.push_back("outputs: " + one.outputs);
  for (const AbOutcomeReport& outcome : one.outcomes)
    std::ranges::move(outcome_lines(outcome, settings), std::back_inserter(lines));
  if (!one.time || !one.time->comparison) return lines;
  lines.push_back(resolution_text(*one.time->comparison, settings));
  std::ranges::move(slow_lines(*one.time->comparison, unit_of(one.time->decided_by)),
                    std::back_inserter(lines));
  if (one.time->confirmation)
    lines.push_back("fresh pairs: " + ab_change_text(*one.time->confirmation) + ", " +
                    ab_interval_text(*one.time->confirmation) + ", " +
                    resolution_text(*one.time->confirmation, settings));
  if (one.time->cold_a_ms && one.time->cold_b_ms)
    lines.push_back(fmt::format("cold, not gated: {} -> {} ms", short_number_or_na(one.time->cold_a_ms),
                                short_number_or_na(one.time->cold_b_ms)));
  if (!one.pareto.empty()) lines.push_back("time and accuracy: " + one.pareto);
  return lines;
}

std::string ab_side_line(const AbSideInfo& side) {
  if (side.command) return command_line_text(side);
  std::string text = side.label;
  if (!side.variant.empty() && side.variant != side.label) text += " " + side.variant;
  if (!side.build.version.empty())
    text += fmt::format(", aqbench {} {}{}, {} {}", side.build.version,
                        side.build.commit.empty() ? "without git" : side.build.commit.substr(0, 12),
                        side.build.dirty ? " (dirty)" : "", side.build.compiler, side.build.build_type);
  if (!side.program_sha256.empty()) text += ", sha256 " + side.program_sha256.substr(0, 16);
  return text;
}

std::string ab_units_line(const AbRunInfo& run) {
  if (!run.samples_file.empty()) return "samples: " + run.samples_file;
  if (run.commands) {
    const AbCommandRules& rules = *run.commands;
    if (rules.gbench) return "units: a new process each, by the time per iteration that it measured itself";
    std::string text = fmt::format("units: {} of the command, a new process each{}; outputs: {}",
                                   counted(static_cast<std::size_t>(run.warm_runs), "run"),
                                   run.warm_runs > 1 ? ", compared by their median" : "",
                                   rules.compare_output.empty() ? "stdout" : rules.compare_output);
    if (rules.any_exit_code) text += " and exit code";
    if (rules.quick) text += "; as many pairs as fit into a minute (--quick)";
    return text;
  }
  const char* const quick = run.quick ? "; as many pairs as fit into a minute (--quick)" : "";
  const std::string paired = run.paired_over.empty() ? "" : "; pairs over " + run.paired_over;
  const std::string runs =
      run.warm_runs > 0 ? fmt::format("{} warm runs after a cold one", run.warm_runs) : "of one run";
  return fmt::format("units: a {} process each, {}{}{}", run.exec ? "newly started" : "newly forked", runs,
                     paired, quick);
}

Section stages_section(const AbReport& report) {
  Table table =
      table_with({"case", "stage", ">A\nms", ">B\nms", ">change", ">change\nms", "verdict or why none"});
  table.label = "stages";
  for (const AbCaseReport& one : report.cases) {
    if (!one.time) continue;
    for (const AbStageDecision& stage : one.time->stages) {
      std::vector<std::string> cells(4, "n/a");
      if (stage.comparison) {
        const auto [a, b] = number_pair(stage.median_a_ms, stage.median_b_ms);
        cells = {a, b, ab_change_text(*stage.comparison), fmt::format("{:+.3g}", stage.change_ms)};
      }
      table.rows.push_back(
          plain_row({one.name, stage.name, cells[0], cells[1], cells[2], cells[3], ab_stage_text(stage)}));
    }
  }
  return {
      "stages", "Stages", "Self times, without nested stages; information, not gated.", {std::move(table)}};
}

// Of several cases each in words, too.
Section cases_section(const AbDocument& document, const AbReport& report, VerdictView view) {
  const auto [a, b] = names_of_sides(document);
  view.before = a.c_str();
  view.after = b.c_str();
  const ShortNames names = short_names_of(report.verdicts);
  ShortNames of_table = names;
  if (view.rows == VerdictView::Rows::judged) {  // whole names, to be copied
    of_table.common.clear();
    for (auto& [whole, name] : of_table.of) name = whole;
  }
  Section section = verdicts_section(
      report.verdicts, of_table, view,
      "For times the medians of the units that the verdict rests on, with the change and its interval.");
  const std::vector<Chart> charts = interval_charts(report);
  section.blocks.insert(section.blocks.begin(), charts.begin(), charts.end());
  Lines sentences;
  for (const VerdictRow& row : report.verdicts.rows)
    if (report.cases.size() > 1 && !row.only_shown)
      sentences.items.push_back(names.of.at(row.case_name) + ": " + row.words +
                                (row.reason.empty() ? "" : "; " + row.reason));
  section.blocks.emplace_back(std::move(sentences));
  if (report.validation) section.blocks.emplace_back(Lines{validation_lines(*report.validation)});
  return section;
}

// Settings, machine, statistics of each verdict: what a doubter asks for.
Section details_section(const AbDocument& document, const AbReport& report) {
  const AbRunInfo& run = document.run;
  Lines lines{{"A: " + ab_side_line(document.a), "B: " + ab_side_line(document.b), ab_units_line(run),
               settings_line(document.settings),
               fmt::format("run {}, UTC: {} to {}", run.id, run.started_utc, run.finished_utc)}};
  if (document.settings.wall_time) lines.items.emplace_back(kFalseAlarmLine);
  if (!document.environment->empty())
    lines.items.push_back("environment: " + environment_line(*document.environment));
  Section section{
      "details", "How it was measured",
      "How it was run: commands.txt in the bundle. `aqbench verify` computes the verdicts again from "
      "results.json."};
  section.fold = "settings, machine, statistics of each verdict";
  section.blocks.emplace_back(std::move(lines));
  for (const AbCaseReport& one : report.cases) {
    section.blocks.emplace_back(Heading{fmt::format("{}: {}", one.name, to_string(one.verdict))});
    section.blocks.emplace_back(Lines{ab_case_lines(one, document.settings)});
  }
  return section;
}

}  // namespace

Banner banner_of(const AbReport& report) {
  if (!report.validation) return banner_of(report.verdicts);
  const bool pass = report.exit_code() == ExitCode::pass;
  return {pass ? Colour::green : Colour::red, pass ? "PASS" : "FAIL",
          validation_lines(*report.validation).front()};
}

std::vector<Section> ab_sections(const AbDocument& document, const AbReport& report) {
  return {cases_section(document, report, kPageView), stages_section(report),
          details_section(document, report)};
}

std::string render_ab_summary(const AbDocument& document, const AbReport& judged) {
  const AbReport report = with_sides_named(document, judged);
  std::string text =
      markdown_of(ReportBlock(banner_of(report))) +
      fmt::format("\n# {} against {}\n", md_escape(document.b.label), md_escape(document.a.label));
  for (const Section& section : ab_sections(document, report)) text += markdown_of(section);
  return text;
}

std::string render_ab_table(const AbDocument& document, const AbReport& judged, const Screen& screen) {
  const AbReport report = with_sides_named(document, judged);
  std::string text =
      fmt::format("A: {}\nB: {}\n", printable(ab_side_line(document.a)), printable(ab_side_line(document.b)));
  if (report.validation) {
    for (const std::string& note : report.notes) text += terminal_of(Paragraph{"note: " + note}, screen);
    text += terminal_of(Lines{validation_lines(*report.validation)}, screen);
  } else {
    text += terminal_of(cases_section(document, report, {.rows = VerdictView::Rows::judged}), screen);
  }
  return text + terminal_of(banner_of(report), screen);
}

}  // namespace aqbench
