#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/processes/process.h"
#include "core/sha256.h"
#include "harness/planning/plan.h"
#include "reports/bundle/bundle.h"
#include "reports/site/site_pages.h"
#include "tests/reports/site/site_folder.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

using Site = SiteFolder;

// A bundle with these results and nothing else.
void least_bundle(const fs::path& bundle, const std::string& results) {
  fs::create_directories(bundle);
  write_file(bundle / "results.json", results);
  write_file(bundle / kHashListName, hash_list_text({{sha256_hex(results), "results.json"}}));
}

TEST_F(Site, HasAPageForEachSuiteSceneMethodAndMetricAndReadsOnlyWhatIsNew) {
  two_bundles(folder_ / "out");
  const SiteSummary made = write_well();
  EXPECT_EQ(made.runs, 2u);
  EXPECT_EQ(made.read, 2u);
  for (const char* const name :
       {"index.html", "suite/seed.html", "scene/undulating.html", "method/roma_like.html",
        "metric/accuracy_mean_mm.html", "assets/site.js", "data/seed.js"})
    EXPECT_TRUE(fs::exists(folder_ / "site" / name)) << name;
  const std::string suite = page("suite/seed.html");
  EXPECT_THAT(suite, HasSubstr("3 of 4 ok"));
  EXPECT_THAT(suite,
              ::testing::ContainsRegex("title=\"0.793 in the run before\"><a href=\"../report/20250521[^\"]+"
                                       "#case=flat_plane/roma_like/seed=42\">0.950</a> [*]"));
  // What all share is said once, and in no name; search and links know the whole name.
  EXPECT_THAT(suite, HasSubstr("All cases have seed=42."));
  EXPECT_THAT(suite, HasSubstr("<tr title=\"flat_plane/roma_like/seed=42\">"));
  EXPECT_THAT(suite, Not(HasSubstr(">flat_plane/roma_like/seed=42<")));
  for (const char* const name : {"scene/undulating.html", "metric/accuracy_mean_mm.html"})
    EXPECT_THAT(page(name), ::testing::ContainsRegex("#case=undulating/roma_like/seed=42\">[0-9.]+</a></td>"))
        << name;
  EXPECT_THAT(suite, HasSubstr("report of 20250521T101112Z"));
  EXPECT_THAT(suite, Not(HasSubstr("<b>died")));
  EXPECT_THAT(page("badge/seed.svg"), HasSubstr("3 of 4 ok"));
  const Json endpoint = Json::parse(page("api/seed.json"));
  EXPECT_EQ(endpoint["message"], "3 of 4 ok");
  EXPECT_EQ(endpoint["cases"]["flat_plane/roma_like/seed=42"]["accuracy_mean_mm"], 0.95);
  EXPECT_EQ(endpoint["cases"]["undulating/lightglue_like/seed=42"]["status"], "crashed");
  EXPECT_THAT(page("data/seed.js"), HasSubstr("\"accuracy_mean_mm\":[[1.53,1.53],[0.793,0.95],[1.6,null]"));

  Results third = synthetic_results();
  set_day(third, "22");
  synthetic_bundle(folder_ / "out", third);
  const SiteSummary again = write();
  EXPECT_EQ(again.runs, 3u);
  EXPECT_EQ(again.read, 1u);
  EXPECT_THAT(page("suite/seed.html"), HasSubstr("4 of 4 ok"));
  fs::remove_all(folder_ / "out");
  fs::create_directories(folder_ / "out");
  EXPECT_THROW(write(), Error);  // a mistyped folder empties no site
  EXPECT_TRUE(fs::exists(folder_ / "site/suite/seed.html"));
  Results other = synthetic_results();
  PlanRequest plan;
  plan.scenes = {"flat_plane"};
  plan.methods = {"roma_like"};
  std::erase_if(other.records,
                [](const Record& record) { return record.case_name != "flat_plane/roma_like/seed=42"; });
  synthetic_bundle(folder_ / "out", other, plan_sweep(plan));
  EXPECT_EQ(write_well().runs, 1u);
  EXPECT_FALSE(fs::exists(folder_ / "site/suite/seed.html"));
  EXPECT_FALSE(fs::exists(folder_ / "site/comparison/seed.html"));
}

TEST_F(Site, SaysWhatMovedFromRunToRun) {
  two_bundles(folder_ / "out");
  write();
  const std::string moved = page("comparison/seed.html");
  EXPECT_THAT(moved, HasSubstr("<h2>20250520T101112Z to 20250521T101112Z</h2>"));
  EXPECT_THAT(moved, HasSubstr("A is ok, B is crashed"));
  EXPECT_THAT(moved, ::testing::ContainsRegex("#case=flat_plane/roma_like/seed=42\">92.0</a></td>"));
  EXPECT_THAT(moved, ::testing::ContainsRegex(
                         "#case=flat_plane/roma_like/seed=42\">87.8</a></td><td data-label=\"change\" "
                         "class=\"bad\">-4.15 points</td>"));
  // One run has nothing before it.
  fs::remove_all(folder_ / "out/20250520T101112Z");
  write();
  EXPECT_THAT(page("comparison/seed.html"), HasSubstr("There is one run"));
}

TEST_F(Site, NamesBaselinesAndWhoAcceptedThem) {
  two_bundles(folder_ / "out");
  Baseline baseline = synthetic_baseline(synthetic_results());
  baseline.accepted_bundle = "20250520T101112Z";
  fs::create_directories(folder_ / "out/baselines");
  write_file(folder_ / "out/baselines/seed.json", baseline_text(baseline));
  write_file(folder_ / "out/other.json", "{}");
  const fs::path bundle = folder_ / "out/20250520T101112Z";
  write_file(bundle / "baseline.json", baseline_text(baseline));  // a bundle's copy
  finalise_bundle(bundle, read_results(bundle / "results.json"));
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", (folder_ / "out").string(), "-c", "user.name=A & Name",
                                         "-c", "user.email=a@b.example"});
    const ProgramAnswer answer = ask_program(arguments, 20);
    ASSERT_TRUE(answer.ok) << answer.problem;
  };
  write_well();
  const auto accepted = [&] { return page("baseline/accepted.html"); };
  EXPECT_THAT(accepted(), HasSubstr("not in a git repository that can be read"));
  git({"init", "-q"});
  git({"add", "baselines"});
  EXPECT_NO_FATAL_FAILURE(git({"commit", "-q", "-m", "x"}));
  write();
  EXPECT_THAT(accepted(), HasSubstr("<td data-label=\"by\" class=\"text\">A &amp; Name</td>"));
  EXPECT_THAT(accepted(), HasSubstr("/baselines/seed.json</td>"));
  EXPECT_THAT(accepted(), Not(HasSubstr("baseline.json")));
  EXPECT_THAT(accepted(), HasSubstr(">20250520T101112Z</a>"));  // leads to the report of the accepted run
  EXPECT_THAT(accepted(), Not(HasSubstr("changed since")));
  write_file(folder_ / "out/baselines/seed.json", baseline_text(baseline) + "\n");
  write();
  EXPECT_THAT(accepted(), HasSubstr("changed since, not committed"));
  baseline.accepted_by = "B <Name>";
  baseline.accepted_utc = "2026-11-21T12:00:00Z";
  write_file(folder_ / "out/baselines/seed.json", baseline_text(baseline));
  write();
  EXPECT_THAT(
      accepted(),
      HasSubstr("<td data-label=\"by\" class=\"text\">B &lt;Name&gt;<div class=\"dim\">committed: A &amp; "
                "Name</div></td><td data-label=\"when\" class=\"text\">2026-11-21T12:00:00Z<div"));
  write_file(folder_ / "out/baselines/broken.json", "{\"accepted_from\": 7}");
  const SiteSummary left = write();
  ASSERT_EQ(left.problems.size(), 1u);
  EXPECT_THAT(left.problems[0], HasSubstr("broken.json"));
  EXPECT_THROW(write_site({{folder_ / "out"}, folder_ / "site", {folder_ / "out/other.json"}}), Error);
}

TEST_F(Site, LeavesOutWhatDoesNotHoldTogetherAndTouchesNoOtherFolder) {
  two_bundles(folder_ / "out");
  const fs::path file = folder_ / "out/20250521T101112Z/results.json";
  std::string text = read_file(file);
  text[text.find("0.95")] = '1';
  write_file(file, text);
  const SiteSummary made = write();
  EXPECT_EQ(made.runs, 1u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("results.json: does not have the hash in sha256.txt"));
  // A doubled key and records that are none are refused where the hash is right.
  const fs::path other = folder_ / "out/20250520T101112Z";
  const std::string whole = read_file(other / "results.json");
  for (const auto& [found, given, said] :
       {std::tuple{"\"records\":", "\"records\": [], \"records\":", "records occurs twice"},
        {"\"records\": [", "\"records\": [1,", "records: expected an array of objects"},
        {"\"case\":", "\"case\": \"a\", \"case\":", "case occurs twice"},
        {"\"planned_cases\":", "\"planned\":", "run.planned_cases: expected a count"}}) {
    std::string broken = whole;
    broken.replace(broken.find(found), std::string(found).size(), given);
    least_bundle(other, broken);
    const SiteSummary refused = write_site({{other}, folder_ / "broken"});
    ASSERT_EQ(refused.problems.size(), 1u) << said;
    EXPECT_THAT(refused.problems[0], HasSubstr(said));
  }
  EXPECT_THROW(write_site({{folder_ / "out"}, folder_ / "out"}), Error);
  EXPECT_THROW(write_site({{folder_ / "nowhere"}, folder_ / "site"}), Error);
}

// A page of a run is made from its records: what a stranger put into a bundle is on no page.
TEST_F(Site, RendersThePagesOfRunsAndShowsNoBundleThatDoesNotVerify) {
  two_bundles(folder_ / "out");
  const fs::path bundle = folder_ / "out/20250521T101112Z";
  write_file(bundle / "report.html", "<script>alert(1)</script>");
  rehash(bundle);
  const SiteSummary left = write();
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "site"))
    if (entry.is_regular_file()) {
      EXPECT_THAT(read_file(entry.path()), Not(HasSubstr("alert(1)"))) << entry.path();
    }
  fs::remove_all(folder_ / "out");
  fs::remove_all(folder_ / "site");
  two_bundles(folder_ / "out");
  write_well();
  fs::path made;
  for (const auto& entry : fs::directory_iterator(folder_ / "site/report"))
    if (entry.path().filename().string().starts_with("20250521")) made = entry.path();
  const std::string good = read_file(made);
  EXPECT_EQ(good, read_file(bundle / "report.html"));
  write_file(made, "changed on the site");
  write_well();
  EXPECT_EQ(read_file(made), good);
  // Not by the hashes of a later day either.
  const std::string results = read_file(bundle / "results.json");
  write_file(bundle / "results.json", results + " ");
  fs::remove(made);
  const SiteSummary without = write();
  ASSERT_EQ(without.problems.size(), 1u);
  EXPECT_THAT(without.problems[0], HasSubstr("20250521T101112Z: does not verify: results.json: "));
  EXPECT_FALSE(fs::exists(made));
  EXPECT_THAT(page("suite/seed.html"), Not(HasSubstr("report of 20250521T101112Z")));
}

// Values that were changed, all hashes made right again: the journal is another.
TEST_F(Site, IsNotGreenForABundleThatDoesNotVerify) {
  Results run = synthetic_results();
  const std::string accepted = baseline_text(synthetic_baseline(run));
  set_day(run, "21");
  metric_of(run.records[1], "accuracy_mean_mm").value = 0.95;
  const fs::path bundle = synthetic_bundle(folder_ / "out", run);
  write_file(bundle / kBaselineCopyName, accepted);
  finalise_bundle(bundle, run);
  write_well();
  EXPECT_THAT(page("badge/seed.svg"), HasSubstr("gate: FAIL"));
  fs::remove_all(folder_ / "site");
  std::string text = read_file(bundle / "results.json");
  for (std::size_t at; (at = text.find("0.95")) != std::string::npos;) text.replace(at, 4, "0.79");
  write_file(bundle / "results.json", text);
  rehash(bundle);
  const SiteSummary made = write();
  EXPECT_EQ(made.runs, 0u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("20250521T101112Z: does not verify: "));
}

// Its values would stand under other names.
TEST_F(Site, ReadsOnceMoreWhatAnotherVersionHasWritten) {
  two_bundles(folder_ / "out");
  EXPECT_EQ(write().read, 2u);
  const fs::path file = folder_ / "site/data/runs.jsonl";
  const std::string good = read_file(file);
  std::string lines = good;
  const std::size_t first = lines.find("accuracy_mean_mm accuracy_median_mm");
  ASSERT_NE(first, std::string::npos) << lines;
  lines.replace(first, 16, "some_other_thing");
  write_file(file, lines.substr(0, lines.size() - 20) + "\n");  // the last one is damaged
  const SiteSummary again = write_well();
  EXPECT_EQ(again.runs, 2u);
  EXPECT_EQ(again.read, 2u);
  EXPECT_EQ(read_file(file), good);
}

TEST_F(Site, GoesOnAfterARunThatWasCutShort) {
  two_bundles(folder_ / "out");
  // Killed before it has a file of runs, which is being written.
  fs::create_directories(folder_ / "site/data");
  write_file(folder_ / "site/data/runs.jsonl.tmp12345678901234567890", "");
  fs::create_directories(folder_ / "site/suite");
  write_well();
  fs::remove_all(folder_ / "site");
  fs::create_directories(folder_ / "site/data");
  write_file(folder_ / "site/data/runs.jsonl", "");   // what a run writes first
  fs::create_directory(folder_ / "site/index.html");  // and this one cannot write its last page
  EXPECT_THROW(write(), Error);
  fs::remove(folder_ / "site/index.html");
  EXPECT_EQ(write().runs, 2u);
}

TEST_F(Site, ABundleWithoutEnvironmentHasNoCommit) {
  least_bundle(
      folder_ / "out/x",
      R"({"run": {"id": "x", "planned_cases": 1}, "records": [{"case": "a", "status": "skipped"}]})");
  EXPECT_EQ(commit_of_run(read_site_run(folder_ / "out/x")), "not known");
}

TEST_F(Site, KeepsWhatDecidesWhetherTwoRunsCanBeCompared) {
  const auto run_of = [&](int cores, int window) {
    least_bundle(
        folder_ / "x",
        fmt::format(
            R"({{"run": {{"id": "x", "planned_cases": 1}}, "environment": {{"working_directory_git": {{"commit": "abc"}},
            "comparability": {{"cores": {}, "gpu": null}}}},
            "records": [{{"case": "a", "status": "ok", "options": {{"m.window": {}, "m.kind": "k"}}}}]}})",
            cores, window));
    return site_run_of(site_line(read_site_run(folder_ / "x")), "x");
  };
  const SiteRun one = run_of(2, 7), same = run_of(2, 7), machine = run_of(3, 7), options = run_of(2, 9);
  EXPECT_EQ(one.folder_commit, "abc");
  EXPECT_FALSE(one.comparable.empty());
  EXPECT_FALSE(one.cases[0].options.empty());
  EXPECT_EQ(std::pair(one.comparable, one.cases[0].options),
            std::pair(same.comparable, same.cases[0].options));
  EXPECT_NE(one.comparable, machine.comparable);
  EXPECT_EQ(one.comparable, options.comparable);
  EXPECT_NE(one.cases[0].options, options.cases[0].options);
}

TEST_F(Site, WhatWasSkippedIsNotCalledOk) {
  SiteRun run;
  run.planned = 2;
  run.cases = {{"a", "", "m", "ok", {}}, {"b", "", "m", "skipped", {}}};
  for (SiteCase& one : run.cases) one.values.resize(site_metrics().size());
  Json endpoint = Json::parse(suite_endpoint("s", run).second);
  EXPECT_EQ(endpoint["message"], "1 of 2 ok, 1 skipped, not gated");
  EXPECT_EQ(endpoint["color"], "lightgrey") << "no gate has looked";
  run.gate = SiteGate{"gate: pass", true};
  endpoint = Json::parse(suite_endpoint("s", run).second);
  EXPECT_EQ(endpoint["message"], "1 of 2 ok, 1 skipped, gate: pass");
  EXPECT_EQ(endpoint["color"], "green");
  run.gate.reset();
  run.cases[0].status = "skipped";
  endpoint = Json::parse(suite_endpoint("s", run).second);
  EXPECT_EQ(endpoint["message"], "0 of 2 ok, 2 skipped");
  EXPECT_EQ(endpoint["color"], "red");
}

TEST_F(Site, LinesReadBackAndNamesBecomeFiles) {
  SiteRun run;
  run.key = std::string(64, 'a');
  run.suite = "my suite";
  run.cases = {{"a/b", "a", "b", "ok", std::vector<std::optional<double>>(site_metrics().size(), 0.1)}};
  run.cases[0].values[0].reset();
  const SiteRun back = site_run_of(site_line(run), "x");
  EXPECT_EQ(back.suite, run.suite);
  EXPECT_EQ(back.cases.at(0).values, run.cases[0].values);
  const std::string line = site_line(run);
  for (const auto& [found, given] : {std::pair{"[\"a/b\"", "[\"a/b\",\"a/b\""},
                                     {"[null", "[null,null"},
                                     {"\"cases\":[[", "\"cases\":[[],["},
                                     {"\"ok\"", "7"}}) {
    std::string broken = line;
    broken.replace(broken.find(found), std::string(found).size(), given);
    EXPECT_THROW(site_run_of(broken, "x"), Error) << broken;
  }
  for (const char* const none : {"{}", "[]", "7", "{\"cases\":[]}"})
    EXPECT_THROW(site_run_of(none, "x"), Error) << none;
  EXPECT_EQ(site_file_name("plane_sweep"), "plane_sweep");
  EXPECT_EQ(site_file_name("a/../b").find('/'), std::string::npos);
  EXPECT_NE(site_file_name("a:b"), site_file_name("a.b"));
}

}  // namespace
}  // namespace aqbench
