#include "core/processes/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace aqbench {

StopSignals::StopSignals() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&stop, SIGHUP);  // under nohup the process must survive it
  ::sigprocmask(SIG_BLOCK, &stop, &old_mask_);
  descriptor_ = ::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
  old_size_limit_ = ::signal(SIGXFSZ, SIG_IGN);
  if (descriptor_ >= 0) return;
  const int error = errno;
  restore();
  throw io_error("signalfd: {}", std::strerror(error));
}

StopSignals::~StopSignals() {
  take();  // otherwise a pending second Ctrl-C would end the process before it writes its summary
  ::close(descriptor_);
  restore();
}

int StopSignals::take() const {
  int number = 0;
  signalfd_siginfo info{};
  while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    number = static_cast<int>(info.ssi_signo);
  return number;
}

void StopSignals::restore() const {
  ::signal(SIGXFSZ, old_size_limit_);
  ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

}  // namespace aqbench
