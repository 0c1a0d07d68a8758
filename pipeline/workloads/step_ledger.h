#pragma once
// Records where the time of a pipeline goes, step by step, on the main thread and on those that read ahead.

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// The steps of a pipeline.
enum class Step { load, decode, stack, copy, sample, convert, encode, write };

// How many steps there are.
inline constexpr std::size_t kSteps = 8;

// Returns the name of a step, also the name of its StageScope.
const char* to_string(Step step);

// Returns the names of all steps in order.
std::vector<std::string> step_names();

// Where the time of one run went.
struct Attribution {
  double wall_s = 0;
  std::array<double, kSteps> main_s{}, ahead_s{};  // on the main thread; on others
  double queue_wait_s = 0;                         // time the main thread waited for frames
  double unattributed_s = 0;                       // wall without the main thread's steps and waits
  double overlap_s = 0;                            // work of other threads while the main thread was busy
  double io_free_s = 0;                            // wall time if reading and writing were free
  std::string verdict;                             // "I/O-bound: ..." or the limiting step
};

// Records the times of one run. Create and finish it on the main thread.
class StepLedger {
 public:
  StepLedger() : main_(std::this_thread::get_id()), start_(SteadyClock::now()) {}

  // Runs `body` as a step, on any thread. Includes the time of stage observers (an injected fault, a
  // profiler).
  template <class Body>
  auto time(Step step, Body&& body) {
    const Entry entry(*this, step);
    const StageScope scope(to_string(step));
    return body();
  }

  // Runs `body`, in which the main thread waits for a frame.
  template <class Body>
  auto wait(Body&& body) {
    const WaitEntry entry(*this);
    return body();
  }

  // Ends the run's wall time and returns where it went.
  Attribution finish();

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

// Returns the figures "load_ms", ..., "queue_wait_ms", "overlap_ms", "unattributed_ms", "unattributed_share",
// "io_free_ms".
std::vector<WorkloadFigure> figures_of(const Attribution& attribution);

}  // namespace aqbench
