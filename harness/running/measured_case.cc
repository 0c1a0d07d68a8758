#include "harness/running/measured_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/program_report.h"
#include "core/stopwatch.h"
#include "harness/measuring/library_threads.h"
#include "harness/measuring/torch_table.h"
#include "harness/planning/case_method.h"

namespace aqbench {

namespace {

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
