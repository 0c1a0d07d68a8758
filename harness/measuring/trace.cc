#include "harness/measuring/stage_recorder.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "core/json.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

constexpr int kFirstProgramThread = 100'000;  // above those of this process

// The format uses microseconds; three decimals keep the clock's nanoseconds, so that events still nest.
double trace_us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

struct TraceRecorder::State {
  struct Event {
    std::size_t name = 0;
    int thread = 0;
    std::int64_t start_ns = 0, end_ns = 0;
  };
  struct Memory {
    std::int64_t at_ns = 0, bytes = 0;
  };
  struct Open {
    std::size_t name = 0;
    std::int64_t start_ns = 0;
  };

  const std::atomic<std::int64_t>* tensor_bytes = nullptr;
  SteadyClock::time_point start = SteadyClock::now();
  mutable std::mutex mutex;
  std::vector<std::string> names;
  std::map<std::thread::id, int> threads;
  std::set<int> program_threads;          // of finished programs
  std::map<int, std::vector<Open>> open;  // per thread
  std::vector<Event> events;
  std::vector<Memory> memory;
  std::uint64_t left_out = 0;

  std::int64_t now_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - start).count();
  }
  int this_thread() {
    return threads.try_emplace(std::this_thread::get_id(), static_cast<int>(threads.size())).first->second;
  }
  void add(const Event& event) {
    if (events.size() < kMaxTraceEvents)
      events.push_back(event);
    else
      ++left_out;
  }
  std::size_t name_of(std::string_view stage) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == stage) return i;
    if (names.size() >= kMaxTraceEvents / 100) return names.size() - 1;
    names.emplace_back(stage);
    return names.size() - 1;
  }
  void note_memory(std::int64_t at_ns) {
    if (tensor_bytes == nullptr || memory.size() >= kMaxTraceEvents) return;
    const std::int64_t bytes = tensor_bytes->load();
    if (memory.empty() || memory.back().bytes != bytes) memory.push_back({at_ns, bytes});
  }
};

TraceRecorder::TraceRecorder(const std::atomic<std::int64_t>* tensor_bytes)
    : state_(std::make_unique<State>()) {
  state_->tensor_bytes = tensor_bytes;
  state_->this_thread();
}
TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::enter(const char* stage) {
  const std::lock_guard lock(state_->mutex);
  const std::int64_t now = state_->now_ns();
  state_->note_memory(now);
  state_->open[state_->this_thread()].push_back({state_->name_of(stage), now});
}

void TraceRecorder::leave(const char*) noexcept {
  const std::lock_guard lock(state_->mutex);
  const std::int64_t now = state_->now_ns();
  state_->note_memory(now);
  const int thread = state_->this_thread();
  auto& open = state_->open[thread];
  if (open.empty()) return;
  state_->add({open.back().name, thread, open.back().start_ns, now});
  open.pop_back();
}

void TraceRecorder::program_ended(const ProgramReport& report) {
  const std::lock_guard lock(state_->mutex);
  const std::int64_t zero_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(state_->start.time_since_epoch()).count();
  const int here = state_->this_thread();
  for (const ProgramStage& stage : report.stages) {
    const int thread = stage.lane == 0 ? here : kFirstProgramThread + stage.lane;
    if (stage.lane != 0) state_->program_threads.insert(thread);
    state_->add({state_->name_of(stage.name), thread, stage.start_ns - zero_ns, stage.end_ns - zero_ns});
  }
}

std::string TraceRecorder::json(const std::string& process_name) const {
  const std::lock_guard lock(state_->mutex);
  const auto named = [](const char* what, int thread, const std::string& name) {
    return Json{{"ph", "M"}, {"pid", 1}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text =
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + named("process_name", 0, process_name);
  for (const auto& [id, thread] : state_->threads)
    text += ",\n" + named("thread_name", thread, thread == 0 ? "main" : fmt::format("worker {}", thread));
  for (const int thread : state_->program_threads)
    text +=
        ",\n" + named("thread_name", thread, fmt::format("program thread {}", thread - kFirstProgramThread));
  std::vector<std::string> names;
  for (const std::string& name : state_->names) names.push_back(compact_json(Json(name)));
  for (const State::Event& event : state_->events)
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"cat\":\"stage\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"name\":{}}}",
        event.thread, trace_us(event.start_ns), trace_us(event.end_ns - event.start_ns), names[event.name]);
  for (const State::Memory& memory : state_->memory)
    text += fmt::format(
        ",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{:.3f},\"name\":\"tensor memory\",\"args\":{{\"MB\":{:.3f}}}}}",
        trace_us(memory.at_ns), static_cast<double>(memory.bytes) / 0x1p20);
  return text + "\n]}\n";
}

std::uint64_t TraceRecorder::left_out() const { return state_->left_out; }

}  // namespace aqbench
