#include "harness/gating/gate_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Listed rows of one kind; the others are counted.
constexpr std::size_t kMaxRows = 40;

bool is_numeric(Verdict verdict) {
  return verdict == Verdict::regressed || verdict == Verdict::improved || verdict == Verdict::pass;
}

// Returns the change in the tolerance's form: a share of the baseline, or in the metric's unit.
std::string change_text(const GateRow& row) {
  const double change = *row.current - *row.baseline;
  if (row.tolerance->kind == Tolerance::Kind::relative)
    return *row.baseline == 0 ? "0 %" : fmt::format("{:+.4g} %", 100 * change / std::abs(*row.baseline));
  return fmt::format("{:+.4g}", change);
}

std::string allowed_text(const Tolerance& tolerance) {
  return tolerance.value == 0 ? "exact" : "± " + to_string(tolerance);
}

// Returns the rows of one verdict with aligned numbers. Metric names contain their unit.
std::string numbers_table(const GateReport& report, Verdict verdict, bool all, bool colours) {
  Table table{{{to_string(verdict), Align::left, true},
               {"metric", Align::left, true},
               {"baseline", Align::right},
               {"current", Align::right},
               {"change", Align::right},
               {"allowed", Align::right}},
              {}};
  const Colour colour = verdict == Verdict::regressed  ? Colour::red
                        : verdict == Verdict::improved ? Colour::green
                                                       : Colour::none;
  for (const GateRow& row : report.rows) {
    if (row.verdict != verdict || (table.rows.size() == kMaxRows && !all)) continue;
    table.rows.push_back({{row.case_name},
                          {row.metric},
                          {short_number(*row.baseline)},
                          {short_number(*row.current)},
                          {change_text(row), colour},
                          {allowed_text(*row.tolerance)}});
  }
  if (table.rows.empty()) return "";
  std::string text = render_table(table, colours);
  if (const std::size_t more = report.count(verdict) - table.rows.size(); more > 0)
    text += fmt::format("... and {} more {}\n", more, to_string(verdict));
  return text + "\n";
}

std::string reason_line(const GateRow& row) {
  std::string line = fmt::format("{:<14}  {}", to_string(row.verdict), row.case_name);
  if (!row.metric.empty()) line += " " + row.metric;
  line += ": " + row.reason;
  if (row.baseline && !row.current)
    line += fmt::format(" (baseline {} {})", short_number(*row.baseline), row.unit);
  return wrap_text(printable(line), kScreenColumns, 16);
}

// Returns a line with the full reason for each row without two numbers to compare.
std::string reason_lines(const GateReport& report, bool all) {
  std::string text;
  std::size_t lines = 0;
  for (const GateRow& row : report.rows) {
    if (is_numeric(row.verdict) || row.verdict == Verdict::added) continue;
    if (lines < kMaxRows || all) text += reason_line(row);
    ++lines;
  }
  if (lines > kMaxRows && !all) text += fmt::format("... and {} more like these\n", lines - kMaxRows);
  return text.empty() ? "" : text + "\n";
}

// Lists new cases by name; counts new metrics of known cases, since a new metric is new in every case.
std::string added_lines(const GateReport& report, bool all) {
  std::string text;
  std::size_t cases = 0, metrics = 0;
  for (const GateRow& row : report.rows) {
    if (row.verdict != Verdict::added) continue;
    if (!row.metric.empty())
      ++metrics;
    else if (++cases <= kMaxRows || all)
      text += reason_line(row);
  }
  if (cases > kMaxRows && !all) text += fmt::format("... and {} more new cases\n", cases - kMaxRows);
  if (metrics > 0)
    text +=
        fmt::format("{:<14}  {} metrics of known cases are not in the baseline: not gated\n", "new", metrics);
  return text;
}

// Lists informational values that changed: counts and extremes.
std::string information_lines(const GateReport& report, bool all) {
  std::string text;
  std::size_t lines = 0;
  for (const GateRow& row : report.rows) {
    if (row.verdict != Verdict::pass || row.reason.empty()) continue;
    if (lines++ < kMaxRows || all)
      text +=
          wrap_text(printable(fmt::format("{:<14}  {} {}: {} -> {}", "information", row.case_name, row.metric,
                                          short_number_or_na(row.baseline), short_number_or_na(row.current))),
                    kScreenColumns, 16);
  }
  if (lines > kMaxRows && !all) text += fmt::format("... and {} more like these\n", lines - kMaxRows);
  return text;
}

std::string counts_line(const GateReport& report) {
  std::string counts;
  for (const Verdict verdict :
       {Verdict::failed_case, Verdict::not_comparable, Verdict::missing, Verdict::undefined,
        Verdict::regressed, Verdict::improved, Verdict::added, Verdict::pass})
    if (const std::size_t count = report.count(verdict); count > 0 || verdict == Verdict::pass)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, to_string(verdict));
  return counts;
}

}  // namespace

std::string gate_row_text(const GateRow& row) {
  std::string text = row.metric;
  if (row.current) {
    text += fmt::format("{}is {} {}", text.empty() ? "" : " ", short_number(*row.current), row.unit);
    while (text.ends_with(' ')) text.pop_back();
    if (row.baseline) text += ", baseline " + short_number(*row.baseline);
    if (row.baseline && row.tolerance)
      text += fmt::format(", {}, allowed {}", change_text(row), allowed_text(*row.tolerance));
  }
  text += fmt::format("{}{}", text.empty() ? "" : ": ", to_string(row.verdict));
  if (!row.reason.empty()) text += ": " + row.reason;
  if (row.baseline && !row.current)
    text += fmt::format(" (baseline {} {})", short_number(*row.baseline), row.unit);
  return text;
}

std::string render_gate(const GateReport& report, bool colours, bool all) {
  std::string text;
  for (const std::string& note : report.notes)
    text += wrap_text("note: " + printable(note), kScreenColumns, 6);
  const int code = static_cast<int>(report.exit_code());
  if (!report.refusal.empty())
    return text + wrap_text("not comparable: " + printable(report.refusal), kScreenColumns, 16);
  text += reason_lines(report, all);
  text += numbers_table(report, Verdict::regressed, all, colours);
  text += numbers_table(report, Verdict::improved, all, colours);
  if (all) text += numbers_table(report, Verdict::pass, all, colours);
  text += information_lines(report, all);
  text += added_lines(report, all);
  text += fmt::format("{}\n", kGatePolicy);
  return text + fmt::format("gate: {}: {}\n", code == 0 ? "pass" : "FAIL", counts_line(report));
}

}  // namespace aqbench
