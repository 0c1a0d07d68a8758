// Sweeps by several processes, some of them killed, and every case counted once.

#include "harness/sharing/shared_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/scratch_folder.h"
#include "harness/measuring/build_info.h"
#include "harness/records/case_result.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
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

std::string error_of(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class SharedSweep : public ::testing::Test {
 protected:
  SharedSweep() { fs::create_directories(bundle_); }

  SweepOutcome run(Journal& journal, const CaseRunner& runner) {
    return run_locally_shared(plan_, journal, {2}, {}, runner, hosts_);
  }
  Journal begin() const { return Journal::create(bundle_, plan_, "run", "2026-01-31T12:00:00Z"); }

  ScratchFolder folder_;
  fs::path bundle_ = folder_.path() / "sweep", dir_ = folder_.path() / "results";
  SweepPlan plan_ = plan_of_cases(5);
  CasesOfHosts hosts_;
};

TEST_F(SharedSweep, FindsWhatIsFinishedAndTakesItOnce) {
  FinishedCases cases(plan_, dir_, quick_case);
  EXPECT_TRUE(cases.run(2));
  EXPECT_TRUE(cases.run(5));
  FoundCases found =
      find_finished(plan_, {finished_in_folder(folder_.path() / "none"), finished_in_folder(dir_)});
  EXPECT_THAT(found.sources.at(0).second, IsEmpty());
  EXPECT_THAT(found.sources.at(1).second, SizeIs(2));
  EXPECT_THAT(found.missing, ElementsAre(1, 3, 4));
  Journal journal = begin();
  take_all_finished(plan_, found, journal, hosts_);
  for (const std::size_t number : found.missing) EXPECT_TRUE(cases.run(number));
  found = find_finished(plan_, {finished_in_folder(dir_)});
  EXPECT_THAT(found.missing, IsEmpty());
  take_all_finished(plan_, found, journal, hosts_);
  EXPECT_THAT(read_journal(bundle_, TornTail::refuse).records, SizeIs(5));
  EXPECT_EQ(hosts_.at(this_host()), 5u);
}

TEST_F(SharedSweep, TheCaseOfAKilledProcessIsRunAgain) {
  Journal journal = begin();
  const fs::path died = folder_.path() / "died";
  const SweepOutcome outcome = run(journal, [&](const Case& planned, CaseBoard& board) {
    if (!fs::exists(died)) {
      write_file(died, "");
      ::kill(::getppid(), SIGKILL);
      ::pause();
    }
    return quick_case(planned, board);
  });
  EXPECT_TRUE(fs::exists(died));
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(outcome.ran, 5u);
  EXPECT_THAT(read_journal(bundle_, TornTail::refuse).records, SizeIs(5));
}

TEST_F(SharedSweep, ACaseThatKillsItsProcessAgainAndAgainEndsTheSweep) {
  Journal journal = begin();
  const std::string& deadly = plan_.cases[2].name;
  EXPECT_THAT(error_of([&] {
                run(journal, [&](const Case& planned, CaseBoard& board) {
                  if (planned.name == deadly) {
                    ::kill(::getppid(), SIGKILL);
                    ::pause();
                  }
                  return quick_case(planned, board);
                });
              }),
              HasSubstr(deadly + ": its process died 3 times"));
}

// Also one that looks at no images rendered for it, such as one of a recording.
TEST_F(SharedSweep, ARealMethodHasAFolderThatGoesAndSeesNoOtherResults) {
  plan_.cases[0].simulated = false;
  plan_.cases[0].images.reset();
  FinishedCases cases(plan_, dir_,
                      [&](const Case& planned, CaseBoard& board) {
                        CaseResult result = quick_case(planned, board);
                        result.record.status = Status::failed;
                        result.record.reason = board.scratch_dir().string();
                        for (const fs::path& hidden : board.hidden_dirs())
                          result.record.reason += " " + hidden.lexically_relative(folder_.path()).string();
                        return result;
                      },
                      {}, {bundle_});
  EXPECT_EQ(cases.run(1).value().reason, "{scratch} sweep results");
}

TEST(SharedSweeps, RefuseWhatIsTimed) {
  PlanRequest request;
  request.workloads = {"absorption"};
  EXPECT_THROW(require_shareable(plan_sweep(request), OwnMachine::no), Error);
  EXPECT_NO_THROW(require_shareable(plan_sweep(request), OwnMachine::yes));
  request = {};
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  request.timing.repetitions = 3;
  EXPECT_THROW(require_shareable(plan_sweep(request), OwnMachine::no), Error);
  EXPECT_NO_THROW(require_shareable(plan_sweep(request), OwnMachine::yes));
  EXPECT_NO_THROW(require_shareable(plan_of_cases(1), OwnMachine::no));
}

Json machine(const char* cpu) { return {{"cpu", cpu}, {"comparability", {{"cpu_model", cpu}}}}; }

class TimedCases : public ::testing::Test {
 protected:
  TimedCases() {
    PlanRequest request;
    request.workloads = {"absorption"};
    request.repeat = 2;
    plan_ = plan_sweep(request);
  }
  void finish(std::size_t number, const char* host, const char* cpu) {
    CaseBoard board;
    write_finished(dir_, number,
                   {plan_.sha256, program_sha256(), host, machine(cpu), "",
                    quick_case(plan_.cases.at(number - 1), board)});
  }

  ScratchFolder folder_;
  fs::path dir_ = folder_.path() / "results";
  SweepPlan plan_;
};

TEST_F(TimedCases, OfUnlikeMachinesAreRefused) {
  finish(1, "node1", "A");
  finish(2, "node3", "B");
  EXPECT_THAT(error_of([&] { find_finished(plan_, {finished_in_folder(dir_)}); }),
              AllOf(HasSubstr("times of unlike machines"), HasSubstr("node3"),
                    HasSubstr("cpu_model is \"B\", that of node1 \"A\"")));
}

// The machine that collects is not the one that measured.
TEST_F(TimedCases, StandUnderTheMachineThatMeasuredThem) {
  finish(1, "node1", "A");
  finish(2, "node2", "A");
  const fs::path bundle = folder_.path() / "sweep";
  fs::create_directories(bundle);
  Journal journal = Journal::create(bundle, plan_, "run", "2026-01-31T12:00:00Z", machine("collects"));
  CasesOfHosts hosts;
  take_all_finished(plan_, find_finished(plan_, {finished_in_folder(dir_)}), journal, hosts);
  EXPECT_EQ(hosts, (CasesOfHosts{{"node1", 1}, {"node2", 1}}));
  EXPECT_EQ(environment_of_run(read_journal(bundle, TornTail::refuse)), machine("A"));
  EXPECT_EQ(*journal.environment(), machine("collects"));
}

}  // namespace
}  // namespace aqbench
