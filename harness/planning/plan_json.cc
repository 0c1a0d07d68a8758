#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/resources.h"
#include "harness/measuring/machine.h"
#include "harness/planning/plan.h"

namespace aqbench {
namespace {

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json axes_json(const std::vector<Axis>& axes) {
  Json json = Json::object();
  for (const Axis& axis : axes) json[axis.name] = axis.values;
  return json;
}

std::string override_text(const Override& given) {
  return fmt::format("{}.{}={}", given.owner, given.parameter, given.value);
}

Json named_values_json(const std::vector<std::pair<std::string, ParameterValue>>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = parameter_json(value);
  return json;
}

std::vector<std::string> texts_of(const JsonPlace& place) {
  std::vector<std::string> texts;
  for (const JsonPlace& element : place.elements()) texts.push_back(element.text());
  return texts;
}

Json images_json(const std::optional<CaseImages>& images) {
  if (!images) return nullptr;
  return {{"rig", images->rig},
          {"imaging", images->imaging},
          {"width_px", json_or_null(images->width_px)},
          {"height_px", json_or_null(images->height_px)}};
}

}  // namespace

std::uint64_t default_memory_limit_bytes() {
  const std::uint64_t machine = memory_total_bytes().value_or(std::uint64_t{4} << 30);
  return std::min(machine, cgroup_memory_limit_bytes().value_or(machine)) / 4 * 3;
}

Json to_json(const Case& planned) {
  Json overrides = Json::array();
  for (const Override& given : planned.overrides) overrides.push_back(override_text(given));
  Json faults = Json::array();
  for (const Fault& fault : planned.faults)
    faults.push_back({{"stage", fault.stage}, {"effect", fault.effect}});
  Json json = {{"case", planned.name},
               {"scene", planned.scene},
               {"method", planned.method},
               {"preset", planned.preset},
               {"workload", planned.workload},
               {"seed", planned.seed},
               {"threads", planned.threads},
               {"device", planned.device},
               {"simulated", planned.simulated},
               {"images", images_json(planned.images)},
               {"axes", named_values_json(planned.axes)},
               {"overrides", overrides},
               {"options", named_values_json(planned.options)},
               {"faults", faults}};
  if (planned.timing != TimingPlan{}) json["timing"] = to_json(planned.timing);
  return json;
}

Json requested_json(const PlanRequest& request) {
  Json sets = Json::array();
  for (const Override& given : request.sets) sets.push_back(override_text(given));
  Json injects = Json::array();
  for (const Inject& inject : request.injects) injects.push_back(to_string(inject));
  Json json = {{"suite", request.suite.empty() ? Json(nullptr) : Json(request.suite)},
               {"own_suite", request.own_suite ? to_json(*request.own_suite) : Json(nullptr)},
               {"scenes", request.scenes},
               {"methods", request.methods},
               {"workloads", request.workloads},
               {"timing", to_json(request.timing)},
               {"axes", axes_json(request.axes)},
               {"set", sets},
               {"seed", json_or_null(request.seed)},
               {"repeat", json_or_null(request.repeat)},
               {"threads", json_or_null(request.threads)},
               {"device", json_or_null(request.device)},
               {"timeout_s", json_or_null(request.timeout_s)},
               {"memory_limit_bytes", json_or_null(request.memory_limit_bytes)},
               {"shard", to_string(request.shard)},
               {"inject", injects}};
  add_images(json, request.images);
  return json;
}

PlanRequest request_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  root.allow_only({"suite", "own_suite", "scenes",    "methods", "axes",      "set",
                   "seed",  "repeat",    "threads",   "device",  "timeout_s", "memory_limit_bytes",
                   "shard", "inject",    "workloads", "timing",  "rig",       "imaging",
                   "width", "height"});
  PlanRequest request;
  request.suite = root.at("suite").text_or_null();
  if (const auto own = root.at("own_suite"); !own.is_null())
    request.own_suite = suite_from_json(own.value(), source + ": own_suite");
  request.scenes = texts_of(root.at("scenes"));
  request.methods = texts_of(root.at("methods"));
  if (const auto place = root.find("workloads")) request.workloads = texts_of(*place);
  if (const auto place = root.find("timing"))
    request.timing = timing_request_from_json(place->value(), source + ": timing");
  for (const auto& [name, place] : root.at("axes").members()) request.axes.push_back({name, texts_of(place)});
  for (const std::string& text : texts_of(root.at("set"))) request.sets.push_back(parse_override(text));
  if (const auto place = root.at("seed"); !place.is_null()) request.seed = place.count();
  if (const auto place = root.at("repeat"); !place.is_null()) request.repeat = place.count();
  if (const auto place = root.at("threads"); !place.is_null())
    request.threads = static_cast<int>(std::min<std::uint64_t>(place.count(), INT32_MAX));
  if (const auto place = root.at("device"); !place.is_null()) request.device = place.text();
  request.timeout_s = root.at("timeout_s").number_or_null();
  if (const auto place = root.at("memory_limit_bytes"); !place.is_null())
    request.memory_limit_bytes = place.count();
  request.images = images_from_json(root);
  request.shard = parse_shard(root.at("shard").text());
  for (const std::string& text : texts_of(root.at("inject"))) request.injects.push_back(parse_inject(text));
  return request;
}

Json effective_json(const SweepPlan& plan) {
  std::vector<std::string> scenes, methods, workloads, devices;
  std::vector<std::uint64_t> seeds;
  std::vector<int> threads;
  const auto add = [](auto& list, const auto& value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  };
  Json axes = Json::object();
  for (const Case& planned : plan.cases) {
    if (!planned.workload.empty()) {
      add(workloads, planned.workload);
    } else {
      add(scenes, planned.scene);
      add(methods, planned.preset.empty() ? planned.method : planned.method + ":" + planned.preset);
    }
    add(devices, planned.device);
    add(seeds, planned.seed);
    add(threads, planned.threads);
    for (const auto& [name, value] : planned.axes) {
      Json& values = axes[name];
      const Json json = parameter_json(value);
      if (std::ranges::find(values, json) == values.end()) values.push_back(json);
    }
  }
  return {{"suite", plan.suite.empty() ? Json(nullptr) : Json(plan.suite)},
          {"scenes", scenes},
          {"methods", methods},
          {"workloads", workloads},
          {"seeds", seeds},
          {"threads", threads},
          {"devices", devices},
          {"axes", axes},
          {"timeout_s", plan.timeout_s},
          {"memory_limit_bytes", plan.memory_limit_bytes},
          {"shard", to_string(plan.request.shard)},
          {"cases", plan.cases.size()},
          {"cases_in_all_shards", plan.cases_in_all_shards},
          {"plan_sha256", plan.sha256},
          {"all_shards_sha256", plan.all_shards_sha256}};
}

}  // namespace aqbench
