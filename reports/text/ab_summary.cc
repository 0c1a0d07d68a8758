#include "reports/text/ab_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/environment_text.h"
#include "reports/text/ab_lines.h"
#include "reports/text/verdict_table.h"

namespace aqbench {
namespace {

Colour ab_colour_of(Verdict verdict) {
  return verdict == Verdict::open ? Colour::yellow : is_refused(verdict) ? Colour::red : Colour::green;
}

Colour judged_colour(PairedVerdict found) {
  switch (found) {
    case PairedVerdict::regressed:
      return Colour::red;
    case PairedVerdict::inconclusive:
    case PairedVerdict::refused:
    case PairedVerdict::trade:
      return Colour::yellow;
    case PairedVerdict::faster:
    case PairedVerdict::pass:
      break;
  }
  return Colour::green;
}

std::string ab_summary_row(const AbCaseReport& one) {
  std::vector<std::string> cells = {md_escape(one.name), to_string(one.verdict)};
  if (one.time && one.time->comparison) {
    const PairedComparison& c = *one.time->comparison;
    cells.insert(cells.end(),
                 {short_number_or_na(one.time->median_a_ms), short_number_or_na(one.time->median_b_ms),
                  ab_change_text(c), ab_interval_text(c), ab_kept_text(c), one.outputs});
  } else {
    cells.insert(cells.end(), {"n/a", "n/a", "n/a", "n/a", "0", one.outputs});
  }
  return md_row(cells);
}

std::string times_summary(const AbReport& report) {
  std::string text = md_head({"case", "verdict", "A ms", "B ms", "change", "interval", "kept", "outputs"}, 2);
  for (const AbCaseReport& one : report.cases) text += ab_summary_row(one);
  return text;
}

// Where metrics are judged: each of them, with the wall time if that is judged, too.
std::string metrics_summary(const AbReport& report) {
  std::string text = md_head({"case", "verdict", "outputs"}, 3);
  for (const AbCaseReport& one : report.cases)
    text += md_row({md_escape(one.name), to_string(one.verdict), one.outputs});
  text += "\n" + md_head({"case", "judged", "verdict", "A", "B", "unit", "change", "interval", "kept"}, 3);
  for (const AbCaseReport& one : report.cases)
    for (const AbJudgedText& judged : ab_judged_texts(one))
      text += md_row({md_escape(one.name), md_escape(judged.name), judged.verdict, judged.a, judged.b,
                      md_escape(judged.unit), judged.change, judged.interval, judged.kept});
  return text;
}

Table times_table(const AbReport& report) {
  Table table;
  table.columns = {{"case", Align::left, true}, {"A ms", Align::right},     {"B ms", Align::right},
                   {"change", Align::right},    {"interval", Align::right}, {"verdict"}};
  for (const AbCaseReport& one : report.cases) {
    const bool timed = one.time && one.time->comparison;
    table.rows.push_back({{one.name},
                          {timed ? short_number_or_na(one.time->median_a_ms) : "n/a"},
                          {timed ? short_number_or_na(one.time->median_b_ms) : "n/a"},
                          {timed ? ab_change_text(*one.time->comparison) : "n/a"},
                          {timed ? ab_interval_text(*one.time->comparison) : "n/a"},
                          {to_string(one.verdict), ab_colour_of(verdict_of(one.verdict))}});
  }
  return table;
}

// The verdict on each case, and below it that on each metric, with the wall time if that is judged, too.
Table metrics_table(const AbReport& report) {
  Table table;
  table.columns = {{"case, and what is judged", Align::left, true},
                   {"A", Align::right},
                   {"B", Align::right},
                   {"change", Align::right},
                   {"interval", Align::right},
                   {"verdict"}};
  for (const AbCaseReport& one : report.cases) {
    table.rows.push_back({{one.name},
                          {""},
                          {""},
                          {""},
                          {""},
                          {to_string(one.verdict), ab_colour_of(verdict_of(one.verdict))}});
    for (const AbJudgedText& judged : ab_judged_texts(one))
      table.rows.push_back(
          {{"  " + judged.name + (judged.unit.empty() ? "" : fmt::format(" [{}]", judged.unit))},
           {judged.a},
           {judged.b},
           {judged.change},
           {judged.interval},
           {judged.verdict, judged_colour(judged.found)}});
  }
  return table;
}

std::string ab_stage_table(const AbCaseReport& one) {
  if (!one.time || one.time->stages.empty()) return {};
  std::string text = fmt::format("\n### Stages of {}\n\n", md_escape(one.name)) +
                     md_head({"stage", "self time", "A ms", "B ms", "change", "change ms"}, 2);
  for (const AbStageDecision& stage : one.time->stages)
    text += md_row({md_escape(stage.name), md_escape(ab_stage_text(stage)),
                    stage.comparison ? short_number(stage.median_a_ms) : "n/a",
                    stage.comparison ? short_number(stage.median_b_ms) : "n/a",
                    stage.comparison ? ab_change_text(*stage.comparison) : "n/a",
                    stage.comparison ? fmt::format("{:+.3g}", stage.change_ms) : "n/a"});
  return text;
}

std::string accuracy_table(const AbCaseReport& one) {
  std::string rows;
  for (const VerdictRow& row : one.accuracy) {
    if (row.metric.empty() || row.verdict == Verdict::pass) continue;
    rows += md_row({md_escape(row.metric), md_escape(to_string(row.verdict)),
                    short_number_or_na(row.baseline), short_number_or_na(row.current), md_escape(row.unit)});
  }
  if (rows.empty()) return {};
  return fmt::format("\n### Metrics of {} that moved beyond their tolerance\n\n", md_escape(one.name)) +
         md_head({"metric", "change", "A", "B", "unit"}, 2) + rows;
}

}  // namespace

std::string ab_verdict_table(const AbDocument& document, const AbReport& report) {
  return has_metrics(document.settings) ? metrics_summary(report) : times_summary(report);
}

std::string render_ab_summary(const AbDocument& document, const AbReport& report) {
  std::string text = fmt::format("**{}**\n\n# {} against {}\n\n", md_escape(banner_line(banner_of(report))),
                                 md_escape(document.b.label), md_escape(document.a.label));
  text += fmt::format("- A: {}\n- B: {}\n", md_escape(ab_side_line(document.a)),
                      md_escape(ab_side_line(document.b)));
  for (const std::string& note : report.notes) text += fmt::format("- note: {}\n", md_escape(note));
  if (report.validation)
    for (const std::string& line : validation_lines(*report.validation))
      text += fmt::format("- {}\n", md_escape(line));
  text += "\n" + ab_verdict_table(document, report);
  text += "\n<details><summary>settings, machine, statistics of each verdict</summary>\n\n";
  text += fmt::format("- {}\n- {}\n- run {}, UTC: {} to {}\n", md_escape(ab_units_line(document.run)),
                      md_escape(settings_line(document.settings)), md_escape(document.run.id),
                      md_escape(document.run.started_utc), md_escape(document.run.finished_utc));
  if (!document.environment->empty())
    text += fmt::format("- environment: {}\n", md_escape(environment_line(*document.environment)));
  if (document.settings.wall_time) text += fmt::format("- {}\n", md_escape(kFalseAlarmLine));
  for (const AbCaseReport& one : report.cases) {
    text += fmt::format("\n## {}: {}\n\n", md_escape(one.name), to_string(one.verdict));
    for (const std::string& line : ab_case_lines(one, document.settings))
      text += fmt::format("- {}\n", md_escape(line));
    text += ab_stage_table(one) + accuracy_table(one);
  }
  return text + "\n</details>\n";
}

std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours,
                            std::size_t width) {
  const Table table = has_metrics(document.settings) ? metrics_table(report) : times_table(report);
  std::string text =
      fmt::format("A: {}\nB: {}\n", printable(ab_side_line(document.a)), printable(ab_side_line(document.b)));
  for (const std::string& note : report.notes) text += wrap_text("note: " + printable(note), width, 6);
  if (report.validation) {
    for (const std::string& line : validation_lines(*report.validation))
      text += wrap_text(printable(line), width, 2);
    return text + render_banner(banner_of(report), colours, width);
  }
  text += "\n" + render_table(table, colours, width) + "\n";
  if (report.cases.size() > 1)
    for (const VerdictRow& row : report.verdicts.rows)
      if (!row.only_shown)
        text += wrap_text(
            printable(row.case_name + ": " + row.words + (row.reason.empty() ? "" : "; " + row.reason)),
            width, 2);
  return text + render_banner(banner_of(report), colours, width);
}

}  // namespace aqbench
