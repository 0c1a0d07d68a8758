#include "reports/content/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "harness/planning/budget_plan.h"
#include "metrics/metric.h"

namespace aqbench {
namespace {

// What was taken away, the values of a metric by seed, and how many cases lack it.
struct Outcome {
  std::vector<std::string> causes = {};
  std::map<std::uint64_t, double> values = {};
  std::size_t failed = 0;
};

// By what was taken away; "" for nothing.
using Outcomes = std::map<std::string, Outcome>;

// The values, or changes, by their seeds.
BudgetPart part_of(const std::string& name, const std::map<std::uint64_t, double>& by_seed,
                   const Outcome& outcome = {}) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  BudgetPart part{.name = name, .group = {}, .change = {}, .seeds = values.size()};
  const auto cause = std::ranges::find(budget_causes(), name, &BudgetCause::name);
  if (cause != budget_causes().end()) part.group = cause->group;
  part.failed = outcome.failed;
  part.cases = outcome.values.size() + outcome.failed;
  if (!values.empty()) part.change = hodges_lehmann(values, kBudgetConfidence);
  return part;
}

std::string reason_of(const Record& record, const Metric* found) {
  if (!record.reason.empty()) return record.reason;
  return found == nullptr ? "has no such value" : std::string(found->reason);
}

// The value as it is less that without a cause, for each seed that has both.
std::map<std::uint64_t, double> changes_of(const Outcomes& outcomes, const std::string& cause) {
  std::map<std::uint64_t, double> changes;
  const std::map<std::uint64_t, double>& as_it_is = outcomes.at("").values;
  for (const auto& [seed, without] : outcomes.at(cause).values) {
    const auto whole = as_it_is.find(seed);
    if (whole != as_it_is.end()) changes[seed] = whole->second - without;
  }
  return changes;
}

// What causes make together beyond the sum of each alone, by seeds that have all.
std::map<std::uint64_t, double> interactions_of(const Outcomes& outcomes, const std::string& together) {
  std::map<std::uint64_t, double> left = changes_of(outcomes, together);
  for (const std::string& cause : outcomes.at(together).causes) {
    if (!outcomes.contains(cause)) return {};
    const auto changes = changes_of(outcomes, cause);
    std::erase_if(left, [&](const auto& entry) { return !changes.contains(entry.first); });
    for (auto& [seed, change] : left) change -= changes.at(seed);
  }
  return left;
}

// The one that makes the value worse most first, and those of a group behind it.
void sort_causes(double worse, std::vector<BudgetPart>& causes) {
  std::map<std::string, double> sizes;
  for (const BudgetPart& part : causes) sizes[part.name] = worse * part.change.estimate;
  const auto has_group = [&](const BudgetPart& part) {
    return !part.group.empty() && sizes.contains(part.group);
  };
  std::ranges::stable_sort(causes, [&](const BudgetPart& a, const BudgetPart& b) {
    const auto key = [&](const BudgetPart& part) {
      return std::tuple(-sizes.at(has_group(part) ? part.group : part.name),
                        has_group(part) ? part.group : part.name, has_group(part), -sizes.at(part.name));
    };
    return key(a) < key(b);
  });
}

// Returns of each cause in how many seeds it makes the value worse most, or, where there is no value as it
// is, is the only one without which there is one.
std::map<std::string, std::size_t> leaders_of(const Outcomes& outcomes, double worse) {
  std::set<std::uint64_t> seeds;
  for (const auto& [cause, outcome] : outcomes)
    for (const auto& [seed, value] : outcome.values) seeds.insert(seed);
  const std::map<std::uint64_t, double>& as_it_is = outcomes.at("").values;
  std::map<std::string, std::size_t> leaders;
  for (const std::uint64_t seed : seeds) {
    const auto whole = as_it_is.find(seed);
    std::string leader;
    double most = 0;
    for (const auto& [cause, outcome] : outcomes) {
      const auto without = outcome.values.find(seed);
      if (!is_single_cause(cause) || without == outcome.values.end()) continue;
      if (whole == as_it_is.end()) {
        leader = most == 0 ? cause : std::string();
        most = 1;
      } else if (const double part = worse * (whole->second - without->second); part > most) {
        leader = cause;
        most = part;
      }
    }
    ++leaders[leader];
  }
  return leaders;
}

Budget budget_of(const std::pair<std::string, std::string>& subject, Outcomes& outcomes, Better better) {
  Budget budget{.scene = subject.first, .method = subject.second, .better = better};
  const Outcome& whole = outcomes[""];
  budget.whole = part_of("", whole.values, whole);
  std::string all;
  for (const auto& [cause, outcome] : outcomes) {
    if (cause.empty()) continue;
    if (outcome.causes.size() > (all.empty() ? 1 : outcomes.at(all).causes.size())) all = cause;
    if (outcome.causes.size() != 2 || cause != name_of_pair(outcome.causes))
      budget.causes.push_back(part_of(cause, changes_of(outcomes, cause), outcome));
    if (outcome.causes.size() != 2) continue;
    if (const auto rest = interactions_of(outcomes, cause); !rest.empty())
      budget.pairs.push_back(part_of(name_of_pair(outcome.causes), rest));
  }
  sort_causes(worse_sign(budget), budget.causes);
  const std::map<std::string, std::size_t> leaders = leaders_of(outcomes, worse_sign(budget));
  for (BudgetPart& part : budget.causes)
    if (const auto found = leaders.find(part.name); found != leaders.end()) part.largest_in = found->second;
  std::ranges::stable_sort(budget.pairs, std::greater(),
                           [](const BudgetPart& pair) { return std::abs(pair.change.estimate); });
  if (all.empty()) return budget;
  if (outcomes.at(all).causes.size() == 2) budget.pairs.clear();  // the one pair is all of them
  if (const auto rest = interactions_of(outcomes, all); !rest.empty())
    budget.interaction = part_of("interaction", rest);
  return budget;
}

}  // namespace

bool is_single_cause(const std::string& name) {
  return std::ranges::find(budget_causes(), name, &BudgetCause::name) != budget_causes().end();
}

double worse_sign(const Budget& budget) {
  const bool is_below = budget.better == Better::equal && budget.whole.change.estimate < 0;
  return budget.better == Better::higher || is_below ? -1 : 1;
}

std::vector<Budget> budgets_of(const Results& results, std::string_view metric) {
  if (results.run.suite != kBudgetSuite)
    throw input_error("these are results of {}, not of a budget",
                      results.run.suite.empty() ? "a sweep" : results.run.suite);
  std::map<std::pair<std::string, std::string>, std::pair<Outcomes, std::vector<std::string>>> subjects;
  std::string unit;
  Better better = Better::lower;
  bool may_know = std::ranges::all_of(results.records, [](const Record& r) { return r.metrics.empty(); });
  NamedValues axes;
  for (const Record& record : results.records)
    axes.insert(axes.end(), record.axes.begin(), record.axes.end());
  const std::vector<std::string> present = taken_away(axes);
  for (const Record& record : results.records) {
    const std::string method = record.preset.empty() ? record.method : record.method + ":" + record.preset;
    auto& [outcomes, failed] = subjects[{record.scene, method}];
    const std::vector<std::string> taken = taken_away(record.axes);
    Outcome& outcome = outcomes[name_of_causes(taken, present)];
    outcome.causes = taken;
    const Metric* const found = find_metric(record.metrics, metric);
    const ParameterValue* const seed = find_value(record.axes, "seed");
    if (found != nullptr) {
      may_know = true;
      unit = found->unit;
      better = found->better;
    }
    if (found != nullptr && found->value && seed != nullptr) {
      outcome.values[static_cast<std::uint64_t>(std::get<std::int64_t>(*seed))] = *found->value;
    } else {
      ++outcome.failed;
      failed.push_back(fmt::format("{}: {}", record.case_name, reason_of(record, found)));
    }
  }
  if (!may_know) throw usage_error("--metric {}: no case has such a value", metric);
  std::vector<Budget> budgets;
  for (auto& [subject, found] : subjects) {
    budgets.push_back(budget_of(subject, found.first, better));
    budgets.back().metric = metric;
    budgets.back().unit = unit;
    budgets.back().failed = std::move(found.second);
  }
  return budgets;
}

}  // namespace aqbench
