#pragma once
// A trace of stages that Perfetto (ui.perfetto.dev) and chrome://tracing open: complete events per thread and
// a counter of tensor memory.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/stage_scope.h"

namespace aqbench {

// The most events of a trace; further ones are counted and left out, so that the trace can be opened and
// memory suffices.
inline constexpr std::size_t kMaxTraceEvents = 200'000;

// Notes when each stage began and ended.
class TraceRecorder final : public StageObserver {
 public:
  // The thread that makes it is named "main", others "worker 1" and so on in the order in which they come.
  // `tensor_bytes` (may be null) is read at every border of a stage.
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
