#pragma once
// Records the stages of a run: calls and times of each and, on request, CPU time and memory; or a trace.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/stage_scope.h"
#include "harness/records/record.h"

namespace aqbench {

// The maximum number of recorded stages, and the name that sums up all others, so that generated names ("step
// 1234") do not fill the memory.
inline constexpr std::size_t kMaxStages = 256;
inline constexpr const char* kOtherStages = "(other stages)";

// Resident memory is measured only in the first calls of a stage, up to this number.
inline constexpr std::uint64_t kResidentCalls = 100;

// What a recorder measures beside wall time.
struct StageRecorderOptions {
  bool cpu_time = false;  // of the whole process on the thread that created the recorder, else of the thread
  bool tensor_memory = false;  // bytes reported by LibTorch (libraries.h); those of threads without an open
                               // stage count for the stages of the thread that created the recorder
  bool device_time = false;  // on the OpenCL or CUDA device, of the stages of that thread; absent without one
  // The largest growth of the process's resident memory in each stage or, if it is more, the memory of an
  // external program in it and its children. Costs about 40 us a scope, so it is not for timed runs, and is
  // measured only in the first kResidentCalls calls of a stage.
  bool resident_peak = false;
};

// Sums up stages by (name, parent). Nesting is per thread: a stage opened on a worker thread has no parent
// there. The inclusive values of a recursive stage count once. Nothing is missing after an exception: scopes
// close as the stack unwinds.
class StageRecorder final : public StageObserver {
 public:
  explicit StageRecorder(const StageRecorderOptions& options = {});
  ~StageRecorder() override;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;
  // Adds a program's stages inside the one that the program ran in; those of its other threads become stages
  // of other threads. Its CPU time and memory count for the stage it ran in and all open ones. If its memory
  // is unknown, so is that of these stages.
  void program_ended(const ProgramReport& report) override;

  // Ends one repetition: the sums since the last call become one sample of every stage (0 for a stage that
  // did not run). Memory is that of the last repetition: net is summed over the stage's calls, peak is their
  // maximum. Call it outside of any stage.
  void finish_repetition();

  // Pauses (false) and resumes (true) the tracking of tensor memory between repetitions, so that other runs
  // are not slowed down. Forgets the live tensors. Call it outside of any stage.
  void watch_memory(bool on);

  // Returns the stages in the order of their first entry, parents before children.
  std::vector<StageRecord> stages() const;

  // Returns the live tensor bytes allocated since construction, for a memory counter beside the stages; 0
  // without tensor_memory.
  const std::atomic<std::int64_t>& tensor_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The maximum number of events in a trace; further ones are only counted, so that the trace stays usable.
inline constexpr std::size_t kMaxTraceEvents = 200'000;

// Records the begin and end of each stage for Perfetto (ui.perfetto.dev) and chrome://tracing: complete
// events per thread and a counter of tensor memory.
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
