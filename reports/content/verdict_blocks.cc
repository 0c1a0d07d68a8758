#include "reports/content/verdict_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/content/metrics_table.h"

namespace aqbench {
namespace {

bool has_two_values(const VerdictRow& row) { return row.baseline && row.current; }

bool is_changed(const VerdictRow& row) {
  return row.verdict != Verdict::added && (row.verdict != Verdict::pass || !is_unchanged(row));
}

// Whether a case has a row of its own: it did not pass, is new, or moved where that is asked for.
bool has_row(const CaseVerdicts& one, const VerdictView& view) {
  const VerdictRow& worst = *one.worst;
  if (worst.verdict == Verdict::added) return worst.metric.empty();
  return worst.verdict != Verdict::pass || (view.passes && (!worst.words.empty() || is_changed(worst)));
}

bool is_shown(const CaseVerdicts& one, const VerdictRow& row, const VerdictView& view) {
  if (view.rows == VerdictView::Rows::judged) return !row.label.empty();
  if (view.reasons_apart && !has_two_values(row)) return false;
  return view.rows == VerdictView::Rows::all || (&row == one.worst && has_row(one, view));
}

// How many other values a case has: those that are counted everywhere, and below them those that changed.
TableCell more_cell(const CaseVerdicts& one) {
  TableCell cell{one.others > 0 ? fmt::format("+{}", one.others) : ""};
  cell.fold = other_lines(one);
  if (one.others > 0) cell.hint = fmt::format("{} more", one.others);
  if (cell.fold.size() > one.others)
    cell.hint +=
        fmt::format("{}{} for information", cell.hint.empty() ? "" : ", ", cell.fold.size() - one.others);
  return cell;
}

std::vector<TableCell> verdict_row(const CaseVerdicts& one, const VerdictRow& row, const std::string& name,
                                   const VerdictView& view) {
  const VerdictCells cells = verdict_cells(row);
  const bool in_words = !has_two_values(row) && view.rows == VerdictView::Rows::worst;
  std::vector<TableCell> found =
      plain_row({name, in_words ? verdict_row_text(row) : cells.what, cells.before, cells.after, cells.change,
                 cells.allowed, cells.size, verdict_label(row)});
  found.push_back(view.rows == VerdictView::Rows::worst ? more_cell(one) : TableCell{});
  found[4].colour = found[7].colour = colour_of(row);
  return found;
}

// A line with the full reason for each case, or value, without two numbers to compare.
Lines reason_lines(const std::vector<CaseVerdicts>& cases, const ShortNames& names, const VerdictView& view) {
  const bool all = view.rows == VerdictView::Rows::all;
  Lines lines{{}, all ? SIZE_MAX : view.most};
  for (const CaseVerdicts& one : cases)
    for (const VerdictRow* const row : one.rows) {
      if (has_two_values(*row) || !is_refused(row->verdict) || (!all && row != one.worst)) continue;
      lines.items.push_back(names.of.at(row->case_name) + ": " + verdict_row_text(*row));
      if (one.others > 0 && !all)
        lines.items.back() += fmt::format(" and {}", counted(one.others, "more value"));
    }
  return lines;
}

}  // namespace

Colour colour_of(const VerdictRow& row) {
  if (row.only_shown) return Colour::none;
  return row.verdict == Verdict::open       ? Colour::yellow
         : is_refused(row.verdict)          ? Colour::red
         : row.verdict == Verdict::improved ? Colour::green
                                            : Colour::none;
}

std::vector<std::string> other_lines(const CaseVerdicts& one) {
  std::vector<std::string> lines;
  for (const VerdictRow* const row : one.rows)
    if (row != one.worst && is_changed(*row))
      lines.push_back(fmt::format("{} {}", verdict_label(*row), verdict_row_text(*row)));
  return lines;
}

Table verdict_table(const std::vector<CaseVerdicts>& cases, const ShortNames& names,
                    const VerdictView& view) {
  Table table = table_with({"case", view.rows == VerdictView::Rows::worst ? "worst value" : "value",
                            std::string(">") + view.before, std::string(">") + view.after, ">change",
                            ">allowed", ">size", "verdict", "more"});
  table.label = "verdicts";
  table.dispensable = {"more", "allowed", "size"};
  table.notes = {{"size", kSizeNote}};
  if (view.reasons_apart) table.rest_in = "--all";
  for (const CaseVerdicts& one : cases)
    for (const VerdictRow* const row : one.rows) {
      if (!is_shown(one, *row, view) || !has_room(table, view.most)) continue;
      table.rows.push_back(verdict_row(one, *row, names.of.at(row->case_name), view));
      table.subjects.push_back({row->case_name, true});
    }
  // "more" may hold what unfolds and nothing that is counted.
  drop_columns(table, [&](const TableColumn&, std::size_t place) {
    return std::ranges::all_of(table.rows, [&](const auto& row) {
      const TableCell& cell = row[place];
      return (cell.text.empty() || cell.text == "n/a") && cell.fold.empty();
    });
  });
  return table;
}

std::vector<ReportBlock> verdict_blocks(const Verdicts& verdicts, const ShortNames& names,
                                        const VerdictView& view) {
  const std::vector<CaseVerdicts> cases = by_case(verdicts);
  std::vector<ReportBlock> blocks;
  if (view.reasons_apart) blocks.emplace_back(reason_lines(cases, names, view));
  Table table = verdict_table(cases, names, view);
  if (!table.rows.empty()) blocks.insert(blocks.begin(), common_words(names.common));
  blocks.emplace_back(std::move(table));
  const auto same =
      std::ranges::count_if(cases, [&](const CaseVerdicts& one) { return !has_row(one, view); });
  if (view.passes && same > 0)
    blocks.emplace_back(
        Paragraph{fmt::format("{} as before.", counted(static_cast<std::size_t>(same), "case"))});
  return blocks;
}

Section verdicts_section(const Verdicts& verdicts, const ShortNames& names, const VerdictView& view,
                         std::string note) {
  Section section{"verdicts", "Case by case", std::move(note), verdict_blocks(verdicts, names, view)};
  Lines notes;
  for (const std::string& line : verdicts.notes) notes.items.push_back("note: " + line);
  section.blocks.emplace_back(std::move(notes));
  return section;
}

}  // namespace aqbench
