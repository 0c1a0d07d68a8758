#pragma once
// The results of one case that was scored without a plan, by `eval` or `run`.

#include <string>

#include "core/json.h"
#include "harness/records/record.h"
#include "harness/records/results.h"

namespace aqbench {

// What results say of such a run beside its record.
struct OneCaseRun {
  std::string command;      // "eval": stands where a sweep has its suite
  std::string started_utc;  // as utc_now() gives it
  JsonBox requested = {}, effective = {}, environment = {};
};

// Returns results that `gate` and `compare` read: they plan this case alone, and plan_sha256 is that of its
// JSON, as of a plan (harness/planning/plan.h).
Results results_of_one_case(Record record, OneCaseRun run);

}  // namespace aqbench
