#pragma once
// Runs a function in a forked child, so that a crash, a hang or too much memory ends only the child.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aqbench {

// The limits of a child and the destination of its output.
struct IsolateOptions {
  double timeout_s = 0;  // 0: none
  // Resident memory of the child and its descendants, where shared pages count once; 0: none.
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t result_limit_bytes = std::uint64_t{1} << 30;
  std::uint64_t log_limit_bytes = std::uint64_t{64} << 20;  // maximum that the child may add to the log
  std::filesystem::path log_file = {};  // the child's stdout and stderr are appended; empty: discarded
  int cancel_descriptor = -1;           // kills the child when it becomes readable (a signalfd, a pipe)
  std::function<void()> tick = {};      // called about four times a second while the child runs
  // Descriptors that the child keeps beside its standard streams; nullopt: all.
  std::optional<std::vector<int>> descriptors = {};
};

// Throws Error(usage) naming the first invalid option.
void check(const IsolateOptions& options);

// How a child ended, and its result.
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
  // Of the child's largest process, or of all its processes if their sum exceeded the limit.
  std::uint64_t peak_rss_bytes = 0;
  std::string log_tail;  // the last 2 KB of the child's output, if it did not end well
};

// Forks, runs `body` in the child and returns its result. The child has closed stdin, default signal
// handling, no core dumps and its own process group; it is killed when this process dies. Processes left in
// its group are killed, and so are those that end_group() finds. The calling
// process must not have used a library that starts threads or does not survive a fork (LibTorch, OpenBLAS,
// TBB, Open3D, CUDA). Throws Error(io) if a child, pipe or log file cannot be created.
IsolateOutcome run_isolated(const std::function<std::string()>& body, const IsolateOptions& options);

struct IsolatedChild;  // isolate.cc

// Does the same in two steps, so that the caller can do something short in between. Limits are enforced only
// during wait().
class IsolatedProcess {
 public:
  IsolatedProcess(const std::function<std::string()>& body, const IsolateOptions& options);
  ~IsolatedProcess();  // kills the child unless wait() was called
  IsolatedProcess(const IsolatedProcess&) = delete;
  IsolatedProcess& operator=(const IsolatedProcess&) = delete;

  IsolateOutcome wait();  // call once

 private:
  std::unique_ptr<IsolatedChild> child_;
};

// Resets every signal to its default action and unblocks it. Makes system calls only.
void reset_signals();

// Returns in one line why the child failed, without the log: "died of signal 6 (Aborted)", "killed after 10
// s, its time limit", ... Empty for ok.
std::string describe(const IsolateOutcome& outcome, const IsolateOptions& options);

// ---- Processes that outlive the child of this process that started them ----

// Makes orphaned descendants children of this process (PR_SET_CHILD_SUBREAPER). Call before a fork: a child
// can leave orphans before this process runs again.
void take_in_orphans();

// Registers a child of this process as a group leader, for end_group().
void begin_group(pid_t leader);

// Cleans up after a group whose processes were all killed and whose leader was reaped: reaps the killed ones,
// and kills every process adopted from a sandbox (a sandboxed program that killed its supervisor). Such a
// process sees another file system than this one. If its file system cannot be inspected, it counts as such
// if it cannot gain privileges any more and this process can.
void end_group(pid_t leader);

}  // namespace aqbench
