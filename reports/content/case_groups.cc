#include "reports/content/case_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/records/case_name.h"
#include "harness/statistics/summary.h"
#include "metrics/registry.h"
#include "reports/content/commands.h"

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
  CaseGroup group{{record.scene, record.method, ""}};
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
ReadingOrder reading_order(const Record& record) {
  const std::string_view name = record.case_name;
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
  const SampleSummary all = summarize(values);
  return all.mean ? std::optional(Spread{*all.mean, all.sd}) : std::nullopt;
}

// Splits "rig=arc6/width=480" into "rig=arc6" and "width=480". A step without "=" belongs to the one before.
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

bool is_axis(const std::string& step) { return step.find('=') != step.npos; }

bool is_other_axis(const std::string& step) { return is_axis(step) && !step.starts_with("seed="); }

bool has(const std::vector<std::string>& steps, const std::string& step) {
  return std::ranges::find(steps, step) != steps.end();
}

std::string readable(std::string_view name) {
  constexpr std::size_t kMaxCaseNameBytes = 150;
  std::string file;
  for (const char c : name)
    if (c == '/')
      file += "__";
    else
      file += is_plain(c, "_.=,+-") ? c : '.';
  file.resize(std::min(file.size(), kMaxCaseNameBytes));
  return file.empty() || !is_plain(file.front(), "") ? "case" + file : file;
}

using NameSteps = std::vector<std::vector<std::string>>;

// Takes out the axes that all names have; `silent` names may lack what the others have, but for a seed.
std::vector<std::string> take_common(NameSteps& steps, const std::vector<bool>& silent) {
  std::vector<std::string> common;
  for (const auto& some : steps)  // of the name with most axes: one without any has none that it could share
    if (std::ranges::count_if(some, is_axis) > static_cast<std::ptrdiff_t>(common.size())) {
      common.clear();
      std::ranges::copy_if(some, std::back_inserter(common), is_axis);
    }
  for (std::size_t i = 0; i < steps.size(); ++i)
    std::erase_if(common, [&](const std::string& step) {
      return !has(steps[i], step) && !(silent[i] && is_other_axis(step));
    });
  for (auto& some : steps) std::erase_if(some, [&](const std::string& step) { return has(common, step); });
  return common;
}

ShortNames without_common(const std::vector<std::string>& names, NameSteps steps,
                          const std::vector<bool>& silent) {
  ShortNames found{fmt::format("{}", fmt::join(take_common(steps, silent), " ")), {}};
  for (std::size_t i = 0; i < names.size(); ++i)
    found.of[names[i]] = fmt::format("{}", fmt::join(steps[i], "/"));
  return found;
}

}  // namespace

std::string seed_axis(const Record& record) {
  const ParameterValue* const seed = find_value(record.axes, "seed");
  return seed == nullptr ? "" : "seed=" + to_string(*seed);
}

std::vector<CaseGroup> method_groups(const Results& results) {
  std::vector<CaseGroup> groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return !group.records.front()->workload.empty(); });
  return groups;
}

std::vector<CaseGroup> group_cases(const Results& results) {
  std::vector<std::pair<ReadingOrder, const Record*>> sorted;
  sorted.reserve(results.records.size());
  for (const Record& record : results.records) sorted.emplace_back(reading_order(record), &record);
  std::ranges::sort(sorted);
  std::vector<CaseGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const auto& [order, record] : sorted) {
    const std::string name = name_without_seed(record->case_name);
    const auto [place, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back(start_group(*record, name));
    groups[place->second].records.push_back(record);
  }
  return groups;
}

std::string take_common_axes(std::vector<CaseGroup>& groups) {
  if (groups.empty()) return "";
  // A simulated method sees no images, so it has no rig; that distinguishes no group.
  const bool any_real =
      std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.records.front()->simulated; });
  NameSteps steps;
  std::vector<bool> silent;
  for (const CaseGroup& group : groups) {
    steps.push_back(axis_steps(group.axes));
    silent.push_back(any_real && group.axes.empty() && group.records.front()->simulated);
  }
  std::vector<std::string> common = take_common(steps, silent);
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].axes = fmt::format("{}", fmt::join(steps[i], " "));
  std::set<std::string> seeds;
  for (const CaseGroup& group : groups)
    for (const Record* record : group.records)
      if (std::string seed = seed_axis(*record); !seed.empty()) seeds.insert(std::move(seed));
  if (seeds.size() == 1) common.push_back(*seeds.begin());
  return fmt::format("{}", fmt::join(common, " "));
}

std::string CaseName::label() const { return axes.empty() ? method : method + " " + axes; }

std::string CaseName::whole() const { return scene + (scene.empty() || method.empty() ? "" : "/") + label(); }

std::optional<double> value_of(const MetricSet& metrics, std::string_view name) {
  const Metric* const found = find_metric(metrics, name);
  return found == nullptr ? std::nullopt : found->value;
}

std::optional<Spread> metric_spread(const CaseGroup& group, const std::string& metric) {
  return spread_of(group, [&](const Record& record) { return value_of(record.metrics, metric); });
}

std::optional<Spread> time_spread(const CaseGroup& group) {
  return spread_of(group, [](const Record& record) { return typical_ms(record.timing); });
}

std::size_t ok_count(const CaseGroup& group) {
  return static_cast<std::size_t>(std::ranges::count(group.records, Status::ok, &Record::status));
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

ShortNames shorten_names(const std::vector<std::string>& names) {
  NameSteps steps;
  std::vector<bool> silent;  // those without other axes than a seed
  for (const std::string& name : names) {
    steps.push_back(axis_steps(name));
    silent.push_back(std::ranges::none_of(steps.back(), is_other_axis));
  }
  ShortNames found = without_common(names, steps, silent);
  std::set<std::string> distinct;
  for (const auto& [name, shorter] : found.of) distinct.insert(shorter);
  if (distinct.size() == found.of.size()) return found;
  return without_common(names, std::move(steps), std::vector<bool>(names.size()));
}

const std::string& case_meant(const std::vector<std::string>& names, const std::string& given) {
  if (const auto whole = std::ranges::find(names, given); whole != names.end()) return *whole;
  const ShortNames shorter = shorten_names(names);
  std::vector<const std::string*> found;
  for (const std::string& name : names)
    if (shorter.of.at(name) == given) found.push_back(&name);
  if (found.empty())
    for (const std::string& name : names)
      if (names_case(given, name)) found.push_back(&name);
  if (found.empty()) throw Error(ErrorKind::usage, unknown_name_message("case", given, names));
  if (found.size() > 1)
    throw usage_error("case '{}': may be {} or {}{}", given, *found[0], *found[1],
                      found.size() > 2 ? fmt::format(" ({} in all)", found.size()) : "");
  return *found.front();
}

std::map<std::string, std::string> readable_file_names(const std::vector<std::string>& names) {
  std::map<std::string, int> uses;
  for (const std::string& name : std::set(names.begin(), names.end())) ++uses[lower_case(readable(name))];
  std::map<std::string, std::string> files;
  for (const std::string& name : names) {
    const std::string file = readable(name);
    files[name] =
        uses.at(lower_case(file)) == 1 ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
  }
  return files;
}

}  // namespace aqbench
