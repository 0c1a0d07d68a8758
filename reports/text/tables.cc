#include "reports/text/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_columns.h"
#include "reports/content/times_table.h"

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

// Says a note that many cases have only once: "3 cases: ...".
Lines counted_lines(const std::map<std::string, std::size_t>& cases_of) {
  Lines lines;
  for (const auto& [what, count] : cases_of)
    lines.items.push_back(fmt::format("{}: {}", counted(count, "case"), what));
  return lines;
}

std::string screen_comparisons(const std::vector<AxisComparison>& comparisons, const Screen& screen) {
  if (comparisons.empty()) return "";
  Table table = comparisons_table(comparisons);
  drop_column(table, "throughput");
  drop_column(table, "note");
  std::map<std::string, std::size_t> cases_of;
  for (const AxisComparison& comparison : comparisons)
    if (!comparison.note.empty() && comparison.note != "first" && comparison.record->status == Status::ok)
      ++cases_of[comparison.note];
  return "\n" + terminal_of(table, screen) + terminal_of(counted_lines(cases_of), screen) +
         wrap_text(kComparisonsAreNotJudged, screen.width, 0);
}

Lines noise_lines(const Results& results) {
  std::map<std::string, std::size_t> cases_of;
  for (const Record& record : results.records)
    if (!record.timing.note.empty()) ++cases_of[record.timing.note];
  return counted_lines(cases_of);
}

}  // namespace

std::string render_program_table(std::vector<CaseGroup> groups, const Screen& screen) {
  take_common_axes(groups);
  Table table =
      table_with({"scene", "program", "axes", ">CPU\ns", ">peak\nMiB", ">read\nMiB", ">written\nMiB"});
  for (const CaseGroup& group : groups) {
    std::vector<const ProgramUse*> uses;
    for (const Record* record : group.records)
      if (record->program) uses.push_back(&*record->program);
    if (uses.empty()) continue;
    std::vector<TableCell> row = plain_row({group.scene, group.method, group.axes});
    row.push_back(program_mean(
        uses, 1, [](const ProgramUse& use) { return std::optional(use.cpu_user_s + use.cpu_system_s); }));
    row.push_back(largest_peak(uses));
    row.push_back(program_mean(uses, 0x1p20, [](const ProgramUse& use) { return use.read_bytes; }));
    row.push_back(program_mean(uses, 0x1p20, [](const ProgramUse& use) { return use.written_bytes; }));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return "";
  drop_columns(table, "n/a");
  drop_columns(table, "");  // no axes
  if (std::ranges::all_of(groups, [&](const CaseGroup& group) { return group.scene == groups[0].scene; }))
    drop_column(table, "scene");
  return "\n" + terminal_of(table, screen) +
         "CPU time, read and written: means over seeds, in the cold run; peak: of resident memory, the "
         "largest.\n";
}

std::string render_protocol_lines(const Results& results, const Screen& screen) {
  const Table table = protocols_table(results);
  Lines lines;
  for (const auto& row : table.rows) {
    std::string& line = lines.items.emplace_back(row.front().text + ":");
    for (std::size_t i = 1; i < row.size(); ++i)
      line += fmt::format("{} {} {}", i == 1 ? "" : ",", table.columns[i].header, row[i].text);
  }
  return terminal_of(lines, screen);
}

bool has_workloads(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.workload.empty(); });
}

std::string render_workload_table(const Results& results, const Screen& screen) {
  if (!has_workloads(results)) return "";
  Table table =
      table_with({"workload", ">cold\nms", ">warm\nms", ">95 %", ">n", ">throughput", ">roof-\nline"});
  auto groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return group.records.front()->workload.empty(); });
  const CaseLabels labels = label_cases(std::move(groups));
  Lines verdicts;
  for (const Record& record : results.records) {
    if (record.workload.empty()) continue;
    const std::string& label = labels.of.at(record.case_name);
    const Timing& timing = record.timing;
    if (record.status != Status::ok) {
      table.rows.push_back(plain_row({label, to_string(record.status), "", "", "", "", ""}));
      table.rows.back()[1].colour = Colour::red;
      verdicts.items.push_back(
          fmt::format("{}  {}: {}", to_string(record.status), record.case_name, record.reason));
      continue;
    }
    const std::optional<double> warm = timing.warm_ms.empty() ? std::nullopt : typical_ms(timing);
    table.rows.push_back(plain_row({label, table_number_or_na(timing.cold_ms), table_number_or_na(warm),
                                    precision_text(timing), fmt::format("{}", timing.warm_ms.size()),
                                    throughput_text(timing), roofline_text(record)}));
    if (!timing.verdict.empty()) verdicts.items.push_back(label + ": " + timing.verdict);
  }
  const std::string common =
      labels.common.empty() ? "" : terminal_of(Paragraph{"all: " + labels.common}, screen);
  return common + terminal_of(table, screen) + terminal_of(verdicts, screen) +
         screen_comparisons(compare_axes(results), screen) + terminal_of(noise_lines(results), screen);
}

}  // namespace aqbench
