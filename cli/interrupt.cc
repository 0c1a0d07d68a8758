#include "cli/interrupt.h"

#include "core/error.h"

namespace aqbench::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int) { g_interrupted = 1; }

}  // namespace

CatchInterrupts::CatchInterrupts() : before_{} {
  g_interrupted = 0;
  struct sigaction note {};
  note.sa_handler = note_interrupt;  // without SA_RESTART: who waits for a lock stops waiting
  for (int i = 0; i < 3; ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &note, nullptr);  // nohup means it
  }
}

CatchInterrupts::~CatchInterrupts() {
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

void CatchInterrupts::throw_if_interrupted() const {
  if (g_interrupted != 0) throw Error(ErrorKind::interrupted, "interrupted");
}

}  // namespace aqbench::cli
