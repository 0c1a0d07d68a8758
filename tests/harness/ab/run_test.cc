#include "harness/ab/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "core/processes/isolate.h"
#include "tests/harness/ab/documents.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// Answers by formula: B of case i takes ratios[i] times as long as A.
class FakeUnits {
 public:
  explicit FakeUnits(std::vector<double> ratios, double cv = 0.005) : ratios_(std::move(ratios)), cv_(cv) {}

  AbUnitRunner runner() {
    return [this](const AbUnitTask& task) -> std::optional<CaseResult> {
      if (calls == stop_after) return std::nullopt;
      ++calls;
      CaseResult answer{unit_record(), {}};
      if (calls == fail_at) {
        answer.record.status = Status::crashed;
        answer.record.reason = "died";
        return answer;
      }
      const double ms =
          10 * (task.side == AbSide::b ? ratios_[task.case_index] : 1) * std::exp(cv_ * normal_(generator_));
      answer.record.timing.warm_ms = {ms, ms * 1.01, ms * 1.02};
      answer.record.timing.cold_ms = 3 * ms;
      answer.record.output_sha256 = std::string(64, 'd');
      if ((answer.record.unit->scored = task.score))
        answer.record.metrics = {{"points", {5.0, "1", Better::higher, ""}}};
      return answer;
    };
  }

  std::size_t calls = 0, stop_after = 1000000, fail_at = 1000000;

 private:
  std::vector<double> ratios_;
  double cv_;
  std::mt19937 generator_{11};
  std::normal_distribution<double> normal_;
};

AbSamples fresh_samples(std::size_t cases) {
  AbSamples samples;
  for (std::size_t i = 0; i < cases; ++i) samples.cases.push_back({"case" + std::to_string(i), std::nullopt});
  return samples;
}

constexpr std::size_t kPairs = 24;  // per look

AbSettings three_looks() {
  AbSettings settings;
  settings.policy.looks = 3;
  return settings;
}

std::size_t count_units(const AbSamples& samples, std::size_t case_index, bool confirms = false) {
  return static_cast<std::size_t>(std::ranges::count_if(samples.units, [&](const Record& record) {
    return record.unit->case_index == case_index && record.unit->confirms() == confirms;
  }));
}

TEST(AbRun, DecidedCasesStopFlagsAreConfirmedAndEachSideIsScoredOnce) {
  FakeUnits units({1.0, 1.07});
  AbSamples samples = fresh_samples(2);
  ASSERT_TRUE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
  EXPECT_EQ(count_units(samples, 0), 48u);
  EXPECT_EQ(count_units(samples, 0, true), 0u);
  EXPECT_EQ(count_units(samples, 1), 48u);
  EXPECT_EQ(count_units(samples, 1, true), 48u);
  EXPECT_EQ(to_json(samples).at("outputs").size(), 4u);
  const auto decisions = test::decide_times(samples, three_looks());
  EXPECT_EQ(decisions[0]->verdict, PairedVerdict::pass);
  EXPECT_EQ(decisions[1]->verdict, PairedVerdict::regressed);
  // What was measured reads back: order, coins and counts are those that the reader asks for.
  EXPECT_EQ(to_json(reread(samples)).dump(), to_json(samples).dump());
}

TEST(AbRun, AnUndecidedCaseIsToppedUpAsPlanned) {
  FakeUnits units({1.0}, 0.3);
  AbSamples samples = fresh_samples(1);
  ASSERT_TRUE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
  EXPECT_EQ(samples.units.size(), 3 * 48u);
  EXPECT_EQ(samples.units.back().unit->look, 3);
  EXPECT_EQ(test::decide_times(samples, three_looks())[0]->look, 3);
  EXPECT_NO_THROW(reread(samples));
}

TEST(AbRun, CasesTakeTurns) {
  FakeUnits units({1.0, 1.0, 1.0});
  AbSamples samples = fresh_samples(3);
  ASSERT_TRUE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
  for (std::size_t i = 0; i < 3 * 48; ++i) EXPECT_EQ(samples.units[i].unit->case_index, i / 2 % 3);
}

TEST(AbRun, ACrashEndsItsCaseAlone) {
  FakeUnits units({1.0, 1.0});
  units.fail_at = 7;
  AbSamples samples = fresh_samples(2);
  ASSERT_TRUE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
  const auto failed =
      std::ranges::find_if(samples.units, [](const Record& unit) { return unit.status != Status::ok; });
  ASSERT_NE(failed, samples.units.end());
  EXPECT_EQ(count_units(samples, 1 - failed->unit->case_index), 48u);
  EXPECT_FALSE(test::decide_times(samples, three_looks())[failed->unit->case_index]);
  EXPECT_NO_THROW(reread(samples));
}

// A method can lower a limit of the process that runs both sides. In a child, where the change does not last.
TEST(AbRun, AMethodThatChangesHowBothSidesRunHasFailed) {
  const IsolateOutcome outcome = run_isolated(
      []() -> std::string {
        AbSamples samples = fresh_samples(2);
        FakeUnits units({1, 1});
        const AbUnitRunner honest = units.runner();
        std::size_t calls = 0;
        const AbUnitRunner meddling = [&](const AbUnitTask& task) {
          if (++calls == 3) {
            rlimit limit{};
            ::getrlimit(RLIMIT_NOFILE, &limit);
            limit.rlim_cur = 64;
            ::setrlimit(RLIMIT_NOFILE, &limit);
          }
          return honest(task);
        };
        if (!run_ab(samples, three_looks(), kPairs, meddling, {})) return "interrupted";
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        const auto failed = std::ranges::count(samples.units, Status::failed, &Record::status);
        const Record& third = samples.units[2];
        return fmt::format("{} failed, {} warm runs left in it: {}; set back: {}", failed,
                           third.timing.warm_ms.size(), third.reason, limit.rlim_cur != 64);
      },
      {.timeout_s = 60});
  EXPECT_THAT(
      outcome.result,
      testing::AllOf(HasSubstr("1 failed, 0 warm runs left in it: how the comparison runs was changed "
                               "meanwhile: limit 7 "),
                     HasSubstr("is now 64; set back: true")));
}

TEST(AbRun, AnInterruptionKeepsWholePairs) {
  FakeUnits units({1.0});
  units.stop_after = 21;
  AbSamples samples = fresh_samples(1);
  EXPECT_FALSE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
  EXPECT_EQ(samples.units.size(), 20u);
  EXPECT_NO_THROW(reread(samples));
}

// Whatever moment it stops at, what was kept and what comes after it are one run.
TEST(AbRun, GoesOnWhereItWasInterrupted) {
  AbSamples whole = fresh_samples(2);
  FakeUnits all({1.0, 1.07});
  ASSERT_TRUE(run_ab(whole, three_looks(), kPairs, all.runner(), {}));
  for (const std::size_t stop : {0, 1, 2, 47, 96, 97, 130}) {
    FakeUnits units({1.0, 1.07});
    units.stop_after = stop;
    AbSamples kept = fresh_samples(2), cut = fresh_samples(2);
    const AbPairKeeper keep = [&](const std::vector<CaseResult>& pair) {
      for (const CaseResult& unit : pair) kept.units.push_back(unit.record);
    };
    EXPECT_FALSE(run_ab(cut, three_looks(), kPairs, units.runner(), {}, keep));
    EXPECT_EQ(to_json(kept).dump(), to_json(cut).dump());
    EXPECT_EQ(kept.units.size(), stop / 2 * 2);
    AbSamples resumed = cut;
    units.stop_after = 1000000;
    const std::size_t before = kept.units.size();
    ASSERT_TRUE(run_ab(resumed, three_looks(), kPairs, units.runner(), {}, keep));
    EXPECT_EQ(resumed.units.size(), whole.units.size());
    EXPECT_EQ(kept.units.size() - before, whole.units.size() - before) << "only fresh pairs are kept again";
    EXPECT_TRUE(follow_ab(resumed, three_looks(), kPairs).finished);
  }
}

TEST(AbRun, FollowFindsEveryPairThatWasDroppedAddedOrMoved) {
  FakeUnits units({1.0, 1.07});
  AbSamples good = fresh_samples(2);
  ASSERT_TRUE(run_ab(good, three_looks(), kPairs, units.runner(), {}));
  EXPECT_EQ(follow_ab(good, three_looks(), kPairs).problem, "");
  const auto problem_of = [](const AbSamples& samples) {
    const AbProtocol protocol = follow_ab(samples, three_looks(), kPairs);
    return protocol.problem.empty() && !protocol.finished ? "goes on" : protocol.problem;
  };
  for (std::size_t pair = 0; pair < good.units.size() / 2; ++pair) {
    AbSamples samples = good;
    samples.units.erase(samples.units.begin() + 2 * static_cast<std::ptrdiff_t>(pair),
                        samples.units.begin() + 2 * static_cast<std::ptrdiff_t>(pair) + 2);
    EXPECT_NE(problem_of(samples), "") << pair;
    if (2 * pair + 3 >= good.units.size()) continue;
    samples = good;
    std::swap(samples.units[2 * pair], samples.units[2 * pair + 2]);
    EXPECT_NE(problem_of(samples), "") << pair;
  }
  AbSamples more = good;
  more.units.insert(more.units.end(), good.units.begin(), good.units.begin() + 2);
  EXPECT_THAT(problem_of(more), HasSubstr("although everything was decided"));
  more = good;
  more.units.pop_back();
  EXPECT_THAT(problem_of(more), HasSubstr("half a pair"));
  EXPECT_NE(follow_ab(good, three_looks(), 20).problem, "");
}

TEST(AbRun, FollowsARunWhoseCaseFailed) {
  for (const std::size_t fail_at : {1, 2, 7, 40}) {
    FakeUnits units({1.0, 1.0});
    units.fail_at = fail_at;
    AbSamples samples = fresh_samples(2);
    ASSERT_TRUE(run_ab(samples, three_looks(), kPairs, units.runner(), {}));
    EXPECT_EQ(follow_ab(samples, three_looks(), kPairs).problem, "") << fail_at;
    EXPECT_TRUE(follow_ab(samples, three_looks(), kPairs).finished);
  }
}

TEST(AbRun, SaysHowLongItWillTake) {
  FakeUnits units({1.0});
  AbSamples samples = fresh_samples(1);
  std::vector<AbProgress> seen;
  run_ab(samples, three_looks(), kPairs, units.runner(),
         [&](const AbProgress& progress) { seen.push_back(progress); });
  ASSERT_GE(seen.size(), 48u);
  EXPECT_FALSE(seen.front().eta_s);
  EXPECT_TRUE(seen[47].eta_s);
  EXPECT_EQ(seen[47].done_units, 47u);
  EXPECT_EQ(seen[47].planned_units, 48u);
  AbProgress progress{"look 1 of 3", "undulating/roma_like/seed=42", 12, 40, 7, 21};
  EXPECT_EQ(ab_progress_text(progress, 80),
            "look 1 of 3: 12/40 units 0:07, 0:21 left  undulating/roma_like/seed=42");
}

}  // namespace
}  // namespace aqbench
