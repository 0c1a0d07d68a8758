#include "reports/text/workload_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

std::string throughput_text(const Timing& timing) {
  return timing.throughput ? fmt::format("{} {}", table_number(*timing.throughput), timing.throughput_unit)
                           : "n/a";
}

}  // namespace

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

namespace {

std::string ratio_text(const AxisComparison& comparison) {
  if (!comparison.ratio) return comparison.verdict == "base" ? "1" : "n/a";
  if (!comparison.lower) return table_number(*comparison.ratio);
  return fmt::format("{} [{}, {}]", table_number(*comparison.ratio), table_number(*comparison.lower),
                     table_number(*comparison.upper));
}

std::string verdict_text(const AxisComparison& comparison) {
  std::string text = comparison.verdict + (comparison.reason.empty() ? "" : ": " + comparison.reason);
  if (comparison.output_distance)
    text += fmt::format("; outputs within {}", short_number(*comparison.output_distance));
  return text;
}

Colour verdict_colour(const std::string& verdict) {
  if (verdict == "looks faster") return Colour::green;
  if (verdict == "looks slower" || verdict == "invalid" || verdict == "failed") return Colour::red;
  return verdict == "inconclusive" ? Colour::yellow : Colour::none;
}

// Says a note that many cases have only once: "3 cases: ...".
std::string counted_lines(const std::map<std::string, std::size_t>& cases_of, std::size_t width) {
  std::string text;
  for (const auto& [what, count] : cases_of)
    text += wrap_text(printable(fmt::format("{}: {}", counted(count, "case"), what)), width, 4);
  return text;
}

std::string screen_comparisons(const std::vector<AxisComparison>& comparisons, bool colours,
                               std::size_t width) {
  if (comparisons.empty()) return "";
  Table table{{{"workload", Align::left},
               {"axes", Align::left},
               {"value", Align::left},
               {"time\nms", Align::right},
               {"memory\nMiB", Align::right},
               {"ratio to base\n[99 % interval]", Align::right},
               {"verdict", Align::left}},
              {}};
  std::map<std::string, std::size_t> cases_of;
  for (const AxisComparison& comparison : comparisons) {
    table.rows.push_back({{comparison.workload},
                          {comparison.rest},
                          {comparison.axis + "=" + comparison.value},
                          {table_number_or_na(typical_ms(comparison.record->timing))},
                          {table_mib_or_na(comparison.record->peak_rss_bytes)},
                          {ratio_text(comparison)},
                          {comparison.verdict, verdict_colour(comparison.verdict)}});
    if (!comparison.reason.empty() && comparison.record->status == Status::ok)
      ++cases_of[comparison.verdict + ": " + comparison.reason];
  }
  return "\n" + render_table(table, colours, std::max(width, table_width(table))) +
         counted_lines(cases_of, width) + wrap_text(kComparisonsDoNotDecide, width, 0);
}

std::string noise_lines(const Results& results, std::size_t width) {
  std::map<std::string, std::size_t> cases_of;
  for (const Record& record : results.records)
    if (!record.timing.note.empty()) ++cases_of[record.timing.note];
  return counted_lines(cases_of, width);
}

}  // namespace

std::string comparison_table(const std::vector<AxisComparison>& comparisons) {
  std::string text = md_head(
      {"workload", "axes", "value", "time [ms]", "throughput", "memory [MiB]", "ratio", "pairs", "verdict"},
      3);
  for (const AxisComparison& comparison : comparisons)
    text += md_row({md_escape(comparison.workload), md_escape(comparison.rest),
                    md_escape(comparison.axis + "=" + comparison.value),
                    table_number_or_na(typical_ms(comparison.record->timing)),
                    md_escape(throughput_text(comparison.record->timing)),
                    table_mib_or_na(comparison.record->peak_rss_bytes), md_escape(ratio_text(comparison)),
                    fmt::format("{}", comparison.pairs), md_escape(verdict_text(comparison))});
  return text;
}

bool has_workloads(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.workload.empty(); });
}

bool has_scenes(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return record.workload.empty(); });
}

std::string render_workload_table(const Results& results, bool colours, std::size_t width) {
  if (!has_workloads(results)) return "";
  Table table{{{"workload", Align::left},
               {"cold\nms", Align::right},
               {"warm\nms", Align::right},
               {"95 %", Align::right},
               {"n", Align::right},
               {"throughput", Align::right},
               {"roof-\nline", Align::right}},
              {}};
  auto groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return group.records.front()->workload.empty(); });
  const CaseLabels labels = label_cases(std::move(groups));
  std::string verdicts;
  for (const Record& record : results.records) {
    if (record.workload.empty()) continue;
    const std::string& label = labels.of.at(record.case_name);
    const Timing& timing = record.timing;
    if (record.status != Status::ok) {
      table.rows.push_back(
          {{label, Colour::none}, {to_string(record.status), Colour::red}, {""}, {""}, {""}, {""}, {""}});
      verdicts += wrap_text(
          printable(fmt::format("{}  {}: {}", to_string(record.status), record.case_name, record.reason)),
          width, 4);
      continue;
    }
    const std::optional<double> warm = timing.warm_ms.empty() ? std::nullopt : typical_ms(timing);
    table.rows.push_back({{label},
                          {table_number_or_na(timing.cold_ms)},
                          {table_number_or_na(warm)},
                          {precision_text(timing)},
                          {fmt::format("{}", timing.warm_ms.size())},
                          {throughput_text(timing)},
                          {roofline_text(record)}});
    if (!timing.verdict.empty()) verdicts += wrap_text(printable(label + ": " + timing.verdict), width, 4);
  }
  const std::string common =
      labels.common.empty() ? "" : wrap_text(printable("all: " + labels.common), width, 5);
  return common + render_table(table, colours, std::max(width, table_width(table))) + verdicts +
         screen_comparisons(compare_axes(results), colours, width) + noise_lines(results, width);
}

}  // namespace aqbench
