#pragma once
// Samplers of CPU time: from inside the process, or by Linux perf; the stacks that they count, and names of
// functions.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/descriptor.h"
#include "core/stage_scope.h"

namespace aqbench {

// The number of samples of each stack; functions outermost first, joined by ';'.
using FoldedStacks = std::map<std::string, std::uint64_t>;

// Returns one line per stack: "main;work;hot 42".
std::string folded_text(const FoldedStacks& stacks);

// Reads what folded_text() wrote. Throws Error(input) "SOURCE:LINE: ..." for a line that is not "STACK
// COUNT".
FoldedStacks read_folded(std::string_view text, const std::string& source);

// Returns the number of samples in all stacks.
std::uint64_t sample_count(const FoldedStacks& stacks);

// Returns the functions of one stack, outermost first.
std::vector<std::string_view> functions_of(std::string_view stack);

// Returns whether the name stands for a place without a symbol: "[libgomp.so.1]", "[unknown]".
bool is_unresolved(std::string_view function);

// The prefix of a frame that is a stage: "stage depth_estimation".
inline constexpr std::string_view kStagePrefix = "stage ";

// Looks up functions by address in the files loaded when this object was made. Reads each file's symbols at
// their first use.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // Returns the demangled name of the function that contains the instruction at `address`; "[libgomp.so.1]"
  // where the file has no symbol for the place. For a caller, pass the return address minus one.
  const std::string& find(std::uintptr_t address);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Returns a readable symbol name: demangled, without anonymous namespaces and std::function's wrapper, with
// long template arguments and parameters abbreviated as "<...>" and "(...)".
std::string readable_function(const std::string& symbol);

// The result of a sampler.
struct CpuSamples {
  FoldedStacks stacks;     // outermost first: the stage, then functions
  std::uint64_t lost = 0;  // samples dropped for lack of room
};

// Samples CPU time of all threads of this process, including later ones, during its lifetime: each thread has
// a timer on its CPU clock, whose signal handler unwinds the stack by unwind tables. Needs no permission and
// no frame pointers, not even in libraries. Uses SIGPROF; only one sampler may exist at a time. As a stage
// observer it assigns samples to stages: that of the thread or, if it has opened none, that of the thread
// that created the sampler.
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

// Returns "" if perf can sample this process, otherwise one line with the reason and the remedy.
std::string perf_problem();

// Samples this process, all threads, from outside, from enable() to finish(): it also sees the kernel, but
// unwinds by frame pointers, which most libraries lack.
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
  void command(const std::string& what) const;
  void wait();

  Pipe control_{"a pipe for perf"}, acknowledge_{"a pipe for perf"};
  std::string data_file_;
  pid_t perf_ = -1;
};

// Parses the output of `perf script -F comm,ip,sym,dso`, like PerfSampler::finish().
FoldedStacks stacks_of_perf_script(std::string_view text, const std::string& root);

}  // namespace aqbench
