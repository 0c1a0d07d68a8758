#pragma once
// Several stage observers at once, and an observer for a scope.

#include <utility>
#include <vector>

#include "core/stage_scope.h"

namespace aqbench {

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
