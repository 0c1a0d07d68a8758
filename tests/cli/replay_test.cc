// Values that were changed before all hashes and derived files were made are found by running cases again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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
              HasSubstr("--sample 5: has only 4 cases of simulated methods (--any: of all)"));
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

// What verify cannot find, since everything was written anew: good cases as bad ones, and what is beside the
// values.
TEST_F(Replay, WhatWasMadeWorseOrExchangedIsFound) {
  const fs::path whole = dir_ / "whole";
  fs::copy(bundle_, whole, fs::copy_options::recursive);
  const auto exchange = [&](Results& results, const char* folder) {
    std::vector<CaseFile*> files;
    for (Record& record : results.records)
      for (CaseFile& file : record.files)
        if (file.path.starts_with(folder)) files.push_back(&file);
    ASSERT_GE(files.size(), 2u) << folder;
    const std::string first = read_file(bundle_ / files[0]->path);
    write_file(bundle_ / files[0]->path, read_file(bundle_ / files[1]->path));
    write_file(bundle_ / files[1]->path, first);
    std::swap(files[0]->sha256, files[1]->sha256);
  };
  const std::pair<const char*, std::function<void(Results&)>> forgeries[] = {
      {"differs: status: recorded crashed: signal 11, now ok",
       [](Results& results) {
         results.records[1].status = Status::crashed;
         results.records[1].reason = "signal 11";
         results.records[1].metrics.clear();
       }},
      {"differs: status: recorded skipped: no device, now ok",
       [](Results& results) {
         results.records[1].status = Status::skipped;
         results.records[1].reason = "no device";
       }},
      {"differs: accuracy_rmse_mm: recorded absent, now ",
       [](Results& results) {
         std::erase_if(results.records[0].metrics,
                       [](const auto& metric) { return metric.first == "accuracy_rmse_mm"; });
       }},
      {"differs: tiles/", [&](Results& results) { exchange(results, "tiles/"); }},
      {"differs: viewer/", [&](Results& results) { exchange(results, "viewer/"); }}};
  for (const auto& [said, change] : forgeries) {
    fs::remove_all(bundle_);
    fs::copy(whole, bundle_, fs::copy_options::recursive);
    forge(bundle_, change);
    EXPECT_THAT(exits(replay({"--all"}), 1).out, HasSubstr(said));
  }
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
