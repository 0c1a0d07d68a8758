#include "harness/gating/stored_times.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/quantiles.h"
#include "harness/records/comparability.h"

namespace aqbench {
namespace {

// Only files of some other tools are so.
constexpr const char* kNoMachine =
    "the file does not say on which machine it was measured; if it was this one, add --measured-here";

double positive(const JsonPlace& place) {
  if (!(place.number() > 0)) place.fail("must be positive");
  return place.number();
}

}  // namespace

std::optional<double> median_warm_ms(const Record& record) {
  if (record.timing.warm_ms.size() < kLeastStoredRuns) return std::nullopt;
  return median_of(record.timing.warm_ms);
}

StoredTimes stored_times_of(const Results& results) {
  StoredTimes times;
  const Json comparability = comparability_of(*results.environment);
  if (!comparability.is_object()) throw input_error("stored times: {}", kNoMachine);
  times.comparability = comparability;
  for (const Record& record : results.records) {
    const std::optional<double> median_ms = median_warm_ms(record);
    if (record.status != Status::ok || !median_ms) continue;
    times.cases.push_back({record.case_name, *median_ms, record.timing.throughput,
                           record.timing.throughput ? record.timing.throughput_unit : ""});
  }
  if (times.cases.empty())
    throw input_error("stored times: no case has {} warm runs (--repetitions)", kLeastStoredRuns);
  return times;
}

std::vector<std::string> comparability_differences(const StoredTimes& stored, const Results& results) {
  const Json now = comparability_of(*results.environment);
  if (!now.is_object()) return {kNoMachine};
  return comparability_differences(*stored.comparability, now, "the baseline's");
}

Json to_json(const StoredTimes& times) {
  Json cases = Json::object();
  for (const StoredTime& time : times.cases) {
    Json one = {{"median_ms", time.median_ms}};
    if (time.throughput) {
      one["throughput"] = *time.throughput;
      one["throughput_unit"] = time.throughput_unit;
    }
    // Appends without looking up the name; names are unique.
    cases.get_ref<Json::object_t&>().emplace_back(time.case_name, std::move(one));
  }
  return {{"comparability", *times.comparability}, {"cases", std::move(cases)}};
}

StoredTimes stored_times_from_json(const JsonPlace& place) {
  place.allow_only({"comparability", "cases"});
  StoredTimes times;
  place.at("comparability").members();
  times.comparability = place.at("comparability").value();
  for (const auto& [name, one] : place.at("cases").members()) {
    one.allow_only({"median_ms", "throughput", "throughput_unit"});
    StoredTime time{name, positive(one.at("median_ms")), {}, {}};
    if (const auto throughput = one.find("throughput")) {
      time.throughput = positive(*throughput);
      time.throughput_unit = one.at("throughput_unit").text();
    }
    times.cases.push_back(std::move(time));
  }
  if (times.cases.empty()) place.at("cases").fail("is empty, so nothing would be gated");
  return times;
}

}  // namespace aqbench
