#include "harness/running/measured_case.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/error.h"
#include "core/resources.h"
#include "core/stage_scope.h"
#include "core/stopwatch.h"
#include "harness/measuring/libraries.h"
#include "harness/planning/case_options.h"

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

void copy_tensor_memory(const std::vector<StageRecord>& from, std::vector<StageRecord>& to) {
  for (StageRecord& stage : to) {
    const StageRecord* const same = find_stage(from, stage);
    if (same == nullptr) continue;
    stage.net_bytes = same->net_bytes;
    stage.peak_bytes = same->peak_bytes;
  }
}

// Stores a program's resource use in the record.
class ProgramUseKeeper final : public StageObserver {
 public:
  explicit ProgramUseKeeper(Record& record) : record_(record) {}
  void enter(const char*) override {}
  void leave(const char*) noexcept override {}
  void program_ended(const ProgramReport& report) override { record_.program = report.use; }

 private:
  Record& record_;
};

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

void BoardMarker::enter(const char* stage) {
  if (std::this_thread::get_id() != thread_) return;
  open_.push_back(stage);
  board_.set_stage(stage);
}

void BoardMarker::leave(const char*) noexcept {
  if (std::this_thread::get_id() != thread_) return;
  open_.pop_back();
  board_.set_stage(open_.empty() ? nullptr : open_.back());
}

MeasuredCase::MeasuredCase(const Case& planned, CaseBoard& board, Record& record)
    : planned_(planned), board_(board), record_(record), injector_(planned.faults, board), marker_(board) {}

void MeasuredCase::note_faults() {
  for (std::size_t i = 0; i < planned_.faults.size(); ++i) record_.injected[i].times = board_.fault_count(i);
}

void MeasuredCase::run_cold(const std::function<void()>& run) {
  // Tensor memory is watched only here: warm runs are timed, and the memory of a stage is the same in each
  // run.
  StageRecorder recorder({.tensor_memory = uses_libraries(planned_)});
  const UserScopeBridge foreign;
  // The marker knows the stage before a fault strikes; the injector is inside the recorder, so that its delay
  // counts as the stage's time.
  ProgramUseKeeper program(record_);
  ObserverChain chain({&marker_, &recorder, &injector_, &program});
  board_.set_phase("cold");
  std::exception_ptr failure;
  {
    const ScopedObserver observe(chain);
    const auto start = SteadyClock::now();
    try {
      run();
    } catch (...) {
      failure = std::current_exception();
    }
    const double wall_ms = ms_since(start);
    if (!failure) record_.timing.cold_ms = wall_ms;
  }
  recorder.finish_repetition();
  record_.stages = recorder.stages();
  note_faults();
  if (failure) std::rethrow_exception(failure);
}

void MeasuredCase::run_warm(const TimedCall& call) {
  if (!planned_.timing.times_warm()) return;
  StageRecorder recorder;
  const UserScopeBridge foreign;
  ObserverChain chain({&marker_, &recorder, &injector_});
  keep_freed_memory();
  // Warm-up calls give no samples or stages.
  TimingPlan plan = planned_.timing;
  board_.set_phase("warming up");
  for (int i = 0; i < plan.warmup; ++i) call.run();
  plan.warmup = 0;
  TimedCall observed = call;
  observed.run = [&] {
    const ScopedObserver observe(chain);
    call.run();
  };
  const std::string of_all = plan.repetitions > 0 ? fmt::format(" of {}", plan.repetitions) : "";
  int done = 0;
  board_.set_phase("warm 1" + of_all);
  observed.after = [&] {
    recorder.finish_repetition();
    board_.set_phase(
        fmt::format("warm {}{}", std::min(++done + 1, std::max(plan.repetitions, done)), of_all));
  };
  time_warm_runs(plan, observed, record_.output_sha256, planned_.threads, record_.timing);
  record_.timing.threads = library_threads();
  auto stages = recorder.stages();
  copy_tensor_memory(record_.stages, stages);
  record_.stages = std::move(stages);
  note_faults();
}

}  // namespace aqbench
