#include "pipeline/external/external.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMaxNs = 9e18;
constexpr std::size_t kMaxProgramStages = 1'000'000;

// One line of UTF-8, 1 to 200 bytes.
bool is_stage_name(std::string_view name) {
  return !name.empty() && name.size() <= 200 && one_line(name, 200) == name;
}

// Stages that begin and end on their threads in the order of time.
struct StagesOfThreads {
  std::vector<ReportedStage> stages;
  std::map<ThreadId, std::vector<std::size_t>> open;

  void begin(ReportedStage stage) {
    open[stage.thread].push_back(stages.size());
    stages.push_back(std::move(stage));
  }
  // Returns whether a stage was open on the thread, which then ends.
  bool end(const ThreadId& thread, std::int64_t ns) {
    auto& stack = open[thread];
    if (stack.empty()) return false;
    stages[stack.back()].end_ns = ns;
    stages[stack.back()].open = false;
    stack.pop_back();
    return true;
  }
};

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
constexpr std::string_view kFineCategories[] = {
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
  return std::ranges::find(kFineCategories, category) == std::end(kFineCategories);
}

void read_event(const JsonPlace& place, StagesOfThreads& threads) {
  const Json& event = place.value();
  const std::string phase = text_of(event, "ph");
  const ThreadId thread{id_of(event, "pid"), id_of(event, "tid")};
  const std::int64_t at_ns = nanoseconds_of(place.at("ts"), 1e3);
  if (phase == "E" && threads.end(thread, at_ns)) return;
  if (phase == "E") place.fail("ends a stage that has not begun");
  const std::string name = place.at("name").text();
  if (!is_stage_name(name)) place.at("name").fail("is not a valid stage name");
  if (phase == "B") return threads.begin({name, at_ns, at_ns, thread, 1, true});
  // Rounds begin and end alike, so that nesting is preserved.
  const std::int64_t end_ns = std::llround((place.at("ts").number() + place.at("dur").number()) * 1e3);
  if (end_ns < at_ns) place.at("dur").fail("is negative");
  threads.stages.push_back({name, at_ns, end_ns, thread});
}

std::vector<ReportedStage> stages_of_trace(const JsonPlace& place) {
  const auto events = place.elements();
  const bool user_ranges = std::ranges::any_of(events, [](const JsonPlace& event) {
    return event.value().is_object() && text_of(event.value(), "cat") == kUserCategory;
  });
  StagesOfThreads threads;
  for (const JsonPlace& event : events) {
    if (!is_stage_event(event.value(), user_ranges)) continue;
    if (threads.stages.size() >= kMaxProgramStages) place.fail("has more than {} stages", kMaxProgramStages);
    read_event(event, threads);
  }
  if (threads.stages.empty()) return {};
  const std::int64_t last_ns = std::ranges::max(threads.stages, {}, &ReportedStage::end_ns).end_ns;
  for (ReportedStage& stage : threads.stages)
    if (stage.open) stage.end_ns = last_ns;
  return std::move(threads.stages);
}

constexpr std::uintmax_t kMaxStageBytes = std::uintmax_t{256} << 20;
constexpr const char* kLines = "AQBENCH_STAGES";    // the name of the lines in errors
constexpr std::int64_t kClockSlack_ns = 1'000'000;  // tolerance between two processes reading one clock

// ---- Lines: "B NS PROCESS.THREAD NAME" and "E NS PROCESS.THREAD" ----

struct StageLine {
  bool begins = false;
  std::int64_t ns = 0;
  ThreadId thread;
  std::string_view name;
};

template <class Number>
bool take_number(std::string_view& text, Number& number, char behind) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (behind == '\0') return true;
  const bool there = text.starts_with(behind);
  text.remove_prefix(there ? 1 : 0);
  return there;
}

bool read_line(std::string_view text, StageLine& line) {
  if (text.size() < 2 || (text[0] != 'B' && text[0] != 'E') || text[1] != ' ') return false;
  line.begins = text[0] == 'B';
  text.remove_prefix(2);
  if (!take_number(text, line.ns, ' ') || !take_number(text, line.thread.process, '.') ||
      !take_number(text, line.thread.thread, line.begins ? ' ' : '\0'))
    return false;
  line.name = text;
  return line.begins ? is_stage_name(line.name) : text.empty();
}

// A last line without a line break was cut off when the program ended.
std::vector<ReportedStage> stages_of_lines(const std::string& text, const StageSources& sources) {
  StagesOfThreads threads;
  std::size_t number = 0;
  const auto lines = split_at(text, '\n');
  for (auto words = lines.begin(); words + 1 < lines.end(); ++words) {
    ++number;
    if (words->empty()) continue;
    StageLine line;
    if (!read_line(*words, line))
      throw method_error(
          "{}: line {}: expected 'B NS PROCESS.THREAD NAME' or 'E NS PROCESS.THREAD', got '{}'", kLines,
          number, one_line(*words, 80));
    if (line.ns < sources.start_ns - kClockSlack_ns || line.ns > sources.end_ns + kClockSlack_ns)
      throw method_error("{}: line {}: {} ns is outside this run; use CLOCK_MONOTONIC", kLines, number,
                         line.ns);
    if (line.begins && threads.stages.size() >= kMaxProgramStages)
      throw method_error("{}: more than {} stages", kLines, kMaxProgramStages);
    if (line.begins)
      threads.begin({std::string(line.name), line.ns, sources.end_ns, line.thread, 1, true});
    else if (!threads.end(line.thread, line.ns))
      throw method_error("{}: line {}: ends a stage, but none is open on this thread", kLines, number);
  }
  return std::move(threads.stages);
}

// ---- From threads to lanes ----

bool starts_before(const ReportedStage& a, const ReportedStage& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

// Both lists are sorted and free of overlaps.
bool overlaps(const std::vector<ReportedStage>& a, const std::vector<ReportedStage>& b) {
  return std::ranges::any_of(a, [&](const ReportedStage& one) {
    const auto next = std::ranges::upper_bound(b, one.start_ns, {}, &ReportedStage::end_ns);
    return next != b.end() && next->start_ns < one.end_ns;
  });
}

// Checks that the sorted stages of a thread nest, and returns the outermost ones.
std::vector<ReportedStage> outermost(const std::vector<ReportedStage>& stages, const std::string& file) {
  std::vector<ReportedStage> outer;
  std::vector<const ReportedStage*> open;
  for (const ReportedStage& stage : stages) {
    while (!open.empty() && open.back()->end_ns <= stage.start_ns) open.pop_back();
    if (open.empty())
      outer.push_back(stage);
    else if (stage.end_ns > open.back()->end_ns)
      throw method_error("{}: stages '{}' and '{}' overlap on one thread", file, open.back()->name,
                         stage.name);
    open.push_back(&stage);
  }
  return outer;
}

struct Lane {
  std::vector<ReportedStage> stages, outer;

  void join(const Lane& other) {
    for (const auto part : {&Lane::stages, &Lane::outer}) {
      (this->*part).insert((this->*part).end(), (other.*part).begin(), (other.*part).end());
      std::ranges::stable_sort(this->*part, starts_before);
    }
  }
};

// The main threads of consecutive processes form one lane, the first.
std::vector<Lane> lanes_of(std::vector<ReportedStage> stages, const std::string& file) {
  std::map<ThreadId, Lane> threads;
  for (ReportedStage& stage : stages) threads[stage.thread].stages.push_back(std::move(stage));
  std::vector<std::pair<ThreadId, Lane*>> order;
  for (auto& [thread, lane] : threads) {
    std::ranges::stable_sort(lane.stages, starts_before);
    lane.outer = outermost(lane.stages, file);
    order.emplace_back(thread, &lane);
  }
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    const bool a_main = a.first.is_main(), b_main = b.first.is_main();
    return a_main != b_main ? a_main : a.second->stages.front().start_ns < b.second->stages.front().start_ns;
  });
  std::vector<Lane> lanes;
  for (auto& [thread, lane] : order) {
    if (!lanes.empty() && thread.is_main() && !overlaps(lanes.front().outer, lane->outer))
      lanes.front().join(*lane);
    else
      lanes.push_back(std::move(*lane));
  }
  return lanes;
}

// Shifts stages of another clock so that the first begins with the program. Throws if they take longer than
// the program.
void fit_into_run(std::vector<ReportedStage>& stages, const StageSources& sources, const std::string& file) {
  if (stages.empty()) return;
  const std::int64_t first = std::ranges::min(stages, {}, &ReportedStage::start_ns).start_ns,
                     last = std::ranges::max(stages, {}, &ReportedStage::end_ns).end_ns;
  if (last - first > sources.end_ns - sources.start_ns + kClockSlack_ns)
    throw method_error("{}: its stages take {:.3f} s, the program ran for {:.3f} s", file,
                       1e-9 * static_cast<double>(last - first),
                       1e-9 * static_cast<double>(sources.end_ns - sources.start_ns));
  const bool same_clock =
      first >= sources.start_ns - kClockSlack_ns && last <= sources.end_ns + kClockSlack_ns;
  const std::int64_t shift = same_clock ? 0 : sources.start_ns - first;
  for (ReportedStage& stage : stages) {
    stage.start_ns = std::clamp(stage.start_ns + shift, sources.start_ns, sources.end_ns);
    stage.end_ns = std::clamp(stage.end_ns + shift, sources.start_ns, sources.end_ns);
  }
}

}  // namespace

std::vector<ReportedStage> stages_of_file(std::string_view text, const std::string& file) {
  const Json json = parse_strict_json(text, file);
  const JsonPlace root(json, file);
  if (json.is_array()) return stages_of_trace(root);
  if (root.find("traceEvents")) return stages_of_trace(root.at("traceEvents"));
  if (!root.find("stages")) root.fail("has neither stages nor traceEvents");
  root.allow_only({"stages"});
  return stages_of_list(root.at("stages"));
}

ReportedStages read_program_stages(const StageSources& sources) {
  std::error_code missing;
  const std::uintmax_t line_bytes = std::filesystem::file_size(sources.lines_file, missing);
  const bool has_lines = !missing && line_bytes > 0;
  // Lines are written during the run; the file beside them is an ordinary result.
  if (!has_lines && !path_exists(sources.file)) return {};
  const std::string file = has_lines ? kLines : sources.file_name;
  std::vector<ReportedStage> stages;
  try {
    stages = has_lines ? stages_of_lines(read_text_file(sources.lines_file, kMaxStageBytes), sources)
                       : stages_of_file(read_text_file(sources.file, kMaxStageBytes), file);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::method) throw;
    if (error.file() == file) throw Error(ErrorKind::method, error.what());
    throw method_error("{}: {}", file, error.problem());
  }
  fit_into_run(stages, sources, file);
  ReportedStages reported;
  int number = 0;
  for (const Lane& lane : lanes_of(std::move(stages), file)) {
    for (const ReportedStage& stage : lane.stages) {
      reported.stages.push_back({stage.name, stage.start_ns, stage.end_ns, number, stage.calls});
      if (stage.open && number == 0) reported.open = stage.name;  // the innermost comes last
    }
    ++number;
  }
  return reported;
}

}  // namespace aqbench
