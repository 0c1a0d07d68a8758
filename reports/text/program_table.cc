#include "reports/text/program_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/text.h"
#include "reports/content/protocol_rows.h"

namespace aqbench {
namespace {

// The mean over programs of a value that the system may not report.
template <class Value>
TableCell program_mean(const std::vector<const ProgramUse*>& uses, double unit, Value value) {
  double sum = 0;
  for (const ProgramUse* use : uses) {
    const std::optional<double> one = value(*use);
    if (!one) return {"n/a", Colour::yellow};
    sum += *one;
  }
  return {table_number(sum / static_cast<double>(uses.size()) / unit)};
}

TableCell largest_peak(const std::vector<const ProgramUse*>& uses) {
  std::optional<std::uint64_t> largest;
  for (const ProgramUse* use : uses) largest = std::max(largest, use->peak_resident_bytes);
  return {table_mib_or_na(largest), largest ? Colour::none : Colour::yellow};
}

void drop_columns_without_values(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return row[i].text != "n/a"; })) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

}  // namespace

std::string render_program_table(const std::vector<CaseGroup>& groups, bool scenes, bool colours,
                                 std::size_t width) {
  const bool axes = std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.axes.empty(); });
  Table table;
  if (scenes) table.columns.push_back({"scene"});
  table.columns.push_back({"program"});
  if (axes) table.columns.push_back({"axes"});
  for (const char* title : {"CPU\ns", "peak\nMiB", "read\nMiB", "written\nMiB"})
    table.columns.push_back({title, Align::right});
  for (const CaseGroup& group : groups) {
    std::vector<const ProgramUse*> uses;
    for (const Record* record : group.records)
      if (record->program) uses.push_back(&*record->program);
    if (uses.empty()) continue;
    std::vector<TableCell> row;
    if (scenes) row.push_back({group.scene});
    row.push_back({group.method});
    if (axes) row.push_back({group.axes});
    row.push_back(program_mean(
        uses, 1, [](const ProgramUse& use) { return std::optional(use.cpu_user_s + use.cpu_system_s); }));
    row.push_back(largest_peak(uses));
    row.push_back(program_mean(uses, 0x1p20, [](const ProgramUse& use) { return use.read_bytes; }));
    row.push_back(program_mean(uses, 0x1p20, [](const ProgramUse& use) { return use.written_bytes; }));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return "";
  drop_columns_without_values(table);
  return "\n" + render_table(table, colours, std::max(width, table_width(table))) +
         "CPU time, read and written: means over seeds, in the cold run; peak: of resident memory, the "
         "largest.\n";
}

namespace {

std::string value_rows_table(const char* title, const char* note, const ValueRows& table) {
  if (table.rows.empty()) return "";
  std::vector<std::string> head = {"case"};
  head.insert(head.end(), table.titles.begin(), table.titles.end());
  std::string text = fmt::format("\n## {}\n\n{}\n\n", title, note) + md_head(head, 1);
  for (const auto& [name, cells] : table.rows) {
    std::vector<std::string> row = {md_escape(name)};
    row.insert(row.end(), cells.begin(), cells.end());
    text += md_row(row);
  }
  return text;
}

}  // namespace

std::string programs_table(const Results& results) {
  return value_rows_table("Programs", kProgramRowsNote, program_rows(results));
}

std::string protocols_table(const Results& results) {
  return value_rows_table("Protocols", kProtocolRowsNote, protocol_rows(results));
}

std::string render_protocol_lines(const Results& results, std::size_t width) {
  const ValueRows table = protocol_rows(results);
  std::string text;
  for (const auto& [name, cells] : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += fmt::format("{} {} {}", i == 0 ? name + ":" : ",", table.titles[i], cells[i]);
    text += wrap_text(printable(line), width, 4);
  }
  return text;
}

}  // namespace aqbench
