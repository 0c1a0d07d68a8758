#include "reports/content/times_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/summary.h"
#include "pipeline/workloads/workload.h"
#include "reports/content/case_columns.h"

namespace aqbench {
namespace {

constexpr double kConfidence = 0.99;

struct ComparedAxis {
  const char* name;
  bool equal_outputs;  // bit by bit
};
constexpr ComparedAxis kComparedAxes[] = {
    {"batch", true},      {"variant", false}, {"kernel", false}, {"loader", true}, {"grid", true},
    {"copy", true},       {"threads", true},  {"replica", true}, {"memory", true}, {"queues", true},
    {"submission", true}, {"rows", true},     {"device", false}};

// "workload.batch" and "batch" are the same axis.
std::string plain_axis_name(const Record& record, const std::string& name) {
  const std::string owner = record.workload + ".";
  return name.starts_with(owner) ? name.substr(owner.size()) : name;
}

const ParameterValue* axis_value(const Record& record, const std::string& axis) {
  for (const auto& [name, value] : record.axes)
    if (plain_axis_name(record, name) == axis) return &value;
  return nullptr;
}

// All axes but this one, as text. For a reader it leaves out device, threads and seed.
std::string other_axes(const Record& record, const std::string& axis, bool for_reader) {
  std::string text;
  for (const auto& [name, value] : record.axes) {
    const std::string plain = plain_axis_name(record, name);
    if (plain == axis || (for_reader && (plain == "device" || plain == "threads" || plain == "seed")))
      continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : "/", plain, to_string(value));
  }
  return text;
}

// nullptr where this program does not know it.
const WorkloadSpec* known_workload(const Record& record) {
  const auto found = std::ranges::find(workload_registry(), record.workload, &WorkloadSpec::name);
  return found == workload_registry().end() ? nullptr : &*found;
}

// Order of a value along its axis: numbers by size, text by the parameter's choices.
double place_of(const Record& record, const std::string& axis) {
  const ParameterValue& value = *axis_value(record, axis);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  const WorkloadSpec* const workload = known_workload(record);
  if (workload == nullptr) return 0;
  const auto& specs = workload->parameters;
  const auto spec = std::ranges::find(specs, axis, &ParameterSpec::name);
  if (spec == specs.end()) return 0;
  const auto choice = std::ranges::find(spec->choices, std::get<std::string>(value));
  return static_cast<double>(choice - spec->choices.begin());
}

AxisComparison describe_case(const Record& record, const Record& base, const ComparedAxis& axis) {
  AxisComparison comparison;
  comparison.workload = record.workload;
  comparison.rest = other_axes(record, axis.name, true);
  comparison.axis = axis.name;
  comparison.base = to_string(*axis_value(base, axis.name));
  comparison.value = to_string(*axis_value(record, axis.name));
  comparison.record = &record;
  return comparison;
}

const Metric* pixel_proof(const Record& record) {
  const WorkloadSpec* const workload = known_workload(record);
  const Metric* const proof =
      workload == nullptr ? nullptr : find_metric(record.metrics, workload->pixel_identity);
  return proof != nullptr && proof->value ? proof : nullptr;
}

// Holds the outputs of a case and its base against each other. Returns false where nothing may be said of
// their times then; the comparison says why.
bool compare_outputs(const Record& record, const Record& base, const ComparedAxis& axis,
                     AxisComparison& comparison) {
  if (record.output_sha256 == base.output_sha256) return true;
  if (axis.equal_outputs) {
    comparison.note = fmt::format("invalid: its output is not that of {}={}", axis.name, comparison.base);
    return false;
  }
  const Metric *const proof = pixel_proof(record), *const base_proof = pixel_proof(base);
  if (proof == nullptr || base_proof == nullptr) {
    comparison.note = "the outputs differ and are not held pixel by pixel against one reference";
    return false;
  }
  // Each is so far from the reference: together they are at most that far from each other.
  comparison.output_distance = std::abs(*proof->value) + std::abs(*base_proof->value);
  return true;
}

void compare_times(const Timing& base, const Timing& timing, AxisComparison& comparison) {
  if (base.warm_ms.empty() != timing.warm_ms.empty()) return;
  const auto a = typical_ms(base), b = typical_ms(timing);
  if (!a || !b || *a <= 0) return;
  comparison.change_pct = 100 * (*b / *a - 1);
  const auto of_base = summarize(base.warm_ms, kConfidence).median_interval,
             of_value = summarize(timing.warm_ms, kConfidence).median_interval;
  if (!of_base || !of_value || of_base->lower <= 0) return;
  comparison.lower = 100 * (of_value->lower / of_base->upper - 1);
  comparison.upper = 100 * (of_value->upper / of_base->lower - 1);
}

void compare_group(std::vector<const Record*> group, const ComparedAxis& axis,
                   std::vector<AxisComparison>& all) {
  if (group.size() < 2) return;
  std::ranges::stable_sort(group, {}, [&](const Record* record) { return place_of(*record, axis.name); });
  const auto first_ok = std::ranges::find(group, Status::ok, &Record::status);
  const Record& base = first_ok == group.end() ? *group.front() : **first_ok;
  for (const Record* record : group) {
    AxisComparison& comparison = all.emplace_back(describe_case(*record, base, axis));
    if (record->status != Status::ok)
      comparison.note = fmt::format("{}: {}", to_string(record->status), record->reason);
    else if (record == &base)
      comparison.note = "first";
    else if (compare_outputs(*record, base, axis, comparison))
      compare_times(base.timing, record->timing, comparison);
  }
}

// "-38.7 (-41 .. -36.1)".
std::string axis_change(const AxisComparison& comparison) {
  if (!comparison.change_pct) return comparison.note == "first" ? "" : "n/a";
  std::string text = fmt::format("{:+.3g}", *comparison.change_pct);
  if (comparison.lower) text += fmt::format(" ({:+.3g} .. {:+.3g})", *comparison.lower, *comparison.upper);
  return text;
}

// Half the 95 % interval of the warm median as a share of it.
std::string precision_text(const Timing& timing) {
  return timing.precision ? fmt::format("±{:.1f} %", 100 * *timing.precision) : "n/a";
}

std::string throughput_text(const Timing& timing) {
  return timing.throughput ? fmt::format("{} {}", table_number(*timing.throughput), timing.throughput_unit)
                           : "n/a";
}

// The share of the processor's roofline; "" without one, and on another device.
std::string roofline_text(const Record& record) {
  const ParameterValue* const device = find_value(record.axes, "device");
  if (device != nullptr && *device != ParameterValue("cpu")) return "";
  for (const auto& [name, share] : record.timing.figures)
    if (name == "roofline_share") return fmt::format("{:.0f} %", 100 * share);
  return "";
}

}  // namespace

std::vector<AxisComparison> compare_axes(const Results& results) {
  std::vector<AxisComparison> all;
  for (const ComparedAxis& axis : kComparedAxes) {
    std::map<std::string, std::vector<const Record*>> groups;
    for (const Record& record : results.records)
      if (!record.workload.empty() && axis_value(record, axis.name) != nullptr)
        groups[record.workload + " " + other_axes(record, axis.name, false)].push_back(&record);
    for (auto& [key, group] : groups) compare_group(std::move(group), axis, all);
  }
  return all;
}

Table times_table(const Results& results) {
  constexpr std::size_t kMaxRows = 5000;
  Table table = table_with(
      {"case", ">cold\nms", ">n", ">warm\nms", ">median", ">±", ">min", ">max", ">throughput", ">roofline"});
  table.label = "times";
  table.dispensable = {"max", "min", "warm"};
  const CaseNames labels = name_cases(results);
  for (const Record& record : results.records) {
    const Timing& timing = record.timing;
    if ((timing.warm_ms.empty() && !timing.throughput) || !has_room(table, kMaxRows)) continue;
    const SampleSummary warm = summarize(timing.warm_ms);
    table.rows.push_back(
        plain_row({labels.of.at(record.case_name).whole(), table_number_or_na(timing.cold_ms),
                   std::to_string(warm.n), table_number_or_na(warm.mean), table_number_or_na(warm.median),
                   precision_text(timing), table_number_or_na(warm.min), table_number_or_na(warm.max),
                   throughput_text(timing), roofline_text(record)}));
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
  table.dispensable = {"cold", "throughput"};
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
