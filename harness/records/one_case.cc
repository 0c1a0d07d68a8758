#include "harness/records/one_case.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/case.h"

namespace aqbench {

std::string cases_text_of(const std::vector<Record>& records) {
  std::vector<const Record*> sorted;
  for (const Record& record : records) sorted.push_back(&record);
  std::ranges::sort(sorted, {}, &Record::case_name);
  std::string text;
  for (const Record* const record : sorted) {
    Case planned;
    planned.name = record->case_name;
    planned.scene = record->scene;
    planned.method = record->method;
    planned.preset = record->preset;
    planned.options = record->options;
    planned.defaults = record->defaults;
    if (const ParameterValue* const seed = find_value(record->axes, "seed"))
      planned.seed = static_cast<std::uint64_t>(std::get<std::int64_t>(*seed));
    if (find_value(record->axes, "threads") == nullptr) {  // how it ran is unknown
      planned.threads = 0;
      planned.device.clear();
    }
    text += (text.empty() ? "[" : ",") + to_json(planned).dump();
  }
  return text + "]";
}

Results results_of_records(std::vector<Record> records, OneCaseRun run) {
  Results results;
  results.run.id = run.started_utc;
  std::erase_if(results.run.id, [](char c) { return c == '-' || c == ':'; });
  results.run.started_utc = std::move(run.started_utc);
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = records.size();
  results.run.plan_sha256 = sha256_hex(cases_text_of(records));
  results.run.requested = std::move(run.requested);
  results.run.effective = std::move(run.effective);
  results.environment = std::move(run.environment);
  results.records = std::move(records);
  return results;
}

}  // namespace aqbench
