#pragma once
// Stages mark themselves: `StageScope scope("depth_estimation");`. The harness observes them. Without an
// observer a scope costs one load and a branch. Stage names are those of pipeline/method/stages.h.

#include <atomic>
#include <utility>
#include <vector>

namespace aqbench {

struct ProgramReport;  // core/program_report.h

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
