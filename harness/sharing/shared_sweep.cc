#include "harness/sharing/shared_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/processes/stop_signals.h"
#include "core/resources.h"
#include "core/scratch_folder.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/environment.h"
#include "harness/records/guests.h"
#include "harness/records/results.h"
#include "harness/running/run_case.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

bool is_timed(const Case& planned) { return !planned.workload.empty() || planned.timing.times_warm(); }

// The children of run_locally_shared(), one for each running case.
class LocalProcesses {
 public:
  explicit LocalProcesses(const std::function<bool(std::size_t)>& run) : run_(run) {}
  ~LocalProcesses() { stop(); }
  LocalProcesses(const LocalProcesses&) = delete;
  LocalProcesses& operator=(const LocalProcesses&) = delete;

  std::size_t running() const { return children_.size(); }

  void start(std::size_t number) {
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw io_error("cannot start a process: {}", std::strerror(errno));
    if (child == 0) work(parent, number);
    children_.push_back({child, number, Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)))});
  }

  // Waits until a child ends or `stop` becomes readable; returns the cases whose child ended. Throws the
  // error that a child met.
  std::vector<std::size_t> wait(int stop) {
    constexpr int kPause_ms = 50;  // without pidfd_open() no descriptor tells
    std::vector<pollfd> waits = {{stop, POLLIN, 0}};
    for (const Child& child : children_) waits.push_back({child.ended.get(), POLLIN, 0});
    ::poll(waits.data(), waits.size(), kPause_ms);
    std::vector<std::size_t> ended;
    std::erase_if(children_, [&](const Child& child) {
      int status = 0;
      if (::waitpid(child.process, &status, WNOHANG) != child.process) return false;
      if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::not_comparable))
        throw not_comparable_error("a process failed; see its message above");
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        throw io_error("a process failed; see its message above");
      ended.push_back(child.number);
      return true;
    });
    return ended;
  }

  void stop() {
    for (const Child& child : children_) {
      ::kill(child.process, SIGTERM);
      ::kill(child.process, SIGCONT);
    }
    for (const Child& child : children_)
      while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
      }
    children_.clear();
  }

 private:
  struct Child {
    pid_t process;
    std::size_t number;
    Descriptor ended;  // readable then
  };

  [[noreturn]] void work(pid_t parent, std::size_t number) {
    ExitCode code = ExitCode::pass;
    try {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() == parent) run_(number);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("aqbench: error: {}\n", printable(error.what())).c_str(), stderr);
      const auto* const known = dynamic_cast<const Error*>(&error);
      code = known != nullptr && known->kind() == ErrorKind::not_comparable ? ExitCode::not_comparable
                                                                            : ExitCode::io;
    }
    std::fflush(nullptr);
    ::_exit(static_cast<int>(code));
  }

  const std::function<bool(std::size_t)>& run_;
  std::vector<Child> children_;
};

// Writes the result of a case into the bundle: files, log, record. Returns its record; nullopt if there is no
// result.
std::optional<Record> take_finished(const SweepPlan& plan, const fs::path& dir, std::size_t number,
                                    Journal& journal, CasesOfHosts& hosts) {
  const std::optional<FinishedCase> finished = read_finished(dir, number, plan);
  if (!finished) return std::nullopt;
  const Record& record = finished->result.record;
  if (record.guest) journal.guests().require_same(record.case_name, record.method, *record.guest);
  if (const Json& there = *finished->environment;
      !there.empty() && comparability_of(there) != comparability_of(*journal.environment()))
    journal.append(JournalResumption{utc_now(), there});
  append_to_file(journal.bundle() / kLogFile,
                 fmt::format("on {}:\n{}", printable(finished->host), finished->log));
  write_artefacts(journal.bundle(), finished->result);
  journal.append(record);
  ++hosts[finished->host];
  return record;
}

}  // namespace

bool has_timed_cases(const SweepPlan& plan) { return std::ranges::any_of(plan.cases, is_timed); }

void require_shareable(const SweepPlan& plan, OwnMachine machine) {
  const auto timed = std::ranges::find_if(plan.cases, is_timed);
  if (timed != plan.cases.end() && machine == OwnMachine::no)
    throw usage_error(
        "{}: times of processes that share a machine are not comparable; run it in a sweep of its own, with "
        "sweep --slurm --own-nodes, or with run-case --own-machine where nothing else runs",
        timed->name);
}

FinishedCases::FinishedCases(const SweepPlan& plan, fs::path dir, CaseRunner run, CaseEnded ended,
                             std::vector<fs::path> hidden)
    : plan_(plan),
      dir_(std::move(dir)),
      run_(std::move(run)),
      ended_(std::move(ended)),
      hidden_(std::move(hidden)) {
  hidden_.push_back(dir_);
  if (has_timed_cases(plan))
    environment_ = environment_json(
        {plan.request.threads.value_or(available_processors()), devices_of(plan.request), plan.dtype});
}

std::optional<Record> FinishedCases::run(std::size_t number) {
  const StopSignals signals;
  const ScratchFolder scratch;
  const fs::path log = scratch.path() / kLogFile;
  const Case& planned = plan_.cases.at(number - 1);
  OwnSettings settings = own_settings();
  const auto process = process_of(plan_, planned, log, signals, hidden_);
  process->start(run_);
  std::optional<CaseResult> result = result_of(*process, settings);
  if (!result) return std::nullopt;
  if (ended_ && process->scratch) ended_(planned, result->record, process->scratch->path());
  process->scratch.reset();  // room for what is written
  const FinishedCase finished{plan_.sha256, program_sha256(),   this_host(),
                              environment_, read_log_file(log), std::move(*result)};
  write_finished(dir_, number, finished);
  return finished.result.record;
}

FoundCases find_finished(const SweepPlan& plan, const std::vector<fs::path>& dirs) {
  FoundCases found;
  GuestsSeen guests;
  const bool timed = has_timed_cases(plan);
  std::optional<FinishedCase> first;  // whose machine all others must be like
  for (std::size_t number = 1; number <= plan.cases.size(); ++number) {
    std::optional<FinishedCase> finished;
    auto dir = dirs.begin();
    while (dir != dirs.end() && !(finished = read_finished(*dir, number, plan))) ++dir;
    if (!finished) {
      found.missing.push_back(number);
      continue;
    }
    guests.add(finished->result.record, dir->string());
    found.folders.emplace(number, *dir);
    if (!timed) continue;
    if (!first) {
      first = std::move(finished);
      continue;
    }
    const std::vector<std::string> differences =
        comparability_differences(comparability_of(*first->environment),
                                  comparability_of(*finished->environment), "that of " + first->host);
    if (!differences.empty())
      throw not_comparable_error("times of unlike machines: {} ({}) was measured on {}, which differs: {}",
                                 plan.cases[number - 1].name, (*dir / std::to_string(number)).string(),
                                 finished->host, fmt::join(differences, "; "));
  }
  return found;
}

void take_all_finished(const SweepPlan& plan, const FoundCases& found, Journal& journal,
                       CasesOfHosts& hosts) {
  const JsonBox own_machine = journal.environment();
  for (const auto& [number, dir] : found.folders)
    if (!journal.has(plan.cases[number - 1].name)) take_finished(plan, dir, number, journal, hosts);
  if (comparability_of(*own_machine) != comparability_of(*journal.environment()))
    journal.append(JournalResumption{utc_now(), own_machine});
}

SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, std::size_t processes,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts) {
  load_modules_of(plan.cases);
  if (plan.cases.size() >= kManyCases) hold_in_large_pages();
  const fs::path tasks = tasks_folder(journal.bundle());
  make_folders(tasks);
  const StopSignals signals;
  append_to_file(journal.bundle() / kLogFile, {});  // every bundle has a log, even without finished cases
  const auto start = SteadyClock::now();
  SweepOutcome outcome;
  const auto is_failed_end = [](const CaseEnd& end) { return is_failure(end.status); };
  outcome.failed = static_cast<std::size_t>(std::ranges::count_if(journal.ends(), is_failed_end));
  const auto count = [&](const Record& record) {
    ++outcome.ran;
    outcome.failed += is_failure(record.status) ? 1 : 0;
    if (!callbacks.finished) return;
    const std::size_t done = journal.ends().size();
    const double elapsed_s = seconds_since(start);
    const double each_s = elapsed_s / static_cast<double>(outcome.ran);
    callbacks.finished({done, plan.cases.size(), outcome.failed, elapsed_s,
                        each_s * static_cast<double>(plan.cases.size() - done)},
                       record);
  };
  std::deque<std::size_t> open;
  for (std::size_t number = 1; number <= plan.cases.size(); ++number)
    if (!journal.has(plan.cases[number - 1].name)) open.push_back(number);
  FinishedCases cases(plan, tasks, run, callbacks.ended, {journal.bundle()});
  const std::function<bool(std::size_t)> run_number = [&](std::size_t number) {
    journal.release_in_child();
    return cases.run(number).has_value();
  };
  LocalProcesses children(run_number);
  constexpr std::size_t kMaxDeaths = 3;
  std::map<std::size_t, std::size_t> deaths;  // of the children of a case
  while ((outcome.signal = signals.take()) == 0 && (!open.empty() || children.running() > 0)) {
    while (!open.empty() && children.running() < processes) {
      children.start(open.front());
      open.pop_front();
    }
    for (const std::size_t number : children.wait(signals.descriptor())) {
      const std::string& name = plan.cases[number - 1].name;
      if (const auto record = take_finished(plan, tasks, number, journal, hosts)) {
        count(*record);
      } else if (++deaths[number] == kMaxDeaths) {
        throw method_error("{}: its process died {} times before it had a result; check memory", name,
                           kMaxDeaths);
      } else {
        open.push_back(number);
      }
    }
  }
  outcome.interrupted = journal.ends().size() < plan.cases.size();
  children.stop();
  outcome.wall_s = seconds_since(start);
  return outcome;
}

}  // namespace aqbench
