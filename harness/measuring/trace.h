#pragma once
// A trace of stages for Perfetto (ui.perfetto.dev) and chrome://tracing: complete events per thread and a
// counter of tensor memory.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/stage_scope.h"

namespace aqbench {

// The maximum number of events in a trace; further ones are only counted, so that the trace stays usable.
inline constexpr std::size_t kMaxTraceEvents = 200'000;

// Records the begin and end of each stage.
class TraceRecorder final : public StageObserver {
 public:
  // The creating thread is named "main", others "worker 1" and so on in order of appearance. `tensor_bytes`
  // (may be null) is read at every stage boundary.
  explicit TraceRecorder(const std::atomic<std::int64_t>* tensor_bytes);
  ~TraceRecorder() override;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;
  void program_ended(const ProgramReport& report) override;

  // Returns JSON in the Trace Event Format (Chromium): microseconds from the recorder's start. Call it when
  // no stage is open.
  std::string json(const std::string& process_name) const;

  std::uint64_t left_out() const;  // events beyond kMaxTraceEvents

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aqbench
