#pragma once
// Records what each stage took: calls, wall time with and without the nested stages (inclusive and self), and
// where asked, CPU time and memory. The recorder's own memory grows with the number of different stages, not
// with calls.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/stage_scope.h"
#include "harness/measuring/observer_chain.h"
#include "harness/records/record.h"

namespace aqbench {

// The most different stages that are recorded, and the name under which all others are summed up, so that
// names made up at run time ("step 1234") do not fill the memory.
inline constexpr std::size_t kMaxStages = 256;
inline constexpr const char* kOtherStages = "(other stages)";

// Resident memory is measured only in the first so many calls of a stage.
inline constexpr std::uint64_t kResidentCalls = 100;

// What a recorder measures beside wall time.
struct StageRecorderOptions {
  // On the thread that made the recorder: CPU time of the whole process while the stage was open, LibTorch's
  // workers included. On others: of that thread alone.
  bool cpu_time = false;
  // Tensor bytes as LibTorch reports them (harness/measuring/tensor_memory.h). On the thread that made the
  // recorder, what threads without an open stage allocate counts in its stages.
  bool tensor_memory = false;
  // Time on the CUDA device, of the stages of the thread that made the recorder. Left out where there is none
  // (harness/measuring/torch_table.h).
  bool device_time = false;
  // How much the process's resident memory grows in each stage at most; where somebody else's program runs in
  // the stage and takes more, the memory of that program and all that it starts. This costs about 40 us a
  // scope, so it is not for timed runs, and it is measured only in the first kResidentCalls calls of a stage.
  bool resident_peak = false;
};

// Sums up stages by (name, parent). Nesting is per thread: a stage opened on a worker thread has no parent
// there. Where a stage calls itself, its inclusive values count once. After an exception nothing is missing:
// scopes close as the stack unwinds.
class StageRecorder final : public StageObserver {
 public:
  explicit StageRecorder(const StageRecorderOptions& options = {});
  ~StageRecorder() override;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;
  // Adds the stages of a program as stages within the one that the program ran in; those of its further
  // threads become stages of other threads. The CPU time and the memory of the program count in the stage
  // that it ran in and in all that are open. Where its memory is not known, that of these stages is unknown
  // too.
  void program_ended(const ProgramReport& report) override;

  // Ends one repetition of the whole run: the sums since the last call become one sample of every stage (0
  // for a stage that did not run). Memory is that of the last repetition: net is summed over the stage's
  // calls, peak is the largest of them. Call it outside of any stage.
  void finish_repetition();

  // Stops (false) and starts (true) listening to tensor memory between repetitions, so that other runs in
  // between are not slowed down. The tensors that are alive are forgotten. Call it outside of any stage.
  void watch_memory(bool on);

  // Returns the stages in the order in which they were first entered, parents before children.
  std::vector<StageRecord> stages() const;

  // Counts the tensor bytes taken and not given back since the recorder was made, for a memory counter beside
  // the stages; stays 0 without tensor_memory.
  const std::atomic<std::int64_t>& tensor_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aqbench
