#include "reports/content/environment_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/strict_json.h"
#include "harness/planning/plan.h"
#include "reports/content/commands.h"

namespace aqbench {
namespace {

void append_items(const Json& value, const std::string& path,
                  std::vector<std::pair<std::string, std::string>>& items) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      append_items(member, path.empty() ? key : fmt::format("{}.{}", path, key), items);
  } else if (value.is_string()) {
    items.emplace_back(path, value.get<std::string>());
  } else {  // arrays in one line, as they are
    items.emplace_back(path, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

void add_flags(std::vector<std::string>& words, const char* flag, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    words.emplace_back(flag);
    words.push_back(value);
  }
}

template <class Value>
void add_flag(std::vector<std::string>& words, const char* flag, const std::optional<Value>& value) {
  if (value) add_flags(words, flag, {fmt::format("{}", *value)});
}

std::vector<std::string> request_words(const PlanRequest& request) {
  std::vector<std::string> words = {"aqbench", "sweep"};
  if (request.own_suite)
    add_flags(words, "--suite-file", {request.own_suite->name + ".json"});
  else if (!request.suite.empty())
    add_flags(words, "--suite", {request.suite});
  add_flags(words, "--scene", request.scenes);
  add_flags(words, "--method", request.methods);
  add_flags(words, "--workload", request.workloads);
  for (const Axis& axis : request.axes)
    add_flags(words, "--axis", {fmt::format("{}={}", axis.name, fmt::join(axis.values, ","))});
  for (const Override& given : request.sets)
    add_flags(words, "--set", {fmt::format("{}.{}={}", given.owner, given.parameter, given.value)});
  add_flag(words, "--seed", request.seed);
  add_flag(words, "--repeat", request.repeat);
  add_flag(words, "--rig", request.images.rig);
  add_flag(words, "--imaging", request.images.imaging);
  add_flag(words, "--width", request.images.width_px);
  add_flag(words, "--height", request.images.height_px);
  add_flag(words, "--threads", request.threads);
  add_flag(words, "--device", request.device);
  add_flag(words, "--timeout", request.timeout_s);
  if (request.memory_limit_bytes)
    add_flags(words, "--memory-limit",
              {fmt::format("{}", static_cast<double>(*request.memory_limit_bytes) / 0x1p30)});
  const TimingRequest& timing = request.timing;
  add_flag(words, "--repetitions", timing.repetitions);
  add_flag(words, "--warmup", timing.warmup);
  add_flag(words, "--min-time", timing.min_time_s);
  if (timing.precision) add_flag(words, "--precision", std::optional(100 * *timing.precision));
  add_flag(words, "--max-repetitions", timing.max_repetitions);
  add_flag(words, "--max-time", timing.max_time_s);
  add_flag(words, "--blocks", timing.blocks);
  if (request.shard.count > 1) add_flags(words, "--shard", {to_string(request.shard)});
  for (const Inject& inject : request.injects) add_flags(words, "--inject", {to_string(inject)});
  return words;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_items(const std::string& environment_json) {
  std::vector<std::pair<std::string, std::string>> items;
  append_items(parse_strict_json(environment_json, "environment"), "", items);
  return items;
}

std::string environment_line(const std::string& environment_json) {
  // What to call it, and where it stands in the document (harness/measuring/environment.cc).
  struct Field {
    const char *before, *path, *after;
  };
  constexpr Field kFields[] = {
      {"", "cpu.model", ""},
      {"", "cpu.cores_usable", " cores"},
      {"", "os.name", ""},
      {"kernel ", "os.kernel", ""},
      {"", "build.compiler", ""},
      {"", "build.build_type", ""},
      {"aqbench ", "build.version", ""},
      {"commit ", "build.commit", ""},
      {"LibTorch ", "libraries.libtorch", ""},
      {"threads ", "threads", ""},
      {"device ", "device", ""},
  };
  const auto items = environment_items(environment_json);
  std::string line;
  for (const Field& field : kFields) {
    const auto item = std::ranges::find(items, field.path, &std::pair<std::string, std::string>::first);
    if (item == items.end() || item->second == "null" || item->second.empty()) continue;
    line += fmt::format("{}{}{}{}", line.empty() ? "" : ", ", field.before, item->second, field.after);
  }
  if (std::ranges::find(items, std::pair<std::string, std::string>("build.dirty", "true")) != items.end())
    line += ", built with changes that are not committed";
  return line.empty() ? "not recorded" : line;
}

std::string reproduce_command(const RunInfo& run) {
  try {
    const Json json = parse_strict_json(run.requested_json, "run.requested");
    return shell_join(request_words(request_from_json(json, "run.requested")));
  } catch (const Error&) {
    // Another program made it, or it was merged: show the request as it stands there.
    return "# run.requested of results.json: " + run.requested_json;
  }
}

}  // namespace aqbench
