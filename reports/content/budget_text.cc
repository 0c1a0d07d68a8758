#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"
#include "harness/planning/budget_plan.h"
#include "reports/content/budget.h"

namespace aqbench {
namespace {

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
    if (!is_single_cause(part.name) || !(number(part) > bound)) continue;
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
  if (is_single_cause(part.name)) json["largest_in"] = part.largest_in;
  if (part.change.interval)
    json["interval"] = {{"lower", part.change.interval->lower},
                        {"upper", part.change.interval->upper},
                        {"coverage", part.change.interval->coverage}};
  return json;
}

}  // namespace

Section budget_section(const Budget& budget) {
  Section section{.id = "budget",
                  .title = fmt::format("{} / {}: {}", budget.scene, budget.method, budget.metric)};
  section.blocks.emplace_back(banner_of(budget));
  const std::string unit = fmt::format(">part\n{}", budget.unit);
  const bool has_failed = !budget.failed.empty();
  Table table = table_with({"cause", unit, ">95 % interval", ">share\n%", ">seeds", ">largest\nin"});
  if (has_failed) table.columns.push_back({"no value", Align::right});
  const auto add = [&](const BudgetPart& part, const std::string& name) {
    std::vector<std::string> row = {name,
                                    number_text(part),
                                    interval_text(part),
                                    share_text(budget, part),
                                    std::to_string(part.seeds),
                                    is_single_cause(part.name) ? std::to_string(part.largest_in) : ""};
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
