#include "reports/content/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "harness/planning/budget_plan.h"
#include "metrics/metric.h"

namespace aqbench {
namespace {

constexpr double kBudgetConfidence = 0.95;

// The values of a metric by what was taken away and the seed.
using Values = std::map<std::string, std::map<std::uint64_t, double>>;

std::string group_of(const std::string& cause) {
  const auto found = std::ranges::find(budget_causes(), cause, &BudgetCause::name);
  return found == budget_causes().end() ? std::string() : found->group;
}

bool is_single(const std::string& cause) {
  return std::ranges::find(budget_causes(), cause, &BudgetCause::name) != budget_causes().end();
}

BudgetPart part_of(const std::string& name, const std::vector<double>& values) {
  return {name, group_of(name), hodges_lehmann(values, kBudgetConfidence), values.size()};
}

std::string reason_of(const Record& record, const Metric* found) {
  if (!record.reason.empty()) return record.reason;
  return found == nullptr ? "has no such value" : std::string(found->reason);
}

// The value as it is less that without a cause, for each seed that has both.
std::map<std::uint64_t, double> changes_of(const Values& values, const std::string& cause) {
  std::map<std::uint64_t, double> changes;
  for (const auto& [seed, without] : values.at(cause)) {
    const auto whole = values.at("").find(seed);
    if (whole != values.at("").end()) changes[seed] = whole->second - without;
  }
  return changes;
}

std::vector<double> numbers_of(const std::map<std::uint64_t, double>& by_seed) {
  std::vector<double> numbers;
  for (const auto& [seed, value] : by_seed) numbers.push_back(value);
  return numbers;
}

// What all causes together make beyond the sum of each alone, by seeds that have all.
std::vector<double> interactions_of(const Values& values, const std::string& all) {
  std::map<std::uint64_t, double> left = changes_of(values, all);
  for (const auto& [cause, unused] : values) {
    if (!is_single(cause)) continue;
    const auto changes = changes_of(values, cause);
    std::erase_if(left, [&](const auto& entry) { return !changes.contains(entry.first); });
    for (auto& [seed, change] : left) change -= changes.at(seed);
  }
  return numbers_of(left);
}

// The largest first, and those of a group behind it.
void sort_causes(std::vector<BudgetPart>& causes) {
  std::map<std::string, double> sizes;
  for (const BudgetPart& part : causes) sizes[part.name] = part.change.estimate;
  const auto has_group = [&](const BudgetPart& part) {
    return !part.group.empty() && sizes.contains(part.group);
  };
  std::ranges::stable_sort(causes, [&](const BudgetPart& a, const BudgetPart& b) {
    const auto key = [&](const BudgetPart& part) {
      return std::tuple(-sizes.at(has_group(part) ? part.group : part.name),
                        has_group(part) ? part.group : part.name, has_group(part), -part.change.estimate);
    };
    return key(a) < key(b);
  });
}

Budget budget_of(const std::pair<std::string, std::string>& subject, const Values& values) {
  Budget budget{.scene = subject.first, .method = subject.second};
  const auto whole = values.find("");
  if (whole == values.end())
    throw input_error("budget of {} / {}: no case has the value as it is", subject.first, subject.second);
  budget.whole = part_of("", numbers_of(whole->second));
  std::string all;
  for (const auto& [cause, unused] : values) {
    if (cause.empty()) continue;
    const std::vector<double> changes = numbers_of(changes_of(values, cause));
    if (!changes.empty()) budget.causes.push_back(part_of(cause, changes));
    // Of calibrations alone their group is all that there is.
    if (cause == kAllCauses || (!is_single(cause) && all.empty())) all = cause;
  }
  sort_causes(budget.causes);
  if (all.empty() || (all != kAllCauses && values.contains(kAllCauses))) return budget;
  if (const std::vector<double> rest = interactions_of(values, all); !rest.empty())
    budget.interaction = part_of("interaction", rest);
  return budget;
}

std::string interval_text(const BudgetPart& part) {
  if (!part.change.interval) return "n/a";
  return fmt::format("{:.3g} .. {:.3g}", part.change.interval->lower, part.change.interval->upper);
}

// Returns whether an interval leaves out 0.
bool is_certain(const BudgetPart& part) {
  return part.change.interval && (part.change.interval->lower > 0 || part.change.interval->upper < 0);
}

Banner banner_of(const Budget& budget) {
  Banner banner;
  const auto single = [](const BudgetPart& part) { return is_single(part.name); };
  const BudgetPart* largest = nullptr;
  for (const BudgetPart& part : budget.causes)
    if (single(part) && (largest == nullptr || part.change.estimate > largest->change.estimate))
      largest = &part;
  const std::string whole = fmt::format("{:.3g} {}", budget.whole.change.estimate, budget.unit);
  if (largest == nullptr || !(largest->change.estimate > 0)) {
    banner.title = fmt::format("of {}, no cause makes a part", whole);
    return banner;
  }
  banner.title = fmt::format("of {}, {:.3g} is {}{}", whole, largest->change.estimate,
                             largest->group.empty() ? "" : largest->group + ": ", largest->name);
  if (!largest->change.interval)
    banner.caution = fmt::format("{} seeds: intervals need {}", largest->seeds,
                                 minimum_pairs_for_interval(kBudgetConfidence));
  else if (!is_certain(*largest))
    banner.caution = "its interval holds 0: no cause stands out";
  return banner;
}

Json part_json(const BudgetPart& part) {
  Json json = {{"name", part.name}, {"value", part.change.estimate}, {"seeds", part.seeds}};
  if (!part.group.empty()) json["group"] = part.group;
  json["interval"] = nullptr;
  if (part.change.interval)
    json["interval"] = {{"lower", part.change.interval->lower},
                        {"upper", part.change.interval->upper},
                        {"coverage", part.change.interval->coverage}};
  return json;
}

}  // namespace

std::vector<Budget> budgets_of(const Results& results, std::string_view metric) {
  if (results.run.suite != kBudgetSuite)
    throw input_error("these are results of {}, not of a budget",
                      results.run.suite.empty() ? "a sweep" : results.run.suite);
  std::map<std::pair<std::string, std::string>, std::pair<Values, std::vector<std::string>>> subjects;
  std::string unit;
  bool is_known = false;
  for (const Record& record : results.records) {
    const std::string method = record.preset.empty() ? record.method : record.method + ":" + record.preset;
    auto& [values, failed] = subjects[{record.scene, method}];
    const Metric* const found = find_metric(record.metrics, metric);
    const ParameterValue* const seed = find_value(record.axes, "seed");
    if (found != nullptr) {
      is_known = true;
      unit = found->unit;
    }
    if (found != nullptr && found->value && seed != nullptr)
      values[taken_away(record.axes)][static_cast<std::uint64_t>(std::get<std::int64_t>(*seed))] =
          *found->value;
    else
      failed.push_back(fmt::format("{}: {}", record.case_name, reason_of(record, found)));
  }
  if (!is_known) throw usage_error("--metric {}: no case has such a value", metric);
  std::vector<Budget> budgets;
  for (auto& [subject, found] : subjects) {
    budgets.push_back(budget_of(subject, found.first));
    budgets.back().metric = metric;
    budgets.back().unit = unit;
    budgets.back().failed = std::move(found.second);
  }
  return budgets;
}

Section budget_section(const Budget& budget) {
  Section section{.id = "budget",
                  .title = fmt::format("{} / {}: {}", budget.scene, budget.method, budget.metric)};
  section.blocks.emplace_back(banner_of(budget));
  Table table =
      table_with({"cause", fmt::format(">part\n{}", budget.unit), ">95 % interval", ">share\n%", ">seeds"});
  const auto add = [&](const BudgetPart& part, const std::string& name) {
    table.rows.push_back(
        plain_row({name, fmt::format("{:.3g}", part.change.estimate), interval_text(part),
                   fmt::format("{:.0f}", 100 * part.change.estimate / budget.whole.change.estimate),
                   std::to_string(part.seeds)}));
  };
  add(budget.whole, "as it is");
  for (const BudgetPart& part : budget.causes) {
    const bool inside = !part.group.empty() && std::ranges::find(budget.causes, part.group,
                                                                 &BudgetPart::name) != budget.causes.end();
    add(part, inside ? "  of it " + part.name : part.name);
  }
  if (budget.interaction) add(*budget.interaction, "beyond the sum");
  section.blocks.emplace_back(std::move(table));
  if (budget.interaction)
    section.blocks.emplace_back(
        Paragraph{is_certain(*budget.interaction)
                      ? "The causes interact: together they make another error than one by one."
                      : "No interaction is certain."});
  if (!budget.failed.empty()) section.blocks.emplace_back(Lines{budget.failed, 10});
  return section;
}

Json to_json(const Budget& budget) {
  Json causes = Json::array();
  for (const BudgetPart& part : budget.causes) causes.push_back(part_json(part));
  Json json = {{"scene", budget.scene},
               {"method", budget.method},
               {"metric", budget.metric},
               {"unit", budget.unit},
               {"value", part_json(budget.whole)},
               {"causes", std::move(causes)},
               {"interaction", budget.interaction ? part_json(*budget.interaction) : Json()},
               {"failed", budget.failed}};
  json["value"].erase("name");
  return json;
}

}  // namespace aqbench
