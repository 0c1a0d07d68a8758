#pragma once
// The plan of a budget of errors: the same scenes and seeds as they are, and with one cause of errors taken
// away at a time.

#include <string>
#include <vector>

#include "harness/planning/plan_request.h"
#include "harness/records/record.h"

namespace aqbench {

// A cause of errors, and the settings that take it away: "imaging.noise_sigma=0". One with a group is a part
// of that, such as of the calibration.
struct BudgetCause {
  std::string name;
  std::string group;
  std::vector<std::string> settings;
};

inline constexpr const char* kBudgetSuite = "budget";
inline constexpr const char* kAllCauses = "all of them";

// Returns all causes.
const std::vector<BudgetCause>& budget_causes();

// Returns the request as one of a suite of its own: each case as it was asked for, without each cause that it
// has, with `pairs` without each two of them, without each group of several, and without all. Throws
// Error(usage) for a request without any cause.
PlanRequest budget_request(PlanRequest asked, bool pairs = false);

// Returns the causes that were taken away in the case of these axes, in the order of budget_causes().
std::vector<std::string> taken_away(const NamedValues& axes);

// Returns how these causes are called where `present` are those of the whole plan: a cause, "A with B", the
// group that they are all of, kAllCauses, or "" for none. If all of a plan are of one group, it is that.
std::string name_of_causes(const std::vector<std::string>& taken, const std::vector<std::string>& present);

// Returns "A with B".
std::string name_of_pair(const std::vector<std::string>& two);

}  // namespace aqbench
