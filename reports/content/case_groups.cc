#include "reports/content/case_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "harness/measuring/timing.h"
#include "harness/records/case_name.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// Where a step of the name starts with it.
void remove_each(std::string& name, const std::string& prefix) {
  for (std::size_t at = 0; (at = name.find(prefix, at)) != std::string::npos;) {
    if (at == 0 || name[at - 1] == '/')
      name.erase(at, prefix.size());
    else
      at += prefix.size();
  }
}

CaseGroup start_group(const Record& record, const std::string& name) {
  CaseGroup group{record.scene, record.method, "", {}};
  if (!record.preset.empty()) group.method += ":" + record.preset;
  std::string prefix = group.scene + "/" + group.method;
  if (!record.workload.empty()) {
    group.method = record.workload;
    prefix = record.workload;
  }
  if (name.starts_with(prefix + "/")) group.axes = name.substr(prefix.size() + 1);
  // The columns beside name the parameters' owners.
  for (const std::string& owner : {record.scene, record.method, record.workload})
    if (!owner.empty()) remove_each(group.axes, owner + ".");
  return group;
}

// A name in parts: numbers by their values (rank 0), other characters by theirs (rank 1), and the name itself
// for names that differ in how they write a number.
using ReadingOrder = std::pair<std::vector<std::pair<int, double>>, std::string_view>;

// Orders names as people do: width=480 before width=1200. A sign counts after "=".
ReadingOrder reading_order(const Record* record) {
  const std::string_view name = record->case_name;
  ReadingOrder order{{}, name};
  for (std::size_t at = 0; at < name.size();) {
    const bool is_signed = name[at] == '-' && at > 0 && name[at - 1] == '=';
    const std::string_view digits = name.substr(at + (is_signed ? 1 : 0));
    if (digits.empty() || digits[0] < '0' || digits[0] > '9') {
      order.first.emplace_back(1, name[at++]);
      continue;
    }
    double value = std::numeric_limits<double>::infinity();  // stays so where it is out of range
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    order.first.emplace_back(0, is_signed ? -value : value);
    at = static_cast<std::size_t>(parsed.ptr - name.data());
  }
  return order;
}

std::optional<Spread> spread_of(const CaseGroup& group,
                                const std::function<std::optional<double>(const Record&)>& value_of) {
  std::vector<double> values;
  for (const Record* record : group.records) {
    if (record->status != Status::ok) continue;
    const std::optional<double> value = value_of(*record);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / count;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.standard_deviation = std::sqrt(squares / (count - 1));
  return spread;
}

}  // namespace

std::vector<CaseGroup> group_cases(const Results& results) {
  std::vector<const Record*> sorted;
  for (const Record& record : results.records) sorted.push_back(&record);
  std::ranges::sort(sorted, {}, reading_order);
  std::vector<CaseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const Record* record : sorted) {
    const std::string name = name_without_seed(record->case_name);
    const auto [place, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back(start_group(*record, name));
    groups[place->second].records.push_back(record);
  }
  return groups;
}

std::vector<std::string> axis_steps(const std::string& axes) {
  std::vector<std::string> steps;
  for (std::size_t start = 0; start < axes.size();) {
    const std::size_t end = std::min(axes.find('/', start), axes.size());
    const std::string step = axes.substr(start, end - start);
    if (step.find('=') != step.npos || steps.empty())
      steps.push_back(step);
    else
      steps.back() += "/" + step;
    start = end + 1;
  }
  return steps;
}

std::string take_common_axes(std::vector<CaseGroup>& groups) {
  if (groups.empty()) return "";
  std::vector<std::vector<std::string>> steps;
  for (const CaseGroup& group : groups) steps.push_back(axis_steps(group.axes));
  // A simulated method sees no images, so it has no rig; that distinguishes no group.
  const bool any_real =
      std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.records.front()->simulated; });
  const auto has_no_say = [&](std::size_t i) {
    return any_real && steps[i].empty() && groups[i].records.front()->simulated;
  };
  const auto is_common = [&](const std::string& step) {
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (!has_no_say(i) && std::ranges::find(steps[i], step) == steps[i].end()) return false;
    return true;
  };
  std::vector<std::string> common;
  for (const std::vector<std::string>& candidates : steps) {
    if (candidates.empty()) continue;
    std::ranges::copy_if(candidates, std::back_inserter(common), is_common);
    break;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::erase_if(steps[i],
                  [&](const std::string& step) { return std::ranges::find(common, step) != common.end(); });
    groups[i].axes = fmt::format("{}", fmt::join(steps[i], " "));
  }
  std::set<std::string> seeds;
  for (const CaseGroup& group : groups)
    for (const Record* record : group.records)
      for (const auto& [name, value] : record->axes)
        if (name == "seed") seeds.insert("seed=" + to_string(value));
  if (seeds.size() == 1) common.push_back(*seeds.begin());
  return fmt::format("{}", fmt::join(common, " "));
}

std::string ranking_of(const Record& record) {
  return record.scene + (has_own_poses(record.case_name) ? " with own poses" : "");
}

std::string group_label(const CaseGroup& group) {
  std::string label = group.scene;
  if (!group.method.empty()) label += (label.empty() ? "" : "/") + group.method;
  if (!group.axes.empty()) label += (label.empty() ? "" : " ") + group.axes;
  return label;
}

CaseLabels label_cases(std::vector<CaseGroup> groups) {
  CaseLabels labels;
  labels.common = take_common_axes(groups);
  for (const CaseGroup& group : groups)
    for (const Record* record : group.records) {
      std::string& label = labels.of[record->case_name] = group_label(group);
      if (group.records.size() > 1)
        for (const auto& [name, value] : record->axes)
          if (name == "seed") label += " seed=" + to_string(value);
    }
  return labels;
}

std::optional<Spread> metric_spread(const CaseGroup& group, const std::string& metric) {
  return spread_of(group, [&](const Record& record) -> std::optional<double> {
    const Metric* const found = find_metric(record.metrics, metric);
    return found == nullptr ? std::nullopt : found->value;
  });
}

std::optional<Spread> time_spread(const CaseGroup& group) {
  return spread_of(group, [](const Record& record) { return typical_ms(record.timing); });
}

std::size_t ok_count(const CaseGroup& group) {
  return static_cast<std::size_t>(std::ranges::count_if(
      group.records, [](const Record* record) { return record->status == Status::ok; }));
}

std::vector<std::string> undefined_lines(const Record& record) {
  std::vector<std::pair<std::string, std::string>> names_by_reason;
  for (const HeadlineMetric& headline : headline_metrics()) {
    const Metric* const metric = find_metric(record.metrics, headline.name);
    if (metric == nullptr || metric->value) continue;
    const auto known =
        std::ranges::find(names_by_reason, metric->reason, &std::pair<std::string, std::string>::first);
    if (known == names_by_reason.end())
      names_by_reason.emplace_back(metric->reason, headline.name);
    else
      known->second += std::string(", ") + headline.name;
  }
  std::vector<std::string> lines;
  lines.reserve(names_by_reason.size());
  for (const auto& [reason, names] : names_by_reason) lines.push_back(fmt::format("{}: {}", names, reason));
  return lines;
}

std::string table_number(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (!std::isfinite(value) || size >= 1e9) return fmt::format("{:.3g}", value);
  if (size >= 999.5) {
    const double step = std::pow(10, std::floor(std::log10(size)) - 2);
    return fmt::format("{:.0f}", std::round(value / step) * step);
  }
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:#.3g}", value);
}

std::string table_number_or_na(const std::optional<double>& value) {
  return value ? table_number(*value) : "n/a";
}

std::string table_mib_or_na(const std::optional<std::uint64_t>& bytes) {
  return bytes ? table_number(static_cast<double>(*bytes) / 0x1p20) : "n/a";
}

const std::vector<std::string>& program_titles() {
  static const std::vector<std::string> titles = {"CPU user [s]",      "CPU system [s]", "peak memory [MiB]",
                                                  "read [MiB]",        "written [MiB]",  "page faults",
                                                  "of them from disk", "switches",       "of them forced"};
  return titles;
}

std::vector<std::string> program_cells(const ProgramUse& use) {
  return {table_number(use.cpu_user_s),
          table_number(use.cpu_system_s),
          table_mib_or_na(use.peak_resident_bytes),
          table_mib_or_na(use.read_bytes),
          table_mib_or_na(use.written_bytes),
          std::to_string(use.minor_faults + use.major_faults),
          std::to_string(use.major_faults),
          std::to_string(use.voluntary_switches + use.involuntary_switches),
          std::to_string(use.involuntary_switches)};
}

}  // namespace aqbench
