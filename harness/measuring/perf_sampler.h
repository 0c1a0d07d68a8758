#pragma once
// Samples CPU time by Linux perf, from outside: it sees the kernel, too, but walks the stack by frame
// pointers, which most libraries are built without.

#include <memory>
#include <string>

#include "harness/measuring/folded.h"

namespace aqbench {

// Returns "" if perf can sample this process, otherwise one line that says why not and what would help.
std::string perf_problem();

// Samples this process, all threads, from enable() to finish().
class PerfSampler {
 public:
  // Starts perf, attached and waiting. `data_file` is written by it. Throws Error(io).
  PerfSampler(double samples_per_s, const std::string& data_file);
  ~PerfSampler();
  PerfSampler(const PerfSampler&) = delete;
  PerfSampler& operator=(const PerfSampler&) = delete;

  // Begins to sample.
  void enable();

  // Ends sampling and returns the stacks. Where a stack has a function with `root` in its name, the frames
  // outside of that function are left out.
  FoldedStacks finish(const std::string& root);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads what `perf script -F comm,ip,sym,dso` printed, as PerfSampler::finish() does.
FoldedStacks stacks_of_perf_script(std::string_view text, const std::string& root);

}  // namespace aqbench
