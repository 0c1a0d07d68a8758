// Values that were changed before all hashes and derived files were made are found by running cases again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/bundle/bundle.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Changes the records and the environment, and makes the journal and all else again.
void forge(const fs::path& bundle, const std::function<void(Results&)>& change) {
  Results results = read_results(bundle / "results.json");
  change(results);
  JournalHeader header = read_journal(bundle, TornTail::refuse).header;
  header.environment = results.environment;
  fs::remove(bundle / "journal.jsonl");
  {
    Journal journal = Journal::create(bundle, header);
    for (const Record& record : results.records) journal.append(record);
  }
  finalise_bundle(bundle, results);
}

class Replay : public ::testing::Test {
 protected:
  void SetUp() override {
    succeeded(run_line("sweep --suite seed --out {}", dir_ / "out"));
    bundle_ = only_bundle(dir_ / "out");
  }
  ProgramResult replay(const Arguments& flags) { return run_program(with({"replay", bundle_}, flags)); }
  // Halves the mean error of one case of four.
  void alter_a_metric() {
    forge(bundle_, [](Results& results) {
      for (auto& [name, metric] : results.records[2].metrics)
        if (name == "accuracy_mean_mm") metric.value = *metric.value / 2;
    });
    ASSERT_EQ(run_program({"verify", bundle_}).exit_code, 0) << "or replay is not needed";
  }
  TemporaryDir dir_;
  fs::path bundle_;
};

TEST_F(Replay, ASampleSaysWhatItProves) {
  const auto sampled = succeeded(replay({"--sample", "2"}));
  EXPECT_THAT(sampled.out,
              HasSubstr("\n2 of 4 cases reproduced; had 1 been altered, this would have missed it "
                        "with probability 0.5\n"));
  EXPECT_THAT(replay({"--sample", "5"}).err,
              HasSubstr("--sample 5: only 4 cases of simulated methods (--any: of all) succeeded"));
  for (const char* const wrong : {"--sample 0", "--sample 1 --all", "--all --any", ""})
    EXPECT_EQ(replay(words(wrong)).exit_code, 2);
}

TEST_F(Replay, AnAlteredMetricIsFound) {
  alter_a_metric();
  const auto all = exits(replay({"--all"}), 1);
  EXPECT_THAT(all.out, HasSubstr("differs: accuracy_mean_mm: recorded "));
  EXPECT_THAT(all.out, HasSubstr("NOT REPRODUCED: 1 difference, the largest 0.5 of its value"));
  EXPECT_THAT(exits(replay({"--sample", "4"}), 1).out,
              HasSubstr("\n3 of 4 cases reproduced, 1 not reproduced\n"));
}

TEST_F(Replay, AnotherProcessorModelMakesADifferenceNotComparable) {
  const auto of_another_processor = [](Results& results) {
    Json environment = *results.environment;
    environment["cpu"]["model"] = "Z80";
    results.environment = environment;
  };
  forge(bundle_, of_another_processor);
  EXPECT_EQ(replay({"--all"}).exit_code, 0) << "the same bits need no excuse";
  alter_a_metric();
  const auto all = exits(replay({"--all"}), 4);
  EXPECT_THAT(all.out, HasSubstr("NOT COMPARABLE: 1 difference, the largest 0.5 of its value: "));
  EXPECT_THAT(all.out, HasSubstr("the bundle's \"Z80\""));
  EXPECT_THAT(replay({"--sample", "4"}).out,
              HasSubstr("\n3 of 4 cases reproduced, 1 not comparable; had 1 been altered, this would have "
                        "missed it with probability 0.25\n"));
}

}  // namespace
}  // namespace aqbench::testing
