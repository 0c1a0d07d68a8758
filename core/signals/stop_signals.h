#pragma once
// Ctrl-C as something to read, instead of the end of the process.

#include <signal.h>

namespace aqbench {

// While an object of this class lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup)
// can be read from a descriptor instead of ending the process, and write() returns an error at a file size
// limit, where SIGXFSZ would end the process. It works for the thread that creates it and for threads that
// are started afterwards: create it before others start. Throws Error(io) if there is no signalfd.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }  // readable once a signal came, until take()

  // Returns the signal that came and forgets it; 0 if none.
  int take() const;

 private:
  void restore() const;

  sigset_t old_mask_{};
  int descriptor_ = -1;
  void (*old_size_limit_)(int) = SIG_DFL;
};

}  // namespace aqbench
