#include "harness/measuring/stage_recorder.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "core/resources.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "harness/measuring/libraries.h"

namespace aqbench {
namespace {

using std::chrono::nanoseconds;

double to_ms(SteadyClock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// Reading a CPU clock is a system call of 0.4 us, as much as the rest of a scope together. A reading younger
// than this is extended by the wall time since, as if one thread had been running.
constexpr auto kCarriedOn = std::chrono::microseconds(5);

struct CpuReading {
  SteadyClock::time_point at{};
  nanoseconds cpu{};
  bool of_process = false;
};

nanoseconds read_cpu_clock(bool of_process, SteadyClock::time_point now, CpuReading& last) {
  if (now - last.at < kCarriedOn && last.of_process == of_process) return last.cpu + (now - last.at);
  timespec time{};
  ::clock_gettime(of_process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time);
  last = {now, std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec), of_process};
  return last.cpu;
}

// Marks the memory of a program as unknown: far above any possible value.
constexpr std::int64_t kUnknownPeak = std::int64_t{1} << 60;

// A stage open on this thread. Frames of several recorders may interleave; each uses only its own.
struct OpenFrame {
  const StageRecorder* recorder = nullptr;
  std::size_t entry = 0;  // in State::entries
  SteadyClock::time_point start;
  SteadyClock::duration nested{};
  nanoseconds cpu_start{};
  std::int64_t tensors_at_start = 0, tensors_peak = 0;    // bytes alive
  std::int64_t resident_at_start = 0, resident_peak = 0;  // bytes
  bool resident = false;                                  // resident memory is measured
  double device_ms_at_start = 0;
};
thread_local std::vector<OpenFrame> t_frames;
thread_local CpuReading t_cpu_reading;
// Live tensor bytes and their peak since the last stage boundary, of this thread's stages.
thread_local std::int64_t t_tensors = 0, t_tensors_peak = 0;

OpenFrame* top_frame(const StageRecorder* recorder) {
  const auto top = std::find_if(t_frames.rbegin(), t_frames.rend(),
                                [&](const OpenFrame& frame) { return frame.recorder == recorder; });
  return top == t_frames.rend() ? nullptr : &*top;
}

}  // namespace

struct StageRecorder::State final : TensorMemoryListener {
  struct Entry {
    std::string name, parent;
    bool other_thread = false;
    std::uint64_t calls = 0;
    SteadyClock::duration wall{}, self{};  // of the repetition that runs
    nanoseconds cpu{};
    std::int64_t net = 0, peak = 0, resident_peak = 0;
    double device_ms_now = 0;  // of the repetition that runs
    bool of_program = false;   // only wall time is known
    std::vector<double> wall_ms, self_ms, cpu_ms, device_ms;
    std::int64_t last_net = 0, last_peak = 0, last_resident_peak = 0;
  };

  State(const StageRecorder* owner, const StageRecorderOptions& what) : recorder(owner), options(what) {
    if (options.tensor_memory) {
      tensor_watch.emplace(*this);
      report_opencl_memory();
    }
    has_device = options.device_time && opencl_busy_ms().has_value();
  }

  bool is_main() const { return std::this_thread::get_id() == main_thread; }
  std::size_t entry_of(std::string_view name, const OpenFrame* above);
  std::size_t entry_of(std::string_view name, std::string_view parent, bool other_thread);
  void add_lane(std::span<const ProgramStage> stages, std::size_t command);
  void add_resident(const std::optional<ProgramUse>& use, std::size_t command);
  void open_memory(OpenFrame& frame, OpenFrame* parent);
  void close_memory(OpenFrame& frame, OpenFrame* parent);
  void add(const OpenFrame& frame, SteadyClock::duration inclusive, nanoseconds cpu, bool holds_itself);
  void on_tensor_memory(std::int64_t bytes) noexcept override;

  const StageRecorder* recorder;
  StageRecorderOptions options;
  std::thread::id main_thread = std::this_thread::get_id();
  mutable std::mutex mutex;
  std::vector<Entry> entries;
  std::size_t repetitions = 0;
  std::atomic<std::int64_t> tensors{0}, tensors_peak{0};  // of the process, as t_tensors of a thread
  bool has_device = false;                                // whose time is that of the main thread's stages
  std::optional<TensorMemoryWatch> tensor_watch;  // last: reports stop before anything else is destroyed
};

// Few stages: a linear search costs less than hashing two strings.
std::size_t StageRecorder::State::entry_of(std::string_view name, const OpenFrame* above) {
  return entry_of(name, above == nullptr ? std::string_view() : entries[above->entry].name, !is_main());
}

std::size_t StageRecorder::State::entry_of(std::string_view name, std::string_view parent,
                                           bool other_thread) {
  const auto find = [&](std::string_view wanted) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].other_thread == other_thread && entries[i].name == wanted && entries[i].parent == parent)
        return i;
    return entries.size();
  };
  std::size_t found = find(name);
  if (found == entries.size() && entries.size() >= kMaxStages) {
    name = kOtherStages;
    found = find(name);
    if (found == entries.size() && entries.size() >= 2 * kMaxStages) return entries.size() - 1;
  }
  if (found < entries.size()) return found;
  Entry entry;  // complete before the list grows, which moves the text that `parent` refers to
  entry.name = name;
  entry.parent = parent;
  entry.other_thread = other_thread;
  entry.wall_ms.resize(repetitions);
  entry.self_ms.resize(repetitions);
  entry.cpu_ms.resize(repetitions);
  entry.device_ms.resize(repetitions);
  entries.push_back(std::move(entry));
  return entries.size() - 1;
}

void StageRecorder::State::on_tensor_memory(std::int64_t bytes) noexcept {
  const std::int64_t alive = tensors.fetch_add(bytes) + bytes;
  for (std::int64_t peak = tensors_peak.load(); peak < alive;)
    if (tensors_peak.compare_exchange_weak(peak, alive)) break;
  t_tensors += bytes;
  t_tensors_peak = std::max(t_tensors_peak, t_tensors);
}

// Called at each stage boundary. The peak since the last one belongs to all open stages.
void StageRecorder::State::open_memory(OpenFrame& frame, OpenFrame* parent) {
  if (options.tensor_memory) {
    watch_tensor_memory_here();
    frame.tensors_at_start = is_main() ? tensors.load() : t_tensors;
    const std::int64_t peak = is_main() ? tensors_peak.exchange(frame.tensors_at_start)
                                        : std::exchange(t_tensors_peak, frame.tensors_at_start);
    if (parent != nullptr) parent->tensors_peak = std::max(parent->tensors_peak, peak);
    frame.tensors_peak = frame.tensors_at_start;
  }
  if (frame.resident) {
    if (parent != nullptr) parent->resident_peak = std::max(parent->resident_peak, resident_peak_bytes());
    reset_resident_peak();
    frame.resident_at_start = frame.resident_peak = resident_peak_bytes();
  }
}

void StageRecorder::State::close_memory(OpenFrame& frame, OpenFrame* parent) {
  if (options.tensor_memory) {
    const std::int64_t alive = is_main() ? tensors.load() : t_tensors;
    const std::int64_t peak = is_main() ? tensors_peak.exchange(alive) : std::exchange(t_tensors_peak, alive);
    frame.tensors_peak = std::max(frame.tensors_peak, peak);
    if (parent != nullptr) parent->tensors_peak = std::max(parent->tensors_peak, frame.tensors_peak);
  }
  if (frame.resident) {
    frame.resident_peak = std::max(frame.resident_peak, resident_peak_bytes());
    reset_resident_peak();
    if (parent != nullptr) parent->resident_peak = std::max(parent->resident_peak, frame.resident_peak);
  }
}

void StageRecorder::State::add(const OpenFrame& frame, SteadyClock::duration inclusive, nanoseconds cpu,
                               bool holds_itself) {
  const std::int64_t alive = is_main() ? tensors.load() : t_tensors;
  const std::lock_guard lock(mutex);
  Entry& entry = entries[frame.entry];
  ++entry.calls;
  if (has_device && is_main()) entry.device_ms_now += *opencl_busy_ms() - frame.device_ms_at_start;
  entry.self += inclusive - frame.nested;
  entry.peak = std::max(entry.peak, frame.tensors_peak - frame.tensors_at_start);
  entry.resident_peak = std::max(entry.resident_peak, frame.resident_peak - frame.resident_at_start);
  if (holds_itself) return;
  entry.wall += inclusive;
  entry.cpu += cpu;
  entry.net += alive - frame.tensors_at_start;
}

StageRecorder::StageRecorder(const StageRecorderOptions& options)
    : state_(std::make_unique<State>(this, options)) {}
StageRecorder::~StageRecorder() = default;

void StageRecorder::enter(const char* stage) {
  OpenFrame* const above = top_frame(this);
  OpenFrame frame;
  frame.recorder = this;
  {
    const std::lock_guard lock(state_->mutex);
    frame.entry = state_->entry_of(stage, above);
    frame.resident = state_->options.resident_peak && state_->is_main() &&
                     state_->entries[frame.entry].calls < kResidentCalls;
    if (state_->has_device && state_->is_main()) frame.device_ms_at_start = *opencl_busy_ms();
  }
  state_->open_memory(frame, above);
  frame.start = SteadyClock::now();
  if (state_->options.cpu_time)
    frame.cpu_start = read_cpu_clock(state_->is_main(), frame.start, t_cpu_reading);
  t_frames.push_back(frame);
}

void StageRecorder::leave(const char*) noexcept {
  const auto now = SteadyClock::now();
  OpenFrame* const top = top_frame(this);
  if (top == nullptr) return;
  nanoseconds cpu{};
  if (state_->options.cpu_time)  // an extended reading may have run ahead
    cpu = std::max(nanoseconds{}, read_cpu_clock(state_->is_main(), now, t_cpu_reading) - top->cpu_start);
  OpenFrame frame = *top;
  t_frames.erase(t_frames.begin() + (top - t_frames.data()));
  const auto inclusive = now - frame.start;
  const bool holds_itself = std::ranges::any_of(
      t_frames, [&](const OpenFrame& open) { return open.recorder == this && open.entry == frame.entry; });
  OpenFrame* const above = top_frame(this);
  if (above != nullptr) above->nested += inclusive;
  state_->close_memory(frame, above);
  state_->add(frame, inclusive, cpu, holds_itself);
}

void StageRecorder::watch_memory(bool on) {
  if (!state_->options.tensor_memory || on == state_->tensor_watch.has_value()) return;
  state_->tensors = state_->tensors_peak = 0;
  if (on)
    state_->tensor_watch.emplace(*state_);
  else
    state_->tensor_watch.reset();
}

void StageRecorder::finish_repetition() {
  const std::lock_guard lock(state_->mutex);
  ++state_->repetitions;
  for (State::Entry& entry : state_->entries) {
    entry.wall_ms.push_back(to_ms(std::exchange(entry.wall, {})));
    entry.self_ms.push_back(to_ms(std::exchange(entry.self, {})));
    entry.cpu_ms.push_back(to_ms(std::exchange(entry.cpu, {})));
    entry.device_ms.push_back(std::exchange(entry.device_ms_now, 0));
    entry.last_net = std::exchange(entry.net, 0);
    entry.last_peak = std::exchange(entry.peak, 0);
    entry.last_resident_peak = std::exchange(entry.resident_peak, 0);
  }
}

// Adds nested, sorted stages of one lane of a program that ran in the entry `command`.
void StageRecorder::State::add_lane(std::span<const ProgramStage> stages, std::size_t command) {
  struct Open {
    std::size_t entry;
    std::int64_t end_ns;
  };
  std::vector<Open> open;
  for (const ProgramStage& stage : stages) {
    const bool other_thread = stage.lane != 0 || entries[command].other_thread;
    while (!open.empty() && open.back().end_ns <= stage.start_ns) open.pop_back();
    const std::string parent = !open.empty()     ? entries[open.back().entry].name
                               : stage.lane == 0 ? entries[command].name
                                                 : std::string();
    const std::size_t entry = entry_of(stage.name, parent, other_thread);
    const auto wall = nanoseconds(stage.end_ns - stage.start_ns);
    const bool holds_itself =
        std::ranges::any_of(open, [&](const Open& around) { return around.entry == entry; });
    entries[entry].of_program = true;
    entries[entry].calls += stage.calls;
    entries[entry].self += wall;
    if (!holds_itself) entries[entry].wall += wall;
    if (!open.empty())
      entries[open.back().entry].self -= wall;
    else if (stage.lane == 0)
      entries[command].self -= wall;
    open.push_back({entry, stage.end_ns});
  }
}

// A program's memory counts for the stage it ran in and for those open around it.
void StageRecorder::State::add_resident(const std::optional<ProgramUse>& use, std::size_t command) {
  const auto bytes = use ? use->peak_resident_bytes : std::nullopt;
  const std::int64_t peak = bytes ? static_cast<std::int64_t>(*bytes) : kUnknownPeak;
  entries[command].resident_peak = std::max(entries[command].resident_peak, peak);
  for (OpenFrame& frame : t_frames)
    if (frame.recorder == recorder)
      frame.resident_peak = std::max(frame.resident_peak, frame.resident_at_start + peak);
}

void StageRecorder::program_ended(const ProgramReport& report) {
  const std::lock_guard lock(state_->mutex);
  const std::size_t command = state_->entry_of(report.stage, top_frame(this));
  state_->add_resident(report.use, command);
  if (state_->options.cpu_time && report.use) {
    const auto cpu = std::chrono::duration_cast<nanoseconds>(
        std::chrono::duration<double>(report.use->cpu_user_s + report.use->cpu_system_s));
    state_->entries[command].cpu += cpu;
    for (OpenFrame& frame : t_frames)
      if (frame.recorder == this) frame.cpu_start -= cpu;
  }
  const auto& stages = report.stages;
  for (auto first = stages.begin(); first != stages.end();) {
    const auto last = std::find_if(first, stages.end(), [&](const auto& s) { return s.lane != first->lane; });
    state_->add_lane({first, last}, command);
    first = last;
  }
}

std::vector<StageRecord> StageRecorder::stages() const {
  const std::lock_guard lock(state_->mutex);
  const StageRecorderOptions& options = state_->options;
  std::vector<StageRecord> records;
  for (const State::Entry& entry : state_->entries) {
    StageRecord& record = records.emplace_back();
    record.name = entry.name;
    record.parent = entry.parent;
    record.other_thread = entry.other_thread;
    record.calls = entry.calls;
    record.wall_ms = entry.wall_ms;
    record.self_ms = entry.self_ms;
    if (entry.of_program) continue;
    if (options.cpu_time) record.cpu_ms = entry.cpu_ms;
    if (state_->has_device && !entry.other_thread) record.device_ms = entry.device_ms;
    if (options.tensor_memory) record.net_bytes = entry.last_net;
    if (options.tensor_memory) record.peak_bytes = entry.last_peak;
    if (options.resident_peak && !entry.other_thread && entry.last_resident_peak < kUnknownPeak / 2)
      record.resident_peak_bytes = entry.last_resident_peak;
  }
  return records;
}

const std::atomic<std::int64_t>& StageRecorder::tensor_bytes() const { return state_->tensors; }

}  // namespace aqbench
