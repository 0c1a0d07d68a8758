#include "harness/ab/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/error.h"
#include "core/files.h"
#include "harness/ab/aa_validation.h"
#include "harness/ab/pair_journal.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// One case of `pairs` pairs, B taking `ratio` times as long; outputs alike.
AbSamples timed_samples(std::size_t pairs, double ratio, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> a, b;
  for (std::size_t i = 0; i < pairs; ++i) {
    a.push_back(10 * std::exp(0.005 * normal(generator)));
    b.push_back(10 * ratio * std::exp(0.005 * normal(generator)));
  }
  AbSamples samples = ab_samples_from_lists(
      Json{{"cases", Json::array({Json{{"name", "waves/x"}, {"a", a}, {"b", b}}})}}, "test");
  for (AbUnit& unit : samples.units) {
    unit.output_sha256 = "same";
    unit.cold_ms = 30;
    unit.stages = {{"match", {unit.warm_ms[0] / 2}}, {"fuse", {3}}};
  }
  return samples;
}

void give_outputs(AbSamples& samples, double accuracy_a_mm, double accuracy_b_mm) {
  for (AbUnit& unit : samples.units) unit.output_sha256 = to_string(unit.side);
  samples.outputs = {{0, AbSide::a, "a", {{"accuracy_mean_mm", {accuracy_a_mm, "mm", Better::lower, ""}}}},
                     {0, AbSide::b, "b", {{"accuracy_mean_mm", {accuracy_b_mm, "mm", Better::lower, ""}}}}};
}

AbDocument document_of(AbSamples samples) {
  AbDocument document;
  document.run.id = "20261121T120000Z";
  document.run.warm_runs = 5;
  document.settings.confirm = false;
  document.a.label = "old/aqbench";
  document.a.program_sha256 = "1111";
  document.b.label = "new/aqbench";
  document.b.program_sha256 = "2222";
  document.run.pairs_per_look = samples.units.size() / 2;
  document.samples = std::move(samples);
  return document;
}

AbBundleText bundle_text(const AbDocument& document) {
  const AbReport report = judge_ab(document);
  return {kAbFile, ab_text(document, report), render_ab_summary(document, report), document.environment_json,
          document.run.complete};
}

std::string text_of(const AbDocument& document) { return ab_text(document, judge_ab(document)); }

std::string text_of(const AaValidationDocument& document) {
  return aa_validation_text(document, judge_aa_validation(document));
}

AbCaseReport only_case(const AbDocument& document) { return judge_ab(document).cases.at(0); }

TEST(AbReport, AFasterBuildWithWorseAccuracyIsInvalid) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(judge_ab(document).exit_code(), ExitCode::pass);
  give_outputs(document.samples, 1.0, 1.2);
  const AbCaseReport worse = only_case(document);
  EXPECT_EQ(worse.verdict, AbVerdict::invalid);
  EXPECT_THAT(worse.reason, HasSubstr("accuracy_mean_mm 1 -> 1.2 mm"));
  EXPECT_THAT(worse.pareto, HasSubstr("a trade of one for the other"));
  EXPECT_EQ(judge_ab(document).exit_code(), ExitCode::regression);
}

TEST(AbReport, OtherBytesOfTheSameOrBetterAccuracyAreFine) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 0.9);
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(only_case(document).outputs, "differ");
  EXPECT_THAT(only_case(document).pareto, HasSubstr("B is better in both"));
  give_outputs(document.samples, 1.0, 1.04);  // within 5 %
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
}

TEST(AbReport, TheParetoLineSaysWhatIsTrueOfBothAxes) {
  const auto line = [](double ratio, double accuracy_b_mm) {
    AbDocument document = document_of(timed_samples(40, ratio));
    give_outputs(document.samples, 1.0, accuracy_b_mm);
    return only_case(document).pareto;
  };
  EXPECT_THAT(line(0.8, 1.0), EndsWith("accuracy_mean_mm 1 -> 1 mm: B is faster at equal accuracy"));
  EXPECT_THAT(line(1.2, 1.0), EndsWith(": B is slower at equal accuracy"));
  EXPECT_THAT(line(0.8, 1.04), EndsWith(": B is faster, its accuracy is within the tolerance"));
  EXPECT_THAT(line(1.2, 0.98), EndsWith(": B is slower, its accuracy is within the tolerance"));
  EXPECT_THAT(line(1.2, 1.2), EndsWith(": A is better in both"));
  EXPECT_THAT(line(1.2, 0.8), EndsWith(": a trade of one for the other"));
  EXPECT_THAT(line(1.0, 0.8), EndsWith(": B is more accurate, its time did not move for certain"));
  EXPECT_THAT(line(1.0, 1.2), EndsWith(": B is less accurate, its time did not move for certain"));
  EXPECT_THAT(line(1.0, 1.0), EndsWith("accuracy_mean_mm 1 -> 1 mm"));
  EXPECT_THAT(only_case(document_of(timed_samples(40, 0.8))).pareto,
              EndsWith("output identical: B is faster at equal accuracy"));
}

TEST(AbReport, OtherMetricsThanTheHeadlinesAreShownAndDecideOnlyAlone) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 1.0);
  for (AbOutput& output : document.samples.outputs)
    output.metrics.push_back(
        {"tile_worst_abs_bias_mm", {output.side == AbSide::a ? 1.0 : 1.3, "mm", Better::lower, ""}});
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(only_case(document).accuracy.front().metric, "tile_worst_abs_bias_mm");
  for (AbOutput& output : document.samples.outputs) output.metrics.erase(output.metrics.begin());
  EXPECT_EQ(only_case(document).verdict, AbVerdict::invalid);
}

TEST(AbReport, UndefinedUnscoredOrUnsteadyOutputsAreInvalid) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 1.0);
  document.samples.outputs[1].metrics[0].second = {std::nullopt, "mm", Better::lower, "no points"};
  EXPECT_EQ(only_case(document).verdict, AbVerdict::invalid);
  document.samples.outputs.clear();
  EXPECT_THAT(only_case(document).reason, HasSubstr("were not scored"));
  document = document_of(timed_samples(40, 0.8));
  for (AbUnit& unit : document.samples.units)
    if (unit.side == AbSide::b && unit.pair == 7) unit.output_sha256 = "other";
  EXPECT_THAT(only_case(document).reason, HasSubstr("2 different outputs for the same input"));
}

TEST(AbReport, ExitCodesFollowTheVerdicts) {
  EXPECT_EQ(judge_ab(document_of(timed_samples(40, 1.07))).exit_code(), ExitCode::regression);
  EXPECT_EQ(judge_ab(document_of(timed_samples(40, 1.0))).exit_code(), ExitCode::pass);
  EXPECT_EQ(judge_ab(document_of(timed_samples(10, 1.0))).exit_code(), ExitCode::inconclusive);
  AbDocument failed = document_of(timed_samples(40, 1.0));
  failed.samples.units.back().status = Status::crashed;
  failed.samples.units.back().reason = "died of signal 11";
  EXPECT_EQ(judge_ab(failed).exit_code(), ExitCode::case_failed);
  EXPECT_THAT(only_case(failed).reason, HasSubstr("died of signal 11"));
  failed.samples.units.back().side = AbSide::b;
  failed.samples.units.back().reason = "invalid: mean_intensity is 3, not 4";
  EXPECT_EQ(only_case(failed).verdict, AbVerdict::invalid) << "wrong output of B, however fast";
  AbDocument noisy = document_of(timed_samples(40, 1.0));
  noisy.samples.cases[0].tau = 0.5;
  EXPECT_EQ(only_case(noisy).verdict, AbVerdict::refused);
  EXPECT_EQ(judge_ab(noisy).exit_code(), ExitCode::inconclusive);
}

TEST(AbReport, SaysWhenBothSidesAreTheSame) {
  AbDocument document = document_of(timed_samples(40, 1.0));
  EXPECT_TRUE(judge_ab(document).notes.empty());
  document.b.program_sha256 = document.a.program_sha256;
  EXPECT_THAT(judge_ab(document).notes, Contains(HasSubstr("this is an A/A run")));
  document.b.file_sha256 = "3333";
  EXPECT_TRUE(judge_ab(document).notes.empty()) << "a script around the program may do anything";
  document.b.file_sha256.clear();
  document.b.variant = "kernel=fused";
  EXPECT_TRUE(judge_ab(document).notes.empty());
}

TEST(AbReport, TextsSayWhatCouldHaveBeenSeenAndWhichStageMoved) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const AbReport report = judge_ab(document);
  const std::string table = render_ab_table(document, report);
  EXPECT_THAT(table, HasSubstr("REGRESSED"));
  EXPECT_THAT(table, HasSubstr("40 pairs, 20 kept"));
  EXPECT_THAT(table, HasSubstr("would have flagged +"));
  EXPECT_THAT(table, HasSubstr("match +0."));
  EXPECT_THAT(table, HasSubstr("A/A rate behind it"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  EXPECT_THAT(render_ab_summary(document, report), HasSubstr("| match | slower |"));
}

TEST(AbReport, TheDocumentReadsBackAndItsDecisionIsWorkedOutAgain) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const std::string text = text_of(document);
  EXPECT_EQ(text_of(ab_document_from_json(Json::parse(text), "ab.json")), text);
  Json forged = Json::parse(text);
  forged["decision"]["cases"][0]["verdict"] = "PASS";
  EXPECT_EQ(text_of(ab_document_from_json(forged, "ab.json")), text);
}

// ---- On disk ----

// RFC 8032, section 7.1, test 3.
constexpr const char* kAbTestKeyPem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIMWqjfQ/n4N77bdELzHct7Fm04U1B28JS4XOOi4LRFj3\n"
    "-----END PRIVATE KEY-----\n";

struct AbBundle : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    std::ofstream(folder.path() / "commands.txt") << "aqbench ab\n";
    write();
  }
  void write() { finalise_ab_bundle(folder.path(), bundle_text(document)); }
  // As somebody would do it who wants to get away with it: the hashes are made again.
  std::string findings_after(const std::string& file, const std::string& text) {
    write();
    write_file(folder / file, text);
    write_hash_list(folder.path(), required_ab_files(kAbFile));
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
  EXPECT_EQ(report.files, 4u);
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
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("verified: 5 files, 40 units\n"));
  document.samples.units.resize(20);
  document.run.complete = false;
  write();
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_THAT(render_verify(report), HasSubstr("20 units, of an interrupted run"));
}

TEST_F(AbBundle, TheJournalOfAnInterruptedRunHoldsTheSamePairs) {
  document.samples.units.resize(20);
  document.run.complete = false;
  const auto journal_of = [&](std::size_t pairs) {
    std::filesystem::remove(folder.path() / kPairJournalFile);
    PairJournal journal = PairJournal::create(folder.path(), {});
    for (std::size_t i = 0; i < pairs; ++i)
      journal.append(0, std::span(document.samples.units).subspan(2 * i, 2), {});
  };
  journal_of(10);
  write();
  EXPECT_TRUE(verify_bundle(folder.path()).ok()) << render_verify(verify_bundle(folder.path()));
  journal_of(9);
  write();
  EXPECT_THAT(render_verify(verify_bundle(folder.path())),
              HasSubstr("does not hold the pairs of the samples"));
  journal_of(10);
  document.run.complete = true;
  document.run.pairs_per_look = 10;
  document.settings.policy.alpha = 0.1;
  write();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / kPairJournalFile)) << "it is all in ab.json";
  EXPECT_TRUE(verify_bundle(folder.path()).ok()) << render_verify(verify_bundle(folder.path()));
}

TEST_F(AbBundle, ThePairsStayWhereSealingFails) {
  { PairJournal journal = PairJournal::create(folder.path(), {}); }
  std::filesystem::remove(folder / kHashListName);
  std::filesystem::create_directory(folder / kHashListName);
  write_file(folder / kHashListName / "in_the_way", "x");
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(std::filesystem::exists(folder / kPairJournalFile)) << "or nothing could go on";
  std::filesystem::remove_all(folder / kHashListName);
  write();
  EXPECT_FALSE(std::filesystem::exists(folder / kPairJournalFile));
  EXPECT_TRUE(verify_bundle(folder.path()).ok()) << render_verify(verify_bundle(folder.path()));
}

TEST_F(AbBundle, WhatAKillLeftSaysHowToGoOn) {
  const TemporaryDirectory killed;
  killed.file("commands.txt", "aqbench ab\n");
  { PairJournal journal = PairJournal::create(killed.path(), {}); }
  const VerifyReport report = verify_bundle(killed.path());
  ASSERT_EQ(report.findings.size(), 1u) << render_verify(report);
  EXPECT_EQ(report.findings[0].file, kPairJournalFile);
  EXPECT_THAT(report.findings[0].what, HasSubstr("did not end; go on with: aqbench ab --resume "));
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

// ---- Calibration ----

// As if the coins had been drawn with another seed.
void reorder(AbSamples& samples, std::uint64_t order_seed) {
  samples.order_seed = order_seed;
  for (std::size_t i = 0; i + 1 < samples.units.size(); i += 2)
    if (samples.units[i].side != first_side(order_seed, i / 2))
      std::swap(samples.units[i], samples.units[i + 1]);
}

AaValidationDocument calibration_of(double delay, double aa_ratio = 1) {
  AaValidationDocument document;
  document.run.id = "20261121T120000Z";
  document.suites = 200;
  document.series = {{"", "", timed_samples(160, aa_ratio, 1)},
                     {"*", "+5%", timed_samples(130, 1 + delay, 2)},
                     {"match", "+5%", timed_samples(130, 1 + delay, 3)},
                     {"fuse", "+5%", timed_samples(130, 1 + delay, 4)},
                     {"gone", "+5%", timed_samples(130, 1 + delay, 5)}};
  document.plan = {160, 130, {"*", "match", "fuse", "gone"}, {"tiny"}, {{"threads", "1"}}, 0, 0, {}};
  for (std::size_t i = 0; i < document.series.size(); ++i)
    reorder(document.series[i].samples, series_order_seed(document.policy.seed, i));
  return document;
}

TEST(Calibration, CountsFalseAlarmsAndWhatIsSeen) {
  const AaValidationReport report = judge_aa_validation(calibration_of(0.05));
  EXPECT_EQ(report.aa_pairs, 160u);
  EXPECT_EQ(report.aa->suites, 200u);
  EXPECT_EQ(report.aa->regressed, 0u);
  EXPECT_TRUE(report.false_alarms_ok());
  ASSERT_EQ(report.stages.size(), 5u);
  EXPECT_EQ(report.stages[0].check->regressed, 200u);
  EXPECT_EQ(report.stages[0].check->confirmed_regressed, 200u);
  EXPECT_NEAR(*report.stages[0].measured_change, 0.05, 0.003);
  EXPECT_FALSE(report.stages[1].insensitive);
  EXPECT_TRUE(report.stages[2].insensitive) << "fuse takes 3 ms on both sides";
  EXPECT_THAT(report.stages[3].reason, HasSubstr("did not run in every unit"));
  EXPECT_TRUE(report.stages[4].insensitive);
  EXPECT_THAT(render_aa_validation_table(report), HasSubstr("insensitive: too short for the clock"));
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
}

TEST(Calibration, MissedBarsFail) {
  EXPECT_EQ(judge_aa_validation(calibration_of(0.0)).exit_code(), ExitCode::regression);
  const AaValidationReport alarms = judge_aa_validation(calibration_of(0.05, 1.05));
  EXPECT_FALSE(alarms.false_alarms_ok());
  EXPECT_EQ(alarms.exit_code(), ExitCode::regression);
  AaValidationDocument cut = calibration_of(0.05);
  cut.run.complete = false;
  cut.series.resize(1);
  EXPECT_EQ(judge_aa_validation(cut).exit_code(), ExitCode::inconclusive);
}

TEST(Calibration, SeriesThatWereDroppedCutOrMovedAreFound) {
  const AaValidationDocument good = calibration_of(0.05);
  EXPECT_EQ(aa_validation_problem(good), "");
  AaValidationDocument forged = good;
  forged.series.pop_back();
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("pairs are missing"));
  forged.run.complete = false;
  EXPECT_EQ(aa_validation_problem(forged), "");
  forged = good;
  std::swap(forged.series[1], forged.series[2]);
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("series[1]: is not of the stage"));
  forged = good;
  forged.series[2].samples.units.resize(200);
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("series[3].samples: comes after one that"));
  forged = good;
  forged.series[1].samples.order_seed += 1;
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("order_seed: is 44, expected 43"));
  forged = good;
  forged.plan.live_runs = 2;
  forged.plan.live_pairs_per_look = 20;
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("pairs are missing"));
}

TEST(Calibration, CountsLiveRunsThatCallACaseSlower) {
  AaValidationDocument document = calibration_of(0.05);
  document.plan.live_runs = 3;
  document.plan.live_pairs_per_look = 40;
  document.plan.live_settings.confirm = false;
  for (std::size_t i = 0; i < 3; ++i) {
    AbSamples& run = document.live.emplace_back(timed_samples(40, i == 1 ? 1.1 : 1.0, 30 + i));
    reorder(run, live_order_seed(document.policy.seed, i));
  }
  EXPECT_EQ(aa_validation_problem(document), "");
  const AaValidationReport one = judge_aa_validation(document);
  EXPECT_EQ(one.live->runs, 3u);
  EXPECT_EQ(one.live->regressed, 1u);
  EXPECT_TRUE(one.live_ok()) << "one of at most twenty";
  EXPECT_TRUE(one.too_few_live_runs()) << "or one of one";
  EXPECT_EQ(one.exit_code(), ExitCode::inconclusive);
  EXPECT_THAT(render_aa_validation_table(one), HasSubstr("OPEN: a false alarm in 3 live runs"));
  EXPECT_THAT(render_aa_validation_table(one), HasSubstr("live: 3 whole A/A comparisons of 1 cases each"));
  document.live[2] = timed_samples(40, 1.1, 40);
  reorder(document.live[2], live_order_seed(document.policy.seed, 2));
  const AaValidationReport two = judge_aa_validation(document);
  EXPECT_FALSE(two.live_ok());
  EXPECT_EQ(two.exit_code(), ExitCode::regression);
  document.live[2].units.resize(10);  // interrupted in its third run
  document.run.complete = false;
  EXPECT_EQ(aa_validation_problem(document), "");
  EXPECT_EQ(judge_aa_validation(document).live->runs, 2u);
}

TEST(Calibration, ReadsBackAndVerifies) {
  const AaValidationDocument document = calibration_of(0.05);
  const std::string text = aa_validation_text(document, judge_aa_validation(document));
  EXPECT_EQ(text_of(aa_validation_from_json(Json::parse(text), "calibration.json")), text);
  TemporaryDirectory folder;
  std::ofstream(folder.path() / "commands.txt") << "aqbench ab --calibrate\n";
  AbBundleText bundle{kAaValidationFile, text,
                      render_aa_validation_summary(document, judge_aa_validation(document)),
                      document.environment_json};
  finalise_ab_bundle(folder.path(), bundle);
  const VerifyReport report = verify_bundle(folder.path());
  EXPECT_TRUE(report.ok()) << render_verify(report);
  Json forged = Json::parse(text);
  forged["result"]["aa"]["regressed"] = 1;
  bundle.main_text = forged.dump(1) + "\n";
  finalise_ab_bundle(folder.path(), bundle);
  EXPECT_THAT(render_verify(verify_bundle(folder.path())), HasSubstr("result.aa.regressed"));
}

}  // namespace
}  // namespace aqbench
