#pragma once
// Samples where this process spends CPU time, from inside: each thread has a timer on its CPU clock, whose
// signal handler walks up the stack by unwind tables. Needs no permission and no frame pointers, and sees
// through the frames of libraries that were built without them.

#include <cstdint>
#include <memory>
#include <string>

#include "core/stage_scope.h"
#include "harness/measuring/folded.h"

namespace aqbench {

// What a sampler found.
struct CpuSamples {
  FoldedStacks stacks;     // outermost first: the stage, then functions
  std::uint64_t lost = 0;  // samples for which there was no room
};

// Samples all threads of this process while it exists, also those that start later. Uses SIGPROF; only one
// sampler may live at a time. As an observer of stages it notes which stage a sample belongs to: that of its
// thread, or, where the thread has opened none, that of the thread that made the sampler.
class CpuSampler final : public StageObserver {
 public:
  // Takes `samples_per_s` samples for each second of CPU time of each thread; the kernel's tick may allow
  // fewer.
  explicit CpuSampler(double samples_per_s);
  ~CpuSampler() override;
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

  // Ends sampling and returns the stacks with names. Where a stack has a function with `root` in its name,
  // the frames outside of that function are left out.
  CpuSamples finish(const std::string& root);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aqbench
