#include "harness/running/sweep.h"
#include "core/stage_scope.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "core/resources.h"
#include "core/sha256.h"
#include "harness/running/measured_case.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::new_journal;
using test::quick_result;
using test::small_plan;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

CaseResult run_quickly(const Case& planned, CaseBoard&) { return quick_result(planned); }

// Everything that must not depend on how a sweep was interrupted.
std::vector<std::string> lasting(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (Record record : records) {
    record.peak_rss_bytes = std::nullopt;
    texts.push_back(to_json(record).dump());
  }
  std::ranges::sort(texts);
  return texts;
}

TEST(Sweep, RecordsEveryCaseAndItsArtefacts) {
  const test::TemporaryFolder folder;
  const SweepPlan plan = small_plan(4);
  Journal journal = new_journal(folder.path(), plan);
  std::vector<std::string> events;
  SweepCallbacks callbacks;
  callbacks.started = [&](const SweepProgress& progress, const Case& planned) {
    events.push_back("start " + std::to_string(progress.index) + "/" + std::to_string(progress.total) + " " +
                     std::to_string(planned.seed));
    EXPECT_EQ(progress.eta_s.has_value(), progress.index > 1);
  };
  callbacks.finished = [&](const SweepProgress& progress, const Record& record) {
    events.push_back("end " + std::to_string(progress.index) + " " + to_string(record.status));
    if (progress.index == progress.total) {
      EXPECT_EQ(progress.eta_s, 0.0);
    }
  };
  const SweepOutcome outcome = run_sweep(plan, journal, callbacks, run_quickly);
  EXPECT_THAT(events, ElementsAre("start 1/4 42", "end 1 ok", "start 2/4 43", "end 2 ok", "start 3/4 44",
                                  "end 3 ok", "start 4/4 45", "end 4 ok"));
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(outcome.ran, 4U);
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_THAT(journal.records(), SizeIs(4));
  for (const Record& record : journal.records()) EXPECT_GT(record.peak_rss_bytes.value_or(0), 0U);
  for (const Case& planned : plan.cases)
    EXPECT_EQ(read_file(folder.path() / "tiles" / (file_name_of(planned.name) + ".csv")),
              "column,row\n0,0\n");
  EXPECT_THAT(read_journal(folder.path(), TornTail::refuse).records, SizeIs(4));
  EXPECT_EQ(run_sweep(plan, journal, {}, run_quickly).ran, 0U) << "nothing is left to run";
}

// What each seed's case does, in one sweep that goes on.
CaseResult misbehave(const Case& planned, CaseBoard& board) {
  board.set_stage("a_stage");
  switch (planned.seed) {
    case 43:
      ::signal(SIGSEGV, SIG_DFL);
      std::fprintf(stderr, "about to crash\n");
      ::raise(SIGSEGV);
      break;
    case 44:
      for (;;) ::pause();
    case 45:
      throw std::runtime_error("it threw\nmore");
    case 46: {
      // Half of what it shares with its parent counts as its own.
      std::string memory(resident_bytes(::getpid()) + (std::size_t{300} << 20), 'x');
      std::this_thread::sleep_for(std::chrono::seconds(20));
      return {planned_record(planned), {{"x", memory.substr(0, 1)}}};
    }
    case 47:
      ::_exit(3);
    case 48: {
      CaseResult result = quick_result(planned);
      result.record.case_name = "another";
      return result;
    }
    case 49: {
      CaseResult result = quick_result(planned);
      result.artefacts = {{"../outside.csv", "x"}};
      return result;
    }
    case 50: {
      CaseResult result{planned_record(planned), {}};
      result.record.status = Status::skipped;
      result.record.reason = "not here";
      return result;
    }
    default:
      break;
  }
  return quick_result(planned);
}

TEST(Sweep, GoesOnWhateverACaseDoes) {
  const test::TemporaryFolder folder;
  SweepPlan plan = small_plan(10, 4.0);  // on a busy machine, too, the others end within it
  plan.memory_limit_bytes = resident_bytes(::getpid()) + (std::uint64_t{100} << 20);
  Journal journal = new_journal(folder.path(), plan);
  const SweepOutcome outcome = run_sweep(plan, journal, {}, misbehave);
  EXPECT_EQ(outcome.ran, 10U);
  EXPECT_EQ(outcome.failed, 7U);
  std::vector<std::string> statuses;
  for (const Record& record : journal.records()) statuses.push_back(to_string(record.status));
  EXPECT_THAT(statuses, ElementsAre("ok", "crashed", "timeout", "failed", "failed", "crashed", "failed",
                                    "failed", "skipped", "ok"));
  const auto reason = [&](std::size_t i) { return journal.records()[i].reason; };
  EXPECT_THAT(reason(1),
              HasSubstr("signal 11 (Segmentation fault), in stage 'a_stage'; it said: about to crash"));
  EXPECT_THAT(reason(2), HasSubstr("killed after 4 s"));
  EXPECT_THAT(reason(3), HasSubstr("it threw more"));
  EXPECT_THAT(reason(4), HasSubstr("resident memory"));
  EXPECT_THAT(reason(5), HasSubstr("exited with code 3"));
  EXPECT_THAT(reason(6), HasSubstr("another case"));
  EXPECT_THAT(reason(7), HasSubstr("'../outside.csv' is outside"));
  EXPECT_FALSE(std::filesystem::exists(folder.path().parent_path() / "outside.csv"));
  for (const Record& record : journal.records()) {
    EXPECT_EQ(record.reason.find('\n'), std::string::npos);
    EXPECT_EQ(record.reason.empty(), record.status == Status::ok);
  }
  EXPECT_THAT(read_file(folder.path() / kLogFile), HasSubstr("== "));
}

// Runs a stage under the case's faults, as run_case() does with a real method.
CaseResult run_with_faults(const Case& planned, CaseBoard& board) {
  FaultInjector injector(planned.faults, board);
  const ScopedObserver observe(injector);
  { const StageScope stage("simulate"); }
  return quick_result(planned);
}

TEST(Sweep, FaultsThatKillStandInTheRecord) {
  const test::TemporaryFolder folder;
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
  request.repeat = 5;
  request.timeout_s = 4;
  request.memory_limit_bytes = resident_bytes(::getpid()) + (std::uint64_t{100} << 20);
  request.injects = {parse_inject("*/seed=42:simulate=abort"), parse_inject("*/seed=43:*=hang"),
                     parse_inject("*/seed=44:simulate=throw"), parse_inject("*/seed=45:simulate=oom")};
  SweepPlan plan = plan_sweep(request, test::fake_catalogue());
  Journal journal = new_journal(folder.path(), plan);
  EXPECT_EQ(run_sweep(plan, journal, {}, run_with_faults).failed, 4U);
  const auto& records = journal.records();
  EXPECT_EQ(records[0].status, Status::crashed);
  EXPECT_EQ(records[1].status, Status::timeout);
  EXPECT_EQ(records[2].status, Status::failed);
  EXPECT_EQ(records[3].status, Status::failed);
  EXPECT_EQ(records[4].status, Status::ok);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_THAT(records[i].injected, SizeIs(1));
    EXPECT_EQ(records[i].injected[0].times, 1U) << records[i].reason;
  }
  EXPECT_EQ(records[3].injected[0].effect, "oom");
  EXPECT_THAT(records[4].injected, SizeIs(0));
}

// A sweep in a process of its own, so that it can be killed or interrupted.
pid_t sweep_in_a_process(const std::filesystem::path& bundle, const SweepPlan& plan, bool resume,
                         const CaseRunner& run) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::signal(SIGHUP, SIG_DFL);  // below nohup it is ignored, as it should be
  int code = 99;
  try {
    Journal journal = resume ? test::resume(bundle, plan) : new_journal(bundle, plan);
    const SweepOutcome outcome = run_sweep(plan, journal, {}, run);
    code = outcome.interrupted ? 130 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  ::_exit(code);
}

int exit_code_of(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Sweep, KilledAtRandomMomentsItResumesToTheSameRecords) {
  const SweepPlan plan = small_plan(8);
  const auto run = [](const Case& planned, CaseBoard&) {
    ::usleep(2000);
    return quick_result(planned);
  };
  const test::TemporaryFolder whole;
  double whole_s = 0;
  {
    Journal journal = new_journal(whole.path(), plan);
    whole_s = run_sweep(plan, journal, {}, run).wall_s;
  }
  const auto expected = lasting(read_journal(whole.path(), TornTail::refuse).records);
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same moments on every run
  std::uniform_real_distribution<double> moment_s(0, whole_s / 2);
  int kills = 0;
  for (int round = 0; round < 7; ++round) {
    const test::TemporaryFolder folder;
    // Killed before there is a journal, there is nothing to resume: a run starts once its header stands.
    { const Journal journal = new_journal(folder.path(), plan); }
    int code = -1;
    for (int attempt = 0; code != 0; ++attempt) {
      const pid_t process = sweep_in_a_process(folder.path(), plan, true, run);
      if (attempt < 4) {
        ::usleep(static_cast<useconds_t>(1e6 * moment_s(random)));
        ::kill(process, SIGKILL);
      }
      code = exit_code_of(process);
      ASSERT_TRUE(code == 0 || (code == 1000 + SIGKILL && attempt < 4)) << code;
      kills += code == 0 ? 0 : 1;
    }
    const JournalContents contents = read_journal(folder.path(), TornTail::refuse);
    ASSERT_EQ(lasting(contents.records), expected);
    std::size_t artefacts = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path() / "tiles"))
      ++artefacts;
    ASSERT_EQ(artefacts, plan.cases.size());
  }
  EXPECT_GE(kills, 7);  // of 28: a process may end before its moment comes
}

class SweepStops : public testing::TestWithParam<int> {};

TEST_P(SweepStops, CleanlyOnASignal) {
  const test::TemporaryFolder folder;
  const SweepPlan plan = small_plan(5);
  const auto run = [](const Case& planned, CaseBoard&) {
    if (planned.seed == 44)
      for (;;) ::pause();
    return quick_result(planned);
  };
  const pid_t process = sweep_in_a_process(folder.path(), plan, false, run);
  for (int i = 0; i < 1000; ++i) {
    if (std::filesystem::exists(folder.path() / kJournalFile) &&
        read_journal(folder.path(), TornTail::accept).records.size() == 2)
      break;
    ::usleep(10000);
  }
  ::usleep(100000);  // by now the third case hangs
  ::kill(process, GetParam());
  EXPECT_EQ(exit_code_of(process), 130);
  EXPECT_THAT(read_journal(folder.path(), TornTail::refuse).records, SizeIs(2))
      << "the running case is unfinished";
  Journal journal = test::resume(folder.path(), plan);
  EXPECT_EQ(run_sweep(plan, journal, {}, run_quickly).ran, 3U);
  EXPECT_THAT(journal.records(), SizeIs(5));
}

INSTANTIATE_TEST_SUITE_P(Signals, SweepStops, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Sweep, RestoresSignalHandling) {
  const test::TemporaryFolder folder;
  Journal journal = new_journal(folder.path(), small_plan(1));
  run_sweep(small_plan(1), journal, {}, run_quickly);
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
  struct sigaction action {};
  ::sigaction(SIGXFSZ, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(Sweep, AFullDiskIsOneErrorAndTheJournalStaysGood) {
  const test::TemporaryFolder folder;
  const SweepPlan plan = small_plan(3);
  { const Journal journal = new_journal(folder.path(), plan); }
  const auto room = std::filesystem::file_size(folder.path() / kJournalFile) + 1200;
  const IsolateOutcome outcome = run_isolated(
      [&]() -> std::string {
        Journal journal = test::resume(folder.path(), plan);
        const rlimit limit{room, room};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        return test::error_of(ErrorKind::io, [&] { run_sweep(plan, journal, {}, run_quickly); });
      },
      {.timeout_s = 30});
  EXPECT_THAT(outcome.result, HasSubstr("File too large"));
  const std::size_t finished = read_journal(folder.path(), TornTail::refuse).records.size();
  EXPECT_LT(finished, 3U);
  Journal journal = test::resume(folder.path(), plan);
  EXPECT_EQ(run_sweep(plan, journal, {}, run_quickly).ran, 3 - finished);
}

}  // namespace
}  // namespace aqbench
