#pragma once
// One case under way in its process: observers, faults, the cold call, then the warm repetitions.

#include <string>
#include <thread>
#include <vector>

#include "harness/measuring/stage_recorder.h"
#include "harness/measuring/timing.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/running/case_board.h"
#include "harness/running/inject.h"

namespace aqbench {

// Tells the parent where the case's main thread is, for the reason of a crash.
class BoardMarker final : public StageObserver {
 public:
  explicit BoardMarker(CaseBoard& board) : board_(board), thread_(std::this_thread::get_id()) {}
  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

 private:
  CaseBoard& board_;
  std::thread::id thread_;
  std::vector<const char*> open_;
};

class MeasuredCase {
 public:
  MeasuredCase(const Case& planned, CaseBoard& board, Record& record);

  // The first call of this process: cold_ms, stages and injected faults of the record, also when it throws.
  void run_cold(const std::function<void()>& run);

  // Warm runs as the case's plan says; nothing if it wants none. Stages are then those of the warm runs.
  // Throws as time_warm_runs().
  void run_warm(const TimedCall& call);

  bool corrupts_output() const { return injector_.corrupts_output(); }

 private:
  void note_faults();

  const Case& planned_;
  CaseBoard& board_;
  Record& record_;
  FaultInjector injector_;
  BoardMarker marker_;
};

}  // namespace aqbench
