#pragma once
// Ctrl-C during something long that leaves nothing half done.

#include <csignal>

namespace aqbench::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP (unless ignored) are noted instead of ending the process. One at
// a time.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();  // as it was before
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

  // Throws Error(interrupted) once a signal has come. Safe from any thread.
  void throw_if_interrupted() const;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3];
};

}  // namespace aqbench::cli
