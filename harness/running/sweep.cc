#include "harness/running/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/stop_signals.h"
#include "core/resources.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"
#include "harness/running/merge_blocks.h"
#include "harness/running/method_run.h"
#include "harness/running/time_left.h"

namespace aqbench {
namespace {

// Removes the files of a record that its replacement does not have.
void remove_files(const std::filesystem::path& bundle, const Record& old, const Record& now) {
  for (const CaseFile& file : old.files) {
    std::error_code ignored;  // verify finds what cannot be removed
    if (std::ranges::find(now.files, file.path, &CaseFile::path) == now.files.end())
      std::filesystem::remove(bundle / file.path, ignored);
  }
}

// Returns whether the case may start while the previous record is written. Only a simulated, untimed one may:
// this process must not disturb a timed method.
bool may_overlap(const Case& planned) { return planned.simulated && !planned.timing.times_warm(); }

class Sweep {
 public:
  Sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks, const CaseRunner& run)
      : plan_(plan), journal_(journal), callbacks_(callbacks), run_(run), log_(journal.bundle() / kLogFile) {}

  SweepOutcome run();

 private:
  void check_guests() const;
  void find_unfinished();
  std::unique_ptr<CaseProcess> start(const Case& planned);
  void announce(const Case& planned);
  void write(const CaseResult& result);
  void finish_block(const Case& planned, const CaseResult& result);
  void recall_blocks();
  bool has_all_blocks(const Case& planned) const;
  void write_merged(const Case& planned);
  void add_last(const Case* planned);
  void drop_last();
  std::size_t cases_left() const { return runs_left_.size(); }
  void update_progress();

  const SweepPlan& plan_;
  Journal& journal_;
  const SweepCallbacks& callbacks_;
  const CaseRunner& run_;
  std::filesystem::path log_;
  StopSignals signals_;
  SteadyClock::time_point start_ = SteadyClock::now();
  OwnSettings settings_ = own_settings();
  // Cases to run, the next one last. A case with several blocks occurs once for each remaining block;
  // `blocks_` holds the results of the others by name.
  std::vector<const Case*> unfinished_;
  std::unordered_map<const Case*, std::size_t> runs_left_;  // how often each occurs there
  std::map<std::string, std::vector<Record>> blocks_;
  TimeLeft time_left_;
  SweepOutcome outcome_;
  SweepProgress progress_;
  double eta_due_s_ = 0;  // since start_
};

std::unique_ptr<CaseProcess> Sweep::start(const Case& planned) {
  append_to_file(log_, fmt::format("== {} {}\n", utc_now(), planned.name));
  const IsolateOptions limits{.timeout_s = plan_.timeout_s,
                              .memory_limit_bytes = plan_.memory_limit_bytes,
                              .log_file = log_,
                              .cancel_descriptor = signals_.descriptor()};
  auto running = std::make_unique<CaseProcess>(planned, limits, std::vector{journal_.bundle()});
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
  const std::size_t left = cases_left();
  progress_.total = plan_.cases.size();
  progress_.index = std::min(progress_.total - left + 1, progress_.total);
  progress_.failed = outcome_.failed;
  progress_.elapsed_s = seconds_since(start_);
  // It looks at all cases that are left: of very many not after each of them.
  if (progress_.elapsed_s < eta_due_s_ && left > 0) return;
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

void Sweep::add_last(const Case* planned) {
  unfinished_.push_back(planned);
  ++runs_left_[planned];
}

void Sweep::drop_last() {
  const auto left = runs_left_.find(unfinished_.back());
  if (--left->second == 0) runs_left_.erase(left);
  unfinished_.pop_back();
}

// Stores the result of one block, which is on disk before the next one runs. Of several blocks the files of
// the first one stay; the last one, or a failed one, makes the record.
void Sweep::finish_block(const Case& planned, const CaseResult& result) {
  time_left_.end(seconds_since(start_));
  if (planned.timing.blocks <= 1) return write(result);
  std::vector<Record>& blocks = blocks_[planned.name];
  const bool ok = result.record.status == Status::ok;
  if (blocks.empty() || !ok) write_artefacts(journal_.bundle(), result);
  if (!blocks.empty() && !ok) remove_files(journal_.bundle(), blocks.front(), result.record);
  journal_.append_block(result.record);
  blocks.push_back(result.record);
  if (!has_all_blocks(planned)) return drop_last();
  write_merged(planned);
}

// Returns whether nothing is left to run: after a failure the case's other blocks are skipped.
bool Sweep::has_all_blocks(const Case& planned) const {
  const auto found = blocks_.find(planned.name);
  return found != blocks_.end() && !found->second.empty() &&
         (found->second.back().status != Status::ok ||
          found->second.size() >= static_cast<std::size_t>(planned.timing.blocks));
}

void Sweep::write_merged(const Case& planned) {
  std::erase(unfinished_, &planned);
  runs_left_.erase(&planned);
  add_last(&planned);
  write({merged_record(planned, blocks_.at(planned.name)), {}});
}

// Writes the result. The case is done once its record is on the disk.
void Sweep::write(const CaseResult& result) {
  write_artefacts(journal_.bundle(), result);
  journal_.append(result.record);
  ++outcome_.ran;
  if (is_failure(result.record.status)) ++outcome_.failed;
  const std::size_t index = plan_.cases.size() - cases_left() + 1;
  drop_last();
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
  std::vector<const Case*> left;
  for (const Case& planned : plan_.cases)
    if (!finished.contains(planned.name)) left.push_back(&planned);
  recall_blocks();
  if (std::ranges::any_of(left, [](const Case* planned) { return planned->timing.blocks > 1; })) {
    std::map<const Case*, std::size_t> passed;
    for (const std::size_t index : interleaved_blocks(left)) {
      const auto done = blocks_.find(left[index]->name);
      if (passed[left[index]]++ >= (done == blocks_.end() ? 0 : done->second.size()))
        unfinished_.push_back(left[index]);
    }
  } else {
    unfinished_ = left;
  }
  std::ranges::reverse(unfinished_);
  for (const Case* const planned : unfinished_) ++runs_left_[planned];
  // A kill may have come between the last block and the record.
  for (const Case* const planned : left)
    if (has_all_blocks(*planned)) write_merged(*planned);
}

// Takes blocks of an interrupted sweep from the journal.
void Sweep::recall_blocks() {
  for (const Record& block : journal_.blocks())
    if (!journal_.has(block.case_name)) blocks_[block.case_name].push_back(block);
}

// The programs of cases still to run must be those of the cases that ran.
void Sweep::check_guests() const {
  if (journal_.ends().empty()) return;
  for (const Case* const planned : unfinished_)
    if (const auto guest = program_of(*planned))
      journal_.guests().require_same(planned->name, planned->method, *guest);
}

SweepOutcome Sweep::run() {
  find_unfinished();
  check_guests();
  std::unique_ptr<CaseProcess> running;
  while (!unfinished_.empty()) {
    const Case& planned = *unfinished_.back();
    if (!running) running = start(planned);
    announce(planned);
    std::optional<CaseResult> result = running->wait();
    std::unique_ptr<CaseProcess> next;
    if (result) {
      const Record& record = result->record;
      check_own_settings(planned, settings_, *result);
      require_unchanged_guest(planned, record);
      if (record.guest) journal_.guests().require_same(record.case_name, record.method, *record.guest);
      append_to_file(log_, fmt::format("-- {}{}{}\n", to_string(record.status),
                                       record.reason.empty() ? "" : ": ", record.reason));
      if (callbacks_.ended && running->scratch) callbacks_.ended(planned, record, running->scratch->path());
      if (unfinished_.size() > 1 && may_overlap(*unfinished_[unfinished_.size() - 2]))
        next = start(*unfinished_[unfinished_.size() - 2]);
      finish_block(planned, *result);
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

void write_artefacts(const std::filesystem::path& bundle, const CaseResult& result) {
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
