// Leases and shared sweeps: several processes, some of them killed or stopped, and every case counted once.

#include "harness/sharing/shared_sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/scratch_folder.h"
#include "harness/records/case_result.h"
#include "harness/sharing/shared_results.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SweepPlan plan_of_cases(int count) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  request.repeat = count;
  request.threads = 1;
  return plan_sweep(request);
}

CaseResult quick_case(const Case& planned, CaseBoard&) {
  CaseResult result;
  result.record = planned_record(planned);
  result.record.status = Status::ok;
  return result;
}

// Runs a function in a forked process.
template <class Body>
pid_t in_process(const Body& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::_exit(body());
}

int shared_exit_code(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class SharedSweep : public ::testing::Test {
 protected:
  SharedSweep() { make_tasks_folder(tasks_); }

  TaskOutcome run(double lease_s, const CaseRunner& runner) const {
    return run_task(plan_, folder_.path() / "bundle", tasks_, lease_s, runner);
  }

  ScratchFolder folder_;
  fs::path tasks_ = folder_.path() / "tasks";
  SweepPlan plan_ = plan_of_cases(5);
};

TEST(Leases, AreHeldByOneAndTakenOverAfterSilence) {
  const ScratchFolder folder;
  LeaseTable mine(folder.path(), 0.2), other(folder.path(), 0.2);
  const auto held = mine.attempt(7);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->generation(), 1);
  EXPECT_FALSE(other.attempt(7).has_value());  // first seen now
  EXPECT_TRUE(other.attempt(8).has_value());
  ::usleep(250'000);
  const auto taken = other.attempt(7);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->generation(), 2);
  EXPECT_FALSE(mine.attempt(7).has_value());
  taken->give_back();
  const auto again = mine.attempt(7);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->generation(), 3) << "no two holders have the same file";
}

// Its holder was stopped for longer than the lease, which another one took over meanwhile.
TEST(Leases, ThatWereTakenOverAreNotGivenBack) {
  const ScratchFolder folder;
  LeaseTable stopped(folder.path(), 0.2), other(folder.path(), 0.2), third(folder.path(), 1000);
  auto old = stopped.attempt(7);
  ASSERT_TRUE(old.has_value());
  EXPECT_FALSE(other.attempt(7).has_value());
  ::usleep(250'000);
  const auto taken = other.attempt(7);
  ASSERT_TRUE(taken.has_value());
  old->renew_if_due();
  old->give_back();
  EXPECT_FALSE(third.attempt(7).has_value()) << "the other one works on it";
  taken->give_back();
  EXPECT_EQ(third.attempt(7).value().generation(), 3);
}

TEST(Leases, ThatAreRenewedStay) {
  const ScratchFolder folder;
  LeaseTable mine(folder.path(), 0.2), other(folder.path(), 0.2);
  auto held = mine.attempt(1);
  ASSERT_TRUE(held.has_value());
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(other.attempt(1).has_value()) << i;
    ::usleep(80'000);
    held->renew_if_due();
  }
  EXPECT_FALSE(other.attempt(1).has_value());
}

TEST(Leases, OfAProcessThatIsGoneAreFreeAtOnce) {
  const ScratchFolder folder;
  const pid_t child = in_process([&] { return LeaseTable(folder.path(), 1000).attempt(3) ? 0 : 1; });
  ASSERT_EQ(shared_exit_code(child), 0);
  LeaseTable mine(folder.path(), 1000);
  EXPECT_TRUE(mine.attempt(3).has_value());
}

// A process id means nothing in another PID namespace, as of a container on the same machine.
TEST(Leases, OfAnotherPidNamespaceMustRunOut) {
  LeaseHolder holder = this_process();
  EXPECT_FALSE(is_known_dead(holder));
  ++holder.started;
  EXPECT_TRUE(is_known_dead(holder)) << "its id was given again";
  holder.pid_namespace = "pid:[1]";
  EXPECT_FALSE(is_known_dead(holder));
  holder.pid_namespace = "";
  EXPECT_FALSE(is_known_dead(holder));
}

// Process 1 of a namespace, whose /proc is that of the namespace around it, holds a lease and lives.
TEST(Leases, AreNotStolenFromAnotherPidNamespace) {
  const ScratchFolder folder;
  const pid_t child = in_process([&] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return 77;
    const pid_t first = in_process([&] {
      const auto held = LeaseTable(folder.path(), 1000).attempt(3);
      const auto holder = read_lease_holder(folder.path() / "3.1");
      if (!held || !holder || holder->process != 1) return 1;
      const pid_t outside = ::fork();  // stands for a process of another container with the same ids
      if (outside == 0) ::_exit(is_known_dead(*holder) ? 1 : 0);
      return shared_exit_code(outside);
    });
    return shared_exit_code(first);
  });
  const int code = shared_exit_code(child);
  if (code == 77) GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(code, 0);
  EXPECT_FALSE(is_known_dead(read_lease_holder(folder.path() / "3.1").value()));
  EXPECT_FALSE(LeaseTable(folder.path(), 1000).attempt(3).has_value());
}

TEST(Leases, MustLast) { EXPECT_THROW(LeaseTable("/tmp", 0), Error); }

TEST_F(SharedSweep, PublishesEachResultOnce) {
  const CaseRunner runner = quick_case;
  CaseBoard board;
  const SharedResult first{"one", 1, "log of one\n", quick_case(plan_.cases[2], board)};
  EXPECT_TRUE(publish(tasks_, 2, first));
  EXPECT_FALSE(publish(tasks_, 2, {"two", 2, "", first.result}));
  const SharedResult read = read_shared_result(tasks_, 2);
  EXPECT_EQ(read.host, "one");
  EXPECT_EQ(read.log, "log of one\n");
  EXPECT_EQ(read.result.record.case_name, plan_.cases[2].name);
  EXPECT_EQ(run(10, runner).ran, 4u);
  EXPECT_THAT(published_places(tasks_), SizeIs(5));
  write_file(tasks_ / "results" / "0", "{\"host\":\"x\"");
  EXPECT_THROW(read_shared_result(tasks_, 0), Error);
}

// A process that is stopped for longer than its lease goes on when another one has done its case.
TEST_F(SharedSweep, AProcessThatWasStoppedPastItsLeaseCountsNothingTwice) {
  const fs::path stopped = folder_.path() / "stopped";
  const pid_t first = in_process([&] {
    const TaskOutcome outcome = run(0.3, [&](const Case& planned, CaseBoard& board) {
      if (!fs::exists(stopped)) {
        write_file(stopped, "");
        ::kill(::getppid(), SIGSTOP);
      }
      return quick_case(planned, board);
    });
    return outcome.too_late == 1 && outcome.ran == 0 ? 0 : 1;
  });
  int status = 0;
  ::waitpid(first, &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));
  const TaskOutcome second = run(0.3, quick_case);
  EXPECT_EQ(second.ran, 5u);
  ::kill(first, SIGCONT);
  EXPECT_EQ(shared_exit_code(first), 0);

  fs::create_directories(folder_.path() / "bundle");
  Journal journal = Journal::create(folder_.path() / "bundle", plan_, "run", "2026-01-31T12:00:00Z");
  CasesOfHosts hosts;
  EXPECT_EQ(collect(plan_, tasks_, journal, hosts), 5u);
  EXPECT_EQ(collect(plan_, tasks_, journal, hosts), 0u);
  EXPECT_THAT(read_journal(folder_.path() / "bundle", TornTail::refuse).records, SizeIs(5));
  EXPECT_EQ(hosts.at(this_process().host), 5u);
}

TEST_F(SharedSweep, TheCaseOfAKilledProcessIsRunByAnother) {
  const pid_t killed = in_process([&] {
    run(1000, [&](const Case& planned, CaseBoard& board) {
      ::kill(::getppid(), SIGKILL);
      return quick_case(planned, board);
    });
    return 0;
  });
  EXPECT_EQ(shared_exit_code(killed), 128 + SIGKILL);
  EXPECT_THAT(published_places(tasks_), IsEmpty());
  EXPECT_THAT(working_tasks(tasks_), SizeIs(1));
  EXPECT_TRUE(working_tasks(tasks_).front().known_dead);
  EXPECT_EQ(run(1000, quick_case).ran, 5u);
}

// Also one that looks at no images rendered for it, such as one of a recording.
TEST_F(SharedSweep, ARealMethodHasAFolderThatGoesAndSeesNoOtherResults) {
  for (Case& planned : plan_.cases) {
    planned.simulated = false;
    planned.images.reset();
  }
  run(10, [&](const Case& planned, CaseBoard& board) {
    CaseResult result = quick_case(planned, board);
    result.record.status = Status::failed;
    result.record.reason = board.scratch_dir().string();
    for (const fs::path& hidden : board.hidden_dirs())
      result.record.reason += " " + hidden.lexically_relative(folder_.path()).string();
    return result;
  });
  EXPECT_EQ(read_shared_result(tasks_, 0).result.record.reason, "{scratch} bundle tasks");
}

TEST_F(SharedSweep, LocalProcessesThatDieAreReplaced) {
  const fs::path bundle = folder_.path() / "sweep";
  fs::create_directories(bundle);
  Journal journal = Journal::create(bundle, plan_, "run", "2026-01-31T12:00:00Z");
  const fs::path died = folder_.path() / "died";
  CasesOfHosts hosts;
  const SweepOutcome outcome = run_locally_shared(
      plan_, journal, {2, 1000}, {},
      [&](const Case& planned, CaseBoard& board) {
        if (!fs::exists(died)) {
          write_file(died, "");
          ::kill(::getppid(), SIGKILL);
        }
        return quick_case(planned, board);
      },
      hosts);
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(outcome.ran, 5u);
  EXPECT_THAT(read_journal(bundle, TornTail::refuse).records, SizeIs(5));
}

TEST(SharedSweeps, RefuseWhatIsTimed) {
  PlanRequest request;
  request.workloads = {"absorption"};
  EXPECT_THROW(require_shareable(plan_sweep(request), OwnMachines::no), Error);
  EXPECT_NO_THROW(require_shareable(plan_sweep(request), OwnMachines::yes));
  request = {};
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  request.timing.repetitions = 3;
  EXPECT_THROW(require_shareable(plan_sweep(request), OwnMachines::no), Error);
  EXPECT_NO_THROW(require_shareable(plan_sweep(request), OwnMachines::yes));
  EXPECT_NO_THROW(require_shareable(plan_of_cases(1), OwnMachines::no));
}

Json machine(const char* cpu) { return {{"cpu", cpu}, {"comparability", {{"cpu_model", cpu}}}}; }

TEST(TimedMachines, RunOneTaskEachAndAreOfOneKind) {
  const ScratchFolder folder;
  const fs::path tasks = folder.path() / "tasks";
  const auto refused = [&](const char* host, const char* cpu) {
    try {
      const FileLock joined = join_timed_machines(tasks, host, machine(cpu), UnlikeMachines::refuse);
      return std::string("joined");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::not_comparable);
      return std::string(error.what());
    }
  };
  {
    const FileLock first = join_timed_machines(tasks, "node1", machine("A"), UnlikeMachines::refuse);
    EXPECT_THAT(refused("node1", "A"), HasSubstr("node1: another task of this timed sweep"));
    EXPECT_EQ(refused("node2", "A"), "joined");
    EXPECT_THAT(refused("node3", "B"), AllOf(HasSubstr("node3"), HasSubstr("--unlike-nodes"),
                                             HasSubstr("cpu_model is \"B\", that of node1 \"A\"")));
  }
  EXPECT_EQ(refused("node1", "A"), "joined") << "its task has ended";
  EXPECT_THAT(refused("node1", "B"), HasSubstr("node1: changed since it joined"));
  EXPECT_EQ(environment_of_machine(tasks, "node1"), machine("A"));
  const FileLock other = join_timed_machines(tasks, "node3", machine("B"), UnlikeMachines::accept);
  EXPECT_EQ(environment_of_machine(tasks, "node3"), machine("B"));
  EXPECT_EQ(environment_of_machine(tasks, "node4"), std::nullopt);
}

// Results of machines that differ stand under the environment of each, and their times are not comparable.
TEST(TimedMachines, AreNamedInTheJournal) {
  const ScratchFolder folder;
  const fs::path bundle = folder.path() / "sweep", tasks = tasks_folder(bundle);
  fs::create_directories(bundle);
  make_tasks_folder(tasks);
  PlanRequest request;
  request.workloads = {"absorption"};
  request.repeat = 3;
  const SweepPlan plan = plan_sweep(request);
  ASSERT_THAT(plan.cases, SizeIs(3));
  const auto finish_case = [&](std::size_t place, const char* host, const char* cpu) {
    const FileLock joined = join_timed_machines(tasks, host, machine(cpu), UnlikeMachines::accept);
    CaseBoard board;
    publish(tasks, place, {host, 1, "", quick_case(plan.cases[place], board)});
  };
  Journal journal = Journal::create(bundle, plan, "run", "2026-01-31T12:00:00Z", machine("submits"));
  CasesOfHosts hosts;
  finish_case(0, "node1", "A");
  finish_case(1, "node2", "A");
  EXPECT_EQ(collect(plan, tasks, journal, hosts), 2u);
  EXPECT_EQ(environment_of_run(read_journal(bundle, TornTail::refuse)), machine("A"));
  finish_case(2, "node3", "B");
  EXPECT_EQ(collect(plan, tasks, journal, hosts), 1u);
  EXPECT_EQ(*journal.environment(), machine("submits"));
  const Json mixed = environment_of_run(read_journal(bundle, TornTail::refuse));
  EXPECT_EQ(mixed.at("cpu"), "B");
  EXPECT_TRUE(mixed.at("comparability").contains("mixed"));
}

}  // namespace
}  // namespace aqbench
