#pragma once
// Samples CPU time by Linux perf, from outside: it also sees the kernel, but unwinds by frame pointers, which
// most libraries lack.

#include <memory>
#include <string>

#include "harness/measuring/folded.h"

namespace aqbench {

// Returns "" if perf can sample this process, otherwise one line with the reason and the remedy.
std::string perf_problem();

// Samples this process, all threads, from enable() to finish().
class PerfSampler {
 public:
  // Starts perf, attached and disabled. perf writes `data_file`. Throws Error(io).
  PerfSampler(double samples_per_s, const std::string& data_file);
  ~PerfSampler();
  PerfSampler(const PerfSampler&) = delete;
  PerfSampler& operator=(const PerfSampler&) = delete;

  // Starts sampling.
  void enable();

  // Stops sampling and returns the stacks. If a stack has a function with `root` in its name, drops the
  // frames outside it.
  FoldedStacks finish(const std::string& root);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Parses the output of `perf script -F comm,ip,sym,dso`, like PerfSampler::finish().
FoldedStacks stacks_of_perf_script(std::string_view text, const std::string& root);

}  // namespace aqbench
