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
#include "tests/reports/site/site_folder.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr const char* kFirst = "20250520T101112Z";
constexpr const char* kSecond = "20250521T101112Z";
constexpr const char* kKept = "(what the site knew of it stays)";

using SiteRuns = SiteFolder;

TEST_F(SiteRuns, ABundleThatBreaksStaysAsTheSiteKnewItAndIsNamed) {
  two_bundles(folder_ / "out");
  write_well();
  const std::string suite = page("suite/seed.html");
  EXPECT_THAT(suite, HasSubstr(std::string("report of ") + kSecond));
  EXPECT_THAT(page("index.html"), Not(HasSubstr("Not shown")));
  const std::string list = read_file(folder_ / "out" / kSecond / kHashListName);
  const std::string results = read_file(folder_ / "out" / kFirst / "results.json");
  write_file(folder_ / "out" / kSecond / kHashListName, "broken");
  fs::remove(folder_ / "out" / kFirst / "results.json");
  // Also with every bundle broken, and each time anew.
  for (int call = 0; call < 2; ++call) {
    const SiteSummary kept = write();
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
    // With its values and its page; beside its cases stands that it could not be read.
    std::string now = page("suite/seed.html");
    const std::string said = ", its bundle cannot be read";
    ASSERT_NE(now.find(said), std::string::npos);
    for (std::size_t at; (at = now.find(said)) != std::string::npos;) now.erase(at, said.size());
    EXPECT_EQ(now, suite);
  }
  write_file(folder_ / "out" / kSecond / kHashListName, list);
  write_file(folder_ / "out" / kFirst / "results.json", results);
  const SiteSummary mended = write_well();
  EXPECT_EQ(mended.read, 0u);
  EXPECT_THAT(page("index.html"), Not(HasSubstr("Not shown")));
  fs::remove_all(folder_ / "out" / kSecond);  // what is gone is gone
  EXPECT_EQ(write().runs, 1u);
  EXPECT_THAT(page("suite/seed.html"), Not(HasSubstr(kSecond)));
}

TEST_F(SiteRuns, OfAFolderOfBrokenBundlesTheIndexNamesEach) {
  two_bundles(folder_ / "out");
  fs::remove(folder_ / "out" / kFirst / "results.json");
  write_file(folder_ / "out" / kSecond / "results.json", "<b>{</b>");
  const SiteSummary none = write();
  EXPECT_EQ(none.runs, 0u);
  ASSERT_EQ(none.problems.size(), 2u);
  EXPECT_THAT(none.problems[0], HasSubstr(std::string(kFirst) + "/results.json: "));
  EXPECT_THAT(none.problems[1], HasSubstr(std::string(kSecond) + "/results.json: "));
  const std::string index = page("index.html");
  for (const std::string& problem : none.problems) EXPECT_THAT(index, HasSubstr(xml_escape(problem)));
}

// A line of another place must not hide a bundle that has moved and then breaks.
TEST_F(SiteRuns, KnowsABundleByTheFolderInWhichItLiesNow) {
  two_bundles(folder_ / "out");
  write();
  fs::rename(folder_ / "out", folder_ / "moved");
  const SiteRequest moved{{folder_ / "moved"}, folder_ / "site"};
  EXPECT_EQ(write_site(moved).read, 0u);
  write_file(folder_ / "moved" / kSecond / kHashListName, "broken");
  EXPECT_EQ(write_site(moved).runs, 2u);
}

// A folder that was typed from one place is known from another, also where both have moved.
TEST_F(SiteRuns, KnowsABundleFromAnyWorkingDirectory) {
  two_bundles(folder_ / "a/out");
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "a");
  write_site({{"out"}, "site"});
  fs::current_path(before);
  fs::rename(folder_ / "a", folder_ / "b");
  write_file(folder_ / "b/out" / kSecond / kHashListName, "broken");
  const SiteSummary made = write_site({{folder_ / "b/out"}, folder_ / "b/site"});
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

// A site and a folder that are named by a link are the same as by their own names.
TEST_F(SiteRuns, KnowsABundleByALinkToo) {
  two_bundles(folder_ / "deep/down/out");
  fs::create_directory_symlink(folder_ / "deep/down/out", folder_ / "link");
  write_site({{folder_ / "link"}, folder_ / "site"});
  write_file(folder_ / "deep/down/out" / kSecond / kHashListName, "broken");
  fs::create_directory_symlink(folder_ / "site", folder_ / "deep/here");
  const SiteSummary made = write_site({{folder_ / "deep/down/out"}, folder_ / "deep/here"});
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

// Of two copies the one that can be read counts, wherever it stands in the list.
TEST_F(SiteRuns, TheReadableOneOfTwoCopiesCounts) {
  two_bundles(folder_ / "out/one");
  write();
  for (const char* const copy : {"out/copy", "out/zcopy"}) {
    fs::create_directories(folder_ / copy);
    fs::copy(folder_ / "out/one" / kFirst, folder_ / copy / kFirst, fs::copy_options::recursive);
    write_file(folder_ / "out/one" / kFirst / kHashListName, "broken");
    const SiteReading read = read_site_runs(find_bundles({folder_ / "out"}, nullptr), {}, folder_ / "site");
    EXPECT_EQ(read.runs.size(), 2u) << copy;
    EXPECT_THAT(read.kept, IsEmpty()) << copy;
    fs::remove_all(folder_ / copy);
    fs::remove_all(folder_ / "out/one" / kFirst);
    two_bundles(folder_ / "again");
    fs::copy(folder_ / "again" / kFirst, folder_ / "out/one" / kFirst, fs::copy_options::recursive);
    fs::remove_all(folder_ / "again");
  }
}

// What is not the site's own is neither removed nor written to.
TEST_F(SiteRuns, FilesOfOthersStay) {
  two_bundles(folder_ / "out");
  fs::create_directories(folder_ / "site/data");
  write_file(folder_ / "site/data/runs.jsonl", "{\"experiment\":1}\n");
  EXPECT_THROW(write(), Error) << "a file of that name alone makes no site";
  EXPECT_EQ(page("data/runs.jsonl"), "{\"experiment\":1}\n");
  fs::remove_all(folder_ / "site");

  write();
  write_file(folder_ / "site/data/train.csv", "1,2\n");
  fs::remove_all(folder_ / "out" / kSecond);
  write_file(folder_ / "victim", "mine");
  fs::remove(folder_ / "site/index.html");
  fs::create_symlink(folder_ / "victim", folder_ / "site/index.html");
  write();
  EXPECT_EQ(page("data/train.csv"), "1,2\n");
  EXPECT_EQ(read_file(folder_ / "victim"), "mine");
  EXPECT_FALSE(fs::is_symlink(folder_ / "site/index.html"));
  std::size_t reports = 0;
  for (const auto& report : fs::directory_iterator(folder_ / "site/report"))
    reports += report.is_regular_file();
  EXPECT_EQ(reports, 1u) << "a page of a run that is gone goes, too";

  fs::rename(folder_ / "site/suite", folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "site/suite");
  EXPECT_THROW(write(), Error);
}

TEST_F(SiteRuns, ADamagedFileOfRunsIsNamedAndMadeAnew) {
  two_bundles(folder_ / "out");
  write();
  const fs::path lines = folder_ / "site" / kSiteRunsFile;
  const std::string whole = read_file(lines);
  write_file(lines, whole + std::string(1, '\0'));
  const SiteSummary made = write();
  EXPECT_EQ(made.read, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("runs.jsonl"));
  EXPECT_EQ(read_file(lines), whole);
}

TEST_F(SiteRuns, WhatLiesBelowAnUnlistedFolderStays) {
  two_bundles(folder_ / "out/closed");
  write();
  const SiteReading read =
      read_site_runs({}, {{folder_ / "out/closed", "out/closed: Permission denied"}}, folder_ / "site");
  EXPECT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.kept.size(), 2u);
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_THAT(read.problems[0], HasSubstr(kKept));
  const SiteReading elsewhere =
      read_site_runs({}, {{folder_ / "out/clos", "out/clos: Permission denied"}}, folder_ / "site");
  EXPECT_EQ(elsewhere.runs.size(), 0u) << "a name that only begins alike";
}

TEST_F(SiteRuns, AFolderThatCannotBeListedTakesNothingWithIt) {
  if (::geteuid() == 0) GTEST_SKIP() << "the administrator may list every folder";
  two_bundles(folder_ / "out/closed");
  fs::create_directories(folder_ / "out/open");
  fs::rename(folder_ / "out/closed" / kFirst, folder_ / "out/open" / kFirst);
  ASSERT_EQ(write().runs, 2u);
  fs::permissions(folder_ / "out/closed", fs::perms::none);
  const SiteSummary made = write();
  fs::permissions(folder_ / "out/closed", fs::perms::owner_all);
  EXPECT_EQ(made.runs, 2u);
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_THAT(made.problems[0], HasSubstr("closed: Permission denied"));
  EXPECT_THAT(made.problems[0], HasSubstr(kKept));
}

TEST_F(SiteRuns, SeveralCallsAtOnceWaitForEachOther) {
  two_bundles(folder_ / "out");
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> calls;
    for (int i = 0; i < 6; ++i) calls.emplace_back([&] { good += write().problems.empty() ? 1 : 0; });
  }
  EXPECT_EQ(good, 6);
}

}  // namespace
}  // namespace aqbench
