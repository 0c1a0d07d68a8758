#pragma once
// Runs one case in its process, observed and with faults: first the cold call, then the warm repetitions.

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/stage_scope.h"
#include "harness/measuring/stage_recorder.h"
#include "harness/measuring/timing.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/running/case_process.h"

namespace aqbench {

// The displacement of points along +Z by the fault `corrupt`, metres.
inline constexpr double kCorruptShiftM = 0.005;

// Carries out faults as stages open and close on any thread. Counts each strike on the board (slot = index of
// the fault), so that the count survives a crash.
class FaultInjector final : public StageObserver {
 public:
  // The board must outlive the injector and have a slot for each fault.
  FaultInjector(const std::vector<Fault>& faults, CaseBoard& board);

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

  bool corrupts_output() const { return corrupts_output_; }  // a `corrupt` fault was reached

 private:
  struct Planned {
    std::string stage;
    FaultEffect effect;
  };
  static bool matches(const Planned& fault, const char* stage, bool outermost);

  std::vector<Planned> faults_;
  CaseBoard& board_;
  std::atomic<bool> corrupts_output_{false};
};

// Reports the stage of the case's main thread to the parent, for the reason of a crash.
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

// Runs a case, first cold and then warm, and fills its record.
class MeasuredCase {
 public:
  // All three must outlive it.
  MeasuredCase(const Case& planned, CaseBoard& board, Record& record);

  // Calls `run` for the first time in this process. Fills cold_ms, and stages and injected faults even if
  // `run` throws; the exception is passed on.
  void run_cold(const std::function<void()>& run);

  // Times warm runs according to the case's plan, if any. The record's stages are then those of the warm
  // runs. Throws like time_warm_runs().
  void run_warm(const TimedCall& call);

  // Returns whether a fault asks for a wrong output.
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
