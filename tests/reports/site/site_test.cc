#include "reports/site/site.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/files.h"
#include "reports/bundle/bundle.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

// A folder for each test, and in it a site of the bundles below out/.
class Site : public ::testing::Test {
 protected:
  SiteSummary write() const { return write_site(request_); }
  // Also expects that nothing was amiss.
  SiteSummary write_well() const {
    SiteSummary made = write();
    EXPECT_TRUE(made.problems.empty()) << made.problems.front();
    return made;
  }
  std::string page(const std::string& name) const { return read_file(folder_ / "site" / name); }
  // Adds a run whose case flat_plane/roma_like has this error; the bundle's own values accept `accepted`.
  fs::path add_run(const std::string& day, double mean_mm, const Baseline* accepted = nullptr) {
    Results run = synthetic_results();
    set_day(run, day);
    run.records[0].timing.cold_ms = 10 + 0.01 * (7 * std::stoi(day) % 31);  // no run is another one once more
    metric_of(run.records[1], "accuracy_mean_mm").value = mean_mm;
    const fs::path bundle = synthetic_bundle(folder_ / "out", run);
    if (accepted != nullptr) {
      write_file(bundle / kBaselineCopyName, baseline_text(*accepted));
      finalise_bundle(bundle, run);
    }
    return bundle;
  }

  const TemporaryDirectory folder_;
  SiteRequest request_{{folder_ / "out"}, folder_ / "site"};
};

// The third run of four changed the value that the gate of the fourth refuses.
TEST_F(Site, ThePageOfARefusedRunSaysSinceWhichRun) {
  const Baseline accepted = synthetic_baseline(synthetic_results());
  for (const char* const day : {"01", "02"}) add_run(day, 0.793);
  add_run("03", 1.2);
  add_run("04", 1.2, &accepted);
  request_.reports = 1;
  write_well();
  const fs::directory_iterator report(folder_ / "site/report");
  ASSERT_NE(report, fs::directory_iterator());
  EXPECT_THAT(read_file(report->path()),
              ContainsRegex("accepted in run 20250101T000000Z[^<]*; since run 20250503T101112Z"));
}

TEST_F(Site, HasOnePageOverTheRunsAndTheReportsOfTheNewest) {
  two_bundles(folder_ / "out");
  request_.reports = 1;
  const SiteSummary made = write_well();
  EXPECT_EQ(made.runs, 2u);
  EXPECT_EQ(made.pages, 2u);
  const std::string index = page("index.html");
  EXPECT_THAT(index, HasSubstr("badge bad\">3 of 4 ok</span> in the newest of 2 runs"));
  // Every value leads to its case, and a change to the run since which it is so.
  EXPECT_THAT(index,
              ContainsRegex("<a href=\"report/20250521[^\"]+#case=flat_plane/roma_like/seed=42\">0.950</a>"));
  EXPECT_THAT(index, HasSubstr("<code>aqbench ab</code> decides"));
  EXPECT_THAT(index, HasSubstr("<b>WORSE</b>"));
  EXPECT_THAT(index, ContainsRegex("#case=flat_plane/roma_like/seed=42\">flat_plane/roma_like</a></td>"));
  EXPECT_THAT(index, HasSubstr("report of 20250521T101112Z"));
  EXPECT_THAT(index, Not(HasSubstr("report of 20250520T101112Z")));
  EXPECT_THAT(page("badge/seed.svg"), HasSubstr("3 of 4 ok"));
}

// From the seventh of twelve runs on one value is 1.5 times as large.
TEST_F(Site, NamesTheRunSinceWhichAValueIsWorse) {
  for (int i = 1; i <= 12; ++i) add_run(fmt::format("{:02}", i), i <= 6 ? 0.8 : 1.2);
  write_well();
  const std::string index = page("index.html");
  EXPECT_THAT(index, HasSubstr("WORSE</b> 1 of 4 cases worse"));
  EXPECT_THAT(index, HasSubstr("since run 20250507T101112Z"));
  EXPECT_THAT(index, HasSubstr("<svg"));
  EXPECT_THAT(index.substr(index.find("changes over the runs")),
              AllOf(HasSubstr(">flat_plane/roma_like</a></td>"), HasSubstr("points, ")));
  EXPECT_THAT(index, HasSubstr("precision_2mm_pct, first 91.792 %"));
}

TEST_F(Site, OfOneSuiteThatDoesNotChangeSaysSo) {
  for (const char* const day : {"20", "21", "22", "23"}) add_run(day, 0.8);
  write_well();
  EXPECT_THAT(page("index.html"), AllOf(HasSubstr("SAME"), Not(HasSubstr("changes over the runs"))));
}

TEST_F(Site, IsGreenWhereTheNewestRunPassesItsGateAlone) {
  const Baseline accepted = synthetic_baseline(synthetic_results());
  add_run("21", 0.7931);
  write_well();
  EXPECT_THAT(page("badge/seed.svg"), AllOf(HasSubstr("4 of 4 ok, not gated"), HasSubstr("#57606a")));
  request_.baselines = {folder_ / "seed.json"};
  write_file(folder_ / "seed.json", baseline_text(accepted));
  write_well();
  EXPECT_THAT(page("badge/seed.svg"), AllOf(HasSubstr("4 of 4 ok, gate: pass"), HasSubstr("#1a7f37")));
  // A bundle's own accepted values come first, also of runs that are not the newest.
  add_run("22", 0.95, &accepted);
  add_run("23", 0.7932, &accepted);
  write_well();
  const std::string index = page("index.html");
  EXPECT_THAT(index, HasSubstr("report of 20250521T101112Z</a></td>"));
  EXPECT_THAT(index, HasSubstr("unknown\">4 of 4 ok, not gated<"));
  EXPECT_THAT(index, ContainsRegex("badge bad\">4 of 4 ok, gate: FAIL, [0-9]+ values<"));
  EXPECT_THAT(index, HasSubstr("badge good\">4 of 4 ok, gate: pass</span> in the newest of 3 runs"));
  add_run("24", 0.95);
  write_well();
  EXPECT_THAT(page("badge/seed.svg"), HasSubstr("#b3151f"));
}

TEST_F(Site, IsRedWhereFaultsWereInjected) {
  Results run = synthetic_results();
  run.records[0].injected = {{"noise", "+5%", 1}};
  synthetic_bundle(folder_ / "out", run);
  write();
  EXPECT_THAT(page("index.html"), HasSubstr("badge bad\">4 of 4 ok, injected faults"));
  EXPECT_THAT(page("badge/seed.svg"), HasSubstr("#b3151f"));
}

// A page of a run is made from its records: what a stranger put into a bundle is on no page.
TEST_F(Site, RendersThePagesOfRunsAndShowsNoBundleThatDoesNotVerify) {
  two_bundles(folder_ / "out");
  const fs::path bundle = folder_ / "out/20250521T101112Z";
  write_file(bundle / "report.html", "<script>alert(1)</script>");
  rehash(bundle);
  write();
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "site"))
    if (entry.is_regular_file()) {
      EXPECT_THAT(read_file(entry.path()), Not(HasSubstr("alert(1)"))) << entry.path();
    }
  fs::remove_all(folder_ / "out");
  two_bundles(folder_ / "out");
  write_well();
  fs::path made;
  for (const auto& entry : fs::directory_iterator(folder_ / "site/report"))
    if (entry.path().filename().string().starts_with("20250521")) made = entry.path();
  EXPECT_EQ(read_file(made), read_file(bundle / "report.html"));
  const std::string results = read_file(bundle / "results.json");
  write_file(bundle / "results.json", results + " ");
  const SiteSummary without = write();
  EXPECT_EQ(without.runs, 1u);
  ASSERT_EQ(without.problems.size(), 1u);
  EXPECT_THAT(without.problems[0], HasSubstr("20250521T101112Z: left out: results.json: "));
  EXPECT_FALSE(fs::exists(made));
  EXPECT_THAT(page("index.html"), AllOf(HasSubstr("Not shown"), Not(HasSubstr("report of 20250521"))));
}

TEST_F(Site, TouchesNoFileThatIsNotItsOwn) {
  two_bundles(folder_ / "out");
  request_.out = folder_ / "out";
  EXPECT_THROW(write(), Error);
  request_.out = folder_ / "site";
  write_well();
  write_file(folder_ / "kept.txt", "x");
  write_file(folder_ / "site/report/own.html", "x");
  fs::create_directory(folder_ / "site/other");
  fs::create_symlink(folder_.path(), folder_ / "site/other/link");
  for (const char* const path : {"../kept.txt", "other/link/kept.txt", "badge/../../kept.txt", "."})
    write_file(folder_ / "site/data/files.txt", page("data/files.txt") + path + "\n");
  write_well();
  EXPECT_TRUE(fs::exists(folder_ / "kept.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "site/report/own.html"));
  fs::remove_all(folder_ / "site/badge");
  fs::create_directory_symlink(folder_ / "out", folder_ / "site/badge");
  EXPECT_THROW(write(), Error);
  // A folder that was mistyped empties no site.
  request_.folders = {folder_ / "nowhere"};
  EXPECT_THROW(write(), Error);
  fs::create_directories(folder_ / "nowhere");
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(fs::exists(folder_ / "site/index.html"));
}

// Values of cases with names of other people's choice.
TEST_F(Site, NamesBecomeFilesAndTextStaysText) {
  EXPECT_EQ(site_file_name("plane_sweep"), "plane_sweep");
  EXPECT_EQ(site_file_name("a/../b").find('/'), std::string::npos);
  EXPECT_NE(site_file_name("a:b"), site_file_name("a.b"));
  SiteSuite suite;
  suite.name = "<b>&";
  suite.history.runs.resize(1);
  suite.history.runs[0].id = "<i>";
  suite.runs.resize(1);
  const std::string text = site_page({suite}, {"<u>"});
  for (const char* const raw : {"<b>&", "<i>", "<u>"}) EXPECT_THAT(text, Not(HasSubstr(raw)));
  EXPECT_THAT(suite_badge(suite), HasSubstr("&lt;b&gt;&amp;"));
}

}  // namespace
}  // namespace aqbench
