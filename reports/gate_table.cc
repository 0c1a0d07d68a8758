// The gate's verdicts as text.
#include <fmt/format.h>

#include <cmath>

#include "reports/gate.h"
#include "reports/table.h"

namespace aqbench {
namespace {

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::improved:
    case Verdict::pass:
      return Colour::green;
    case Verdict::added:
      return Colour::dim;
    default:
      return Colour::red;
  }
}

bool is_numeric(const GateRow& row) {
  return row.verdict == Verdict::regressed || row.verdict == Verdict::improved ||
         row.verdict == Verdict::pass;
}

// In the terms of the tolerance: a share of the baseline, or the metric's unit.
std::string change_text(const GateRow& row) {
  const double change = *row.current - *row.baseline;
  if (row.tolerance->kind == Tolerance::Kind::relative)
    return *row.baseline == 0 ? "0 %" : fmt::format("{:+.4g} %", 100 * change / std::abs(*row.baseline));
  return fmt::format("{:+.4g}", change);
}

std::string with_limit_sign(const GateRow& row) { return "± " + to_string(*row.tolerance); }

Table numbers_table(const GateReport& report, bool all) {
  Table table{{{"verdict"},
               {"case", Align::left, true},
               {"metric", Align::left, true},
               {"baseline", Align::right},
               {"current", Align::right},
               {"unit"},
               {"change", Align::right},
               {"allowed", Align::right}},
              {}};
  for (const GateRow& row : report.rows) {
    if (!is_numeric(row) || (row.verdict == Verdict::pass && !all)) continue;
    table.rows.push_back(
        {{to_string(row.verdict), colour_of(row.verdict)},
         {row.case_name},
         {row.metric},
         {short_number(*row.baseline)},
         {short_number(*row.current)},
         {row.unit},
         {change_text(row), row.verdict == Verdict::pass ? Colour::none : colour_of(row.verdict)},
         {with_limit_sign(row)}});
  }
  return table;
}

// What has no two numbers to set side by side: a line each, the reason in full.
std::string reason_lines(const GateReport& report) {
  std::string text;
  for (const GateRow& row : report.rows) {
    if (is_numeric(row) || row.verdict == Verdict::added) continue;
    std::string line = fmt::format("{:<14}  {}", to_string(row.verdict), row.case_name);
    if (!row.metric.empty()) line += " " + row.metric;
    line += ": " + row.reason;
    if (row.baseline && !row.current)
      line += fmt::format(" (baseline {} {})", short_number(*row.baseline), row.unit);
    text += wrap_text(printable(line), kScreenColumns, 16);
  }
  return text;
}

// New cases by name; new metrics of known cases only counted, since a new metric is new in every case.
std::string added_lines(const GateReport& report) {
  std::string text;
  std::size_t metrics = 0;
  for (const GateRow& row : report.rows) {
    if (row.verdict != Verdict::added) continue;
    if (row.metric.empty())
      text += wrap_text(fmt::format("{:<14}  {}: {}", "new", printable(row.case_name), row.reason),
                        kScreenColumns, 16);
    else
      ++metrics;
  }
  if (metrics > 0)
    text += fmt::format("{:<14}  {} metrics that the baseline does not have: not gated\n", "new", metrics);
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

std::string render_gate(const GateReport& report, bool colours, bool all) {
  std::string text;
  for (const std::string& note : report.notes)
    text += wrap_text("note: " + printable(note), kScreenColumns, 6);
  const int code = static_cast<int>(report.exit_code());
  if (!report.refusal.empty())
    return text + wrap_text("not comparable: " + printable(report.refusal), kScreenColumns, 16);
  text += reason_lines(report);
  if (const Table table = numbers_table(report, all); !table.rows.empty())
    text += render_table(table, colours);
  text += added_lines(report);
  return text + fmt::format("gate: {}: {}\n", code == 0 ? "pass" : "FAIL", counts_line(report));
}

}  // namespace aqbench
