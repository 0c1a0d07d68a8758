#pragma once
// Samples CPU time from inside the process: each thread has a timer on its CPU clock, whose signal handler
// unwinds the stack by unwind tables. Needs no permission and no frame pointers, not even in libraries.

#include <cstdint>
#include <memory>
#include <string>

#include "core/stage_scope.h"
#include "harness/measuring/folded.h"

namespace aqbench {

// The result of a sampler.
struct CpuSamples {
  FoldedStacks stacks;     // outermost first: the stage, then functions
  std::uint64_t lost = 0;  // samples dropped for lack of room
};

// Samples all threads of this process, including later ones, during its lifetime. Uses SIGPROF; only one
// sampler may exist at a time. As a stage observer it assigns samples to stages: that of the thread or, if it
// has opened none, that of the thread that created the sampler.
class CpuSampler final : public StageObserver {
 public:
  // Takes `samples_per_s` samples per second of each thread's CPU time; the kernel's tick may allow fewer.
  explicit CpuSampler(double samples_per_s);
  ~CpuSampler() override;
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;

  void enter(const char* stage) override;
  void leave(const char* stage) noexcept override;

  // Stops sampling and returns the stacks with names. If a stack has a function with `root` in its name,
  // drops the frames outside it.
  CpuSamples finish(const std::string& root);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aqbench
