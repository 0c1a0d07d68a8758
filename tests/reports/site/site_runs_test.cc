// What a site does with bundles that cannot be read, or cannot be read any more.

#include "reports/site/site_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/files.h"
#include "core/text.h"
#include "reports/content/bundle_content.h"
#include "reports/site/site.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr const char* kFirst = "20250520T101112Z";
constexpr const char* kSecond = "20250521T101112Z";
constexpr const char* kKept = "(what the site knew of it stays)";

// Two bundles of one suite.
void two_runs(const fs::path& base) {
  Results run = synthetic_results();
  synthetic_bundle(base, run);
  run.run.id = kSecond;
  run.run.started_utc = run.run.finished_utc = "2025-05-21T10:11:12Z";
  run.records[2].status = Status::crashed;
  run.records[2].reason = "died";
  run.records[2].metrics.clear();
  synthetic_bundle(base, run);
}

TEST(SiteRuns, ABundleThatBreaksStaysAsTheSiteKnewItAndIsNamed) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  ASSERT_THAT(write_site(request).problems, IsEmpty());
  const auto page = [&](const char* name) { return read_file(folder / "site" / name); };
  const std::string suite = page("suite/seed.html");
  EXPECT_THAT(suite, HasSubstr(std::string("report of ") + kSecond));
  EXPECT_THAT(page("index.html"), Not(HasSubstr("Not shown")));
  const std::string list = read_file(folder / "out" / kSecond / kHashListName);
  const std::string results = read_file(folder / "out" / kFirst / "results.json");
  write_file(folder / "out" / kSecond / kHashListName, "broken");
  fs::remove(folder / "out" / kFirst / "results.json");
  // Also with every bundle broken, and each time anew.
  for (int call = 0; call < 2; ++call) {
    const SiteSummary kept = write_site(request);
    EXPECT_EQ(kept.runs, 2u);
    EXPECT_EQ(kept.read, 0u);
    ASSERT_EQ(kept.problems.size(), 2u);
    EXPECT_THAT(kept.problems[0], HasSubstr(std::string(kFirst) + "/results.json: "));
    EXPECT_THAT(kept.problems[1], HasSubstr(std::string(kSecond) + "/sha256.txt: "));
    EXPECT_THAT(page("index.html"), HasSubstr("<h2>Not shown</h2>"));
    for (const std::string& problem : kept.problems) {
      EXPECT_THAT(problem, HasSubstr(kKept));
      EXPECT_THAT(page("index.html"), HasSubstr("<li>" + xml_escape(problem) + "</li>"));
    }
    // With its values and the copied report; beside its cases stands that it could not be read.
    std::string now = page("suite/seed.html");
    const std::string said = ", its bundle cannot be read";
    ASSERT_NE(now.find(said), std::string::npos);
    for (std::size_t at; (at = now.find(said)) != std::string::npos;) now.erase(at, said.size());
    EXPECT_EQ(now, suite);
  }
  write_file(folder / "out" / kSecond / kHashListName, list);
  write_file(folder / "out" / kFirst / "results.json", results);
  const SiteSummary mended = write_site(request);
  EXPECT_THAT(mended.problems, IsEmpty());
  EXPECT_EQ(mended.read, 0u);
  EXPECT_THAT(page("index.html"), Not(HasSubstr("Not shown")));
  fs::remove_all(folder / "out" / kSecond);  // what is gone is gone
  EXPECT_EQ(write_site(request).runs, 1u);
  EXPECT_THAT(page("suite/seed.html"), Not(HasSubstr(kSecond)));
}

TEST(SiteRuns, OfAFolderOfBrokenBundlesTheIndexNamesEach) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  fs::remove(folder / "out" / kFirst / "results.json");
  write_file(folder / "out" / kSecond / "results.json", "<b>{</b>");
  const SiteSummary none = write_site({{folder / "out"}, folder / "site"});
  EXPECT_EQ(none.runs, 0u);
  ASSERT_EQ(none.problems.size(), 2u);
  EXPECT_THAT(none.problems[0], HasSubstr(std::string(kFirst) + "/results.json: "));
  EXPECT_THAT(none.problems[1], HasSubstr(std::string(kSecond) + "/results.json: "));
  const std::string index = read_file(folder / "site/index.html");
  for (const std::string& problem : none.problems) EXPECT_THAT(index, HasSubstr(xml_escape(problem)));
}

// A line of another place must not hide a bundle that has moved and then breaks.
TEST(SiteRuns, KnowsABundleByTheFolderInWhichItLiesNow) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  write_site({{folder / "out"}, folder / "site"});
  fs::rename(folder / "out", folder / "moved");
  const SiteRequest request{{folder / "moved"}, folder / "site"};
  EXPECT_EQ(write_site(request).read, 0u);
  write_file(folder / "moved" / kSecond / kHashListName, "broken");
  EXPECT_EQ(write_site(request).runs, 2u);
}

// A folder that was typed from one place is known from another, also where both have moved.
TEST(SiteRuns, KnowsABundleFromAnyWorkingDirectory) {
  const TemporaryDirectory folder;
  two_runs(folder / "a/out");
  const fs::path before = fs::current_path();
  fs::current_path(folder / "a");
  write_site({{"out"}, "site"});
  fs::current_path(before);
  fs::rename(folder / "a", folder / "b");
  write_file(folder / "b/out" / kSecond / kHashListName, "broken");
  const SiteSummary made = write_site({{folder / "b/out"}, folder / "b/site"});
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

// A site and a folder that are named by a link are the same as by their own names.
TEST(SiteRuns, KnowsABundleByALinkToo) {
  const TemporaryDirectory folder;
  two_runs(folder / "deep/down/out");
  fs::create_directory_symlink(folder / "deep/down/out", folder / "link");
  write_site({{folder / "link"}, folder / "site"});
  write_file(folder / "deep/down/out" / kSecond / kHashListName, "broken");
  fs::create_directory_symlink(folder / "site", folder / "deep/here");
  const SiteSummary made = write_site({{folder / "deep/down/out"}, folder / "deep/here"});
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

// Of two copies the one that can be read counts, wherever it stands in the list.
TEST(SiteRuns, TheReadableOneOfTwoCopiesCounts) {
  const TemporaryDirectory folder;
  two_runs(folder / "out/one");
  write_site({{folder / "out"}, folder / "site"});
  for (const char* const copy : {"out/copy", "out/zcopy"}) {
    fs::create_directories(folder / copy);
    fs::copy(folder / "out/one" / kFirst, folder / copy / kFirst, fs::copy_options::recursive);
    write_file(folder / "out/one" / kFirst / kHashListName, "broken");
    const SiteReading read = read_site_runs(find_bundles({folder / "out"}, nullptr), {}, folder / "site");
    EXPECT_EQ(read.runs.size(), 2u) << copy;
    EXPECT_THAT(read.kept, IsEmpty()) << copy;
    fs::remove_all(folder / copy);
    fs::remove_all(folder / "out/one" / kFirst);
    two_runs(folder / "again");
    fs::copy(folder / "again" / kFirst, folder / "out/one" / kFirst, fs::copy_options::recursive);
    fs::remove_all(folder / "again");
  }
}

// What is not the site's own is neither removed nor written to.
TEST(SiteRuns, FilesOfOthersStay) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  fs::create_directories(folder / "site/data");
  write_file(folder / "site/data/runs.jsonl", "{\"experiment\":1}\n");
  EXPECT_THROW(write_site(request), Error) << "a file of that name alone makes no site";
  EXPECT_EQ(read_file(folder / "site/data/runs.jsonl"), "{\"experiment\":1}\n");
  fs::remove_all(folder / "site");

  write_site(request);
  write_file(folder / "site/data/train.csv", "1,2\n");
  fs::remove_all(folder / "out" / kSecond);
  write_file(folder / "victim", "mine");
  fs::remove(folder / "site/index.html");
  fs::create_symlink(folder / "victim", folder / "site/index.html");
  write_site(request);
  EXPECT_EQ(read_file(folder / "site/data/train.csv"), "1,2\n");
  EXPECT_EQ(read_file(folder / "victim"), "mine");
  EXPECT_FALSE(fs::is_symlink(folder / "site/index.html"));
  std::size_t reports = 0;
  for (const auto& report : fs::directory_iterator(folder / "site/report"))
    reports += report.is_regular_file();
  EXPECT_EQ(reports, 1u) << "a page of a run that is gone goes, too";

  fs::rename(folder / "site/suite", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", folder / "site/suite");
  EXPECT_THROW(write_site(request), Error);
}

TEST(SiteRuns, ADamagedFileOfRunsIsNamedAndMadeAnew) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  write_site(request);
  const fs::path lines = folder / "site" / kSiteRunsFile;
  const std::string whole = read_file(lines);
  write_file(lines, whole + std::string(1, '\0'));
  const SiteSummary made = write_site(request);
  EXPECT_EQ(made.read, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("runs.jsonl"));
  EXPECT_EQ(read_file(lines), whole);
}

TEST(SiteRuns, WhatLiesBelowAnUnlistedFolderStays) {
  const TemporaryDirectory folder;
  two_runs(folder / "out/closed");
  write_site({{folder / "out"}, folder / "site"});
  const SiteReading read =
      read_site_runs({}, {{folder / "out/closed", "out/closed: Permission denied"}}, folder / "site");
  EXPECT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.kept.size(), 2u);
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_THAT(read.problems[0], HasSubstr(kKept));
  const SiteReading elsewhere =
      read_site_runs({}, {{folder / "out/clos", "out/clos: Permission denied"}}, folder / "site");
  EXPECT_EQ(elsewhere.runs.size(), 0u) << "a name that only begins alike";
}

TEST(SiteRuns, AFolderThatCannotBeListedTakesNothingWithIt) {
  if (::geteuid() == 0) GTEST_SKIP() << "the administrator may list every folder";
  const TemporaryDirectory folder;
  two_runs(folder / "out/closed");
  fs::create_directories(folder / "out/open");
  fs::rename(folder / "out/closed" / kFirst, folder / "out/open" / kFirst);
  const SiteRequest request{{folder / "out"}, folder / "site"};
  ASSERT_EQ(write_site(request).runs, 2u);
  fs::permissions(folder / "out/closed", fs::perms::none);
  const SiteSummary made = write_site(request);
  fs::permissions(folder / "out/closed", fs::perms::owner_all);
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("closed: Permission denied"));
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

TEST(SiteRuns, SeveralCallsAtOnceWaitForEachOther) {
  const TemporaryDirectory folder;
  two_runs(folder / "out");
  const SiteRequest request{{folder / "out"}, folder / "site"};
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> calls;
    for (int i = 0; i < 6; ++i)
      calls.emplace_back([&] { good += write_site(request).problems.empty() ? 1 : 0; });
  }
  EXPECT_EQ(good, 6);
}

}  // namespace
}  // namespace aqbench
