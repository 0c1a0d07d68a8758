#include "reports/content/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/paired.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

struct ComparedAxis {
  const char* name;
  bool equal_outputs;  // bit by bit
};
constexpr ComparedAxis kComparedAxes[] = {{"batch", true},   {"variant", false}, {"kernel", false},
                                          {"loader", true},  {"grid", true},     {"copy", true},
                                          {"threads", true}, {"replica", true}};

using AxisValues = std::vector<std::pair<std::string, ParameterValue>>;

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

// Order of a value along its axis: numbers by size, text by the parameter's choices.
double place_of(const Record& record, const std::string& axis) {
  const ParameterValue& value = *axis_value(record, axis);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  try {
    const auto& specs = find_workload(record.workload).parameters;
    const auto spec = std::ranges::find(specs, axis, &ParameterSpec::name);
    if (spec == specs.end()) return 0;
    const auto choice = std::ranges::find(spec->choices, std::get<std::string>(value));
    return static_cast<double>(choice - spec->choices.begin());
  } catch (const Error&) {
    return 0;  // a workload that this program does not know
  }
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

void compare_group(std::vector<const Record*> group, const ComparedAxis& axis,
                   std::vector<AxisComparison>& comparisons) {
  if (group.size() < 2) return;
  std::ranges::stable_sort(group, {}, [&](const Record* record) { return place_of(*record, axis.name); });
  const auto first_ok =
      std::ranges::find_if(group, [](const Record* record) { return record->status == Status::ok; });
  const Record& base = first_ok == group.end() ? *group.front() : **first_ok;
  for (const Record* record : group) {
    AxisComparison comparison = describe_case(*record, base, axis);
    if (record->status != Status::ok) {
      comparison.verdict = to_string(record->status);
      comparison.reason = record->reason;
    } else if (record == &base) {
      comparison.verdict = "base";
    } else if (axis.equal_outputs && record->output_sha256 != base.output_sha256) {
      comparison.verdict = "invalid";
      comparison.reason = fmt::format("its output is not that of {}={}", axis.name, comparison.base);
    } else {
      judge_pairs(process_units(base.timing), process_units(record->timing), comparison);
    }
    comparisons.push_back(std::move(comparison));
  }
}

}  // namespace

std::vector<double> process_units(const Timing& timing) {
  std::vector<double> units;
  for (const TimedBlock& block : timing.blocks) {
    if (block.process >= units.size())
      units.resize(block.process + 1, std::numeric_limits<double>::infinity());
    for (std::uint64_t i = block.first; i < block.first + block.count && i < timing.warm_ms.size(); ++i)
      units[block.process] = std::min(units[block.process], timing.warm_ms[i]);
  }
  return units;
}

void judge_pairs(const std::vector<double>& base, const std::vector<double>& units,
                 AxisComparison& comparison) {
  comparison.pairs = std::min(base.size(), units.size());
  if (comparison.pairs == 0) {
    comparison.verdict = "inconclusive";
    comparison.reason = "no warm runs";
    return;
  }
  PairedSeries series;
  series.name = comparison.value;
  series.u_a.assign(base.begin(), base.begin() + static_cast<std::ptrdiff_t>(comparison.pairs));
  series.u_b.assign(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(comparison.pairs));
  std::vector<double> ratios;
  for (std::size_t i = 0; i < comparison.pairs; ++i) ratios.push_back(series.u_b[i] / series.u_a[i]);
  std::ranges::sort(ratios);
  comparison.ratio = std::sqrt(ratios[(ratios.size() - 1) / 2] * ratios[ratios.size() / 2]);
  comparison.verdict = "inconclusive";
  PairedPolicy policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  const std::size_t wanted = measured_for(minimum_kept_pairs(policy, 1));
  if (comparison.pairs < wanted) {
    comparison.reason =
        fmt::format("{} process(es) each; --blocks {} or more gives a verdict", comparison.pairs, wanted);
    return;
  }
  try {
    const PairedComparison compared = compare_pairs(std::span(&series, 1), policy).front();
    comparison.ratio = std::exp(compared.shift);
    comparison.lower = std::exp(compared.interval.lower);
    comparison.upper = std::exp(compared.interval.upper);
    const bool within = compared.interval.upper < std::log1p(policy.delta) &&
                        compared.interval.lower > -std::log1p(policy.delta);
    if (compared.verdict == PairedVerdict::regressed)
      comparison.verdict = "slower";
    else if (compared.verdict == PairedVerdict::faster)
      comparison.verdict = "faster";
    else if (within)
      comparison.verdict = "no difference";
    else
      comparison.reason = "too noisy: the interval is wider than 5 %";
  } catch (const Error& error) {
    comparison.reason = error.what();
  }
}

std::vector<AxisComparison> compare_axes(const Results& results) {
  std::vector<AxisComparison> comparisons;
  for (const ComparedAxis& axis : kComparedAxes) {
    std::map<std::string, std::vector<const Record*>> groups;
    for (const Record& record : results.records)
      if (!record.workload.empty() && axis_value(record, axis.name) != nullptr)
        groups[record.workload + " " + other_axes(record, axis.name, false)].push_back(&record);
    for (auto& [key, group] : groups) compare_group(std::move(group), axis, comparisons);
  }
  return comparisons;
}

}  // namespace aqbench
