#include "reports/text/verdict_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "metrics/value_change.h"
#include "reports/text/tables.h"

namespace aqbench {
namespace {

// Listed cases and reasons; others are counted.
constexpr std::size_t kMaxRows = 40;

// Whether a row says something beyond "as before".
bool is_notable(const VerdictRow& row) {
  return row.verdict != Verdict::pass && row.verdict != Verdict::added;
}

bool has_two_values(const VerdictRow& row) { return row.baseline && row.current; }

// A row for each case, or for each value.
std::string values_text(const std::vector<CaseVerdicts>& cases, const ShortNames& names, bool colours,
                        bool all, std::size_t width) {
  std::vector<ListedValue> values;
  std::size_t left_out = 0, more = 0;
  for (const CaseVerdicts& one : cases)
    for (const VerdictRow* const row : one.rows) {
      if (!has_two_values(*row) || (!all && (row != one.worst || !is_notable(*row)))) continue;
      if (!all && values.size() == kMaxRows) {
        ++left_out;
        continue;
      }
      values.push_back({row, row == one.worst && !all ? one.others : 0});
      more += values.back().more;
    }
  if (values.empty()) return "";
  if (table_width(values_table(values, names)) > width) {  // a narrow screen shows what is worst
    for (ListedValue& value : values) value.more = 0;
    more = 0;
  }
  std::string text = render_table(values_table(values, names), colours, width);
  if (left_out > 0) text += fmt::format("... and {} (--all)\n", counted(left_out, "more case"));
  if (more > 0) text += "more: values of the same case with the same verdict (--all lists them)\n";
  return text + "\n";
}

// A line with the full reason for each case, or value, without two numbers to compare.
std::string reason_lines(const std::vector<CaseVerdicts>& cases, const ShortNames& names, bool all,
                         std::size_t width) {
  std::string text;
  std::size_t lines = 0;
  for (const CaseVerdicts& one : cases)
    for (const VerdictRow* const row : one.rows) {
      if (has_two_values(*row) || !is_refused(row->verdict) || (!all && row != one.worst)) continue;
      if (++lines > kMaxRows && !all) continue;
      std::string line = fmt::format("{:<14}  {}: {}", to_string(row->verdict), names.of.at(row->case_name),
                                     verdict_row_text(*row));
      if (one.others > 0 && !all) line += fmt::format(" and {}", counted(one.others, "more value"));
      text += wrap_text(printable(line), width, 16);
    }
  if (lines > kMaxRows && !all) text += fmt::format("... and {} more like these (--all)\n", lines - kMaxRows);
  return text.empty() ? "" : text + "\n";
}

// New cases by name; new metrics of known cases are counted, since a new metric is new in every case. Counts
// and extremes that changed are information.
std::string information_lines(const Verdicts& verdicts, const ShortNames& names, bool all,
                              std::size_t width) {
  std::string text;
  std::size_t cases = 0, metrics = 0, moved = 0;
  for (const VerdictRow& row : verdicts.rows) {
    if (row.verdict == Verdict::added && !row.metric.empty()) ++metrics;
    if (row.verdict == Verdict::added && row.metric.empty() && (++cases <= kMaxRows || all))
      text += wrap_text(
          printable(fmt::format("{:<14}  {}: {}", "new", names.of.at(row.case_name), row.reason)), width, 16);
    if (row.verdict == Verdict::pass && !row.reason.empty()) ++moved;
  }
  if (cases > kMaxRows && !all) text += fmt::format("... and {} more new cases\n", cases - kMaxRows);
  if (metrics > 0)
    text += fmt::format("{:<14}  {} of known cases not in the baseline: not gated\n", "new",
                        counted(metrics, "metric"));
  if (moved > 0 && !all)
    text += fmt::format("{:<14}  {} changed: not gated (--all)\n", "information",
                        counted(moved, "informational value"));
  return text;
}

std::string markdown_row(const CaseVerdicts& one, const ShortNames& names) {
  const VerdictRow& row = *one.worst;
  const VerdictCells cells = verdict_cells(row);
  const bool numbers = has_two_values(row);
  return md_row({md_escape(names.of.at(row.case_name)), md_escape(verdict_label(row)),
                 md_escape(numbers || row.reason.empty() ? cells.what : verdict_row_text(row)), cells.before,
                 cells.after, md_escape(cells.change), md_escape(cells.allowed),
                 one.others > 0 ? fmt::format("{}", one.others) : ""});
}

// What else is notable, and the headline values of every case.
std::string markdown_rest(const CaseVerdicts& one, const ShortNames& names) {
  std::string text;
  for (const VerdictRow* const row : one.rows) {
    const bool headline = metric_words(row->metric) != row->metric && row->verdict == Verdict::pass;
    if (headline || (row != one.worst && is_notable(*row)))
      text += md_row({md_escape(names.of.at(row->case_name)), md_escape(verdict_label(*row)),
                      md_escape(verdict_row_text(*row))});
  }
  return text;
}

}  // namespace

Colour colour_of(const VerdictRow& row) {
  if (row.only_shown) return Colour::none;
  return row.verdict == Verdict::open       ? Colour::yellow
         : is_refused(row.verdict)          ? Colour::red
         : row.verdict == Verdict::improved ? Colour::green
                                            : Colour::none;
}

Table values_table(std::span<const ListedValue> values, const ShortNames& names, const char* value,
                   const char* before, const char* after) {
  Table table = table_with({"case", value, std::string(">") + before, std::string(">") + after, ">change",
                            ">allowed", "verdict", ">more"});
  for (const auto& [row, more] : values) {
    const VerdictCells cells = verdict_cells(*row);
    table.rows.push_back(
        plain_row({names.of.at(row->case_name), cells.what, cells.before, cells.after, cells.change,
                   cells.allowed, verdict_label(*row), more > 0 ? fmt::format("+{}", more) : ""}));
    table.rows.back()[4].colour = table.rows.back()[6].colour = colour_of(*row);
  }
  drop_columns(table, "");
  return table;
}

std::string render_banner(const Banner& banner, bool colours, std::size_t width) {
  const char* const escape = !colours || banner.kind == Banner::Kind::none ? ""
                             : banner.kind == Banner::Kind::good           ? "\033[32m"
                             : banner.kind == Banner::Kind::open           ? "\033[33m"
                                                                           : "\033[31m";
  const std::string text = wrap_text(printable(banner_line(banner)), width, 2);
  if (*escape == '\0') return text;
  const std::size_t end = banner.word.size();
  return fmt::format("{}{}\033[0m{}", escape, text.substr(0, end), text.substr(end));
}

std::string render_verdicts(const Verdicts& verdicts, bool colours, bool all, std::size_t width) {
  std::string text;
  for (const std::string& note : verdicts.notes) text += wrap_text("note: " + printable(note), width, 6);
  if (verdicts.refusal.empty()) {
    const ShortNames names = short_names_of(verdicts);
    const std::vector<CaseVerdicts> cases = by_case(verdicts);
    const std::string tables =
        reason_lines(cases, names, all, width) + values_text(cases, names, colours, all, width);
    if (!names.common.empty() && !tables.empty())
      text += wrap_text(printable("all: " + names.common), width, 5);
    text += tables + information_lines(verdicts, names, all, width);
  }
  return text + render_banner(banner_of(verdicts), colours, width);
}

std::string verdicts_markdown(const Verdicts& verdicts, std::size_t max_bytes) {
  constexpr std::size_t kRoomForTheRest = 600;  // heads, counts, the fold
  const ShortNames names = short_names_of(verdicts);
  std::string rows, rest;
  std::size_t left_out = 0;
  const auto fits = [&](const std::string& more) {
    return rows.size() + rest.size() + more.size() + names.common.size() + kRoomForTheRest <= max_bytes;
  };
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const bool is_new_case = one.worst->verdict == Verdict::added && one.worst->metric.empty();
    const bool listed = is_notable(*one.worst) || is_new_case;
    const std::string row = listed ? markdown_row(one, names) : "", more = markdown_rest(one, names);
    if (left_out > 0 || !fits(row)) {
      ++left_out;
      continue;
    }
    rows += row;
    if (fits(more)) rest += more;
  }
  std::string text;
  if (!names.common.empty() && !rows.empty())
    text += fmt::format("All cases: {}\n\n", md_escape(names.common));
  if (!rows.empty())
    text +=
        md_head({"case", "verdict", "worst value", "before", "after", "change", "allowed", "more"}, 3) + rows;
  if (left_out > 0) text += fmt::format("\nand {}\n", counted(left_out, "more case"));
  if (!rest.empty())
    text += "\n<details><summary>further values</summary>\n\n" + md_head({"case", "verdict", "value"}, 3) +
            rest + "\n</details>\n";
  return text.size() <= max_bytes ? text : "";
}

}  // namespace aqbench
