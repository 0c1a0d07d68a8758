#include "reports/content/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/planning/budget_plan.h"
#include "metrics/metric.h"

namespace aqbench {
namespace {

constexpr double kBudgetConfidence = 0.95;

// What was taken away, the values of a metric by seed, and how many cases lack it.
struct Outcome {
  std::vector<std::string> causes = {};
  std::map<std::uint64_t, double> values = {};
  std::size_t failed = 0;
};

// By what was taken away; "" for nothing.
using Outcomes = std::map<std::string, Outcome>;

std::string group_of(const std::string& cause) {
  const auto found = std::ranges::find(budget_causes(), cause, &BudgetCause::name);
  return found == budget_causes().end() ? std::string() : found->group;
}

bool is_single(const std::string& cause) {
  return std::ranges::find(budget_causes(), cause, &BudgetCause::name) != budget_causes().end();
}

BudgetPart part_of(const std::string& name, const std::vector<double>& values, const Outcome& outcome = {}) {
  BudgetPart part{.name = name, .group = group_of(name), .change = {}, .seeds = values.size()};
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

std::vector<double> numbers_of(const std::map<std::uint64_t, double>& by_seed) {
  std::vector<double> numbers;
  for (const auto& [seed, value] : by_seed) numbers.push_back(value);
  return numbers;
}

// What causes make together beyond the sum of each alone, by seeds that have all.
std::vector<double> interactions_of(const Outcomes& outcomes, const std::string& together) {
  std::map<std::uint64_t, double> left = changes_of(outcomes, together);
  for (const std::string& cause : outcomes.at(together).causes) {
    if (!outcomes.contains(cause)) return {};
    const auto changes = changes_of(outcomes, cause);
    std::erase_if(left, [&](const auto& entry) { return !changes.contains(entry.first); });
    for (auto& [seed, change] : left) change -= changes.at(seed);
  }
  return numbers_of(left);
}

// 1 where a larger value is worse, else -1; a value that should be 0 gets worse away from it.
double worse_sign(const Budget& budget) {
  const bool is_below = budget.better == Better::equal && budget.whole.change.estimate < 0;
  return budget.better == Better::higher || is_below ? -1 : 1;
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

Budget budget_of(const std::pair<std::string, std::string>& subject, Outcomes& outcomes, Better better) {
  Budget budget{.scene = subject.first, .method = subject.second, .better = better};
  const Outcome& whole = outcomes[""];
  budget.whole = part_of("", numbers_of(whole.values), whole);
  std::string all;
  for (const auto& [cause, outcome] : outcomes) {
    if (cause.empty()) continue;
    if (outcome.causes.size() > (all.empty() ? 1 : outcomes.at(all).causes.size())) all = cause;
    if (outcome.causes.size() != 2 || cause != name_of_pair(outcome.causes))
      budget.causes.push_back(part_of(cause, numbers_of(changes_of(outcomes, cause)), outcome));
    if (outcome.causes.size() != 2) continue;
    if (const std::vector<double> rest = interactions_of(outcomes, cause); !rest.empty())
      budget.pairs.push_back(part_of(name_of_pair(outcome.causes), rest));
  }
  sort_causes(worse_sign(budget), budget.causes);
  std::ranges::stable_sort(budget.pairs, std::greater(),
                           [](const BudgetPart& pair) { return std::abs(pair.change.estimate); });
  if (all.empty()) return budget;
  if (outcomes.at(all).causes.size() == 2) budget.pairs.clear();  // the one pair is all of them
  if (const std::vector<double> rest = interactions_of(outcomes, all); !rest.empty())
    budget.interaction = part_of("interaction", rest);
  return budget;
}

std::string number_text(const BudgetPart& part) {
  return part.seeds == 0 ? "n/a" : fmt::format("{:.3g}", part.change.estimate);
}

// The share of the value as it is; of a value of which more is better the causes make no share.
std::string share_text(const Budget& budget, const BudgetPart& part) {
  const double whole = budget.whole.change.estimate;
  if (part.seeds == 0 || whole == 0 || budget.better == Better::higher) return "n/a";
  return fmt::format("{:.0f}", 100 * part.change.estimate / whole);
}

std::string failed_text(const BudgetPart& part) { return fmt::format("{} of {}", part.failed, part.cases); }

std::string interval_text(const BudgetPart& part) {
  if (!part.change.interval) return "n/a";
  return fmt::format("{:.3g} .. {:.3g}", part.change.interval->lower, part.change.interval->upper);
}

// Returns whether an interval leaves out 0.
bool is_certain(const BudgetPart& part) {
  return part.change.interval && (part.change.interval->lower > 0 || part.change.interval->upper < 0);
}

// The single cause for which a number is largest, if that is above a bound.
template <class Number>
const BudgetPart* largest_of(const Budget& budget, double bound, Number&& number) {
  const BudgetPart* largest = nullptr;
  for (const BudgetPart& part : budget.causes) {
    if (!is_single(part.name) || !(number(part) > bound)) continue;
    bound = number(part);
    largest = &part;
  }
  return largest;
}

// Says how many cases fail as it is, and without which cause the fewest do; "" if none fails.
std::string failure_text(const Budget& budget) {
  const std::size_t failed = budget.whole.failed;
  if (failed == 0) return {};
  std::string text = fmt::format("as it is, {} cases have no value", failed_text(budget.whole));
  const BudgetPart* const cause = largest_of(
      budget, 0, [&](const BudgetPart& part) { return static_cast<double>(failed) - part.failed; });
  if (cause != nullptr) text += fmt::format("; without {}, {}", cause->name, failed_text(*cause));
  return text;
}

Banner banner_of(const Budget& budget) {
  Banner banner;
  if (budget.whole.seeds == 0) {
    banner.title = failure_text(budget);
    return banner;
  }
  banner.caution = failure_text(budget);
  const BudgetPart* const largest = largest_of(
      budget, 0, [&](const BudgetPart& part) { return worse_sign(budget) * part.change.estimate; });
  const std::string whole = fmt::format("{:.3g} {}", budget.whole.change.estimate, budget.unit);
  if (largest == nullptr) {
    banner.title = fmt::format("of {}, no cause makes a part", whole);
    return banner;
  }
  const std::string name = (largest->group.empty() ? "" : largest->group + ": ") + largest->name;
  banner.title = budget.better == Better::higher
                     ? fmt::format("{}, {:.3g} more without {}", whole, -largest->change.estimate, name)
                     : fmt::format("of {}, {:.3g} is {}", whole, largest->change.estimate, name);
  if (!banner.caution.empty()) banner.caution += ". ";
  if (!largest->change.interval)
    banner.caution += fmt::format("{}: intervals need {}", counted(largest->seeds, "seed"),
                                  minimum_pairs_for_interval(kBudgetConfidence));
  else if (!is_certain(*largest))
    banner.caution += "its interval holds 0: no cause stands out";
  return banner;
}

std::string interaction_text(const Budget& budget) {
  if (!budget.interaction) return {};
  const bool any_pair = std::ranges::any_of(budget.pairs, is_certain);
  if (!is_certain(*budget.interaction) && !any_pair) return "No interaction is certain.";
  return std::string("The causes interact: together they make another error than one by one.") +
         (any_pair               ? " The pairs above do."
          : budget.pairs.empty() ? " --pairs measures which two."
                                 : "");
}

// The parts with their intervals around zero, to the right those that make the value worse.
Chart chart_of(const Budget& budget) {
  Chart chart{.title = "part of each cause",
              .note = "with its interval; to the right what makes the value worse",
              .unit = budget.unit};
  for (const BudgetPart& part : budget.causes) {
    if (part.seeds == 0) continue;
    const double worse = worse_sign(budget), middle = worse * part.change.estimate;
    const ShiftInterval around =
        part.change.interval.value_or(ShiftInterval{part.change.estimate, part.change.estimate, 0});
    auto& row = chart.rows.emplace_back();
    row.label = row.tip = part.name;
    row.interval = {.low = std::min(worse * around.lower, worse * around.upper),
                    .estimate = middle,
                    .high = std::max(worse * around.lower, worse * around.upper)};
    if (is_certain(part)) row.colour = middle > 0 ? Colour::red : Colour::green;
    row.number = number_text(part);
  }
  return chart;
}

Json part_json(const BudgetPart& part) {
  Json json = {{"name", part.name},
               {"value", part.seeds > 0 ? Json(part.change.estimate) : Json()},
               {"seeds", part.seeds},
               {"failed", part.failed}};
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

Section budget_section(const Budget& budget) {
  Section section{.id = "budget",
                  .title = fmt::format("{} / {}: {}", budget.scene, budget.method, budget.metric)};
  section.blocks.emplace_back(banner_of(budget));
  const std::string unit = fmt::format(">part\n{}", budget.unit);
  const bool has_failed = !budget.failed.empty();
  Table table = has_failed ? table_with({"cause", unit, ">95 % interval", ">share\n%", ">seeds", ">no value"})
                           : table_with({"cause", unit, ">95 % interval", ">share\n%", ">seeds"});
  const auto add = [&](const BudgetPart& part, const std::string& name) {
    std::vector<std::string> row = {name, number_text(part), interval_text(part), share_text(budget, part),
                                    std::to_string(part.seeds)};
    if (has_failed) row.push_back(part.cases > 0 ? failed_text(part) : "");
    table.rows.push_back(plain_row(row));
  };
  add(budget.whole, "as it is");
  for (const BudgetPart& part : budget.causes) {
    const bool inside = !part.group.empty() && std::ranges::find(budget.causes, part.group,
                                                                 &BudgetPart::name) != budget.causes.end();
    add(part, inside ? "  of it " + part.name : part.name);
  }
  if (budget.interaction) add(*budget.interaction, "beyond the sum");
  for (const BudgetPart& pair : budget.pairs)
    if (is_certain(pair)) add(pair, "  " + pair.name);
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(Paragraph{interaction_text(budget)});
  section.blocks.emplace_back(chart_of(budget));
  if (!budget.failed.empty()) section.blocks.emplace_back(Lines{budget.failed, 10});
  return section;
}

std::vector<Section> budget_sections(const Results& results) {
  std::vector<Section> sections;
  const auto has_metric = [](const Record& record) {
    return find_metric(record.metrics, kBudgetMetric) != nullptr;
  };
  if (results.run.suite != kBudgetSuite || std::ranges::none_of(results.records, has_metric)) return sections;
  for (const Budget& budget : budgets_of(results, kBudgetMetric)) sections.push_back(budget_section(budget));
  return sections;
}

Json to_json(const Budget& budget) {
  Json causes = Json::array(), pairs = Json::array();
  for (const BudgetPart& part : budget.causes) causes.push_back(part_json(part));
  for (const BudgetPart& pair : budget.pairs) pairs.push_back(part_json(pair));
  Json json = {{"scene", budget.scene},
               {"method", budget.method},
               {"metric", budget.metric},
               {"unit", budget.unit},
               {"value", part_json(budget.whole)},
               {"causes", std::move(causes)},
               {"interaction", budget.interaction ? part_json(*budget.interaction) : Json()},
               {"pairs", std::move(pairs)},
               {"failed", budget.failed}};
  json["value"].erase("name");
  return json;
}

}  // namespace aqbench
