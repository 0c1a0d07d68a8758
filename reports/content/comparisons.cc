#include "reports/content/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"
#include "core/text.h"
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

// A comparison, and the pairs of units that wait for their verdict; it depends on how many there are.
struct Comparing {
  AxisComparison comparison;
  std::optional<PairedSeries> waiting;
};

const Metric* pixel_proof(const Record& record) {
  try {
    const Metric* const proof = find_metric(record.metrics, find_workload(record.workload).pixel_identity);
    return proof != nullptr && proof->value ? proof : nullptr;
  } catch (const Error&) {
    return nullptr;  // a workload that this program does not know
  }
}

// Holds the outputs of a case and its base against each other. Returns false where nothing may be said of
// their times then; the comparison says why.
bool compare_outputs(const Record& record, const Record& base, const ComparedAxis& axis,
                     AxisComparison& comparison) {
  if (record.output_sha256 == base.output_sha256) return true;
  if (axis.equal_outputs) {
    comparison.verdict = "invalid";
    comparison.reason = fmt::format("its output is not that of {}={}", axis.name, comparison.base);
    return false;
  }
  const Metric *const proof = pixel_proof(record), *const base_proof = pixel_proof(base);
  if (proof == nullptr || base_proof == nullptr) {
    comparison.verdict = "inconclusive";
    comparison.reason = "the outputs differ and are not held pixel by pixel against one reference";
    return false;
  }
  // Each is so far from the reference: together they are at most that far from each other.
  comparison.output_distance = std::abs(*proof->value) + std::abs(*base_proof->value);
  return true;
}

// The best warm run of each process, in order.
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

// The times of a case and its base, in pairs.
PairedSeries series_of(const Record& base, const Record& record, const std::string& name) {
  PairedSeries series;
  series.name = name;
  series.u_a = process_units(base.timing);
  series.u_b = process_units(record.timing);
  const std::size_t pairs = std::min(series.u_a.size(), series.u_b.size());
  series.u_a.resize(pairs);
  series.u_b.resize(pairs);
  return series;
}

void compare_group(std::vector<const Record*> group, const ComparedAxis& axis, std::vector<Comparing>& all) {
  if (group.size() < 2) return;
  std::ranges::stable_sort(group, {}, [&](const Record* record) { return place_of(*record, axis.name); });
  const auto first_ok = std::ranges::find(group, Status::ok, &Record::status);
  const Record& base = first_ok == group.end() ? *group.front() : **first_ok;
  for (const Record* record : group) {
    Comparing& added = all.emplace_back(Comparing{describe_case(*record, base, axis), std::nullopt});
    AxisComparison& comparison = added.comparison;
    if (record->status != Status::ok) {
      comparison.verdict = to_string(record->status);
      comparison.reason = record->reason;
    } else if (record == &base) {
      comparison.verdict = "base";
    } else if (compare_outputs(*record, base, axis, comparison)) {
      added.waiting = series_of(base, *record, comparison.value);
    }
  }
}

double median_ratio(const PairedSeries& series) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < series.u_a.size(); ++i) ratios.push_back(series.u_b[i] / series.u_a[i]);
  std::ranges::sort(ratios);
  return std::sqrt(ratios[(ratios.size() - 1) / 2] * ratios[ratios.size() / 2]);
}

void take_verdict(const PairedComparison& compared, const PairedPolicy& policy, AxisComparison& comparison) {
  comparison.ratio = std::exp(compared.shift);
  comparison.lower = std::exp(compared.interval.lower);
  comparison.upper = std::exp(compared.interval.upper);
  const bool within = compared.interval.upper < std::log1p(policy.delta) &&
                      compared.interval.lower > -std::log1p(policy.delta);
  if (compared.verdict == PairedVerdict::regressed)
    comparison.verdict = "looks slower";
  else if (compared.verdict == PairedVerdict::faster)
    comparison.verdict = "looks faster";
  else if (compared.verdict == PairedVerdict::trade || compared.slow_runs.more() ||
           compared.slow_runs.fewer())
    comparison.reason = compared.reason.empty() ? "one side has more slow runs" : compared.reason;
  else if (within)
    comparison.verdict = "no difference seen";
  else
    comparison.reason = "too noisy: the interval is wider than 5 %";
}

bool can_be_compared(const PairedSeries& series) {
  const auto is_time = [](double unit) { return std::isfinite(unit) && unit > 0; };
  return std::ranges::all_of(series.u_a, is_time) && std::ranges::all_of(series.u_b, is_time);
}

// Judges all that waits as one family: the more comparisons, the more each has to show.
void judge_waiting(std::vector<Comparing>& all) {
  PairedPolicy policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(all, [](const Comparing& one) { return one.waiting.has_value(); }));
  const std::size_t wanted = measured_for(minimum_kept_pairs(policy, std::max<std::size_t>(count, 1)));
  std::vector<PairedSeries> family;
  std::vector<AxisComparison*> places;
  for (auto& [comparison, waiting] : all) {
    if (!waiting) continue;
    comparison.pairs = waiting->u_a.size();
    comparison.verdict = "inconclusive";
    if (comparison.pairs == 0 || !can_be_compared(*waiting)) {
      comparison.reason = "no warm runs";
      continue;
    }
    comparison.ratio = median_ratio(*waiting);
    if (comparison.pairs < wanted) {
      comparison.reason =
          fmt::format("{} process{} each; {} together need --blocks {} or more", comparison.pairs,
                      comparison.pairs == 1 ? "" : "es", counted(count, "comparison"), wanted);
      continue;
    }
    places.push_back(&comparison);
    family.push_back(std::move(*waiting));
  }
  if (family.empty()) return;
  const std::vector<PairedComparison> compared = compare_pairs(family, policy);
  for (std::size_t i = 0; i < compared.size(); ++i) take_verdict(compared[i], policy, *places[i]);
}

}  // namespace

std::vector<AxisComparison> compare_axes(const Results& results) {
  std::vector<Comparing> all;
  for (const ComparedAxis& axis : kComparedAxes) {
    std::map<std::string, std::vector<const Record*>> groups;
    for (const Record& record : results.records)
      if (!record.workload.empty() && axis_value(record, axis.name) != nullptr)
        groups[record.workload + " " + other_axes(record, axis.name, false)].push_back(&record);
    for (auto& [key, group] : groups) compare_group(std::move(group), axis, all);
  }
  judge_waiting(all);
  std::vector<AxisComparison> comparisons;
  for (Comparing& one : all) comparisons.push_back(std::move(one.comparison));
  return comparisons;
}

}  // namespace aqbench
