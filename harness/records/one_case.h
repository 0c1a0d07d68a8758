#pragma once
// The results of cases without a plan: what `eval` or `run` scored, or `import` read.

#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/record.h"
#include "harness/records/results.h"

namespace aqbench {

// What results say of such a run beside its record.
struct OneCaseRun {
  std::string started_utc;  // as utc_now() gives it
  JsonBox requested = {}, effective = {}, environment = {};
};

// Returns the text of the cases of these records, as of a plan (harness/planning/plan.h).
std::string cases_text_of(const std::vector<Record>& records);

// Returns results that `gate` and `compare` read: they plan these cases alone, and plan_sha256 is that of
// cases_text_of().
Results results_of_records(std::vector<Record> records, OneCaseRun run);

}  // namespace aqbench
