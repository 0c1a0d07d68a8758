#pragma once
// Records calls and inclusive and self wall time of each stage and, on request, CPU time and memory. The
// recorder's memory grows with the number of different stages, not with calls.

#include <atomic>
#include <cstdint>
#include <memory>
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
  // On the thread that created the recorder: CPU time of the whole process while the stage was open,
  // LibTorch's workers included. On others: of that thread.
  bool cpu_time = false;
  // Tensor bytes reported by LibTorch (harness/measuring/tensor_memory.h). Allocations of threads without an
  // open stage count for the stages of the thread that created the recorder.
  bool tensor_memory = false;
  // Time on the OpenCL or CUDA device, of the stages of the thread that created the recorder. Absent without
  // a device (harness/measuring/torch_table.h).
  bool device_time = false;
  // The largest growth of the process's resident memory in each stage or, if an external program runs in the
  // stage and takes more, the memory of that program and its children. Costs about 40 us a scope, so it is
  // not for timed runs, and is measured only in the first kResidentCalls calls of a stage.
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

}  // namespace aqbench
