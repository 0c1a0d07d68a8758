#include "harness/planning/plan_request.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_members.h"
#include "core/text.h"
#include "harness/records/json_parts.h"
#include "pipeline/opencl/opencl.h"
#include "pipeline/workloads/workload.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {
namespace {

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::vector<std::string> texts_of(const JsonPlace& place) {
  return from_json<std::vector<std::string>>(place);
}

RequestedProject read_project_part(const JsonPlace& place) {
  place.allow_only({"dir", "methods", "datasets", "rigs"});
  RequestedProject project{place.at("dir").text()};
  for (const JsonPlace& method : place.at("methods").elements())
    project.methods.push_back(declaration_from_json(method));
  if (const auto datasets = place.find("datasets"))
    for (const auto& [name, dataset] : datasets->members()) {
      dataset.allow_only({"directory", "truth"});
      const auto truth = dataset.find("truth");
      if (truth) truth_entry_at(*truth);
      project.datasets.push_back(
          {name, dataset.at("directory").text(), truth ? JsonBox(truth->value()) : JsonBox()});
    }
  if (const auto rigs = place.find("rigs"))
    for (const auto& [name, file] : rigs->members()) project.rigs.push_back({name, file.text()});
  return project;
}

using Strings = std::vector<std::string>;

bool is_workload(const std::string& name) {
  return std::ranges::find(workload_registry(), name, &WorkloadSpec::name) != workload_registry().end();
}

// Returns whether this is a case's name as printed by sweeps: "undulating/roma_like:fast/seed=43" or
// "absorption/size=512/seed=42".
void read_case_target(const Strings& parts, PlanRequest& plan) {
  std::size_t axes = 1;
  if (is_workload(parts[0])) {
    plan.workloads = {parts[0]};
  } else {
    plan.scenes = {parts[0]};
    plan.methods = {parts[1]};
    axes = 2;
  }
  for (; axes < parts.size(); ++axes) {
    Axis axis = parse_axis(parts[axes]);
    // Tables show a method's parameter without the method.
    if (!plan.methods.empty() && axis.name.find('.') == std::string::npos &&
        std::ranges::find(axis_names(), axis.name) == axis_names().end())
      axis.name = plan.methods[0].substr(0, plan.methods[0].find(':')) + "." + axis.name;
    plan.axes.push_back(std::move(axis));
  }
}

}  // namespace

Shard parse_shard(std::string_view argument) {
  const auto number = [](std::string_view text) { return parse_whole<std::size_t>(text).value_or(0); };
  const auto parts = split_at(argument, '/');
  const Shard shard{number(parts[0]), parts.size() == 2 ? number(parts[1]) : 0};
  if (shard.index < 1 || shard.index > shard.count || shard.count > kMaxCases)
    throw usage_error("--shard '{}': expected i/n with 1 <= i <= n", argument);
  return shard;
}

std::string to_string(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

Json requested_json(const PlanRequest& request) {
  Json sets = Json::array();
  for (const Override& given : request.sets) sets.push_back(override_text(given));
  Json injects = Json::array();
  for (const Inject& inject : request.injects) injects.push_back(to_string(inject));
  Json json = {{"suite", text_json(request.suite)},
               {"own_suite", request.own_suite ? to_json(*request.own_suite) : Json(nullptr)},
               {"scenes", request.scenes},
               {"methods", request.methods},
               {"workloads", request.workloads},
               {"timing", JsonOf<TimingRequest>::write(request.timing)},
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
  if (request.project.dir.empty() && request.project.methods.empty()) return json;
  Json& project = json["project"] = {{"dir", request.project.dir}, {"methods", Json::array()}};
  for (const MethodDeclaration& method : request.project.methods)
    project["methods"].push_back(to_json(method));
  for (const ProjectDataset& dataset : request.project.datasets) {
    Json& one = project["datasets"][dataset.name] = {{"directory", dataset.directory.string()}};
    if (!dataset.truth->empty()) one["truth"] = *dataset.truth;
  }
  for (const NamedRig& rig : request.project.rigs) project["rigs"][rig.name] = rig.file.string();
  return json;
}

PlanRequest request_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  root.allow_only({"suite", "own_suite", "scenes",    "methods", "axes",      "set",
                   "seed",  "repeat",    "threads",   "device",  "timeout_s", "memory_limit_bytes",
                   "shard", "inject",    "workloads", "timing",  "rig",       "imaging",
                   "width", "height",    "project"});
  PlanRequest request;
  request.suite = root.at("suite").text_or_null();
  if (const auto own = root.at("own_suite"); !own.is_null())
    request.own_suite = suite_from_json(own.value(), source + ": own_suite");
  request.scenes = texts_of(root.at("scenes"));
  request.methods = texts_of(root.at("methods"));
  if (const auto place = root.find("workloads")) request.workloads = texts_of(*place);
  if (const auto place = root.find("timing")) request.timing = from_json<TimingRequest>(*place);
  for (const auto& [name, place] : root.at("axes").members()) request.axes.push_back({name, texts_of(place)});
  for (const std::string& text : texts_of(root.at("set"))) request.sets.push_back(parse_override(text));
  request.seed = from_json<std::optional<std::uint64_t>>(root.at("seed"));
  request.repeat = from_json<std::optional<std::uint64_t>>(root.at("repeat"));
  if (const auto place = root.at("threads"); !place.is_null())
    request.threads = static_cast<int>(std::min<std::uint64_t>(place.count(), INT32_MAX));
  request.device = from_json<std::optional<std::string>>(root.at("device"));
  request.timeout_s = root.at("timeout_s").number_or_null();
  request.memory_limit_bytes = from_json<std::optional<std::uint64_t>>(root.at("memory_limit_bytes"));
  request.images = images_from_json(root);
  request.shard = parse_shard(root.at("shard").text());
  for (const std::string& text : texts_of(root.at("inject"))) request.injects.push_back(parse_inject(text));
  if (const auto project = root.find("project")) request.project = read_project_part(*project);
  return request;
}

void refuse_plan(const std::string& why) { throw Error(ErrorKind::usage, why); }

std::string devices_of(const PlanRequest& request) {
  for (const Axis& axis : request.axes)
    if (axis.name == "device") return fmt::format("{}", fmt::join(axis.values, ","));
  return request.device.value_or("cpu");
}

void check_device(const std::string& flag, const std::string& device) {
  if (device != "cpu" && device != "cuda" && !opencl::is_opencl(device))
    refuse_plan("{}: '{}' must be cpu, cuda, opencl or opencl:N", flag, device);
}

void check_request(const PlanRequest& request) {
  if (request.repeat && (*request.repeat < 1 || *request.repeat > kMaxCases))
    refuse_plan("--repeat {}: must be from 1 to {}", *request.repeat, kMaxCases);
  if (request.seed && *request.seed > kMaxSeed - kMaxCases)
    refuse_plan("--seed {}: must be at most {}", *request.seed, kMaxSeed - kMaxCases);
  if (request.threads && (*request.threads < 1 || *request.threads > kMaxThreads))
    refuse_plan("--threads {}: must be from 1 to {}", *request.threads, kMaxThreads);
  if (request.device) check_device("--device", *request.device);
  if (request.timeout_s &&
      !(std::isfinite(*request.timeout_s) && *request.timeout_s > 0 && *request.timeout_s <= kMaxTimeoutS))
    refuse_plan("--timeout {}: must be above 0 and at most {} seconds", *request.timeout_s, kMaxTimeoutS);
  if (request.memory_limit_bytes && *request.memory_limit_bytes == 0)
    refuse_plan("--memory-limit: must be positive");
  if (request.shard.count < 1 || request.shard.index < 1 || request.shard.index > request.shard.count)
    refuse_plan("--shard {}: must be i/n with 1 <= i <= n", to_string(request.shard));
}

// A name of both a method and a workload means the method if scenes are given, else the workload.
void read_profile_targets(const Strings& targets, PlanRequest& plan) {
  for (const std::string& target : targets) {
    const auto views = split_at(target, '/');
    const Strings parts(views.begin(), views.end());
    if (parts.size() == 1) {
      (plan.scenes.empty() && is_workload(target) ? plan.workloads : plan.methods).push_back(target);
      continue;
    }
    if (targets.size() > 1 || !plan.scenes.empty())
      throw usage_error("'{}' is a case name; give it alone and without --scene", target);
    return read_case_target(parts, plan);
  }
  if (!plan.methods.empty() && plan.scenes.empty()) plan.scenes = {"flat_plane"};
}

}  // namespace aqbench
