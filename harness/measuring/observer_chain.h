#pragma once
// Lets several observers see the stages at once, and installs an observer for the time of a scope.

#include <utility>
#include <vector>

#include "core/stage_scope.h"

namespace aqbench {

// One observer that passes everything on to several: it enters them in order and leaves them in reverse. If
// one throws on entering, those before it are left again and the exception is passed on.
class ObserverChain final : public StageObserver {
 public:
  explicit ObserverChain(std::vector<StageObserver*> observers) : observers_(std::move(observers)) {}
  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;
  void program_ended(const ProgramReport& report) override;

 private:
  std::vector<StageObserver*> observers_;  // not owned
};

// Installs an observer of stages for as long as this object exists.
class ScopedObserver {
 public:
  explicit ScopedObserver(StageObserver& observer) { set_stage_observer(&observer); }
  ~ScopedObserver() { set_stage_observer(nullptr); }
  ScopedObserver(const ScopedObserver&) = delete;
  ScopedObserver& operator=(const ScopedObserver&) = delete;
};

}  // namespace aqbench
