#pragma once
// Wall time per stage, inclusive and self. Memory grows with the number of different stages, not with calls.

#include <memory>
#include <string>
#include <vector>

#include "harness/record.h"
#include "scenes/core/stage_scope.h"

namespace aqbench {

// Sums up stages by (name, parent). Nesting is per thread: a stage opened on a worker thread has no parent
// there. Where a stage holds itself, its inclusive time counts once. Exceptions need nothing special: scopes
// close as the stack unwinds.
class StageRecorder final : public StageObserver {
 public:
  StageRecorder();
  ~StageRecorder() override;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

  // Ends one repetition of the whole run: what was summed up since the last call becomes one sample of every
  // stage (0 for a stage that did not run). Call it outside of any stage.
  void finish_repetition();

  // In the order in which they were first entered, parents before children.
  std::vector<StageRecord> stages() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One observer that stands for several: enters them in order and leaves them in reverse. If one throws on
// entering, those before it are left again and the exception goes on.
class ObserverChain final : public StageObserver {
 public:
  explicit ObserverChain(std::vector<StageObserver*> observers) : observers_(std::move(observers)) {}
  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

 private:
  std::vector<StageObserver*> observers_;  // not owned
};

// Installs an observer and takes it away again.
class ScopedObserver {
 public:
  explicit ScopedObserver(StageObserver& observer) { set_stage_observer(&observer); }
  ~ScopedObserver() { set_stage_observer(nullptr); }
  ScopedObserver(const ScopedObserver&) = delete;
  ScopedObserver& operator=(const ScopedObserver&) = delete;
};

}  // namespace aqbench
