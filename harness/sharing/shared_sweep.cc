#include "harness/sharing/shared_sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/processes/isolate.h"
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

// A number that forked children increment together.
class SharedCounter {
 public:
  SharedCounter() {
    void* const memory =
        ::mmap(nullptr, sizeof(*count_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw io_error("shared memory of a sweep: {}", std::strerror(errno));
    count_ = new (memory) std::atomic<std::size_t>(0);
  }
  ~SharedCounter() { ::munmap(count_, sizeof(*count_)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  std::size_t next() const { return (*count_)++; }
  std::size_t count() const { return *count_; }

 private:
  std::atomic<std::size_t>* count_;
};

// Writes the result of a case into the bundle: files, log, record. Returns its record; nullopt if there is no
// result.
std::optional<Record> take_finished(const SweepPlan& plan, const FinishedSource& source, std::size_t number,
                                    Journal& journal, CasesOfHosts& hosts) {
  const std::optional<FinishedCase> finished = source.read(plan, number);
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

// A sweep by children of this process.
struct LocalSweep {
  const SweepPlan& plan;
  Journal& journal;
  const SweepCallbacks& callbacks;
  CasesOfHosts& hosts;
  fs::path tasks;
  FinishedCases cases;
  StopSignals signals = {};
  SteadyClock::time_point start = SteadyClock::now();
  SweepOutcome outcome = {};
  std::vector<std::size_t> open = {};  // numbers

  void count(const Record& record) {
    ++outcome.ran;
    outcome.failed += is_failure(record.status) ? 1 : 0;
    if (!callbacks.finished) return;
    const std::size_t done = journal.ends().size();
    const double elapsed_s = seconds_since(start);
    const double each_s = elapsed_s / static_cast<double>(outcome.ran);
    callbacks.finished({done, plan.cases.size(), outcome.failed, elapsed_s,
                        each_s * static_cast<double>(plan.cases.size() - done)},
                       record);
  }

  // Takes the results among the first `begun` open cases.
  void take(std::size_t begun) {
    const auto end = open.begin() + static_cast<std::ptrdiff_t>(begun);
    open.erase(std::remove_if(open.begin(), end,
                              [&](std::size_t number) {
                                if (!is_finished(tasks, number)) return false;
                                const auto record =
                                    take_finished(plan, finished_in_folder(tasks), number, journal, hosts);
                                if (record) count(*record);
                                return record.has_value();
                              }),
               end);
  }

  // Lets children run the open cases. Those of children that died stay open.
  void run_open(const LocalWorkers& workers) {
    const std::vector<std::size_t> numbers = open;
    const SharedCounter taken;
    const Pipe stop("the end of a sweep");
    const auto tick = [&] {
      take(std::min(taken.count(), numbers.size()) - (numbers.size() - open.size()));
      if (outcome.signal != 0 || (outcome.signal = signals.take()) == 0) return;
      outcome.interrupted = true;
      write_all(stop.write.get(), "x");  // never read: it ends the cases of all children
    };
    const Descriptor messages(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));  // of `callbacks.ended`
    const auto work = [&](std::size_t worker) {                             // returns the error that ended it
      ::dup2(messages.get(), STDERR_FILENO);
      if (!workers.gpus.empty()) ::setenv("CUDA_VISIBLE_DEVICES", workers.gpus.at(worker).c_str(), 1);
      journal.release_in_child();
      try {
        for (std::size_t i = taken.next(); i < numbers.size(); i = taken.next())
          if (!cases.run(numbers[i], stop.read.get())) break;
      } catch (const Error& error) {
        return std::string(1, static_cast<char>(error.kind())) + error.what();
      }
      return std::string();
    };
    const IsolateOptions options{.tick = tick};
    std::vector<std::unique_ptr<IsolatedProcess>> children;
    for (std::size_t i = 0; i < std::min(workers.count, numbers.size()); ++i)
      children.push_back(std::make_unique<IsolatedProcess>([&work, i] { return work(i); }, options));
    for (const auto& child : children) {
      const IsolateOutcome end = child->wait();
      if (!end.result.empty()) throw Error(static_cast<ErrorKind>(end.result.front()), end.result.substr(1));
    }
    tick();
  }
};

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

std::optional<Record> FinishedCases::run(std::size_t number, int cancel) {
  const ScratchFolder scratch;
  const fs::path log = scratch.path() / kLogFile;
  const Case& planned = plan_.cases.at(number - 1);
  OwnSettings settings = own_settings();
  const auto process = process_of(plan_, planned, log, cancel, hidden_);
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

FoundCases find_finished(const SweepPlan& plan, const std::vector<FinishedSource>& sources) {
  FoundCases found;
  for (const FinishedSource& source : sources) found.sources.push_back({source, {}});
  GuestsSeen guests;
  const bool timed = has_timed_cases(plan);
  std::optional<FinishedCase> first;  // whose machine all others must be like
  for (std::size_t number = 1; number <= plan.cases.size(); ++number) {
    std::optional<FinishedCase> finished;
    auto at = found.sources.begin();
    while (at != found.sources.end() && !(finished = at->first.read(plan, number))) ++at;
    if (!finished) {
      found.missing.push_back(number);
      continue;
    }
    const fs::path& place = at->first.place;
    guests.add(finished->result.record, place.string());
    at->second.push_back(number);
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
                                 plan.cases[number - 1].name, place.string(), finished->host,
                                 fmt::join(differences, "; "));
  }
  return found;
}

void take_all_finished(const SweepPlan& plan, const FoundCases& found, Journal& journal,
                       CasesOfHosts& hosts) {
  const JsonBox own_machine = journal.environment();
  for (const auto& [source, numbers] : found.sources)
    for (const std::size_t number : numbers)
      if (!journal.has(plan.cases[number - 1].name)) take_finished(plan, source, number, journal, hosts);
  if (comparability_of(*own_machine) != comparability_of(*journal.environment()))
    journal.append(JournalResumption{utc_now(), own_machine});
}

SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, const LocalWorkers& workers,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts) {
  load_modules_of(plan.cases);
  if (plan.cases.size() >= kManyCases) hold_in_large_pages();
  const fs::path tasks = tasks_folder(journal.bundle());
  make_folders(tasks);
  append_to_file(journal.bundle() / kLogFile, {});  // every bundle has a log, even without finished cases
  LocalSweep sweep{plan,  journal, callbacks,
                   hosts, tasks,   {plan, tasks, run, callbacks.ended, {journal.bundle()}}};
  const auto is_failed_end = [](const CaseEnd& end) { return is_failure(end.status); };
  sweep.outcome.failed = static_cast<std::size_t>(std::ranges::count_if(journal.ends(), is_failed_end));
  for (std::size_t number = 1; number <= plan.cases.size(); ++number)
    if (!journal.has(plan.cases[number - 1].name)) sweep.open.push_back(number);
  constexpr int kMaxDeaths = 3;  // of all children, without a result
  for (int deaths = 0; !sweep.open.empty() && !sweep.outcome.interrupted;) {
    const std::size_t before = sweep.open.size();
    sweep.run_open(workers);
    deaths = sweep.open.size() < before ? 0 : deaths + 1;
    if (deaths == kMaxDeaths)
      throw method_error("{}: its process died {} times before it had a result; check memory",
                         plan.cases[sweep.open.front() - 1].name, kMaxDeaths);
  }
  sweep.outcome.wall_s = seconds_since(sweep.start);
  return sweep.outcome;
}

}  // namespace aqbench
