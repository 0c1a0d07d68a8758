#pragma once
// Where the time of a pipeline goes: per step, on the main thread and on those that read ahead.

#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

enum class Step { load, decode, stack, copy, sample, convert, encode, write };
inline constexpr std::size_t kSteps = 8;
const char* to_string(Step step);  // also the name of its StageScope
std::vector<std::string> step_names();

// What follows from the times of one run.
struct Attribution {
  double wall_s = 0;
  std::array<double, kSteps> main_s{}, ahead_s{};  // on the main thread; on others
  double queue_wait_s = 0;                         // the main thread waited for a frame
  double unattributed_s = 0;                       // wall without the main thread's steps and waits
  double overlap_s = 0;  // work of other threads while the main thread had work of its own
  double io_free_s = 0;  // wall, were reading and writing free
  std::string verdict;   // "I/O-bound: ..." or which step bounds it
};

// One per run; made and finished on the main thread.
class StepLedger {
 public:
  StepLedger() : main_(std::this_thread::get_id()), start_(SteadyClock::now()) {}

  // Runs `body` as that step, on any thread. What observers of stages add (a fault, a profiler) counts.
  template <class Body>
  auto time(Step step, Body&& body) {
    const Entry entry(*this, step);
    const StageScope scope(to_string(step));
    return body();
  }

  // The main thread waits in `body`.
  template <class Body>
  auto wait(Body&& body) {
    const WaitEntry entry(*this);
    return body();
  }

  Attribution finish();  // ends the run's wall time

 private:
  struct Entry {
    Entry(StepLedger& ledger, Step step) : ledger_(ledger), step_(step) {}
    ~Entry() { ledger_.add(step_, seconds_since(start_)); }
    StepLedger& ledger_;
    Step step_;
    SteadyClock::time_point start_ = SteadyClock::now();
  };
  struct WaitEntry {
    explicit WaitEntry(StepLedger& ledger) : ledger_(ledger) {}
    ~WaitEntry() { ledger_.times_.queue_wait_s += seconds_since(start_); }
    StepLedger& ledger_;
    SteadyClock::time_point start_ = SteadyClock::now();
  };
  void add(Step step, double seconds);

  std::thread::id main_;
  SteadyClock::time_point start_;
  std::mutex mutex_;
  Attribution times_;
};

// "load_ms", ..., "queue_wait_ms", "overlap_ms", "unattributed_ms", "unattributed_share", "io_free_ms".
std::vector<WorkloadFigure> figures_of(const Attribution& attribution);

}  // namespace aqbench
