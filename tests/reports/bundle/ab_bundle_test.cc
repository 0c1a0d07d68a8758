// Bundles of comparisons: they are finished and verified as those of sweeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/run_sections.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/ab_bundle.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

struct AbBundle : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    for (Record& unit : document.samples.units) unit.output_sha256 = std::string(64, 'a');
    write();
  }
  // Makes the bundle again, with the first `pairs` pairs in its journal.
  void write(std::size_t pairs = SIZE_MAX) { write_ab_bundle(folder.path(), document, pairs); }
  std::string text_of(const std::string& file) const { return read_file(folder.path() / file); }
  std::string findings() const {
    std::string all;
    for (const Finding& finding : verify_bundle(folder.path()).findings)
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }
  // As after an edit with the hashes made right.
  std::string findings_after(const std::string& file, const std::string& text) {
    write();
    write_file(folder / file, text);
    write_hash_list(folder.path(), required_bundle_files(true));
    return findings();
  }

  TemporaryDirectory folder;
  AbDocument document;
};

TEST_F(AbBundle, Verifies) {
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_THAT(render_verify(report), HasSubstr("verified: 7 files, 40 units\n"));
  EXPECT_TRUE(is_comparison(folder.path()));
}

TEST_F(AbBundle, AccidentsAreFoundAlsoWithItsHashesRewritten) {
  const std::string results = text_of("results.json"), journal = text_of(kJournalFile);
  Json json = Json::parse(results);
  json["records"][0]["timing"]["warm_ms"][0] = 9.5;
  EXPECT_THAT(findings_after("results.json", json.dump(1) + "\n"),
              HasSubstr("has another record of case waves/x"));
  std::string swapped = results;
  const std::size_t first = swapped.find("\n  {\"case\"") + 1, second = swapped.find('\n', first) + 1,
                    third = swapped.find('\n', second) + 1;
  const std::string lines = swapped.substr(first, third - first);
  swapped.replace(first, third - first, lines.substr(second - first) + lines.substr(0, second - first));
  EXPECT_THAT(findings_after("results.json", swapped), HasSubstr("seeded coin"));
  std::string dropped = results;
  dropped.erase(first, second - first);
  EXPECT_THAT(findings_after("results.json", dropped), HasSubstr("lacks case waves/x"));
  EXPECT_THAT(findings_after("results.json", results + " "),
              HasSubstr("not in the form that aqbench writes"));
  EXPECT_THAT(findings_after("results.json", results.substr(0, results.size() / 2)),
              HasSubstr("results.json: "));
  const std::size_t line = journal.find('\n') + 1, next = journal.find('\n', line) + 1;
  EXPECT_THAT(findings_after(kJournalFile, journal.substr(0, line) + journal.substr(next)),
              HasSubstr("hash of the previous line"));
  EXPECT_THAT(findings_after(kJournalFile, journal.substr(0, journal.size() - 9)), HasSubstr("is truncated"));
  EXPECT_THAT(findings_after("summary.md", "# fine\n"),
              HasSubstr("summary.md: is not what the bundle renders to"));
  EXPECT_THAT(findings_after("env.json", "{}\n\n"), HasSubstr("env.json: is not what the bundle renders to"));
}

TEST_F(AbBundle, EveryChangedByteIsFound) {
  for (const std::string& file : required_bundle_files(true)) {
    const std::string good = text_of(file);
    for (std::size_t at = 0; at < good.size(); at += good.size() / 7 + 1) {
      std::string bad = good;
      bad[at] ^= 1;
      write_file(folder / file, bad);
      EXPECT_FALSE(verify_bundle(folder.path()).ok()) << file << " at " << at;
    }
    write_file(folder / file, good);
  }
  EXPECT_TRUE(verify_bundle(folder.path()).ok());
  std::filesystem::remove(folder.path() / "env.json");
  EXPECT_FALSE(verify_bundle(folder.path()).ok());
}

TEST_F(AbBundle, SaysHowManyUnitsItHoldsAndThatItWasInterrupted) {
  document.samples.units.resize(20);
  document.run.complete = false;
  write();
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_THAT(render_verify(report), HasSubstr("20 units, of an interrupted run"));
}

TEST_F(AbBundle, TheJournalHoldsTheSamePairsWhetherTheRunEndedOrNot) {
  write(19);
  EXPECT_THAT(findings(), HasSubstr("which the journal does not"));
  document.samples.units.resize(20);
  document.run.complete = false;
  write(9);
  EXPECT_THAT(findings(), HasSubstr("which the journal does not"));
  std::filesystem::remove(folder.path() / kJournalFile);
  EXPECT_THAT(findings(), HasSubstr("journal.jsonl: is missing"));
}

TEST_F(AbBundle, TilesAreThoseThatUnitsKept) {
  Record& unit = document.samples.units[0];
  const std::string file = ab_tiles_file("waves/x", unit.unit->side);
  const std::string tiles = "0,0,0,0,1,1,0,100,10,10\n";
  unit.files.push_back({file, sha256_hex(tiles)});
  std::filesystem::create_directory(folder / "tiles");
  write_file(folder / file, tiles);
  write();
  EXPECT_EQ(findings(), "");
  EXPECT_THAT(findings_after(file, "others"),
              HasSubstr(file + ": is not the file that the case's process wrote"));
  std::filesystem::remove_all(folder / "tiles");
  write();
  EXPECT_THAT(findings(), HasSubstr(file + ": is missing, though a record names it"));
}

TEST_F(AbBundle, OfTheTimeBeforeResultsJsonDoesNotVerify) {
  for (const std::string& file : required_bundle_files(true))
    if (file != "commands.txt") std::filesystem::remove(folder / file);
  write_file(folder / "ab.json", "{}\n");
  write_file(folder / "pairs.jsonl", "{}\n");
  write_hash_list(folder.path(), {});
  EXPECT_THAT(findings(), HasSubstr("results.json: is missing"));
}

TEST_F(AbBundle, WithAFifoForItsJournalIsNotWaitedFor) {
  std::filesystem::remove(folder / kJournalFile);
  ASSERT_EQ(::mkfifo((folder.path() / kJournalFile).c_str(), 0600), 0);
  EXPECT_THAT(findings(), HasSubstr("journal.jsonl: "));
}

TEST_F(AbBundle, IsNoSweep) {
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_gate_input(folder.path()); }),
              HasSubstr("results.json: is a comparison of `aqbench ab`"));
}

TEST_F(AbBundle, ThePairsStayWhereSealingFails) {
  std::filesystem::remove(folder / kHashListName);
  std::filesystem::create_directory(folder / kHashListName);
  write_file(folder / kHashListName / "in_the_way", "x");
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(std::filesystem::exists(folder / kJournalFile)) << "or nothing could go on";
  std::filesystem::remove_all(folder / kHashListName);
  write();
  EXPECT_EQ(findings(), "");
}

TEST_F(AbBundle, OfAValidationVerifies) {
  document = validation_document(3, 1.05);
  for (Record& unit : document.samples.units) unit.output_sha256 = std::string(64, 'a');
  write();
  EXPECT_EQ(findings(), "");
  EXPECT_THAT(text_of("summary.md"), HasSubstr("3 comparisons of waves/x with itself"));
}

TEST_F(AbBundle, OfAKilledRunSaysHowToGoOn) {
  for (const std::string& file : required_bundle_files(true))
    if (file != kJournalFile && file != "commands.txt") std::filesystem::remove(folder / file);
  EXPECT_THAT(findings(), ::testing::StartsWith(
                              "journal.jsonl: the comparison did not end; go on with: aqbench ab --resume "));
}

}  // namespace
}  // namespace aqbench
