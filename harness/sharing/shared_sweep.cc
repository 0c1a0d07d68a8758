#include "harness/sharing/shared_sweep.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/processes/isolate.h"
#include "core/processes/stop_signals.h"
#include "core/resources.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/records/results.h"
#include "harness/running/case_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "harness/sharing/shared_results.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr useconds_t kPause_us = 50'000;  // between two searches for results

// One process that runs cases.
struct Task {
  const SweepPlan& plan;
  fs::path bundle, tasks;
  const CaseRunner& run;
  const CaseEnded& ended;
  LeaseTable leases;
  StopSignals signals{};
  OwnSettings settings = own_settings();
  LeaseHolder self = this_process();
  std::set<std::size_t> done{};  // places
  TaskOutcome outcome{};

  // Runs a case unless another process holds it; returns whether it ran to its end.
  bool attempt(std::size_t place) {
    std::optional<Lease> lease = leases.attempt(place);
    if (!lease) return false;
    // It may have been finished between the check for results and the lease.
    const bool finished = is_published(tasks, place);
    if (!finished) run_and_publish(place, *lease);
    if (finished || !outcome.interrupted) done.insert(place);
    lease->give_back();
    return !finished && !outcome.interrupted;
  }

  void run_and_publish(std::size_t place, Lease& lease) {
    const Case& planned = plan.cases[place];
    // Named after the lease, which no other process ever holds.
    const fs::path log = tasks / fmt::format("log.{}.{}", place, lease.generation());
    append_to_file(
        log, fmt::format("== {} {}\non {}, process {}\n", utc_now(), planned.name, self.host, self.process));
    const IsolateOptions limits{.timeout_s = plan.timeout_s,
                                .memory_limit_bytes = plan.memory_limit_bytes,
                                .log_file = log,
                                .cancel_descriptor = signals.descriptor(),
                                .tick = [&lease] { lease.renew_if_due(); }};
    CaseProcess process(planned, limits, {bundle, tasks});  // hides results of other cases
    process.start(run);
    std::optional<CaseResult> result = process.wait();
    if (result) {
      check_own_settings(planned, settings, *result);
      require_unchanged_guest(planned, result->record);
      const Record& record = result->record;
      if (ended && process.scratch) ended(planned, record, process.scratch->path());
      process.scratch.reset();  // room for what is published
      append_to_file(log, fmt::format("-- {}{}{}\n", to_string(record.status),
                                      record.reason.empty() ? "" : ": ", record.reason));
      const bool first = publish(tasks, place, {self.host, self.process, read_log_file(log), *result});
      ++(first ? outcome.ran : outcome.too_late);
    }
    outcome.interrupted = !result || signals.take() != 0;
    std::error_code ignored;  // the next case's log is then longer
    fs::remove(log, ignored);
  }

  // Iterates over all cases once; returns whether it ran any.
  bool pass() {
    bool ran = false;
    for (std::size_t place = 0; place < plan.cases.size() && !outcome.interrupted; ++place) {
      if (done.contains(place)) continue;
      if (is_published(tasks, place))
        done.insert(place);
      else
        ran = attempt(place) || ran;
    }
    return ran;
  }
};

// ---- Processes on this machine ----

class LocalTasks {
 public:
  LocalTasks(const SweepPlan& plan, Journal& journal, double lease_s, const CaseRunner& run,
             const CaseEnded& ended)
      : plan_(plan), journal_(journal), lease_s_(lease_s), run_(run), ended_(ended) {}
  ~LocalTasks() { stop(); }
  LocalTasks(const LocalTasks&) = delete;
  LocalTasks& operator=(const LocalTasks&) = delete;

  std::size_t running() const { return children_.size(); }

  void start() {
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw io_error("cannot start a task: {}", std::strerror(errno));
    if (child == 0) work(parent);
    children_.push_back(child);
  }

  // Handles ended children; returns how many ended without finishing their work.
  std::size_t reap() {
    std::size_t failed = 0;
    std::erase_if(children_, [&](pid_t child) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) != child) return false;
      if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::not_comparable))
        throw not_comparable_error("a task failed; see its message above");
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        throw io_error("a task failed; see its message above");
      failed += WIFSIGNALED(status) ? 1 : 0;
      return true;
    });
    return failed;
  }

  void stop() {
    for (const pid_t child : children_) {
      ::kill(child, SIGTERM);
      ::kill(child, SIGCONT);
    }
    for (const pid_t child : children_)
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    children_.clear();
  }

 private:
  [[noreturn]] void work(pid_t parent) {
    int code = 0;
    try {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      journal_.release_in_child();
      if (::getppid() == parent)
        run_task(plan_, journal_.bundle(), tasks_folder(journal_.bundle()), lease_s_, run_, ended_);
    } catch (const std::exception& error) {
      std::fputs(fmt::format("aqbench: error: {}\n", printable(error.what())).c_str(), stderr);
      const auto* const known = dynamic_cast<const Error*>(&error);
      code = static_cast<int>(known != nullptr && known->kind() == ErrorKind::not_comparable
                                  ? ExitCode::not_comparable
                                  : ExitCode::io);
    }
    std::fflush(nullptr);
    ::_exit(code);
  }

  const SweepPlan& plan_;
  Journal& journal_;
  double lease_s_;
  const CaseRunner& run_;
  const CaseEnded& ended_;
  std::vector<pid_t> children_;
};

bool is_timed(const Case& planned) { return !planned.workload.empty() || planned.timing.times_warm(); }

}  // namespace

bool has_timed_cases(const SweepPlan& plan) { return std::ranges::any_of(plan.cases, is_timed); }

void require_shareable(const SweepPlan& plan, OwnMachines machines) {
  for (const Case& planned : plan.cases) {
    if (is_timed(planned) && machines == OwnMachines::no)
      throw usage_error(
          "{}: times of processes that share a machine or run on several machines are "
          "not comparable; run it in a sweep of its own, or with --slurm --own-nodes",
          planned.name);
  }
}

FileLock take_machine(const SweepPlan& plan, const fs::path& tasks, UnlikeMachines unlike) {
  load_modules_of(plan.cases);  // the environment includes them
  const Json environment = environment_json(
      {plan.request.threads.value_or(available_processors()), devices_of(plan.request), plan.dtype});
  return join_timed_machines(tasks, this_process().host, environment, unlike);
}

TaskOutcome run_task(const SweepPlan& plan, const fs::path& bundle, const fs::path& tasks, double lease_s,
                     const CaseRunner& run, const CaseEnded& ended) {
  load_modules_of(plan.cases);
  if (plan.cases.size() >= kManyCases) hold_in_large_pages();
  Task task{plan, bundle, tasks, run, ended, LeaseTable(leases_folder(tasks), lease_s)};
  while (!task.outcome.interrupted && task.done.size() < plan.cases.size())
    if (!task.pass() && !task.outcome.interrupted && task.done.size() < plan.cases.size()) {
      ::usleep(kPause_us);
      task.outcome.interrupted = task.signals.take() != 0;
    }
  return task.outcome;
}

std::size_t collect(const SweepPlan& plan, const fs::path& tasks, Journal& journal, CasesOfHosts& hosts,
                    const std::function<void(const Record&)>& taken) {
  const bool timed = has_timed_cases(plan);
  const JsonBox own_machine = journal.environment();
  // Says in the journal on which machine the next record was measured, if its kind is another than before.
  const auto go_to = [&](const Json& environment) {
    if (comparability_of(environment) != comparability_of(*journal.environment()))
      journal.append(JournalResumption{utc_now(), environment});
  };
  std::size_t count = 0;
  for (const std::size_t place : published_places(tasks)) {
    if (place >= plan.cases.size() || journal.has(plan.cases[place].name)) continue;
    const SharedResult shared = read_shared_result(tasks, place);
    if (shared.result.record.case_name != plan.cases[place].name)
      throw input_error("{}: result {} belongs to another case than {}", tasks.string(), place,
                        plan.cases[place].name);
    if (timed)
      if (const auto environment = environment_of_machine(tasks, shared.host)) go_to(*environment);
    if (const Record& record = shared.result.record; record.guest)
      journal.guests().require_same(record.case_name, record.method, *record.guest);
    append_to_file(journal.bundle() / kLogFile, shared.log);
    write_artefacts(journal.bundle(), shared.result);
    journal.append(shared.result.record);
    ++hosts[shared.host];
    ++count;
    if (taken) taken(shared.result.record);
  }
  go_to(*own_machine);
  return count;
}

SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, const LocalProcesses& processes,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts) {
  load_modules_of(plan.cases);
  if (plan.cases.size() >= kManyCases) hold_in_large_pages();
  const fs::path tasks = tasks_folder(journal.bundle());
  make_tasks_folder(tasks);
  const StopSignals signals;
  append_to_file(journal.bundle() / kLogFile, {});  // every bundle has a log, even without finished cases
  const auto start = SteadyClock::now();
  SweepOutcome outcome;
  std::optional<FileLock> machine;  // while timed cases run here
  LocalTasks children(plan, journal, processes.lease_s, run, callbacks.ended);
  const auto is_failed_end = [](const CaseEnd& end) { return is_failure(end.status); };
  outcome.failed = static_cast<std::size_t>(std::ranges::count_if(journal.ends(), is_failed_end));
  std::size_t deaths = 0;
  const std::size_t before = journal.ends().size();
  const auto report = [&](const Record& record) {
    outcome.failed += is_failure(record.status) ? 1 : 0;
    if (!callbacks.finished) return;
    const std::size_t done = journal.ends().size();
    const double elapsed_s = seconds_since(start);
    const double each_s = elapsed_s / static_cast<double>(done - before);
    callbacks.finished({done, plan.cases.size(), outcome.failed, elapsed_s,
                        each_s * static_cast<double>(plan.cases.size() - done)},
                       record);
  };
  while (true) {
    const std::size_t failed_children = children.reap();
    const std::size_t added = collect(plan, tasks, journal, hosts, report);
    outcome.ran += added;
    if (journal.ends().size() == plan.cases.size()) break;
    if ((outcome.signal = signals.take()) != 0) break;
    deaths = added > 0 ? 0 : deaths + failed_children;
    if (deaths > 3 * processes.count)
      throw method_error("tasks die repeatedly before finishing a case; check memory");
    if (!machine && has_timed_cases(plan)) machine = take_machine(plan, tasks, processes.unlike);
    while (children.running() < std::min(processes.count, plan.cases.size() - journal.ends().size()))
      children.start();
    if (added == 0) ::usleep(kPause_us);
  }
  outcome.interrupted = journal.ends().size() < plan.cases.size();
  children.stop();
  outcome.wall_s = seconds_since(start);
  return outcome;
}

}  // namespace aqbench
