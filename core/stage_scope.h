#pragma once
// Stages mark themselves: `StageScope scope("depth_estimation");`. The harness observes them. Without an
// observer a scope costs one load and a branch. Stage names are those of pipeline/method/method.h.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/members.h"

namespace aqbench {

// A stage as the program reported it.
struct ProgramStage {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;  // of CLOCK_MONOTONIC, within the program's run
  int lane = 0;                           // 0: the main thread; further threads and processes count from 1
  std::uint64_t calls = 1;
};

// Resources used by a program and its descendants, from start to end. Values are missing where the system
// does not report them.
struct ProgramUse {
  double cpu_user_s = 0, cpu_system_s = 0;
  std::optional<std::uint64_t> peak_resident_bytes;  // of all together; shared pages count once
  // By read and write calls, pipes and the page cache included; mapped files excluded.
  std::optional<std::uint64_t> read_bytes, written_bytes;
  std::uint64_t minor_faults = 0, major_faults = 0;  // of pages; major ones waited for the disk
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;

  bool operator==(const ProgramUse&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("cpu_user_s", &ProgramUse::cpu_user_s, kNotNegative);
    row("cpu_system_s", &ProgramUse::cpu_system_s, kNotNegative);
    row("peak_resident_bytes", &ProgramUse::peak_resident_bytes, 0,
        "Of all together; shared pages count once.");
    row("read_bytes", &ProgramUse::read_bytes, 0, "By read calls, from pipes and the page cache, too.");
    row("written_bytes", &ProgramUse::written_bytes);
    row("minor_faults", &ProgramUse::minor_faults);
    row("major_faults", &ProgramUse::major_faults);
    row("voluntary_switches", &ProgramUse::voluntary_switches);
    row("involuntary_switches", &ProgramUse::involuntary_switches);
  }
};

// A program that has ended.
struct ProgramReport {
  const char* stage = "";  // the StageScope in which it ran, just closed
  // Of each lane sorted by start, the outer one first; they nest and do not overlap.
  std::vector<ProgramStage> stages;
  std::optional<ProgramUse> use = {};  // none if the system reports nothing
};

// Passes the report to the observer of stages, if any. Call it on the thread that waited
// for the program, right after the scope in which it ran.
void report_program(const ProgramReport& report);

// Receives every scope, on the thread that opens and closes it; scopes of one thread nest. `enter` may throw
// (this tests failing stages); `leave` must not.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void enter(const char* stage) = 0;
  virtual void leave(const char* stage) noexcept = 0;
  // A program that ran in the scope last closed on this thread.
  virtual void program_ended(const ProgramReport&) {}
};

// Installs an observer for the whole process, nullptr for none. The caller keeps it alive.
void set_stage_observer(StageObserver* observer);

namespace detail {
// The observer of this process; every scope reads it.
extern std::atomic<StageObserver*> stage_observer;
}  // namespace detail

// Marks a stage from its construction to its destruction.
class StageScope {
 public:
  // `stage` must outlive the scope (a string literal).
  explicit StageScope(const char* stage)
      : stage_(stage), observer_(detail::stage_observer.load(std::memory_order_acquire)) {
    if (observer_ != nullptr) observer_->enter(stage_);
  }
  ~StageScope() {
    if (observer_ != nullptr) observer_->leave(stage_);
  }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  const char* stage_;
  StageObserver* observer_;
};

// Passes events on to several observers: enters in order and leaves in reverse. If one throws on entering,
// leaves those before it and rethrows.
class ObserverChain final : public StageObserver {
 public:
  explicit ObserverChain(std::vector<StageObserver*> observers) : observers_(std::move(observers)) {}
  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;
  void program_ended(const ProgramReport& report) override;

 private:
  std::vector<StageObserver*> observers_;  // not owned
};

// Installs an observer of stages for its lifetime.
class ScopedObserver {
 public:
  explicit ScopedObserver(StageObserver& observer) { set_stage_observer(&observer); }
  ~ScopedObserver() { set_stage_observer(nullptr); }
  ScopedObserver(const ScopedObserver&) = delete;
  ScopedObserver& operator=(const ScopedObserver&) = delete;
};

}  // namespace aqbench
