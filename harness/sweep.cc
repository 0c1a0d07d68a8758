#include "harness/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

#include "harness/isolate.h"
#include "harness/text.h"
#include "scenes/core/error.h"
#include "scenes/core/files.h"

namespace aqbench {
namespace {

using SweepClock = std::chrono::steady_clock;

double seconds_since(SweepClock::time_point start) {
  return std::chrono::duration<double>(SweepClock::now() - start).count();
}

// While it lives, requests to stop can be read from a descriptor instead of ending the process, and running
// into a file size limit is an error of write() instead of death.
class StopSignals {
 public:
  StopSignals() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    struct sigaction hangup {};
    ::sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaddset(&stop, SIGHUP);  // nohup means it
    ::sigprocmask(SIG_BLOCK, &stop, &old_mask_);
    descriptor_ = ::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    old_size_limit_ = ::signal(SIGXFSZ, SIG_IGN);
    if (descriptor_ >= 0) return;
    const int error = errno;
    restore();
    throw Error(ErrorKind::io, fmt::format("signalfd: {}", std::strerror(error)));
  }
  ~StopSignals() {
    take();  // else a second Ctrl-C, still pending, would end the process before it has written its summary
    ::close(descriptor_);
    restore();
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }

  // The signal that came, 0 if none.
  int take() const {
    int number = 0;
    signalfd_siginfo info{};
    while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      number = static_cast<int>(info.ssi_signo);
    return number;
  }

 private:
  void restore() const {
    ::signal(SIGXFSZ, old_size_limit_);
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

  sigset_t old_mask_{};
  int descriptor_ = -1;
  void (*old_size_limit_)(int) = SIG_DFL;
};

bool counts_as_failed(const Record& record) {
  return record.status != Status::ok && record.status != Status::skipped;
}

// The last line that the child wrote, for a reason: what it said before it died.
std::string last_line(const std::string& log) {
  const std::size_t end = log.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t start = log.find_last_of("\r\n", end);
  return one_line(std::string_view(log).substr(start == std::string::npos ? 0 : start + 1,
                                               end - (start == std::string::npos ? 0 : start + 1) + 1),
                  160);
}

// The record of a case whose child gave none.
Record record_of_death(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                       const CaseBoard& board) {
  Record record = planned_record(planned);
  switch (outcome.end) {
    case IsolateOutcome::End::timeout:
      record.status = Status::timeout;
      break;
    case IsolateOutcome::End::signalled:
    case IsolateOutcome::End::exited:
      record.status = Status::crashed;
      break;
    default:
      record.status = Status::failed;
  }
  record.reason = describe(outcome, options);
  if (const std::string stage = board.stage(); !stage.empty())
    record.reason += fmt::format(", in stage '{}'", one_line(stage));
  if (const std::string line = last_line(outcome.log_tail); !line.empty())
    record.reason += "; it said: " + line;
  for (std::size_t i = 0; i < record.injected.size(); ++i) record.injected[i].times = board.fault_count(i);
  return record;
}

// A runner must not answer for another case, nor write outside of the bundle. Empty: it does not.
std::string problem_of(const CaseResult& result, const Case& planned) {
  if (result.record.case_name != planned.name) return "its result is that of another case";
  for (const auto& [name, bytes] : result.artefacts) {
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    if (name.empty() || path.is_absolute() || *path.begin() == ".." || !path.has_filename())
      return one_line(fmt::format("its artefact '{}' lies outside of the bundle", name));
  }
  return {};
}

CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board) {
  CaseResult result;
  try {
    if (outcome.end == IsolateOutcome::End::ok)
      result = decode_case_result(outcome.result);
    else
      result.record = record_of_death(planned, outcome, options, board);
  } catch (const Error& error) {
    result.record = planned_record(planned);
    result.record.reason = one_line(error.what());
  }
  if (const std::string problem = problem_of(result, planned); !problem.empty()) {
    result = {planned_record(planned), {}};
    result.record.reason = problem;
  }
  result.record.peak_rss_bytes = outcome.peak_rss_bytes;
  return result;
}

void write_artefacts(const std::filesystem::path& bundle, const CaseResult& result) {
  for (const auto& [name, bytes] : result.artefacts) {
    const std::filesystem::path path = bundle / name;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed)
      throw Error(ErrorKind::io, fmt::format("{}: {}", path.parent_path().string(), failed.message()));
    write_file(path, bytes);
  }
}

void append_log(const std::filesystem::path& log, const std::string& text) {
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const bool written =
      descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!written) throw Error(ErrorKind::io, fmt::format("{}: {}", log.string(), std::strerror(error)));
}

// One sweep under way.
struct Sweep {
  Sweep(const SweepPlan& the_plan, Journal& the_journal, const SweepCallbacks& the_callbacks,
        const CaseRunner& the_runner)
      : plan(the_plan), journal(the_journal), callbacks(the_callbacks), run(the_runner) {}

  const SweepPlan& plan;
  Journal& journal;
  const SweepCallbacks& callbacks;
  const CaseRunner& run;
  StopSignals signals;
  CaseBoard board;
  SweepClock::time_point start = SweepClock::now();
  SweepOutcome outcome;
  SweepProgress progress;
};

void update_progress(Sweep& sweep, std::size_t unfinished) {
  sweep.progress.failed = sweep.outcome.failed;
  sweep.progress.elapsed_s = seconds_since(sweep.start);
  if (sweep.outcome.ran > 0)
    sweep.progress.eta_s =
        sweep.progress.elapsed_s / static_cast<double>(sweep.outcome.ran) * static_cast<double>(unfinished);
}

// False when the sweep was interrupted: the case then has no record.
bool run_one(Sweep& sweep, const Case& planned, std::size_t unfinished) {
  const std::filesystem::path log = sweep.journal.bundle() / kLogFile;
  append_log(log, fmt::format("== {} {}\n", utc_now(), planned.name));
  sweep.board.reset();
  IsolateOptions options;
  options.timeout_s = sweep.plan.timeout_s;
  options.memory_limit_bytes = sweep.plan.memory_limit_bytes;
  options.log_file = log;
  options.cancel_descriptor = sweep.signals.descriptor();
  if (sweep.callbacks.tick)
    options.tick = [&] {
      update_progress(sweep, unfinished);
      sweep.callbacks.tick(sweep.progress, planned);
    };
  const auto body = [&] {
    sweep.journal.release_in_child();
    return encode_case_result(sweep.run(planned, sweep.board));
  };
  const IsolateOutcome end = run_isolated(body, options);
  if (end.end == IsolateOutcome::End::cancelled) return false;
  CaseResult result = result_of(planned, end, options, sweep.board);
  append_log(log, fmt::format("-- {}{}{}\n", to_string(result.record.status),
                              result.record.reason.empty() ? "" : ": ", result.record.reason));
  write_artefacts(sweep.journal.bundle(), result);
  sweep.journal.append(result.record);
  ++sweep.outcome.ran;
  if (counts_as_failed(result.record)) ++sweep.outcome.failed;
  update_progress(sweep, unfinished - 1);
  if (sweep.callbacks.finished) sweep.callbacks.finished(sweep.progress, result.record);
  return true;
}

}  // namespace

SweepOutcome run_sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks,
                       const CaseRunner& run) {
  Sweep sweep(plan, journal, callbacks, run);
  std::set<std::string_view> finished;
  std::vector<std::string> names;
  for (const Record& record : journal.records()) {
    names.push_back(record.case_name);
    if (counts_as_failed(record)) ++sweep.outcome.failed;
  }
  finished.insert(names.begin(), names.end());
  std::size_t unfinished = plan.cases.size() - finished.size();
  sweep.progress.total = plan.cases.size();
  for (const Case& planned : plan.cases) {
    if (finished.contains(planned.name)) continue;
    sweep.progress.index = plan.cases.size() - unfinished + 1;
    update_progress(sweep, unfinished);
    if (callbacks.started) callbacks.started(sweep.progress, planned);
    const bool done = run_one(sweep, planned, unfinished);
    if (done) --unfinished;
    // A signal that came while a record was written stops the sweep too, after that record.
    sweep.outcome.signal = sweep.signals.take();
    if (!done || sweep.outcome.signal != 0) {
      sweep.outcome.interrupted = unfinished > 0;
      break;
    }
  }
  sweep.outcome.wall_s = seconds_since(sweep.start);
  return sweep.outcome;
}

}  // namespace aqbench
