#include "harness/records/one_case.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/case.h"

namespace aqbench {

Results results_of_one_case(Record record, OneCaseRun run) {
  Case planned;
  planned.name = record.case_name;
  planned.scene = record.scene;
  planned.method = record.method;
  planned.preset = record.preset;
  planned.options = record.options;
  planned.defaults = record.defaults;
  Results results;
  results.run.id = run.started_utc;
  std::erase_if(results.run.id, [](char c) { return c == '-' || c == ':'; });
  results.run.suite = std::move(run.command);
  results.run.started_utc = std::move(run.started_utc);
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = 1;
  results.run.plan_sha256 = sha256_hex("[" + to_json(planned).dump() + "]");
  results.run.requested = std::move(run.requested);
  results.run.effective = std::move(run.effective);
  results.environment = std::move(run.environment);
  results.records = {std::move(record)};
  return results;
}

}  // namespace aqbench
