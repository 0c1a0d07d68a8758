#pragma once
// Ctrl-C as data instead of death.

#include <signal.h>

namespace aqbench {

// While it lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) can be read from a
// descriptor instead of ending the process, and running into a file size limit is an error of write() instead
// of death. For the thread that creates it, before others start. Throws Error(io) if there is no signalfd.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }  // readable once a signal came, until take()

  // The signal that came, 0 if none.
  int take() const;

 private:
  void restore() const;

  sigset_t old_mask_{};
  int descriptor_ = -1;
  void (*old_size_limit_)(int) = SIG_DFL;
};

}  // namespace aqbench
