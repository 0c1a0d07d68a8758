#include "reports/exports/benchmark_json.h"

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/measuring/timing.h"
#include "harness/records/json_values.h"

namespace aqbench {
namespace {

const Json* find_path(const Json& json, std::initializer_list<const char*> path) {
  const Json* place = &json;
  for (const char* key : path) {
    if (!place->is_object() || !place->contains(key)) return nullptr;
    place = &place->at(key);
  }
  return place->is_null() ? nullptr : place;
}

Json context_json(const Results& results) {
  const Json& environment = *results.environment;
  const auto value = [&](std::initializer_list<const char*> path, Json otherwise) {
    const Json* const found = find_path(environment, path);
    return found == nullptr ? otherwise : *found;
  };
  return {{"date", results.run.started_utc},
          {"executable", "aqbench"},
          {"num_cpus", value({"cpu", "cores_usable"}, 0)},
          {"cpu_model", value({"cpu", "model"}, "unknown")},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", value({"load", "before"}, Json::array())},
          {"library_build_type", value({"build", "build_type"}, "") == "Debug" ? "debug" : "release"}};
}

std::int64_t threads_of(const Record& record) {
  for (const auto& [name, value] : record.axes)
    if (name == "threads")
      if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  return 1;
}

void append_samples(const Record& record, std::size_t family, std::string& list) {
  const Timing& timing = record.timing;
  const std::vector<double> samples =
      timing.warm_ms.empty() ? std::vector<double>{*timing.cold_ms} : timing.warm_ms;
  const std::string name = timing.warm_ms.empty() ? record.case_name + "/cold" : record.case_name;
  // Each entry has the throughput as a counter under the name of its unit.
  const auto typical = typical_ms(timing);
  const double items_per_ms = timing.throughput && typical ? *timing.throughput * *typical : 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Json entry = {{"name", name},
                  {"family_index", family},
                  {"per_family_instance_index", 0},
                  {"run_name", name},
                  {"run_type", "iteration"},
                  {"repetitions", samples.size()},
                  {"repetition_index", i},
                  {"threads", threads_of(record)},
                  {"iterations", 1},
                  {"real_time", samples[i]},
                  {"cpu_time", i < timing.cpu_ms.size() ? timing.cpu_ms[i] : samples[i]},
                  {"time_unit", "ms"}};
    if (items_per_ms > 0 && samples[i] > 0) entry[timing.throughput_unit] = items_per_ms / samples[i];
    list += (list.empty() ? "\n  " : ",\n  ") + indented_json(entry, 2);
  }
}

}  // namespace

std::string benchmark_json_text(const Results& results) {
  std::string benchmarks;  // as text, which takes a tenth of the room
  std::size_t family = 0;
  for (const Record& record : results.records)
    if (record.status == Status::ok && (!record.timing.warm_ms.empty() || record.timing.cold_ms))
      append_samples(record, family++, benchmarks);
  std::string text = indented_json({{"context", context_json(results)}, {"benchmarks", Json::array()}});
  text.resize(text.size() - std::string_view("]\n}").size());
  return text + benchmarks + (benchmarks.empty() ? "]\n}\n" : "\n ]\n}\n");
}

}  // namespace aqbench
