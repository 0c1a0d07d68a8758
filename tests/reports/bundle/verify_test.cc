#include "reports/bundle/verify.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/bundle.h"
#include "reports/content/commands.h"
#include "reports/content/run_sections.h"
#include "reports/html/report.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

std::set<std::string> files_found(const VerifyReport& report) {
  std::set<std::string> files;
  for (const Finding& finding : report.findings) files.insert(finding.file);
  return files;
}

void overwrite(const fs::path& path, const std::string& bytes) {  // without waiting for the disk
  fs::remove(path);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class Verify : public ::testing::Test {
 protected:
  Results results_ = synthetic_results();
  TemporaryDirectory directory_;
  fs::path bundle_ = synthetic_bundle(directory_.path(), results_);

  // The findings after `change` to the bundle.
  std::set<std::string> after(const std::function<void()>& change) {
    change();
    return files_found(verify_bundle(bundle_));
  }
  // The findings after a file was replaced and all hashes were made right again.
  std::set<std::string> forged(const std::string& file, const std::string& bytes) {
    overwrite(bundle_ / file, bytes);
    rehash(bundle_);
    return files_found(verify_bundle(bundle_));
  }
  void rewrite_with(const JournalHeader& header) {
    fs::remove(bundle_ / kJournalFile);
    {
      Journal journal = Journal::create(bundle_, header);
      for (const Record& record : results_.records) journal.append(record);
    }
    finalise_bundle(bundle_, results_);
  }
};

TEST_F(Verify, AnUntouchedBundle) {
  const VerifyReport report = verify_bundle(bundle_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.files, 14u);  // all but sha256.txt
  EXPECT_EQ(report.records, 4u);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.root_digest, root_digest(results_));
  EXPECT_EQ(report.metrics_digest, metrics_digest(results_));
  const std::string text = render_verify(report);
  EXPECT_NE(text.find(root_digest(results_)), text.npos);
  EXPECT_NE(text.find("verified: 15 files, 4 records\n"), text.npos) << text;
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;  // ten times slower: fewer places
#else
constexpr bool kSanitized = false;
#endif

TEST_F(Verify, ASignatureOfAnOlderVersionIsANote) {
  overwrite(bundle_ / "signature.json", "{}");
  const VerifyReport report = verify_bundle(bundle_);
  EXPECT_TRUE(report.ok());
  EXPECT_NE(render_verify(report).find("note: signature.json is of an older version and is not checked"),
            std::string::npos);
  finalise_bundle(bundle_, results_);
  EXPECT_FALSE(fs::exists(bundle_ / "signature.json")) << "it signed other hashes";
}

// One byte, anywhere, in any file that a bundle can have.
TEST_F(Verify, AnyChangedByteIsFoundAndItsFileNamed) {
  add_notes(bundle_, {"a note"});
  overwrite(bundle_ / kBaselineCopyName, baseline_text(synthetic_baseline(results_)));
  overwrite(bundle_ / kTestsLog, "# Tests\n\nresult: passed\n");
  finalise_bundle(bundle_, results_);
  ASSERT_TRUE(verify_bundle(bundle_).ok());
  ASSERT_EQ(list_bundle_files(bundle_).files.size(), 18u);
  std::size_t tried = 0;
  for (const std::string& file : list_bundle_files(bundle_).files) {
    const std::string good = read_file(bundle_ / file);
    // A verification takes 50 ms: ends, some line ends, and bytes in between.
    const std::size_t step = std::max<std::size_t>(1, good.size() / 3);
    std::size_t lines = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
      const bool line_end = good[i] == '\n' && ++lines <= 2;
      const bool structural = i < 2 || i + 2 >= good.size() || line_end || i % step == 0;
      if (!structural || (kSanitized && i % 7 != 0)) continue;
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      overwrite(bundle_ / file, bad);
      const auto found = files_found(verify_bundle(bundle_));
      ASSERT_TRUE(found.contains(file)) << file << " byte " << i;
      ++tried;
    }
    overwrite(bundle_ / file, good);
  }
  EXPECT_GT(tried, kSanitized ? 15u : 100u);
  EXPECT_TRUE(verify_bundle(bundle_).ok());
}

TEST_F(Verify, AnyFileCutOffGrownOrEmptied) {
  for (const std::string& file : list_bundle_files(bundle_).files) {
    const std::string good = read_file(bundle_ / file);
    for (const std::string& bad : {good.substr(0, good.size() - 1), good + "\n", good + good, std::string()})
      EXPECT_TRUE(after([&] { overwrite(bundle_ / file, bad); }).contains(file)) << file;
    overwrite(bundle_ / file, good);
  }
}

TEST_F(Verify, AnyFileTakenAway) {
  for (const std::string& file : list_bundle_files(bundle_).files) {
    const std::string good = read_file(bundle_ / file);
    EXPECT_TRUE(after([&] { fs::remove(bundle_ / file); }).contains(file)) << file;
    overwrite(bundle_ / file, good);
  }
}

TEST_F(Verify, ThingsThatDoNotBelongThere) {
  EXPECT_EQ(after([&] { overwrite(bundle_ / "extra.txt", "x"); }), std::set<std::string>{"extra.txt"});
  fs::remove(bundle_ / "extra.txt");
  EXPECT_EQ(after([&] { overwrite(bundle_ / "tiles/.hidden", "x"); }),
            std::set<std::string>{"tiles/.hidden"});
  fs::remove(bundle_ / "tiles/.hidden");
  EXPECT_EQ(after([&] { fs::create_directories(bundle_ / "a/b"); }), std::set<std::string>{"a/b"});
  fs::remove_all(bundle_ / "a");
  EXPECT_EQ(after([&] { ASSERT_EQ(::mkfifo((bundle_ / "pipe").c_str(), 0600), 0); }),
            std::set<std::string>{"pipe"});
  fs::remove(bundle_ / "pipe");
  EXPECT_EQ(after([&] { overwrite(bundle_ / "new\nline", "x"); }), std::set<std::string>{"new?line"});
  fs::remove(bundle_ / "new\nline");
  // A link to the very bytes is still no evidence: they can change elsewhere.
  fs::copy_file(bundle_ / "bench.log", directory_ / "elsewhere");
  fs::remove(bundle_ / "bench.log");
  EXPECT_TRUE(after([&] {
                fs::create_symlink(directory_ / "elsewhere", bundle_ / "bench.log");
              }).contains("bench.log"));
  fs::remove(bundle_ / "bench.log");
  fs::rename(directory_ / "elsewhere", bundle_ / "bench.log");
  fs::create_directory_symlink(directory_.path(), bundle_ / "loop");
  EXPECT_EQ(files_found(verify_bundle(bundle_)), std::set<std::string>{"loop"});
}

TEST_F(Verify, PathsOutOfTheBundleAreRefusedNotRead) {
  const std::string outside = directory_.file("outside", "secret").string();
  std::string list = read_file(bundle_ / kHashListName);
  list = list.substr(0, list.find('#'));
  for (const std::string& path : {std::string("../outside"), outside}) {
    const std::string lines = sha256_hex("secret") + "  " + path + "\n" + list;
    overwrite(bundle_ / kHashListName, lines + "# sha256 of the lines above: " + sha256_hex(lines) + "\n");
    EXPECT_TRUE(files_found(verify_bundle(bundle_)).contains(kHashListName)) << path;
  }
}

// What follows from the records is made again.
TEST_F(Verify, AChangeWithAllHashesMadeRightAgain) {
  Results other = results_;
  metric_of(other.records[1], "accuracy_mean_mm").value = 0.5;
  EXPECT_EQ(forged("results.json", results_text(other)),
            (std::set<std::string>{"results.json", "statement.json", "summary.md"}));
  EXPECT_EQ(forged("summary.md", render_summary(read_bundle_content(bundle_, other))),
            (std::set<std::string>{"results.json", "statement.json"}));
  finalise_bundle(bundle_, results_);
  EXPECT_EQ(forged("summary.md", read_file(bundle_ / "summary.md") + "Looks great!\n"),
            (std::set<std::string>{"statement.json", "summary.md"}));
  finalise_bundle(bundle_, results_);
  EXPECT_EQ(forged("env.json", "{}\n"), (std::set<std::string>{"env.json", "statement.json"}));
}

TEST_F(Verify, AMetricInAnotherUnitOrDirectionThanItsOwn) {
  Results other = results_;
  Record& record = other.records[1];
  metric_of(record, "accuracy_mean_mm").unit = "m";
  metric_of(record, "accuracy_median_mm").better = Better::higher;
  metric_of(record, "accuracy_rmse_mm").better = Better::equal;  // this very build knows better
  record.metrics.emplace_back("dtu_overall_mm", Metric{0.5, "mm", Better::higher, ""});
  forged("results.json", results_text(other));
  std::set<std::string> found;
  for (const Finding& finding : verify_bundle(bundle_).findings)
    if (finding.what.starts_with("case ")) found.insert(finding.what.substr(finding.what.find(": ") + 2));
  EXPECT_EQ(found, (std::set<std::string>{"accuracy_mean_mm has the unit 'm' instead of 'mm'",
                                          "accuracy_median_mm has the direction 'higher' instead of 'lower'",
                                          "accuracy_rmse_mm has the direction 'equal' instead of 'lower'",
                                          "dtu_overall_mm has the direction 'higher' instead of 'lower'"}));
}

TEST_F(Verify, TheSummaryOfAnotherBuildIsCheckedByItsHashAlone) {
  JournalHeader header = read_journal(bundle_, TornTail::refuse, KeptRecords::ends).header;
  header.program_sha256 = std::string(64, '0');
  rewrite_with(header);
  const VerifyReport report = verify_bundle(bundle_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.notes, std::vector<std::string>{"summary.md: hash only, written by another build"});
  const std::string good = read_file(bundle_ / "summary.md");
  EXPECT_EQ(forged("summary.md", good + "older words\n"), std::set<std::string>{"statement.json"});
  finalise_bundle(bundle_, results_);
  EXPECT_EQ(after([&] { overwrite(bundle_ / "summary.md", good + "x"); }),
            std::set<std::string>{"summary.md"});
  EXPECT_EQ(after([&] { fs::remove(bundle_ / "summary.md"); }), std::set<std::string>{"summary.md"});
}

TEST_F(Verify, AMissingDerivedFileFailsEvenIfNoHashNamesIt) {
  for (const char* const file :
       {"summary.md", "env.json", "benchmark.json", kInventoryName, kStatementName}) {
    EXPECT_TRUE(after([&] {
                  fs::remove(bundle_ / file);
                  rehash(bundle_);
                }).contains(file))
        << file;
    finalise_bundle(bundle_, results_);
  }
}

TEST_F(Verify, ThePageIsAFileWithAHashAndMayBeLeftOut) {
  const std::string page = read_file(bundle_ / kReportName);
  EXPECT_EQ(after([&] { overwrite(bundle_ / kReportName, page + "x"); }), std::set<std::string>{kReportName});
  finalise_bundle(bundle_, results_, false);
  EXPECT_FALSE(fs::exists(bundle_ / kReportName));
  EXPECT_TRUE(verify_bundle(bundle_).ok());
  EXPECT_EQ(after([&] { overwrite(bundle_ / kReportName, page); }), std::set<std::string>{kReportName});
}

// What another build planned is noted, and accepted by its own flag alone.
TEST_F(Verify, APlanOfAnotherBuildIsANote) {
  JournalHeader header = read_journal(bundle_, TornTail::refuse, KeptRecords::ends).header;
  header.program_sha256 = std::string(64, '0');
  header.request.repeat = 3;
  results_.run.requested =
      parse_strict_json(requested_json(header.request).dump(), "requested", kMessageJson);
  rewrite_with(header);
  const VerifyReport report = verify_bundle(bundle_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_TRUE(report.old_plan.starts_with("plan not computed again (made by aqbench ")) << report.old_plan;
  EXPECT_NE(render_verify(report).find("note: plan not computed again"), std::string::npos);
  EXPECT_EQ(read_gate_input(bundle_).results.records.size(), 4u);
  EXPECT_NE(
      error_of(ErrorKind::not_comparable, [&] { read_accepted_run(bundle_); }).find("--old-plan accepts it"),
      std::string::npos);
  EXPECT_EQ(read_accepted_run(bundle_, false, true).results.records.size(), 4u);
}

TEST_F(Verify, ARecordDroppedOrASwappedJournalLine) {
  Results fewer = results_;
  fewer.records.pop_back();
  fewer.run.planned_cases = 3;
  EXPECT_TRUE(after([&] { finalise_bundle(bundle_, fewer); }).contains("results.json"));
  finalise_bundle(bundle_, results_);
  const std::string good = read_file(bundle_ / "journal.jsonl");
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < good.size(); start = good.find('\n', start) + 1)
    lines.push_back(good.substr(start, good.find('\n', start) + 1 - start));
  ASSERT_EQ(lines.size(), 5u);
  const auto joined = [&](const std::vector<int>& order) {
    std::string text;
    for (const int line : order) text += lines[static_cast<std::size_t>(line)];
    return text;
  };
  for (const std::vector<int>& order :
       {std::vector<int>{0, 2, 1, 3, 4}, {0, 1, 2, 3}, {0, 2, 3, 4}, {1, 2, 3, 4}, {0, 1, 1, 2, 3, 4}, {0}})
    EXPECT_FALSE(forged("journal.jsonl", joined(order)).empty());
}

// The samples of two runs swapped, or two of one run: the journal has them in their places.
TEST_F(Verify, SwappedSamples) {
  Results other = results_;
  std::swap(other.records[0].timing, other.records[1].timing);
  other.records[0].timing.cold_ms = 1;
  EXPECT_TRUE(after([&] { finalise_bundle(bundle_, other); }).contains("results.json"));
  finalise_bundle(bundle_, results_);
  EXPECT_TRUE(verify_bundle(bundle_).ok());
}

TEST_F(Verify, AnotherPlanOrRunThanTheJournals) {
  for (const std::function<void(Results&)>& change : std::vector<std::function<void(Results&)>>{
           [](Results& r) { r.run.plan_sha256[0] ^= 1; }, [](Results& r) { r.run.id += "x"; },
           [](Results& r) { r.run.suite = "other"; }}) {
    Results other = results_;
    change(other);
    if (other.run.plan_sha256[0] > 'f') other.run.plan_sha256[0] = '0';
    finalise_bundle(bundle_, other);
    EXPECT_EQ(files_found(verify_bundle(bundle_)).contains("journal.jsonl"), true);
  }
}

TEST_F(Verify, AnInterruptedRunVerifiesAndSaysSo) {
  const TemporaryDirectory other;
  Results results = synthetic_results();
  results.records.pop_back();
  const fs::path bundle = synthetic_bundle(other.path(), results, plan_sweep(seed_request()));
  const VerifyReport report = verify_bundle(bundle);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_FALSE(report.complete);
  EXPECT_NE(render_verify(report).find("of an interrupted run"), std::string::npos);
}

TEST_F(Verify, HostileResultsAreAFindingNotACrash) {
  for (const std::string& bad :
       {std::string(3'000'000, '['), std::string("{\"schema_version\":4}"), std::string("\xff"),
        std::string("null"), read_file(bundle_ / "results.json") + " "})
    EXPECT_TRUE(forged("results.json", bad).contains("results.json")) << bad.substr(0, 30);
}

// The gate's verdicts follow from the baseline that the bundle holds.
TEST_F(Verify, AnotherBaselineGivesOtherVerdicts) {
  Baseline baseline = synthetic_baseline(results_);
  overwrite(bundle_ / kBaselineCopyName, baseline_text(baseline));
  finalise_bundle(bundle_, results_);
  EXPECT_TRUE(verify_bundle(bundle_).ok()) << render_verify(verify_bundle(bundle_));
  for (auto& [name, accepted] : baseline.cases[0].metrics)
    if (name == "accuracy_mean_mm") accepted.value = 0.5;
  EXPECT_EQ(forged(kBaselineCopyName, baseline_text(baseline)),
            (std::set<std::string>{"statement.json", "summary.md"}));
}

TEST(VerifyInput, WhatIsNoFolderIsBadInput) {
  const TemporaryDirectory directory;
  EXPECT_NE(
      error_of(ErrorKind::input, [&] { verify_bundle(directory / "absent"); }).find("no such file or folder"),
      std::string::npos);
  const fs::path file = directory.file("file", "");
  EXPECT_NE(error_of(ErrorKind::input, [&] { verify_bundle(file); }).find("a bundle is a folder"),
            std::string::npos);
  fs::remove(file);
  EXPECT_EQ(verify_bundle(directory.path()).findings.size(), required_bundle_files().size());
}

}  // namespace
}  // namespace aqbench
