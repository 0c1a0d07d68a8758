#include "reports/exports/github.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate_text.h"
#include "reports/content/environment_text.h"

namespace aqbench {
namespace {

std::string command_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind, github_escape_property(printable(title)),
                     github_escape_message(printable(message)));
}

std::string summary_row(const GateRow& row) {
  return md_row({to_string(row.verdict), md_escape(row.case_name),
                 md_escape(row.metric.empty() ? row.reason : row.metric), short_number_or_na(row.baseline),
                 short_number_or_na(row.current),
                 row.tolerance ? md_escape(to_string(*row.tolerance)) : std::string()});
}

std::string counts_text(const GateReport& report) {
  std::string text;
  for (const Verdict verdict :
       {Verdict::failed_case, Verdict::not_comparable, Verdict::missing, Verdict::undefined,
        Verdict::regressed, Verdict::improved, Verdict::added, Verdict::pass})
    if (const std::size_t count = report.count(verdict); count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  return text.empty() ? "nothing compared" : text;
}

}  // namespace

std::string github_escape_message(std::string_view text) { return command_escaped(text, false); }
std::string github_escape_property(std::string_view text) { return command_escaped(text, true); }

std::string github_annotations(const GateReport& report) {
  if (!report.refusal.empty()) return annotation("error", "aqbench gate: not comparable", report.refusal);
  std::string text;
  std::size_t shown = 0, more = 0;
  // One for each case: its first row is the cause, the rest mostly follows from it.
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const GateRow& row = report.rows[i];
    if (!is_refused(row.verdict) || (i > 0 && report.rows[i - 1].case_name == row.case_name)) continue;
    if (shown == kMaxAnnotations) {
      ++more;
      continue;
    }
    ++shown;
    const auto others =
        std::ranges::count_if(report.rows,
                              [&](const GateRow& other) {
                                return other.case_name == row.case_name && is_refused(other.verdict);
                              }) -
        1;
    text += annotation(
        "error", row.case_name,
        gate_row_text(row) + (others > 0 ? fmt::format(" (and {} more of this case)", others) : ""));
  }
  if (more > 0)
    text +=
        annotation("notice", "aqbench gate", fmt::format("{} more {}", more, more == 1 ? "case" : "cases"));
  return text;
}

std::string github_step_summary(const GateReport& report, const Results& results, std::size_t max_bytes) {
  const bool pass = report.exit_code() == ExitCode::pass;
  std::string text = fmt::format("## aqbench gate: {}\n\n", pass ? "pass" : "FAIL");
  if (!report.refusal.empty()) text += "Not comparable: " + md_escape(report.refusal) + "\n\n";
  text += fmt::format(
      "{}\n\n- run {}, suite {}\n- root digest `{}`\n", counts_text(report), md_escape(results.run.id),
      results.run.suite.empty() ? "none" : md_escape(results.run.suite), root_digest(results));
  text += fmt::format("- {}\n- {}\n", md_escape(environment_line(*results.environment)), kGatePolicy);
  for (const std::string& note : report.notes) text += fmt::format("- note: {}\n", md_escape(note));
  text += "\n" + md_head({"verdict", "case", "metric", "baseline", "current", "allowed"}, 3);
  constexpr std::size_t kRoomForTheRest = 200;
  std::size_t left_out = 0;
  for (const GateRow& row : report.rows) {
    // New metrics are new in every case: the counts above say how many.
    if (row.verdict == Verdict::pass || (row.verdict == Verdict::added && !row.metric.empty())) continue;
    const std::string line = summary_row(row);
    if (left_out > 0 || text.size() + line.size() + kRoomForTheRest > max_bytes)
      ++left_out;
    else
      text += line;
  }
  if (left_out > 0) text += fmt::format("\n{} more rows: see the job's log or the JUnit file\n", left_out);
  return text.size() <= max_bytes ? text : std::string();
}

}  // namespace aqbench
