#include "harness/running/inject.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

// Stages open on this thread, with their start: a slow-down is a share of the stage's own time.
thread_local std::vector<SteadyClock::time_point> t_stage_starts;

// Not inlined, so that a profile shows the injected work by this name.
__attribute__((noinline)) void wait_busily(SteadyClock::duration time) {
  const auto end = SteadyClock::now() + time;
  while (SteadyClock::now() < end) {
  }
}

[[noreturn]] void hang_forever() {
  for (;;) ::pause();
}

// Touches every page, so that the memory is resident. Ends by being killed or, if the kernel refuses memory
// first, with bad_alloc, as a method would.
[[noreturn]] void take_all_memory() {
  constexpr std::size_t block = std::size_t{16} << 20;
  for (;;) {
    void* const memory = ::mmap(nullptr, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    std::memset(memory, 1, block);
  }
}

}  // namespace

FaultInjector::FaultInjector(const std::vector<Fault>& faults, CaseBoard& board) : board_(board) {
  if (faults.size() > kMaxFaultsPerCase)
    throw usage_error("more than {} faults for one case", kMaxFaultsPerCase);
  for (const Fault& fault : faults) faults_.push_back({fault.stage, parse_fault_effect(fault.effect)});
}

bool FaultInjector::matches(const Planned& fault, const char* stage, bool outermost) {
  return fault.stage == "*" ? outermost : fault.stage == stage;
}

void FaultInjector::enter(const char* stage) {
  const bool outermost = t_stage_starts.empty();
  for (std::size_t slot = 0; slot < faults_.size(); ++slot) {
    const FaultKind kind = faults_[slot].effect.kind;
    if (!matches(faults_[slot], stage, outermost) || kind == FaultKind::slow_down || kind == FaultKind::sleep)
      continue;
    board_.count_fault(slot);
    if (kind == FaultKind::throw_error) throw method_error("injected failure in stage '{}'", stage);
    if (kind == FaultKind::abort) std::abort();
    if (kind == FaultKind::hang) hang_forever();
    if (kind == FaultKind::out_of_memory) take_all_memory();
    corrupts_output_ = true;
  }
  t_stage_starts.push_back(SteadyClock::now());
}

void FaultInjector::leave(const char* stage) noexcept {
  const auto elapsed = SteadyClock::now() - t_stage_starts.back();
  t_stage_starts.pop_back();
  const bool outermost = t_stage_starts.empty();
  for (std::size_t slot = 0; slot < faults_.size(); ++slot) {
    const FaultEffect effect = faults_[slot].effect;
    if (!matches(faults_[slot], stage, outermost)) continue;
    if (effect.kind == FaultKind::slow_down) {
      board_.count_fault(slot);
      wait_busily(std::chrono::duration_cast<SteadyClock::duration>(elapsed * effect.amount));
    } else if (effect.kind == FaultKind::sleep) {
      board_.count_fault(slot);
      std::this_thread::sleep_for(std::chrono::duration<double>(effect.amount));
    }
  }
}

}  // namespace aqbench
