#include "pipeline/external/stage_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMaxNs = 9e18;

// ---- A list of stages ----

struct ListedStage {
  std::string name;
  std::int64_t ns = 0, inside_ns = 0;  // its time, and that of its nested stages
  std::uint64_t calls = 1;
  std::optional<std::size_t> parent;
};

std::int64_t nanoseconds_of(const JsonPlace& place, double factor) {
  const double ns = place.number() * factor;
  if (!(ns >= 0 && ns < kMaxNs)) place.fail("is not a valid time");
  return std::llround(ns);
}

ListedStage read_listed(const JsonPlace& place, std::vector<ListedStage>& before) {
  place.allow_only({"name", "ms", "parent", "calls"});
  ListedStage stage;
  stage.name = place.at("name").text();
  if (!is_stage_name(stage.name)) place.at("name").fail("is not a valid stage name");
  stage.ns = nanoseconds_of(place.at("ms"), 1e6);
  if (const auto calls = place.find("calls")) stage.calls = calls->count();
  if (stage.calls == 0) place.at("calls").fail("is 0");
  const auto parent = place.find("parent");
  if (!parent || parent->is_null()) return stage;
  for (std::size_t i = before.size(); i-- > 0 && !stage.parent;)
    if (before[i].name == parent->text()) stage.parent = i;
  if (!stage.parent) parent->fail("unknown stage '{}' above", one_line(parent->text(), 80));
  ListedStage& around = before[*stage.parent];
  around.inside_ns += stage.ns;
  constexpr std::int64_t slack_ns = 1000;  // milliseconds are often written with three decimals
  if (around.inside_ns > around.ns + slack_ns * static_cast<std::int64_t>(before.size() + 1))
    place.at("ms").fail("the stages in '{}' take longer than it", around.name);
  around.ns = std::max(around.ns, around.inside_ns);
  return stage;
}

// Places the stages one after the other, each parent around its children.
std::vector<ReportedStage> stages_of_list(const JsonPlace& place) {
  std::vector<ListedStage> listed;
  for (const JsonPlace& element : place.elements()) listed.push_back(read_listed(element, listed));
  std::vector<ReportedStage> stages(listed.size());
  std::vector<std::int64_t> next_ns(listed.size());  // start of the next stage inside it
  std::int64_t outer_ns = 0;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    std::int64_t& start = listed[i].parent ? next_ns[*listed[i].parent] : outer_ns;
    stages[i] = {listed[i].name, start, start + listed[i].ns, {}, listed[i].calls};
    next_ns[i] = start;
    start += listed[i].ns;
  }
  return stages;
}

// ---- A Chrome trace ----

// Annotations by torch.profiler beside the user's own ranges.
constexpr std::array kFineCategories = {
    "cpu_op", "kernel", "cuda_runtime", "cuda_driver",     "gpu_memcpy", "gpu_memset",
    "ac2g",   "fwdbwd", "Trace",        "python_function", "overhead",   "gpu_user_annotation"};
constexpr const char* kUserCategory = "user_annotation";

std::string text_of(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Processes and threads may be numbers or names.
std::int64_t id_of(const Json& event, const char* key) {
  const auto found = event.find(key);
  if (found == event.end() || found->is_null()) return 0;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  return static_cast<std::int64_t>(std::hash<std::string>()(found->dump()) >> 2U);
}

bool is_stage_event(const Json& event, bool user_ranges) {
  if (!event.is_object()) return false;
  const std::string phase = text_of(event, "ph"), category = text_of(event, "cat");
  if (phase != "X" && phase != "B" && phase != "E") return false;
  if (user_ranges) return category == kUserCategory;
  return std::ranges::find(kFineCategories, category) == kFineCategories.end();
}

// The events of one thread in the order of time.
struct TraceReader {
  std::vector<ReportedStage> stages;
  std::map<ThreadId, std::vector<std::size_t>> open;

  void read(const Json& event, const JsonPlace& place) {
    const std::string phase = text_of(event, "ph");
    const ThreadId thread{id_of(event, "pid"), id_of(event, "tid")};
    const std::int64_t at_ns = nanoseconds_of(place.at("ts"), 1e3);
    auto& stack = open[thread];
    if (phase == "E") {
      if (stack.empty()) place.fail("ends a stage that has not begun");
      stages[stack.back()].end_ns = at_ns;
      stages[stack.back()].open = false;
      stack.pop_back();
      return;
    }
    const std::string name = place.at("name").text();
    if (!is_stage_name(name)) place.at("name").fail("is not a valid stage name");
    const bool whole = phase == "X";
    // Rounds begin and end alike, so that nesting is preserved.
    const std::int64_t end_ns =
        whole ? std::llround((place.at("ts").number() + place.at("dur").number()) * 1e3) : at_ns;
    if (end_ns < at_ns) place.at("dur").fail("is negative");
    if (!whole) stack.push_back(stages.size());
    stages.push_back({name, at_ns, end_ns, thread, 1, !whole});
  }
};

std::vector<ReportedStage> stages_of_trace(const JsonPlace& place) {
  const auto events = place.elements();
  const bool user_ranges = std::ranges::any_of(events, [](const JsonPlace& event) {
    return event.value().is_object() && text_of(event.value(), "cat") == kUserCategory;
  });
  TraceReader reader;
  std::int64_t last_ns = 0;
  for (const JsonPlace& event : events) {
    if (!is_stage_event(event.value(), user_ranges)) continue;
    if (reader.stages.size() >= kMaxProgramStages) place.fail("has more than {} stages", kMaxProgramStages);
    reader.read(event.value(), event);
  }
  for (const ReportedStage& stage : reader.stages) last_ns = std::max(last_ns, stage.end_ns);
  for (ReportedStage& stage : reader.stages)
    if (stage.open) stage.end_ns = last_ns;
  return std::move(reader.stages);
}

}  // namespace

bool is_stage_name(std::string_view name) {
  constexpr std::size_t most_bytes = 200;
  return !name.empty() && name.size() <= most_bytes && one_line(name, most_bytes) == name;
}

std::vector<ReportedStage> stages_of_file(std::string_view text, const std::string& file) {
  const Json json = parse_strict_json(text, file);
  const JsonPlace root(json, file);
  if (json.is_array()) return stages_of_trace(root);
  if (root.find("traceEvents")) return stages_of_trace(root.at("traceEvents"));
  if (!root.find("stages")) root.fail("has neither stages nor traceEvents");
  root.allow_only({"stages"});
  return stages_of_list(root.at("stages"));
}

}  // namespace aqbench
