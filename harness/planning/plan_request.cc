#include "harness/planning/plan_request.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_members.h"
#include "harness/records/json_values.h"
#include "pipeline/opencl/opencl.h"
#include "scenes/dataset/truth_entry.h"

namespace aqbench {
namespace {

constexpr double kMaxTimeoutS = 1e7;

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::vector<std::string> texts_of(const JsonPlace& place) {
  std::vector<std::string> texts;
  for (const JsonPlace& element : place.elements()) texts.push_back(element.text());
  return texts;
}

RequestedProject read_project_part(const JsonPlace& place) {
  place.allow_only({"dir", "methods", "datasets"});
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
  return project;
}

}  // namespace

Shard parse_shard(std::string_view argument) {
  const std::size_t slash = argument.find('/');
  const auto number = [&](std::string_view text) -> std::size_t {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && end == text.data() + text.size() ? value : 0;
  };
  Shard shard{0, 0};
  if (slash != std::string_view::npos)
    shard = {number(argument.substr(0, slash)), number(argument.substr(slash + 1))};
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

}  // namespace aqbench
