#pragma once
// How much of an error each cause makes, from the records of a budget's plan
// (harness/planning/budget_plan.h).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "harness/records/results.h"
#include "harness/statistics/signed_rank.h"
#include "reports/document/document.h"

namespace aqbench {

// A value over the seeds, and its 95 % interval, which needs six seeds (harness/statistics/signed_rank.h).
struct BudgetPart {
  std::string name, group;
  HodgesLehmann change;    // of a cause: the value as it is less that without the cause, by pairs of seeds
  std::size_t seeds = 0;   // with the value; 0: `change` has no meaning
  std::size_t cases = 0;   // of the cause
  std::size_t failed = 0;  // of these without the value
  // Seeds in which a single cause makes the value worse most; where there is no value as it is, those in
  // which it is the only one without which there is one.
  std::size_t largest_in = 0;
};

// The budget of one scene and method.
struct Budget {
  std::string scene, method, metric = {}, unit = {};
  Better better = Better::lower;
  BudgetPart whole = {};                       // the value as it is
  std::vector<BudgetPart> causes = {};         // the one that harms most first; those of a group behind it
  std::optional<BudgetPart> interaction = {};  // what all of them together make beyond the sum of each alone
  std::vector<BudgetPart> pairs = {};          // what two of them make beyond their sum, the largest first
  std::vector<std::string> failed = {};        // cases without the value, and why
};

inline constexpr double kBudgetConfidence = 0.95;  // of intervals

// The metric that is divided up unless another is asked for.
inline constexpr const char* kBudgetMetric = "accuracy_rmse_mm";

// Returns the budgets of a metric. Throws Error(input) for results of another plan; Error(usage) for a metric
// that no case has where cases have others.
std::vector<Budget> budgets_of(const Results& results, std::string_view metric);

// Returns whether a part is of one cause, not of a group.
bool is_single_cause(const std::string& name);

// Returns 1 where a larger value is worse, else -1; a value that should be 0 gets worse away from it.
double worse_sign(const Budget& budget);

// Return a budget for readers and programs, and those of a run, of kBudgetMetric; none of another run.
Section budget_section(const Budget& budget);
std::vector<Section> budget_sections(const Results& results);
Json to_json(const Budget& budget);

}  // namespace aqbench
