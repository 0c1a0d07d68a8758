#pragma once
// Runs a function in a forked child process, so that a crash, a hang or too much memory ends the child and
// not this process.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aqbench {

// The limits of a child, and where its output goes.
struct IsolateOptions {
  double timeout_s = 0;  // 0: none
  // Resident, of the child and its descendants together, where pages that they share count once; 0: none.
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t result_limit_bytes = std::uint64_t{1} << 30;
  std::uint64_t log_limit_bytes = std::uint64_t{64} << 20;  // what the child may add to the log
  std::filesystem::path log_file = {};  // the child's stdout and stderr are appended; empty: thrown away
  int cancel_descriptor = -1;           // kills the child when it becomes readable (a signalfd, a pipe)
  std::function<void()> tick = {};      // called about four times a second while the child runs
  // The child has these open and its standard streams, and nothing else of this process; nullopt: everything.
  std::optional<std::vector<int>> descriptors = {};
};

// Throws Error(usage) naming the field if an option is not a possible value.
void check(const IsolateOptions& options);

// How a child ended, and what it gave back.
struct IsolateOutcome {
  enum class End {
    ok,            // `result` is what the callable returned
    threw,         // `message` is the exception's
    exited,        // with `code`, before it gave a result
    signalled,     // died of signal `code`
    timeout,       // killed
    memory_limit,  // killed
    log_limit,     // killed: it wrote more than log_limit_bytes
    result_limit,  // killed: its result is larger than result_limit_bytes
    cancelled,     // killed
  };
  End end = End::ok;
  std::string result;
  std::string message;
  int code = 0;
  double wall_s = 0;
  // Of the child's largest process; of all its processes together where their sum passed the limit.
  std::uint64_t peak_rss_bytes = 0;
  std::string log_tail;  // at most 2 KB of what the child wrote, when it did not end well
};

// Forks, runs `body` in the child and returns what it returned. The child has its stdin closed off, default
// signal handling, no core dumps, and a process group of its own; it is killed when this process dies. What
// it leaves running in its group is killed, and so is what end_group() finds (core/processes/orphans.h). The
// calling process must not have used a library that starts threads or cannot be forked (LibTorch, OpenBLAS,
// TBB, Open3D, CUDA). Throws Error(io) if there can be no child, pipe or log file.
IsolateOutcome run_isolated(const std::function<std::string()>& body, const IsolateOptions& options);

struct IsolatedChild;  // isolate.cc

// Does the same in two steps, so that the caller can do something short in between. Limits are watched only
// during wait().
class IsolatedProcess {
 public:
  IsolatedProcess(const std::function<std::string()>& body, const IsolateOptions& options);
  ~IsolatedProcess();  // kills it unless it was waited for
  IsolatedProcess(const IsolatedProcess&) = delete;
  IsolatedProcess& operator=(const IsolatedProcess&) = delete;

  IsolateOutcome wait();  // once

 private:
  std::unique_ptr<IsolatedChild> child_;
};

// Gives every signal its default action and blocks none. Makes system calls only.
void reset_signals();

// Returns why the child did not end well, as one line without the log: "died of signal 6 (Aborted)",
// "killed after 10 s, its time limit", ... Empty for ok.
std::string describe(const IsolateOutcome& outcome, const IsolateOptions& options);

}  // namespace aqbench
