#pragma once
// CPU samples by Linux perf, from outside: sees the kernel, too, but walks the stack by frame pointers, which
// libraries are mostly built without.

#include <memory>
#include <string>

#include "harness/measuring/folded.h"

namespace aqbench {

// "" if perf can sample this process, otherwise why not, in one line with what would help.
std::string perf_problem();

// Samples this process, all threads, from enable() to finish().
class PerfSampler {
 public:
  // Starts perf, attached and waiting. `data_file` is written by it. Throws Error(io).
  PerfSampler(double samples_per_s, const std::string& data_file);
  ~PerfSampler();
  PerfSampler(const PerfSampler&) = delete;
  PerfSampler& operator=(const PerfSampler&) = delete;

  void enable();
  // Stacks from the outermost function, without those outside of `root` (a part of a function's name).
  FoldedStacks finish(const std::string& root);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What `perf script -F comm,ip,sym,dso` printed. Exposed for tests.
FoldedStacks stacks_of_perf_script(std::string_view text, const std::string& root);

}  // namespace aqbench
