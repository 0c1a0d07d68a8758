#pragma once
// Ctrl-C as a readable event instead of the end of the process.

#include <signal.h>

namespace aqbench {

// While such an object lives, SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) can be read from a
// descriptor, and write() returns an error at a file size limit instead of SIGXFSZ ending the process.
// Applies to the creating thread and threads started later: create it before others start. Throws Error(io)
// if no signalfd is available.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }  // readable after a signal, until take()

  // Returns the received signal and clears it; 0 if none.
  int take() const;

 private:
  void restore() const;

  sigset_t old_mask_{};
  int descriptor_ = -1;
  void (*old_size_limit_)(int) = SIG_DFL;
};

}  // namespace aqbench
