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
std::string values_text(const std::vector<CaseVerdicts>& cases, const ShortNames& names,
                        const VerdictView& view) {
  const auto& [colours, all, width, before, after] = view;
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
  Table table = values_table(values, names, all ? "value" : "worst value", before, after);
  // A narrow screen shows what decides.
  for (const std::string_view dispensable : {"more", "allowed", "size"})
    if (table_width(table) > width) drop_column(table, dispensable);
  if (std::ranges::find(table.columns, "more", &TableColumn::header) == table.columns.end()) more = 0;
  std::string text = render_table(table, colours, std::max(width, table_width(table)));
  if (left_out > 0) text += fmt::format("... and {} (--all)\n", counted(left_out, "more case"));
  text += wrap_text(std::string(kSizeNote) + (more > 0 ? "; more: further values of the case (--all)" : ""),
                    width, 2);
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
      std::string line = fmt::format("{:<14}  {}: {}", verdict_label(*row), names.of.at(row->case_name),
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
                            ">allowed", ">size", "verdict", ">more"});
  for (const auto& [row, more] : values) {
    const VerdictCells cells = verdict_cells(*row);
    const bool explained = !has_two_values(*row) && !row->reason.empty() && row->words.empty();
    table.rows.push_back(
        plain_row({names.of.at(row->case_name), explained ? verdict_row_text(*row) : cells.what, cells.before,
                   cells.after, cells.change, cells.allowed, cells.size, verdict_label(*row),
                   more > 0 ? fmt::format("+{}", more) : ""}));
    table.rows.back()[4].colour = table.rows.back()[7].colour = colour_of(*row);
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

std::string verdict_tables(const Verdicts& verdicts, const ShortNames& names, const VerdictView& view) {
  const std::vector<CaseVerdicts> cases = by_case(verdicts);
  const std::string tables =
      reason_lines(cases, names, view.all, view.width) + values_text(cases, names, view);
  if (names.common.empty() || tables.empty()) return tables;
  return wrap_text(printable("all: " + names.common), view.width, 5) + tables;
}

std::string render_verdicts(const Verdicts& verdicts, bool colours, bool all, std::size_t width) {
  std::string text;
  for (const std::string& note : verdicts.notes) text += wrap_text("note: " + printable(note), width, 6);
  if (verdicts.refusal.empty()) {
    const ShortNames names = short_names_of(verdicts);
    text += verdict_tables(verdicts, names, {colours, all, width}) +
            information_lines(verdicts, names, all, width);
  }
  return text + render_banner(banner_of(verdicts), colours, width);
}

std::string verdicts_markdown(const Verdicts& verdicts) {
  constexpr std::size_t kMaxFurther = 200;
  const ShortNames names = short_names_of(verdicts);
  std::vector<ListedValue> listed;
  std::size_t cases = 0, further = 0;
  std::string rest;  // what else is notable, and the headline values of every case
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const bool is_new_case = one.worst->verdict == Verdict::added && one.worst->metric.empty();
    if ((is_notable(*one.worst) || is_new_case) && ++cases <= kMaxRows)
      listed.push_back({one.worst, one.others});
    for (const VerdictRow* const row : one.rows) {
      const bool headline = metric_words(row->metric) != row->metric && row->verdict == Verdict::pass;
      if ((!headline && (row == one.worst || !is_notable(*row))) || ++further > kMaxFurther) continue;
      rest += md_row({md_escape(names.of.at(row->case_name)), md_escape(verdict_label(*row)),
                      md_escape(verdict_row_text(*row))});
    }
  }
  std::string text;
  if (!names.common.empty() && cases > 0) text += fmt::format("All cases: {}\n\n", md_escape(names.common));
  if (cases > 0) text += md_table(values_table(listed, names)) + fmt::format("\n{}\n", kSizeNote);
  if (cases > kMaxRows) text += fmt::format("\nand {}\n", counted(cases - kMaxRows, "more case"));
  if (rest.empty()) return text;
  text +=
      "\n<details><summary>further values</summary>\n\n" + md_head({"case", "verdict", "value"}, 3) + rest;
  if (further > kMaxFurther) text += fmt::format("\nand {} more\n", further - kMaxFurther);
  return text + "\n</details>\n";
}

}  // namespace aqbench
