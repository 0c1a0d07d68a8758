#include "reports/text/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_columns.h"

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

std::string throughput_text(const Timing& timing) {
  return timing.throughput ? fmt::format("{} {}", table_number(*timing.throughput), timing.throughput_unit)
                           : "n/a";
}

// "-38.7 (-41 .. -36.1)".
std::string change_text(const AxisComparison& comparison) {
  if (!comparison.change_pct) return comparison.note == "first" ? "" : "n/a";
  std::string text = fmt::format("{:+.3g}", *comparison.change_pct);
  if (comparison.lower) text += fmt::format(" ({:+.3g} .. {:+.3g})", *comparison.lower, *comparison.upper);
  return text;
}

std::string note_text(const AxisComparison& comparison) {
  if (!comparison.output_distance) return comparison.note;
  return "outputs within " + short_number(*comparison.output_distance);
}

// Says a note that many cases have only once: "3 cases: ...".
std::string counted_lines(const std::map<std::string, std::size_t>& cases_of, std::size_t width) {
  std::string text;
  for (const auto& [what, count] : cases_of)
    text += wrap_text(printable(fmt::format("{}: {}", counted(count, "case"), what)), width, 4);
  return text;
}

Table comparisons_table(const std::vector<AxisComparison>& comparisons) {
  Table table = table_with({"workload", "axes", "value", ">cold [ms]", ">warm [ms]", ">throughput",
                            ">memory [MiB]", ">change [%], not judged", "note"});
  for (const AxisComparison& comparison : comparisons) {
    const Timing& timing = comparison.record->timing;
    table.rows.push_back(
        plain_row({comparison.workload, comparison.rest, comparison.axis + "=" + comparison.value,
                   table_number_or_na(timing.cold_ms), table_number_or_na(summarize(timing.warm_ms).median),
                   throughput_text(timing), table_mib_or_na(comparison.record->peak_rss_bytes),
                   change_text(comparison), note_text(comparison)}));
  }
  return table;
}

std::string screen_comparisons(const std::vector<AxisComparison>& comparisons, bool colours,
                               std::size_t width) {
  if (comparisons.empty()) return "";
  Table table = comparisons_table(comparisons);
  drop_column(table, "throughput");
  drop_column(table, "note");
  const char* const headings[] = {"cold\nms", "warm\nms", "memory\nMiB", "change [%]\n(99 % interval)"};
  for (std::size_t i = 0; i < std::size(headings); ++i) table.columns[3 + i].header = headings[i];
  std::map<std::string, std::size_t> cases_of;
  for (const AxisComparison& comparison : comparisons)
    if (!comparison.note.empty() && comparison.note != "first" && comparison.record->status == Status::ok)
      ++cases_of[comparison.note];
  return "\n" + render_table(table, colours, std::max(width, table_width(table))) +
         counted_lines(cases_of, width) + wrap_text(kComparisonsAreNotJudged, width, 0);
}

std::string noise_lines(const Results& results, std::size_t width) {
  std::map<std::string, std::size_t> cases_of;
  for (const Record& record : results.records)
    if (!record.timing.note.empty()) ++cases_of[record.timing.note];
  return counted_lines(cases_of, width);
}

}  // namespace

Table table_with(std::initializer_list<std::string_view> titles) {
  Table table;
  for (const std::string_view title : titles)
    if (title.starts_with('>'))
      table.columns.push_back({std::string(title.substr(1)), Align::right});
    else
      table.columns.push_back({std::string(title)});
  return table;
}

std::vector<TableCell> plain_row(std::vector<std::string> texts) {
  std::vector<TableCell> cells;
  for (std::string& text : texts) cells.push_back({std::move(text)});
  return cells;
}

std::string md_table(const Table& table) {
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) cells.push_back(column.header);
  const auto first_number = std::ranges::find(table.columns, Align::right, &TableColumn::align);
  std::string text = md_head(cells, static_cast<std::size_t>(first_number - table.columns.begin()));
  for (const auto& row : table.rows) {
    cells.clear();
    for (const TableCell& cell : row) cells.push_back(md_escape(cell.text));
    text += md_row(cells);
  }
  return text;
}

void drop_column(Table& table, std::string_view title) {
  const auto column = std::ranges::find(table.columns, title, &TableColumn::header);
  if (column == table.columns.end()) return;
  for (auto& row : table.rows) row.erase(row.begin() + (column - table.columns.begin()));
  table.columns.erase(column);
}

void drop_columns(Table& table, std::string_view nothing) {
  for (std::size_t i = table.columns.size(); i-- > 0;)
    if (std::ranges::all_of(table.rows, [&](const auto& row) { return row[i].text == nothing; }))
      drop_column(table, table.columns[i].header);
}

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
  drop_columns(table, "n/a");
  return "\n" + render_table(table, colours, std::max(width, table_width(table))) +
         "CPU time, read and written: means over seeds, in the cold run; peak: of resident memory, the "
         "largest.\n";
}

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

std::string precision_text(const Timing& timing) {
  return timing.precision ? fmt::format("±{:.1f} %", 100 * *timing.precision) : "n/a";
}

std::string roofline_text(const Record& record) {
  const ParameterValue* const device = find_value(record.axes, "device");
  if (device != nullptr && *device != ParameterValue("cpu")) return "";
  for (const auto& [name, share] : record.timing.figures)
    if (name == "roofline_share") return fmt::format("{:.0f} %", 100 * share);
  return "";
}

std::string comparison_table(const std::vector<AxisComparison>& comparisons) {
  return md_table(comparisons_table(comparisons));
}

bool has_workloads(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.workload.empty(); });
}

bool has_scenes(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return record.workload.empty(); });
}

std::string render_workload_table(const Results& results, bool colours, std::size_t width) {
  if (!has_workloads(results)) return "";
  Table table =
      table_with({"workload", ">cold\nms", ">warm\nms", ">95 %", ">n", ">throughput", ">roof-\nline"});
  auto groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return group.records.front()->workload.empty(); });
  const CaseLabels labels = label_cases(std::move(groups));
  std::string verdicts;
  for (const Record& record : results.records) {
    if (record.workload.empty()) continue;
    const std::string& label = labels.of.at(record.case_name);
    const Timing& timing = record.timing;
    if (record.status != Status::ok) {
      table.rows.push_back(plain_row({label, to_string(record.status), "", "", "", "", ""}));
      table.rows.back()[1].colour = Colour::red;
      verdicts += wrap_text(
          printable(fmt::format("{}  {}: {}", to_string(record.status), record.case_name, record.reason)),
          width, 4);
      continue;
    }
    const std::optional<double> warm = timing.warm_ms.empty() ? std::nullopt : typical_ms(timing);
    table.rows.push_back(plain_row({label, table_number_or_na(timing.cold_ms), table_number_or_na(warm),
                                    precision_text(timing), fmt::format("{}", timing.warm_ms.size()),
                                    throughput_text(timing), roofline_text(record)}));
    if (!timing.verdict.empty()) verdicts += wrap_text(printable(label + ": " + timing.verdict), width, 4);
  }
  const std::string common =
      labels.common.empty() ? "" : wrap_text(printable("all: " + labels.common), width, 5);
  return common + render_table(table, colours, std::max(width, table_width(table))) + verdicts +
         screen_comparisons(compare_axes(results), colours, width) + noise_lines(results, width);
}

}  // namespace aqbench
