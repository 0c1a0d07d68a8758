#include "reports/bundle/ab_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/text/ab_summary.h"
#include "tests/harness/ab/documents.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

AbBundleText bundle_text(const AbDocument& document) {
  const AbReport report = judge_ab(document);
  return {ab_text(document, report), render_ab_summary(document, report), document.environment,
          document.run.complete};
}

std::string text_of(const AbDocument& document) { return ab_text(document, judge_ab(document)); }

// RFC 8032, section 7.1, test 3.
constexpr const char* kAbTestKeyPem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIMWqjfQ/n4N77bdELzHct7Fm04U1B28JS4XOOi4LRFj3\n"
    "-----END PRIVATE KEY-----\n";

// pairs.jsonl of the first `pairs` pairs.
void write_pairs(const std::filesystem::path& folder, const PairJournalHeader& header,
                 const AbSamples& samples, std::size_t pairs = SIZE_MAX) {
  std::filesystem::remove(folder / kPairJournalFile);
  PairJournal journal = PairJournal::create(folder, header);
  for (std::size_t i = 0; 2 * i < samples.units.size() && i < pairs; ++i)
    journal.append(std::span(samples.units).subspan(2 * i, 2),
                   i == 0 ? std::span(samples.outputs) : std::span<const AbOutput>());
}

PairJournalHeader header_of(const AbDocument& document) {
  PairJournalHeader header;
  header.started_utc = document.run.started_utc;
  header.program_a = subject_of(document.a);
  header.program_b = subject_of(document.b);
  header.cases = document.samples.cases;
  header.environment = document.environment;
  return header;
}

void give_times(AbRunInfo& run) {
  run.warm_runs = 1;
  run.started_utc = "2026-11-21T12:00:00Z";
  run.finished_utc = "2026-11-21T12:30:00Z";
}

struct AbBundle : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    give_times(document.run);
    write();
  }
  void write() {
    write_file(folder / "commands.txt", "aqbench ab\n");
    write_pairs(folder.path(), header_of(document), document.samples);
    finalise_ab_bundle(folder.path(), bundle_text(document));
  }
  // As a forger would do it: the hashes are made again.
  std::string findings_after(const std::string& file, const std::string& text) {
    write();
    write_file(folder / file, text);
    write_hash_list(folder.path(), required_ab_files());
    std::string all;
    for (const Finding& finding : verify_bundle(folder.path()).findings)
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }

  TemporaryDirectory folder;
  AbDocument document;
};

TEST_F(AbBundle, Verifies) {
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.files, 5u);
}

TEST_F(AbBundle, EveryChangedNumberIsFoundEvenWithItsHashesRewritten) {
  const Json good = Json::parse(read_file(folder.path() / "ab.json"));
  Json json = good;
  json["decision"]["cases"][0]["time"]["comparison"]["shift"] = 0.001;
  EXPECT_THAT(findings_after("ab.json", json.dump(1) + "\n"),
              HasSubstr("ab.json: decision.cases[0].time.comparison.shift does not follow"));
  json = good;
  json["decision"]["cases"][0]["verdict"] = "FASTER";
  EXPECT_THAT(findings_after("ab.json", json.dump(1) + "\n"), HasSubstr("decision.cases[0].verdict"));
  json = good;
  for (auto& unit : json["samples"]["units"]) unit["warm_ms"][0] = 1.02 * unit["warm_ms"][0].get<double>();
  EXPECT_THAT(findings_after("ab.json", json.dump(1) + "\n"), HasSubstr("does not follow from the samples"));
  json = good;
  std::swap(json["samples"]["units"][0], json["samples"]["units"][1]);
  EXPECT_THAT(findings_after("ab.json", json.dump(1) + "\n"), HasSubstr("seeded coin"));
  EXPECT_THAT(findings_after("ab.json", good.dump() + "\n"),
              HasSubstr("not in the form that aqbench writes"));
  EXPECT_THAT(findings_after("summary.md", "# fine\n"),
              HasSubstr("summary.md: is not what ab.json renders to"));
}

TEST_F(AbBundle, AChangedByteOrAMissingFileIsFound) {
  std::ofstream(folder.path() / "commands.txt", std::ios::app) << " ";
  EXPECT_FALSE(verify_bundle(folder.path()).ok());
  write();
  EXPECT_TRUE(verify_bundle(folder.path()).ok());
  EXPECT_EQ(findings_after("tests.log", "all passed\n"), "tests.log: is not a file of a comparison\n");
  std::filesystem::remove(folder.path() / "env.json");
  EXPECT_FALSE(verify_bundle(folder.path()).ok());
}

TEST_F(AbBundle, PairsThatWereDroppedOrAddedAreFoundWithItsHashesRewritten) {
  const auto protocol_of = [&](const AbDocument& forged) {
    document = forged;
    return findings_after("ab.json", text_of(forged));
  };
  const AbDocument good = document;
  AbDocument cut = good;
  cut.samples.units.resize(cut.samples.units.size() - 4);
  EXPECT_THAT(protocol_of(cut), HasSubstr("pairs are missing at the end"));
  cut.run.complete = false;
  EXPECT_THAT(protocol_of(cut), ::testing::Not(HasSubstr("ab.json")));
  cut = good;
  cut.run.complete = false;
  EXPECT_THAT(protocol_of(cut), HasSubstr("nothing is missing"));
  cut = good;
  cut.run.pairs_per_look = 19;
  EXPECT_THAT(protocol_of(cut), HasSubstr("samples.units[38]: was measured although everything was decided"));
  cut = good;
  cut.samples.outputs = {{0, AbSide::a, "same", {}}, {0, AbSide::a, "same", {}}};
  EXPECT_THAT(protocol_of(cut), HasSubstr("samples.outputs: 2, but 1 were scored"));
  cut.samples.outputs = {{0, AbSide::a, "other", {}}};
  EXPECT_THAT(protocol_of(cut), HasSubstr("another output than the one that was scored"));
}

TEST_F(AbBundle, SaysHowManyUnitsItHoldsAndThatItWasInterrupted) {
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("verified: 6 files, 40 units\n"));
  document.samples.units.resize(20);
  document.run.complete = false;
  write();
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_THAT(render_verify(report), HasSubstr("20 units, of an interrupted run"));
}

TEST_F(AbBundle, TheJournalHoldsTheSamePairsWhetherTheRunEndedOrNot) {
  const auto verdict_with = [&](std::size_t pairs) {
    write_file(folder / "commands.txt", "aqbench ab\n");
    write_pairs(folder.path(), header_of(document), document.samples, pairs);
    finalise_ab_bundle(folder.path(), bundle_text(document));
    return render_verify(verify_bundle(folder.path()));
  };
  EXPECT_THAT(verdict_with(20), HasSubstr("verified: 6 files"));
  EXPECT_THAT(verdict_with(19), HasSubstr("has another list of cases or pairs"));
  document.samples.units.resize(20);
  document.run.complete = false;
  EXPECT_THAT(verdict_with(10), HasSubstr("of an interrupted run"));
  EXPECT_THAT(verdict_with(9), HasSubstr("has another list of cases or pairs"));
  std::filesystem::remove(folder.path() / kPairJournalFile);
  finalise_ab_bundle(folder.path(), bundle_text(document));
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("pairs.jsonl: is missing"));
}

// What ab.json repeats of the beginning of pairs.jsonl, changed in ab.json alone, all verdicts and hashes
// made right again.
TEST_F(AbBundle, TheJournalBeginsAsTheDocumentSays) {
  const AbDocument good = document;
  const std::pair<const char*, std::function<void(AbDocument&)>> changes[] = {
      {"another program", [](AbDocument& d) { d.b.program_sha256 = "3333"; }},
      {"another file", [](AbDocument& d) { d.a.file_sha256 = "3333"; }},
      {"another start", [](AbDocument& d) { d.run.started_utc = "2026-11-21T11:00:00Z"; }},
      {"another case", [](AbDocument& d) { d.samples.cases[0].name = "other"; }},
      {"another threshold", [](AbDocument& d) { d.samples.cases[0].tau = 0.5; }},
      {"another machine",
       [](AbDocument& d) {
         d.environment = Json{{"cpu", "Cray-1"}};
       }},
      {"another sample", [](AbDocument& d) { d.samples.units[0].warm_ms[0] *= 1.001; }},
      {"resumed", [](AbDocument& d) { d.run.resumed = 1; }},
  };
  for (const auto& [name, change] : changes) {
    document = good;
    change(document);
    write_pairs(folder.path(), header_of(good), good.samples);
    finalise_ab_bundle(folder.path(), bundle_text(document));
    EXPECT_EQ(verify_bundle(folder.path()).verdict(), VerifyVerdict::not_verified) << name;
  }
}

TEST_F(AbBundle, TilesAreThoseThatUnitsKept) {
  document.samples.units[0].tiles_sha256 = sha256_hex("tiles");
  std::filesystem::create_directory(folder / "tiles");
  write_file(folder / "tiles/x.a.csv", "tiles");
  write();
  EXPECT_TRUE(verify_bundle(folder.path()).ok()) << render_verify(verify_bundle(folder.path()));
  EXPECT_THAT(findings_after("tiles/x.a.csv", "others"), HasSubstr("tiles/x.a.csv: is not what a unit kept"));
  std::filesystem::remove_all(folder / "tiles");
  write();
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("name other tiles than there are"));
}

// Texts of version 3 called some cases otherwise. What they say is not checked by this version, all else is.
TEST_F(AbBundle, OlderTextsAreNoForgeryAndNotVerified) {
  document.schema_version = 3;
  write();
  EXPECT_EQ(verify_bundle(folder.path()).verdict(), VerifyVerdict::verified) << "where texts are the same";
  AbBundleText text = bundle_text(document);
  text.summary += "an older sentence\n";
  finalise_ab_bundle(folder.path(), text);
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_EQ(report.verdict(), VerifyVerdict::other_version);
  EXPECT_THAT(render_verify(report), HasSubstr("ab.json: is of version 3, this program writes version 5"));
}

// A comparison was killed, the times of B in its pairs were made shorter: nobody goes on with such pairs.
TEST_F(AbBundle, PairsThatWereChangedAfterAKillAreRefused) {
  const std::filesystem::path file = folder.path() / kPairJournalFile;
  std::string text = read_file(file);
  const std::size_t at = text.find("\"warm_ms\":[1") + 11;
  text[at] = '5';
  write_file(file, text);
  PairJournalContents contents;
  EXPECT_THROW(PairJournal::resume(folder.path(), contents), Error);
  EXPECT_THROW(read_pair_journal(folder.path()), Error);
}

TEST_F(AbBundle, ThePairsStayWhereSealingFails) {
  std::filesystem::remove(folder / kHashListName);
  std::filesystem::create_directory(folder / kHashListName);
  write_file(folder / kHashListName / "in_the_way", "x");
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(std::filesystem::exists(folder / kPairJournalFile)) << "or nothing could go on";
  std::filesystem::remove_all(folder / kHashListName);
  write();
  EXPECT_TRUE(verify_bundle(folder.path()).ok()) << render_verify(verify_bundle(folder.path()));
}

TEST_F(AbBundle, ASignatureNamesWhoVouchesForIt) {
  const TemporaryDirectory keys;
  write_file(keys.path() / "key.pem", kAbTestKeyPem);
  const SigningKey key = read_signing_key(keys.path() / "key.pem");
  finalise_ab_bundle(folder.path(), bundle_text(document), &key);
  const VerifyReport report = verify_bundle(folder.path(), key.public_key);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_EQ(report.signed_by, key_fingerprint(key.public_key));
  EXPECT_FALSE(verify_bundle(folder.path(), std::string(32, 'x')).ok());
  write();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / kSignatureName)) << "of other hashes";
  EXPECT_THAT(render_verify(verify_bundle(folder.path(), key.public_key)), HasSubstr("not signed"));
}

TEST_F(AbBundle, OfAValidationReadsBackAndVerifies) {
  document = validation_document(3, 1.05);
  give_times(document.run);
  const std::string text = text_of(document);
  EXPECT_EQ(text_of(ab_document_from_json(Json::parse(text), "ab.json")), text);
  write();
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  Json forged = Json::parse(text);
  forged["decision"]["validation"]["itself"]["slower"] = 1;
  AbBundleText bundle = bundle_text(document);
  bundle.main_text = forged.dump(1) + "\n";
  finalise_ab_bundle(folder.path(), bundle);
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("decision.validation.itself.slower"));
}

TEST(KilledAb, SaysHowToGoOn) {
  const TemporaryDirectory killed;
  killed.file("commands.txt", "aqbench ab\n");
  { PairJournal journal = PairJournal::create(killed.path(), {}); }
  const VerifyReport report = verify_bundle(killed.path());
  ASSERT_EQ(report.findings.size(), 1u) << render_verify(report);
  EXPECT_EQ(report.findings[0].file, kPairJournalFile);
  EXPECT_THAT(report.findings[0].what, HasSubstr("did not end; go on with: aqbench ab --resume "));
}

}  // namespace
}  // namespace aqbench
