#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/samplers.h"
#include "harness/records/profile_details.h"
#include "reports/html/page.h"
#include "reports/html/page_data.h"

namespace aqbench {
namespace {

constexpr std::size_t kLongestName = 160, kDeepestFrame = 200, kMaxMemoryValues = 4000;

struct TraceEvent {
  double lane = 0;
  double start_us = 0, duration_us = 0;
  std::string name;
  std::size_t level = 0;

  double end_us() const { return start_us + duration_us; }
};

// Takes the events of a trace in Chromium's format; what else stands in it is passed over.
class TraceVisitor : public JsonVisitor {
 public:
  void open(bool) override {
    if (++depth_ == 3) event_ = {};
  }
  void close() override {
    if (depth_-- == 3 && in_events_) finish();
  }
  void key(std::string_view name) override {
    if (depth_ == 1) in_events_ = name == "traceEvents";
    if (depth_ <= 4) key_ = name;
  }
  void text(std::string_view value) override {
    if (depth_ == 3 && key_ == "ph") event_.kind = value;
    if (depth_ == 3 && key_ == "name") event_.name = value;
    if (depth_ == 4 && key_ == "name") event_.argument = value;
  }
  void number(double value) override {
    if (depth_ == 3 && key_ == "tid") event_.lane = value;
    if (depth_ == 3 && key_ == "ts") event_.start_us = value;
    if (depth_ == 3 && key_ == "dur") event_.duration_us = value;
    if (depth_ == 4 && key_ == "MB") event_.megabytes = value;
  }
  void other() override {}

  std::vector<TraceEvent> events;
  std::vector<std::pair<double, double>> memory;  // us and MB
  std::map<double, std::string> lanes;

 private:
  struct Event {
    std::string kind, name, argument;
    double lane = 0, start_us = 0, duration_us = 0;
    std::optional<double> megabytes;
  };

  void finish() {
    if (event_.kind == "X" && event_.duration_us >= 0)
      events.push_back(
          {event_.lane, event_.start_us, event_.duration_us, elide_middle(event_.name, kLongestName), 0});
    if (event_.kind == "C" && event_.megabytes) memory.emplace_back(event_.start_us, *event_.megabytes);
    if (event_.kind == "M" && event_.name == "thread_name") lanes[event_.lane] = event_.argument;
  }

  int depth_ = 0;
  bool in_events_ = false;
  std::string key_;
  Event event_;
};

// Sorts events by lane and start and sets their levels.
void nest(std::vector<TraceEvent>& events) {
  std::ranges::stable_sort(events, {}, [](const TraceEvent& event) {
    return std::tuple(event.lane, event.start_us, -event.duration_us);
  });
  constexpr double kClock_us = 1e-3;  // to which times are rounded
  std::vector<const TraceEvent*> open;
  for (TraceEvent& event : events) {
    while (!open.empty() &&
           (open.back()->lane != event.lane || open.back()->end_us() < event.start_us + kClock_us))
      open.pop_back();
    event.level = open.size();
    open.push_back(&event);
  }
}

// Keeps the smallest and the largest of neighbours, in their order, where there are more values than a
// picture has room for.
std::vector<std::pair<double, double>> thinned_memory(const std::vector<std::pair<double, double>>& all) {
  if (all.size() <= kMaxMemoryValues) return all;
  const std::size_t step = (2 * all.size() + kMaxMemoryValues - 1) / kMaxMemoryValues;
  std::vector<std::pair<double, double>> kept;
  for (std::size_t first = 0; first < all.size(); first += step) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(first + step, all.size()));
    auto [low, high] =
        std::minmax_element(begin, end, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (low > high) std::swap(low, high);
    kept.push_back(*low);
    if (low != high) kept.push_back(*high);
  }
  return kept;
}

// Gives each name its index in a list.
class NameList {
 public:
  std::size_t index(const std::string& name) {
    const auto [found, is_new] = indices_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  Json take() { return Json(std::move(names_)); }

 private:
  std::map<std::string, std::size_t, std::less<>> indices_;
  std::vector<std::string> names_;
};

struct StackFrame {
  std::uint64_t samples = 0;
  std::map<std::string, StackFrame, std::less<>> callees;
};

StackFrame frames_of(const FoldedStacks& stacks) {
  StackFrame root;
  for (const auto& [stack, samples] : stacks) {
    StackFrame* frame = &root;
    root.samples += samples;
    std::size_t level = 0;
    for (const std::string_view function : functions_of(stack)) {
      if (++level > kDeepestFrame) break;
      frame = &frame->callees.try_emplace(elide_middle(printable(function), kLongestName)).first->second;
      frame->samples += samples;
    }
  }
  return root;
}

void count_frames(const StackFrame& frame, std::vector<std::uint64_t>& samples) {
  for (const auto& [name, callee] : frame.callees) {
    samples.push_back(callee.samples);
    count_frames(callee, samples);
  }
}

void write_frames(const StackFrame& frame, std::size_t level, std::uint64_t least, NameList& names,
                  Json& list) {
  for (const auto& [name, callee] : frame.callees) {
    if (callee.samples < least) continue;
    list.push_back({names.index(name), level, callee.samples});
    write_frames(callee, level + 1, least, names, list);
  }
}

}  // namespace

Json trace_json(std::string_view trace, const std::string& source, std::size_t most) {
  TraceVisitor found;
  scan_json(trace, source, JsonLimits{}, found);
  std::vector<TraceEvent>& events = found.events;
  const std::size_t left_out = events.size() - std::min(most, events.size());
  if (left_out > 0) {
    std::ranges::stable_sort(events, std::ranges::greater{}, &TraceEvent::duration_us);
    events.resize(most);
  }
  nest(events);
  NameList names, lanes;
  for (const auto& [lane, name] : found.lanes)
    if (std::ranges::any_of(events, [lane = lane](const TraceEvent& event) { return event.lane == lane; }))
      lanes.index(name);
  Json list = Json::array(), memory = Json::array();
  for (const TraceEvent& event : events) {
    const auto named = found.lanes.find(event.lane);
    const std::string lane =
        named == found.lanes.end() ? fmt::format("thread {}", event.lane) : named->second;
    list.push_back(
        {names.index(event.name), lanes.index(lane), event.level, event.start_us, event.duration_us});
  }
  for (const auto& [us, megabytes] : thinned_memory(found.memory)) memory.push_back({us, megabytes});
  return {{"lanes", lanes.take()},
          {"names", names.take()},
          {"events", std::move(list)},
          {"memory", std::move(memory)},
          {"left_out", left_out}};
}

Json stacks_json(std::string_view stacks, const std::string& source, std::size_t most) {
  const StackFrame root = frames_of(read_folded(stacks, source));
  if (root.samples == 0) return nullptr;
  std::vector<std::uint64_t> samples;
  count_frames(root, samples);
  std::uint64_t least = 1;
  if (samples.size() > most) {
    std::ranges::sort(samples, std::ranges::greater{});
    least = samples[most] + 1;
  }
  NameList names;
  Json list = Json::array();
  write_frames(root, 0, least, names, list);
  return {{"samples", root.samples}, {"least", least}, {"names", names.take()}, {"frames", std::move(list)}};
}

std::string flames_section(const std::map<std::string, ReportProfile>& profiles) {
  if (std::ranges::all_of(profiles, [](const auto& profile) { return profile.second.stacks.empty(); }))
    return "";
  return scripted_section(
      "flames", "Where the processor's time goes",
      "Samples of the stacks, callers above: the width of a box is its share of the samples. "
      "A click or Enter zooms, Esc shows all of it, arrows move.");
}

std::map<std::string, JsonBox> page_profiles(const std::map<std::string, ReportProfile>& profiles) {
  std::map<std::string, JsonBox> pages;
  const std::size_t cases = std::max<std::size_t>(profiles.size(), 1);
  for (const auto& [name, profile] : profiles) {
    Json page = Json::object();
    if (!profile.trace.empty())
      page["trace"] =
          trace_json(profile.trace, profile_file(name, kProfileTraceFile), kMaxPageTraceEvents / cases);
    if (Json stacks =
            stacks_json(profile.stacks, profile_file(name, kProfileStacksFile), kMaxFlameFrames / cases);
        !stacks.is_null())
      page["stacks"] = std::move(stacks);
    if (!page.empty()) pages[name] = std::move(page);
  }
  return pages;
}

}  // namespace aqbench
