#include "reports/content/times_table.h"

#include <fmt/format.h>

#include "core/text.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

// "-38.7 (-41 .. -36.1)".
std::string axis_change(const AxisComparison& comparison) {
  if (!comparison.change_pct) return comparison.note == "first" ? "" : "n/a";
  std::string text = fmt::format("{:+.3g}", *comparison.change_pct);
  if (comparison.lower) text += fmt::format(" ({:+.3g} .. {:+.3g})", *comparison.lower, *comparison.upper);
  return text;
}

}  // namespace

std::string precision_text(const Timing& timing) {
  return timing.precision ? fmt::format("±{:.1f} %", 100 * *timing.precision) : "n/a";
}

std::string throughput_text(const Timing& timing) {
  return timing.throughput ? fmt::format("{} {}", table_number(*timing.throughput), timing.throughput_unit)
                           : "n/a";
}

std::string roofline_text(const Record& record) {
  const ParameterValue* const device = find_value(record.axes, "device");
  if (device != nullptr && *device != ParameterValue("cpu")) return "";
  for (const auto& [name, share] : record.timing.figures)
    if (name == "roofline_share") return fmt::format("{:.0f} %", 100 * share);
  return "";
}

Table times_table(const Results& results) {
  constexpr std::size_t kMaxRows = 5000;
  Table table = table_with(
      {"case", ">cold\nms", ">n", ">warm\nms", ">median", ">±", ">min", ">max", ">throughput", ">roofline"});
  table.label = "times";
  const CaseLabels labels = label_cases(group_cases(results));
  for (const Record& record : results.records) {
    const Timing& timing = record.timing;
    if ((timing.warm_ms.empty() && !timing.throughput) || !has_room(table, kMaxRows)) continue;
    const SampleSummary warm = summarize(timing.warm_ms);
    table.rows.push_back(
        plain_row({labels.of.at(record.case_name), table_number_or_na(timing.cold_ms), std::to_string(warm.n),
                   table_number_or_na(warm.mean), table_number_or_na(warm.median), precision_text(timing),
                   table_number_or_na(warm.min), table_number_or_na(warm.max), throughput_text(timing),
                   roofline_text(record)}));
    if (warm.sd) table.rows.back()[3].spread = table_number(*warm.sd);
    table.subjects.push_back({record.case_name, true});
  }
  drop_columns(table, "n/a");
  drop_columns(table, "");
  return table;
}

Table comparisons_table(const std::vector<AxisComparison>& comparisons) {
  Table table = table_with({"workload", "axes", "value", ">cold\nms", ">warm\nms", ">throughput",
                            ">memory\nMiB", ">change\n%, 99 % interval", "note"});
  table.label = "values of axes";
  for (const AxisComparison& comparison : comparisons) {
    const Timing& timing = comparison.record->timing;
    table.rows.push_back(plain_row(
        {comparison.workload, comparison.rest, comparison.axis + "=" + comparison.value,
         table_number_or_na(timing.cold_ms), table_number_or_na(summarize(timing.warm_ms).median),
         throughput_text(timing), table_mib_or_na(comparison.record->peak_rss_bytes), axis_change(comparison),
         comparison.output_distance ? "outputs within " + short_number(*comparison.output_distance)
                                    : comparison.note}));
  }
  return table;
}

}  // namespace aqbench
