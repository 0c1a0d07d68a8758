#include "harness/sharing/finished_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "core/files.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan.h"
#include "harness/records/case_result.h"
#include "harness/running/sweep.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FinishedCaseFiles : public ::testing::Test {
 protected:
  FinishedCase finished(std::size_t number = 1) const {
    FinishedCase one{plan_.sha256, program_sha256(), "node1", {}, "its log\n", {}};
    one.result.record = planned_record(plan_.cases.at(number - 1));
    one.result.record.status = Status::ok;
    return one;
  }

  // Returns the error of reading case 1; "" without one.
  std::string refused() const {
    try {
      read_finished(dir_, 1, plan_);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  // The only result of case 1.
  fs::path result_file() const {
    for (const fs::path& file : entries_of(dir_ / "1"))
      if (file.extension() == ".result") return file;
    return {};
  }

  test::TemporaryFolder folder_;
  fs::path dir_ = folder_.path() / "results";
  SweepPlan plan_ = [] {
    PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
    request.repeat = 2;
    request.threads = 1;
    return plan_sweep(request);
  }();
};

TEST_F(FinishedCaseFiles, AreReadBackAndMayBeWrittenAgain) {
  EXPECT_FALSE(read_finished(dir_, 1, plan_));
  for (int time = 0; time < 2; ++time) {
    write_finished(dir_, 1, finished());
    const auto read = read_finished(dir_, 1, plan_);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->host, "node1");
    EXPECT_EQ(read->log, "its log\n");
    EXPECT_EQ(read->result.record.case_name, plan_.cases[0].name);
    EXPECT_TRUE(is_finished(dir_, 1));
    EXPECT_FALSE(is_finished(dir_, 2));
  }
}

// What a killed process may leave, and what a disk may lose.
TEST_F(FinishedCaseFiles, ThatAreNotWholeAreNone) {
  write_finished(dir_, 1, finished());
  const std::string bytes = read_file(result_file()), hash = read_file(dir_ / "1/done");
  const auto is_none = [&] { return !read_finished(dir_, 1, plan_); };
  for (const std::string& done : {std::string(), hash.substr(0, 10), std::string(64, '0'), "../" + hash}) {
    write_file(dir_ / "1/done", done);
    EXPECT_TRUE(is_none()) << done;
  }
  write_file(dir_ / "1/done", hash);
  for (const std::string& torn : {std::string(), bytes.substr(0, bytes.size() - 1), bytes + "x"}) {
    write_file(result_file(), torn);
    EXPECT_TRUE(is_none()) << torn.size();
  }
  write_file(result_file(), bytes);
  EXPECT_FALSE(is_none());
  fs::remove(result_file());
  EXPECT_TRUE(is_none());
  write_finished(dir_, 1, finished());
  EXPECT_FALSE(is_none());
  fs::remove(dir_ / "1/done");
  EXPECT_TRUE(is_none());
}

TEST_F(FinishedCaseFiles, OfAnotherPlanBuildOrCaseAreRefused) {
  FinishedCase other = finished();
  other.plan_sha256 = std::string(64, 'a');
  write_finished(dir_, 1, other);
  EXPECT_THAT(refused(), HasSubstr("belongs to another plan"));
  other = finished();
  other.program_sha256 = std::string(64, 'b');
  write_finished(dir_, 1, other);
  EXPECT_THAT(refused(), HasSubstr("was made by another build of aqbench"));
  write_finished(dir_, 1, finished(2));
  EXPECT_THAT(refused(), HasSubstr("belongs to another case than " + plan_.cases[0].name));
}

// Results that were received write nothing but files of cases, below the bundle.
TEST_F(FinishedCaseFiles, ThatNameAnotherPlaceAreRefused) {
  const fs::path bundle = folder_.path() / "bundle", victim = folder_.path() / "victim";
  const auto attempt = [&](const std::string& name) {
    FinishedCase bad = finished();
    bad.result.artefacts = {{name, "spoiled"}};
    write_finished(dir_, 1, bad);
    return refused();
  };
  for (const std::string& name :
       {victim.string(), std::string("../victim"), std::string("tiles/../../victim"),
        std::string("tiles/./x"), std::string("other/x")})
    EXPECT_THAT(attempt(name), HasSubstr("its artefact '" + name + "' is outside")) << name;
  EXPECT_EQ(attempt("tiles/x.csv"), "");
  EXPECT_THROW(write_artefacts(bundle, {finished().result.record, {{"journal.jsonl", ""}}}), Error);
  EXPECT_FALSE(fs::exists(victim) || fs::exists(bundle / "journal.jsonl"));
  EXPECT_EQ(error_of(ErrorKind::io,
                     [&] {
                       write_artefacts(bundle, {finished().result.record, {}, "disk full"});
                     }),
            "disk full");
}

TEST_F(FinishedCaseFiles, AreNotWrittenThroughALink) {
  fs::create_directories(dir_);
  fs::create_directory_symlink(folder_.path(), dir_ / "1");
  EXPECT_THROW(write_finished(dir_, 1, finished()), Error);
  EXPECT_FALSE(fs::exists(folder_.path() / "done"));
}

TEST_F(FinishedCaseFiles, APlanIsReadBackAndPlannedAgain) {
  const fs::path file = folder_.path() / "plan.json";
  write_plan_file(file, plan_);
  JournalHeader header = read_plan_file(file);
  EXPECT_EQ(header.case_names.size(), plan_.cases.size());
  EXPECT_EQ(plan_again(header, file).sha256, plan_.sha256);
  header.program_sha256 = std::string(64, 'c');
  EXPECT_THROW(plan_again(header, file), Error);
  header = read_plan_file(file);
  header.request.repeat = 3;
  EXPECT_THROW(plan_again(header, file), Error);
  std::string text = read_file(file);
  text.replace(text.find("flat_plane"), 10, "flat_plank");
  write_file(file, text);
  EXPECT_THROW(read_plan_file(file), Error);
}

}  // namespace
}  // namespace aqbench
