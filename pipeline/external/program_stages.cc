#include "pipeline/external/program_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "pipeline/external/stage_files.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxStageBytes = std::uintmax_t{256} << 20;
constexpr std::int64_t kClockSlack_ns = 1'000'000;  // tolerance between two processes reading one clock

[[noreturn]] void refuse_stages(const std::string& file, const std::string& what) {
  throw method_error("{}: {}", file, what);
}

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
  if (text.empty() || text.front() != behind) return false;
  text.remove_prefix(1);
  return true;
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
  const std::string file = "AQBENCH_STAGES";
  std::vector<ReportedStage> stages;
  std::map<ThreadId, std::vector<std::size_t>> open;
  std::size_t number = 0;
  const auto lines = split_at(text, '\n');
  for (auto words = lines.begin(); words + 1 < lines.end(); ++words) {
    ++number;
    if (words->empty()) continue;
    StageLine line;
    if (!read_line(*words, line))
      refuse_stages(
          file, fmt::format("line {}: expected 'B NS PROCESS.THREAD NAME' or 'E NS PROCESS.THREAD', got '{}'",
                            number, one_line(*words, 80)));
    if (line.ns < sources.start_ns - kClockSlack_ns || line.ns > sources.end_ns + kClockSlack_ns)
      refuse_stages(file,
                    fmt::format("line {}: {} ns is outside this run; use CLOCK_MONOTONIC", number, line.ns));
    auto& stack = open[line.thread];
    if (line.begins) {
      if (stages.size() >= kMaxProgramStages)
        refuse_stages(file, fmt::format("more than {} stages", kMaxProgramStages));
      stack.push_back(stages.size());
      stages.push_back({std::string(line.name), line.ns, sources.end_ns, line.thread, 1, true});
    } else if (stack.empty()) {
      refuse_stages(file, fmt::format("line {}: ends a stage, but none is open on this thread", number));
    } else {
      stages[stack.back()].end_ns = line.ns;
      stages[stack.back()].open = false;
      stack.pop_back();
    }
  }
  return stages;
}

// ---- From threads to lanes ----

bool starts_before(const ReportedStage& a, const ReportedStage& b) {
  return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

// Both lists are sorted and free of overlaps.
bool overlaps(const std::vector<ReportedStage>& a, const std::vector<ReportedStage>& b) {
  auto one = a.begin(), other = b.begin();
  while (one != a.end() && other != b.end()) {
    if (one->end_ns <= other->start_ns)
      ++one;
    else if (other->end_ns <= one->start_ns)
      ++other;
    else
      return true;
  }
  return false;
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
      refuse_stages(file,
                    fmt::format("stages '{}' and '{}' overlap on one thread", open.back()->name, stage.name));
    open.push_back(&stage);
  }
  return outer;
}

struct Lane {
  std::vector<ReportedStage> stages, outer;
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
    const bool joins = lanes.empty() || (thread.is_main() && !overlaps(lanes.front().outer, lane->outer));
    if (lanes.empty() || !joins) {
      lanes.push_back(std::move(*lane));
      continue;
    }
    Lane& main = lanes.front();
    main.stages.insert(main.stages.end(), lane->stages.begin(), lane->stages.end());
    main.outer.insert(main.outer.end(), lane->outer.begin(), lane->outer.end());
    std::ranges::stable_sort(main.stages, starts_before);
    std::ranges::stable_sort(main.outer, starts_before);
  }
  return lanes;
}

// Shifts stages of another clock so that the first begins with the program. Throws if they take longer than
// the program.
void fit_into_run(std::vector<ReportedStage>& stages, const StageSources& sources, const std::string& file) {
  if (stages.empty()) return;
  std::int64_t first = stages.front().start_ns, last = stages.front().end_ns;
  for (const ReportedStage& stage : stages) {
    first = std::min(first, stage.start_ns);
    last = std::max(last, stage.end_ns);
  }
  if (last - first > sources.end_ns - sources.start_ns + kClockSlack_ns)
    refuse_stages(file, fmt::format("its stages take {:.3f} s, the program ran for {:.3f} s",
                                    1e-9 * static_cast<double>(last - first),
                                    1e-9 * static_cast<double>(sources.end_ns - sources.start_ns)));
  const bool same_clock =
      first >= sources.start_ns - kClockSlack_ns && last <= sources.end_ns + kClockSlack_ns;
  const std::int64_t shift = same_clock ? 0 : sources.start_ns - first;
  for (ReportedStage& stage : stages) {
    stage.start_ns = std::clamp(stage.start_ns + shift, sources.start_ns, sources.end_ns);
    stage.end_ns = std::clamp(stage.end_ns + shift, sources.start_ns, sources.end_ns);
  }
}

}  // namespace

ReportedStages read_program_stages(const StageSources& sources) {
  std::error_code missing;
  const std::uintmax_t line_bytes = std::filesystem::file_size(sources.lines_file, missing);
  const bool has_lines = !missing && line_bytes > 0;
  // Lines are written during the run; the file beside them is an ordinary result.
  if (!has_lines && !std::filesystem::exists(sources.file, missing)) return {};
  const std::string file = has_lines ? "AQBENCH_STAGES" : sources.file_name;
  std::vector<ReportedStage> stages;
  try {
    stages = has_lines ? stages_of_lines(read_text_file(sources.lines_file, kMaxStageBytes), sources)
                       : stages_of_file(read_text_file(sources.file, kMaxStageBytes), file);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::method) throw;
    if (error.file() == file) throw Error(ErrorKind::method, error.what());
    refuse_stages(file, error.problem());
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
