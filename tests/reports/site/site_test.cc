#include "reports/site/site.h"

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
#include "reports/site/site_pages.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

// Two bundles of one suite; in the second a case is worse and one crashed.
void two_bundles(const fs::path& base) {
  Results first = synthetic_results();
  synthetic_bundle(base, first);
  Results second = synthetic_results();
  second.run.id = "20250521T101112Z";
  second.run.started_utc = "2025-05-21T10:11:12Z";
  second.run.finished_utc = "2025-05-21T10:11:14Z";
  metric_of(second.records[1], "accuracy_mean_mm").value = 0.95;
  second.records[2].status = Status::crashed;
  second.records[2].reason = "<b>died</b>";
  second.records[2].metrics.clear();
  synthetic_bundle(base, second);
}

TEST(Site, HasAPageForEachSuiteSceneMethodAndMetricAndReadsOnlyWhatIsNew) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  const SiteSummary made = write_site(request);
  EXPECT_THAT(made.problems, ::testing::IsEmpty());
  EXPECT_EQ(made.runs, 2u);
  EXPECT_EQ(made.read, 2u);
  for (const char* const page :
       {"index.html", "suite/seed.html", "scene/undulating.html", "method/roma_like.html",
        "metric/accuracy_mean_mm.html", "assets/site.js", "data/seed.js"})
    EXPECT_TRUE(fs::exists(folder / "site" / page)) << page;
  const std::string suite = read_file(folder / "site/suite/seed.html");
  EXPECT_THAT(suite, HasSubstr("3 of 4 ok"));
  EXPECT_THAT(suite,
              ::testing::ContainsRegex("title=\"0.793 in the run before\"><a href=\"../report/20250521[^\"]+"
                                       "#case=flat_plane/roma_like/seed=42\">0.950</a> [*]"));
  // What all share is said once, and in no name; search and links know the whole name.
  EXPECT_THAT(suite, HasSubstr("All cases have seed=42."));
  EXPECT_THAT(suite, HasSubstr("<tr title=\"flat_plane/roma_like/seed=42\">"));
  EXPECT_THAT(suite, Not(HasSubstr(">flat_plane/roma_like/seed=42<")));
  for (const char* const page : {"scene/undulating.html", "metric/accuracy_mean_mm.html"})
    EXPECT_THAT(read_file(folder / "site" / page),
                ::testing::ContainsRegex("#case=undulating/roma_like/seed=42\">[0-9.]+</a></td>"))
        << page;
  EXPECT_THAT(suite, HasSubstr("report of 20250521T101112Z"));
  EXPECT_THAT(suite, Not(HasSubstr("<b>died")));
  EXPECT_THAT(read_file(folder / "site/badge/seed.svg"), HasSubstr("3 of 4 ok"));
  const Json endpoint = Json::parse(read_file(folder / "site/api/seed.json"));
  EXPECT_EQ(endpoint["message"], "3 of 4 ok");
  EXPECT_EQ(endpoint["cases"]["flat_plane/roma_like/seed=42"]["accuracy_mean_mm"], 0.95);
  EXPECT_EQ(endpoint["cases"]["undulating/lightglue_like/seed=42"]["status"], "crashed");
  EXPECT_THAT(read_file(folder / "site/data/seed.js"),
              HasSubstr("\"accuracy_mean_mm\":[[1.53,1.53],[0.793,0.95],[1.6,null]"));

  Results third = synthetic_results();
  third.run.id = "20250522T101112Z";
  third.run.started_utc = third.run.finished_utc = "2025-05-22T10:11:12Z";
  synthetic_bundle(folder / "out", third);
  const SiteSummary again = write_site(request);
  EXPECT_EQ(again.runs, 3u);
  EXPECT_EQ(again.read, 1u);
  EXPECT_THAT(read_file(folder / "site/suite/seed.html"), HasSubstr("4 of 4 ok"));
  fs::remove_all(folder / "out");
  fs::create_directories(folder / "out");
  EXPECT_THROW(write_site(request), Error);  // a mistyped folder empties no site
  EXPECT_TRUE(fs::exists(folder / "site/suite/seed.html"));
  Results other = synthetic_results();
  PlanRequest plan;
  plan.scenes = {"flat_plane"};
  plan.methods = {"roma_like"};
  other.run.suite = "";
  synthetic_bundle(folder / "out", other, plan_sweep(plan));
  EXPECT_EQ(write_site(request).runs, 1u);
  EXPECT_FALSE(fs::exists(folder / "site/suite/seed.html"));
  EXPECT_FALSE(fs::exists(folder / "site/comparison/seed.html"));
}

TEST(Site, SaysWhatMovedFromRunToRun) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  write_site({{folder / "out"}, folder / "site"});
  const std::string page = read_file(folder / "site/comparison/seed.html");
  EXPECT_THAT(page, HasSubstr("<h2>20250520T101112Z to 20250521T101112Z</h2>"));
  EXPECT_THAT(page, HasSubstr("A is ok, B is crashed"));
  EXPECT_THAT(page, ::testing::ContainsRegex("#case=flat_plane/roma_like/seed=42\">0.793</a></td>"));
  EXPECT_THAT(page, ::testing::ContainsRegex(
                        "#case=flat_plane/roma_like/seed=42\">0.950</a></td><td data-label=\"change\" "
                        "class=\"bad\">[+]19.8 %</td>"));
  // One run has nothing before it.
  fs::remove_all(folder / "out/20250520T101112Z");
  write_site({{folder / "out"}, folder / "site"});
  EXPECT_THAT(read_file(folder / "site/comparison/seed.html"), HasSubstr("There is one run"));
}

TEST(Site, NamesBaselinesAndWhoAcceptedThem) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  Baseline baseline = synthetic_baseline(synthetic_results());
  baseline.accepted_bundle = "20250520T101112Z";
  fs::create_directories(folder / "out/baselines");
  write_file(folder / "out/baselines/seed.json", baseline_text(baseline));
  write_file(folder / "out/other.json", "{}");
  write_file(folder / "out/20250520T101112Z/baseline.json", baseline_text(baseline));  // a bundle's copy
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", (folder / "out").string(), "-c", "user.name=A & Name",
                                         "-c", "user.email=a@b.example"});
    const ProgramAnswer answer = ask_program(arguments, 20);
    ASSERT_TRUE(answer.ok) << answer.problem;
  };
  const SiteRequest request{{folder / "out"}, folder / "site"};
  EXPECT_THAT(write_site(request).problems, ::testing::IsEmpty());
  const auto page = [&] { return read_file(folder / "site/baseline/accepted.html"); };
  EXPECT_THAT(page(), HasSubstr("not in a git repository that can be read"));
  git({"init", "-q"});
  git({"add", "baselines"});
  EXPECT_NO_FATAL_FAILURE(git({"commit", "-q", "-m", "x"}));
  write_site(request);
  EXPECT_THAT(page(), HasSubstr("<td data-label=\"by\" class=\"text\">A &amp; Name</td>"));
  EXPECT_THAT(page(), HasSubstr("/baselines/seed.json</td>"));
  EXPECT_THAT(page(), Not(HasSubstr("baseline.json")));
  EXPECT_THAT(page(), HasSubstr(">20250520T101112Z</a>"));  // leads to the report of the accepted run
  EXPECT_THAT(page(), Not(HasSubstr("changed since")));
  write_file(folder / "out/baselines/seed.json", baseline_text(baseline) + "\n");
  write_site(request);
  EXPECT_THAT(page(), HasSubstr("changed since, not committed"));
  baseline.accepted_by = "B <Name>";
  baseline.accepted_utc = "2026-11-21T12:00:00Z";
  write_file(folder / "out/baselines/seed.json", baseline_text(baseline));
  write_site(request);
  EXPECT_THAT(
      page(),
      HasSubstr("<td data-label=\"by\" class=\"text\">B &lt;Name&gt;<div class=\"dim\">committed: A &amp; "
                "Name</div></td><td data-label=\"when\" class=\"text\">2026-11-21T12:00:00Z<div"));
  write_file(folder / "out/baselines/broken.json", "{\"accepted_from\": 7}");
  const SiteSummary left = write_site(request);
  ASSERT_EQ(left.problems.size(), 1u);
  EXPECT_THAT(left.problems[0], HasSubstr("broken.json"));
  EXPECT_THROW(write_site({{folder / "out"}, folder / "site", {folder / "out/other.json"}}), Error);
}

TEST(Site, LeavesOutWhatDoesNotHoldTogetherAndTouchesNoOtherFolder) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  const fs::path file = folder / "out/20250521T101112Z/results.json";
  std::string text = read_file(file);
  text[text.find("0.95")] = '1';
  write_file(file, text);
  const SiteSummary made = write_site({{folder / "out"}, folder / "site"});
  EXPECT_EQ(made.runs, 1u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("results.json: does not have the hash in sha256.txt"));
  // A doubled key and records that are none are refused where the hash is right.
  const fs::path other = folder / "out/20250520T101112Z";
  const std::string whole = read_file(other / "results.json");
  for (const auto& [found, given, said] :
       {std::tuple{"\"records\":", "\"records\": [], \"records\":", "records occurs twice"},
        {"\"records\": [", "\"records\": [1,", "records: expected an array of objects"},
        {"\"case\":", "\"case\": \"a\", \"case\":", "case occurs twice"},
        {"\"planned_cases\":", "\"planned\":", "run.planned_cases: expected a count"}}) {
    std::string broken = whole;
    broken.replace(broken.find(found), std::string(found).size(), given);
    write_file(other / "results.json", broken);
    write_file(other / kHashListName, hash_list_text({{sha256_hex(broken), "results.json"}}));
    const SiteSummary refused = write_site({{other}, folder / "broken"});
    ASSERT_EQ(refused.problems.size(), 1u) << said;
    EXPECT_THAT(refused.problems[0], HasSubstr(said));
  }
  EXPECT_THROW(write_site({{folder / "out"}, folder / "out"}), Error);
  EXPECT_THROW(write_site({{folder / "nowhere"}, folder / "site"}), Error);
}

TEST(Site, CopiesNoReportThatItsBundleDoesNotVouchFor) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  EXPECT_THAT(write_site(request).problems, ::testing::IsEmpty());
  fs::path copy;
  for (const auto& entry : fs::directory_iterator(folder / "site/report"))
    if (entry.path().filename().string().starts_with("20250521")) copy = entry.path();
  const std::string good = read_file(copy);
  write_file(copy, "changed on the site");
  EXPECT_THAT(write_site(request).problems, ::testing::IsEmpty());
  EXPECT_EQ(read_file(copy), good);
  write_file(folder / "out/20250521T101112Z/report.html", good + " ");
  fs::remove(copy);
  const SiteSummary left = write_site(request);
  ASSERT_EQ(left.problems.size(), 1u);
  EXPECT_THAT(left.problems[0],
              HasSubstr("20250521T101112Z/report.html: does not have the hash in sha256.txt"));
  EXPECT_FALSE(fs::exists(copy));
  EXPECT_THAT(read_file(folder / "site/suite/seed.html"), Not(HasSubstr("report of 20250521T101112Z")));
  fs::remove(folder / "out/20250521T101112Z/report.html");
  EXPECT_EQ(write_site(request).problems, left.problems);
}

// Its values would stand under other names.
TEST(Site, ReadsOnceMoreWhatAnotherVersionHasWritten) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  EXPECT_EQ(write_site(request).read, 2u);
  const fs::path file = folder / "site/data/runs.jsonl";
  const std::string good = read_file(file);
  std::string lines = good;
  const std::size_t first = lines.find("accuracy_mean_mm accuracy_median_mm");
  ASSERT_NE(first, std::string::npos) << lines;
  lines.replace(first, 16, "some_other_thing");
  write_file(file, lines.substr(0, lines.size() - 20) + "\n");  // the last one is damaged
  const SiteSummary again = write_site(request);
  EXPECT_THAT(again.problems, ::testing::IsEmpty());
  EXPECT_EQ(again.runs, 2u);
  EXPECT_EQ(again.read, 2u);
  EXPECT_EQ(read_file(file), good);
}

TEST(Site, GoesOnAfterARunThatWasCutShort) {
  const TemporaryDirectory folder;
  two_bundles(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  fs::create_directories(folder / "site/data");
  write_file(folder / "site/data/runs.jsonl", "");   // what a run writes first
  fs::create_directory(folder / "site/index.html");  // and this one cannot write its last page
  EXPECT_THROW(write_site(request), Error);
  fs::remove(folder / "site/index.html");
  EXPECT_EQ(write_site(request).runs, 2u);
}

TEST(Site, ABundleWithoutEnvironmentHasNoCommit) {
  const TemporaryDirectory folder;
  const fs::path bundle = folder / "out/x";
  fs::create_directories(bundle);
  const std::string results =
      R"({"run": {"id": "x", "planned_cases": 1}, "records": [{"case": "a", "status": "skipped"}]})";
  write_file(bundle / "results.json", results);
  write_file(bundle / "sha256.txt", hash_list_text({{sha256_hex(results), "results.json"}}));
  const SiteSummary made = write_site({{folder / "out"}, folder / "site"});
  EXPECT_THAT(made.problems, ::testing::IsEmpty());
  EXPECT_EQ(made.runs, 1u);
}

TEST(Site, KeepsWhatDecidesWhetherTwoRunsCanBeCompared) {
  const TemporaryDirectory folder;
  const auto run_of = [&](int cores, int window) {
    const fs::path bundle = folder / "x";
    fs::create_directories(bundle);
    const std::string results = fmt::format(
        R"({{"run": {{"id": "x", "planned_cases": 1}}, "environment": {{"working_directory_git": {{"commit": "abc"}},
            "comparability": {{"cores": {}, "gpu": null}}}},
            "records": [{{"case": "a", "status": "ok", "options": {{"m.window": {}, "m.kind": "k"}}}}]}})",
        cores, window);
    write_file(bundle / "results.json", results);
    write_file(bundle / "sha256.txt", hash_list_text({{sha256_hex(results), "results.json"}}));
    return site_run_of(site_line(read_site_run(bundle)), "x");
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

TEST(Site, WhatWasSkippedIsNotCalledOk) {
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

TEST(Site, LinesReadBackAndNamesBecomeFiles) {
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
