#include "harness/running/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/stop_signals.h"
#include "core/resources.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"
#include "harness/running/method_run.h"
#include "harness/running/sampled_scene.h"
#include "harness/running/time_left.h"

namespace aqbench {
namespace {

// Returns whether the case may start while the previous record is written. Only a simulated, untimed one may:
// this process must not disturb a timed method.
bool may_overlap(const Case& planned) { return planned.simulated && !planned.timing.times_warm(); }

class Sweep {
 public:
  Sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks, const CaseRunner& run)
      : plan_(plan), journal_(journal), callbacks_(callbacks), run_(run), log_(journal.bundle() / kLogFile) {}

  SweepOutcome run();

 private:
  void find_unfinished();
  std::unique_ptr<CaseProcess> start(const Case& planned);
  void announce(const Case& planned);
  void write(const CaseResult& result);
  void update_progress();

  const SweepPlan& plan_;
  Journal& journal_;
  const SweepCallbacks& callbacks_;
  const CaseRunner& run_;
  std::filesystem::path log_;
  StopSignals signals_;
  SteadyClock::time_point start_ = SteadyClock::now();
  OwnSettings settings_ = own_settings();
  std::vector<const Case*> unfinished_;  // the next one last
  TimeLeft time_left_;
  SweepOutcome outcome_;
  SweepProgress progress_;
  double eta_due_s_ = 0;  // since start_
};

std::unique_ptr<CaseProcess> Sweep::start(const Case& planned) {
  prepare_scene(planned);
  auto running = process_of(plan_, planned, log_, signals_.descriptor(), {journal_.bundle()});
  if (callbacks_.tick)
    running->options.tick = [this, &planned, &board = running->board] {
      progress_.doing = board.phase();
      if (const std::string stage = board.stage(); !stage.empty())
        progress_.doing += (progress_.doing.empty() ? "" : ": ") + stage;
      time_left_.stage(progress_.doing, seconds_since(start_));
      update_progress();
      callbacks_.tick(progress_, planned);
    };
  running->start([this](const Case& one, CaseBoard& board) {
    journal_.release_in_child();
    return run_(one, board);
  });
  return running;
}

void Sweep::update_progress() {
  progress_.total = plan_.cases.size();
  progress_.index = std::min(progress_.total - unfinished_.size() + 1, progress_.total);
  progress_.failed = outcome_.failed;
  progress_.elapsed_s = seconds_since(start_);
  // It looks at all cases that are left: of very many not after each of them.
  if (progress_.elapsed_s < eta_due_s_ && !unfinished_.empty()) return;
  progress_.eta_s = time_left_.seconds(unfinished_, progress_.elapsed_s);
  constexpr double kMaxShare = 0.02;  // of the time
  eta_due_s_ = progress_.elapsed_s + (seconds_since(start_) - progress_.elapsed_s) / kMaxShare;
}

void Sweep::announce(const Case& planned) {
  time_left_.begin(planned, seconds_since(start_));
  update_progress();
  progress_.doing.clear();
  if (callbacks_.started) callbacks_.started(progress_, planned);
}

// Writes the result. The case is done once its record is on the disk.
void Sweep::write(const CaseResult& result) {
  time_left_.end(seconds_since(start_));
  write_artefacts(journal_.bundle(), result);
  journal_.append(result.record);
  ++outcome_.ran;
  if (is_failure(result.record.status)) ++outcome_.failed;
  const std::size_t index = plan_.cases.size() - unfinished_.size() + 1;
  unfinished_.pop_back();
  update_progress();
  progress_.index = index;
  if (callbacks_.finished) callbacks_.finished(progress_, result.record);
}

void Sweep::find_unfinished() {
  std::set<std::string_view> finished;
  for (const CaseEnd& end : journal_.ends()) {
    finished.insert(end.case_name);
    if (is_failure(end.status)) ++outcome_.failed;
  }
  for (const Case& planned : plan_.cases)
    if (!finished.contains(planned.name)) unfinished_.push_back(&planned);
  std::ranges::reverse(unfinished_);
}

SweepOutcome Sweep::run() {
  find_unfinished();
  std::unique_ptr<CaseProcess> running;
  while (!unfinished_.empty()) {
    const Case& planned = *unfinished_.back();
    if (!running) running = start(planned);
    announce(planned);
    std::optional<CaseResult> result = result_of(*running, settings_);
    std::unique_ptr<CaseProcess> next;
    if (result) {
      const Record& record = result->record;
      if (record.guest) journal_.guests().require_same(record.case_name, record.method, *record.guest);
      if (callbacks_.ended && running->scratch) callbacks_.ended(planned, record, running->scratch->path());
      if (unfinished_.size() > 1 && may_overlap(*unfinished_[unfinished_.size() - 2]))
        next = start(*unfinished_[unfinished_.size() - 2]);
      write(*result);
    }
    // A signal during the writing of a record stops the sweep too, after that record.
    outcome_.signal = signals_.take();
    if (!result || outcome_.signal != 0) {
      outcome_.interrupted = !unfinished_.empty();
      break;  // a case just started is killed and stays unfinished
    }
    running = std::move(next);
  }
  outcome_.wall_s = seconds_since(start_);
  return outcome_;
}

}  // namespace

std::unique_ptr<CaseProcess> process_of(const SweepPlan& plan, const Case& planned,
                                        const std::filesystem::path& log, int cancel,
                                        const std::vector<std::filesystem::path>& hidden) {
  append_to_file(log, fmt::format("== {} {}\n", utc_now(), planned.name));
  const IsolateOptions limits{.timeout_s = plan.timeout_s,
                              .memory_limit_bytes = plan.memory_limit_bytes,
                              .log_file = log,
                              .cancel_descriptor = cancel};
  return std::make_unique<CaseProcess>(planned, limits, hidden);
}

std::optional<CaseResult> result_of(CaseProcess& process, OwnSettings& settings) {
  std::optional<CaseResult> result = process.wait();
  if (!result) return result;
  check_own_settings(process.planned, settings, *result);
  const Record& record = result->record;
  require_unchanged_guest(process.planned, record);
  append_to_file(process.options.log_file, fmt::format("-- {}{}{}\n", to_string(record.status),
                                                       record.reason.empty() ? "" : ": ", record.reason));
  return result;
}

void write_artefacts(const std::filesystem::path& bundle, const CaseResult& result) {
  if (!result.unwritten.empty()) throw Error(ErrorKind::io, result.unwritten);
  for (const auto& [name, bytes] : result.artefacts)
    if (!is_case_file(name))
      throw input_error("{}: its artefact '{}' is outside the bundle", result.record.case_name,
                        printable(name));
  for (const auto& [name, bytes] : result.artefacts) {
    const std::filesystem::path path = bundle / name;
    make_folders(path.parent_path());
    write_file(path, bytes);
  }
}

SweepOutcome run_sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks,
                       const CaseRunner& run) {
  load_modules_of(plan.cases);
  if (plan.cases.size() >= kManyCases) hold_in_large_pages();
  return Sweep(plan, journal, callbacks, run).run();
}

}  // namespace aqbench
