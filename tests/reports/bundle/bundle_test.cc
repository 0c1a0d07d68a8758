#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/records/bundle_path.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

TEST(BundleStamp, IsUtcToTheSecond) {
  EXPECT_EQ(bundle_stamp(std::chrono::system_clock::from_time_t(0)), "19700101T000000Z");
  EXPECT_EQ(bundle_stamp(std::chrono::system_clock::from_time_t(1'747'735'872)), "20250520T101112Z");
}

TEST(BundleName, IsTheFoldersHoweverItIsGiven) {
  for (const char* path : {"/out/20250520T101112Z", "/out/20250520T101112Z/", "/out/20250520T101112Z/.",
                           "20250520T101112Z/sub/.."})
    EXPECT_EQ(bundle_name(path), "20250520T101112Z") << path;
  EXPECT_EQ(bundle_name("."), fs::current_path().filename().string());
}

TEST(CreateBundleDir, EveryCallerGetsAFolderOfItsOwn) {
  const TemporaryDirectory directory;
  const auto now = std::chrono::system_clock::from_time_t(1'747'735'872);
  const fs::path out = directory / "deep/out";
  std::vector<std::string> names(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& name : names)
      threads.emplace_back([&] { name = create_bundle_dir(out, now).filename().string(); });
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_TRUE(fs::is_directory(out / "20250520T101112Z"));
  EXPECT_TRUE(fs::is_directory(out / "20250520T101112Z-7"));
}

TEST(CreateBundleDir, AFileInTheWayIsAnIoErrorThatNamesIt) {
  const TemporaryDirectory directory;
  const fs::path file = directory.file("out", "");
  EXPECT_TRUE(error_of(ErrorKind::io, [&] {
                create_bundle_dir(file, std::chrono::system_clock::now());
              }).starts_with(file.string()));
}

struct FinaliseBundle : ::testing::Test {
  TemporaryDirectory directory;
  Results results = synthetic_results();
  fs::path bundle = synthetic_bundle(directory.path(), results);
};

TEST_F(FinaliseBundle, WritesEveryFileAndSha256sumAgrees) {
  for (const std::string& file : required_bundle_files())
    EXPECT_TRUE(fs::is_regular_file(bundle / file)) << file;
  EXPECT_EQ(read_file(bundle / "results.json"), results_text(results));
  const std::string command =
      "cd " + shell_quote(bundle.string()) + " && sha256sum --check --strict --quiet sha256.txt";
  EXPECT_EQ(::system(command.c_str()), 0);
  const std::string list = read_file(bundle / "sha256.txt");
  const std::size_t comment = list.find("# sha256 of the lines above: ");
  ASSERT_NE(comment, list.npos);
  EXPECT_EQ(list.substr(comment),
            "# sha256 of the lines above: " + sha256_hex(list.substr(0, comment)) + "\n");
  EXPECT_TRUE(verify_bundle(bundle).ok());
}

TEST_F(FinaliseBundle, MayBeCalledAgainAndTidiesWhatAKilledRunLeft) {
  for (const char* name : {"results.json.tmp4711", "tiles.csv.tmp4711.12"})
    write_file(bundle / name, "{ half");
  fs::create_directories(bundle / "empty/below");
  finalise_bundle(bundle, results);
  EXPECT_TRUE(verify_bundle(bundle).ok()) << render_verify(verify_bundle(bundle));
  EXPECT_FALSE(fs::exists(bundle / "results.json.tmp4711"));
  EXPECT_FALSE(fs::exists(bundle / "tiles.csv.tmp4711.12"));
  EXPECT_FALSE(fs::exists(bundle / "empty"));
}

TEST_F(FinaliseBundle, RefusesWhatCannotBeEvidence) {
  const auto refusal = [&] { return error_of(ErrorKind::input, [&] { finalise_bundle(bundle, results); }); };
  fs::create_symlink("/etc/hostname", bundle / "link");
  EXPECT_EQ(refusal(), (bundle / "link").string() + ": is a symbolic link");
  fs::remove(bundle / "link");
  ASSERT_EQ(::mkfifo((bundle / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), (bundle / "pipe").string() + ": is not a plain file");
  fs::remove(bundle / "pipe");
  write_file(bundle / "with blank", "");
  EXPECT_EQ(refusal(), (bundle / "with blank").string() + ": has a name that a bundle cannot hold");
  fs::remove(bundle / "with blank");
  fs::remove(bundle / "bench.log");
  EXPECT_EQ(refusal(), (bundle / "bench.log").string() + ": no such file; a bundle needs it");
}

TEST_F(FinaliseBundle, AFolderThatCannotBeWrittenIsAnIoError) {
  EXPECT_TRUE(error_of(ErrorKind::io, [&] {
                finalise_bundle(directory / "absent", synthetic_results());
              }).starts_with((directory / "absent").string()));
}

TEST(IsBundlePath, OnlyPlainRelativePaths) {
  for (const char* good : {"a", "tiles/x=1,y.csv", "a/b/c", "..a", "a..", "-x"})
    EXPECT_TRUE(is_bundle_path(good)) << good;
  for (const char* bad : {"", "/", "/etc/passwd", "../x", "a/../b", "a/./b", ".", "..", "a//b", "a/", "a b",
                          "a\nb", "a\\b", "ä"})
    EXPECT_FALSE(is_bundle_path(bad)) << bad;
}

TEST(HashList, ReadsBackAndFindsEveryChangedByte) {
  const std::vector<HashLine> lines = {{std::string(64, '1'), "a"}, {std::string(64, '2'), "b/c"}};
  const std::string text = hash_list_text(lines);
  const HashList list = parse_hash_list(text);
  EXPECT_TRUE(list.problems.empty());
  ASSERT_EQ(list.lines.size(), 2u);
  EXPECT_EQ(list.lines[1].path, "b/c");
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const int bit : {1, 2, 0x20, 0x80}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      EXPECT_FALSE(parse_hash_list(changed).problems.empty()) << i;
    }
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(parse_hash_list(text.substr(0, i)).problems.empty()) << i;
    EXPECT_FALSE(parse_hash_list(std::string(text).erase(i, 1)).problems.empty()) << i;
    EXPECT_FALSE(parse_hash_list(std::string(text).insert(i, "\n")).problems.empty()) << i;
  }
  EXPECT_FALSE(parse_hash_list(text + text).problems.empty());
}

TEST(HashList, RefusesUnsortedTwiceAndTraversal) {
  const std::string hash(64, '1');
  EXPECT_FALSE(parse_hash_list(hash_list_text({{hash, "b"}, {hash, "a"}})).problems.empty());
  EXPECT_FALSE(parse_hash_list(hash_list_text({{hash, "a"}, {hash, "a"}})).problems.empty());
  EXPECT_EQ(parse_hash_list(hash_list_text({{hash, "../../etc/passwd"}})).problems.at(0),
            "line 1 names '../../etc/passwd', no path in a bundle");
  EXPECT_EQ(parse_hash_list(hash_list_text({{hash, "/etc/passwd"}})).lines.size(), 0u);
}

TEST(BundleWithEvidence, VerifiesAndEveryPartIsChecked) {
  const TemporaryDirectory directory;
  Results results = synthetic_results();
  const fs::path bundle = synthetic_bundle(directory.path(), results, plan_sweep(seed_request()),
                                           {"--note", "one", "--note", "two\nlines", "--baseline", "seed"});
  add_notes(bundle, {"one", "two\nlines"});
  write_file(bundle / kBaselineCopyName, baseline_text(synthetic_baseline(results)));
  finalise_bundle(bundle, results);
  EXPECT_TRUE(verify_bundle(bundle).ok()) << render_verify(verify_bundle(bundle));
  EXPECT_EQ(read_file(bundle / kNotesName), "one\ntwo lines\n");
  EXPECT_THAT(read_file(bundle / "summary.md"), ::testing::HasSubstr("\nAgainst the baseline; "));
  EXPECT_THAT(read_file(bundle / kInventoryName), ::testing::HasSubstr("baseline.json"));
  // Hashes made right again do not help where one file says another thing than the others.
  for (const auto& [file, text] : {std::pair<std::string, std::string>{kNotesName, "other\n"},
                                   {kStatementName, "{}\n"},
                                   {kInventoryName, "none\n"},
                                   {kBaselineCopyName, "{\"schema_version\": 1}"},
                                   {kBaselineCopyName, std::string(200000, '[')}}) {
    const std::string good = read_file(bundle / file);
    write_file(bundle / file, text);
    rehash(bundle);
    EXPECT_FALSE(verify_bundle(bundle).ok()) << file;
    write_file(bundle / file, good);
  }
  finalise_bundle(bundle, results);
  for (const char* file : {kStatementName, kInventoryName}) {
    const std::string good = read_file(bundle / file);
    fs::remove(bundle / file);
    rehash(bundle);
    std::vector<std::string> named;
    for (const Finding& finding : verify_bundle(bundle).findings) named.push_back(finding.file);
    EXPECT_THAT(named, ::testing::Contains(file));
    write_file(bundle / file, good);
  }
}

using ::testing::HasSubstr;

// The fields of https://in-toto.io/Statement/v1 and of the test-result predicate v0.1.
TEST(Statement, IsAnInTotoTestResult) {
  const std::string text = statement_text(content_of(synthetic_results()),
                                          {{std::string(64, '1'), "a"}, {std::string(64, '2'), "b/c"}});
  const Json json = Json::parse(text);
  EXPECT_EQ(text, json.dump(1) + '\n') << "its subjects are written one by one";
  EXPECT_EQ(json.at("_type"), "https://in-toto.io/Statement/v1");
  EXPECT_EQ(json.at("predicateType"), "https://in-toto.io/attestation/test-result/v0.1");
  ASSERT_EQ(json.at("subject").size(), 2u);
  EXPECT_EQ(json.at("subject")[1].at("name"), "b/c");
  EXPECT_EQ(json.at("subject")[1].at("digest").at("sha256"), std::string(64, '2'));
  const Json& predicate = json.at("predicate");
  EXPECT_EQ(predicate.at("result"), "PASSED");
  EXPECT_EQ(predicate.at("passedTests").size(), 4u);
  EXPECT_TRUE(predicate.at("failedTests").empty());
  for (const Json& resource : predicate.at("configuration")) EXPECT_TRUE(resource.contains("digest"));
}

TEST(Statement, ResultFollowsCasesGateAndTests) {
  const auto result_of = [](const BundleContent& content) {
    return Json::parse(statement_text(content, {})).at("predicate").at("result").get<std::string>();
  };
  BundleContent content = content_of(synthetic_results());
  set_baseline(content, synthetic_baseline(content.results));
  EXPECT_EQ(result_of(content), "PASSED");
  content.tests = "failed: ctest ended with exit code 8";
  EXPECT_EQ(result_of(content), "FAILED");
  content.tests = "passed";
  content.results.run.complete = false;
  EXPECT_EQ(result_of(content), "WARNED");
  content.results.run.complete = true;
  metric_of(content.results.records[0], "accuracy_mean_mm").value = 99;
  set_baseline(content, *content.baseline);
  EXPECT_EQ(result_of(content), "FAILED");
  EXPECT_EQ(Json::parse(statement_text(content, {})).at("predicate").at("failedTests"),
            Json::array({content.results.records[0].case_name}));
  // The gate refuses to compare: another suite, another suite's baseline, no metrics.
  const auto refused_where = [&](const std::function<void(BundleContent&, Baseline&)>& change) {
    BundleContent changed = content_of(synthetic_results());
    Baseline baseline = synthetic_baseline(changed.results);
    change(changed, baseline);
    set_baseline(changed, std::move(baseline));
    EXPECT_EQ(result_of(changed), "FAILED") << changed.gated->refusal;
    const Json predicate = Json::parse(statement_text(changed, {})).at("predicate");
    EXPECT_EQ(predicate.at("passedTests"), Json::array()) << changed.gated->refusal;
  };
  refused_where([](BundleContent& changed, Baseline&) { changed.results.run.suite = "other"; });
  refused_where([](BundleContent&, Baseline& baseline) { baseline.suite = "pipeline"; });
  refused_where([](BundleContent&, Baseline& baseline) {
    for (BaselineCase& one : baseline.cases) one.metrics.clear();
  });
  content = content_of(synthetic_results());
  content.results.records[3].status = Status::skipped;
  content.results.records[3].reason = "no CUDA";
  EXPECT_EQ(result_of(content), "WARNED");
  content.results.records[2].status = Status::timeout;
  content.results.records[2].reason = "killed";
  EXPECT_EQ(result_of(content), "FAILED");
}

TEST(Inventory, SizesAndTheirSum) {
  const std::string text = inventory_text({{"results.json", 1000}, {"x", 24}});
  EXPECT_THAT(text, HasSubstr("        1000  results.json  records: raw samples"));
  EXPECT_THAT(text, HasSubstr("          24  x\n"));
  EXPECT_TRUE(text.ends_with("        1024  2 files\n")) << text;
}

}  // namespace

}  // namespace aqbench
