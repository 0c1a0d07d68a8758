#include "harness/sharing/shared_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/error.h"
#include "harness/planning/plan.h"
#include "harness/records/case_result.h"
#include "harness/running/sweep.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Results that came with a received bundle write nothing but files of cases, below the bundle.
TEST(SharedResults, OneThatNamesAnotherPlaceIsRefusedBeforeItIsWritten) {
  const test::TemporaryFolder folder;
  const fs::path bundle = folder.path() / "bundle", victim = folder.path() / "victim",
                 tasks = folder.path() / "tasks";
  fs::create_directories(bundle);
  make_tasks_folder(tasks);
  CaseResult good;
  good.record = planned_record(plan_sweep(test::request_for({"flat_plane"}, {"roma_like"})).cases.at(0));
  good.record.status = Status::ok;
  const auto attempt = [&](const std::string& name, const std::string& host) {
    SharedResult result{host, 1, "", good};
    result.result.artefacts = {{name, "spoiled"}};
    fs::remove(tasks / "results/0");
    EXPECT_TRUE(publish(tasks, 0, result));
    try {
      read_shared_result(tasks, 0);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  for (const std::string& name :
       {victim.string(), std::string("../victim"), std::string("tiles/../../victim"),
        std::string("tiles/./x"), std::string("other/x")})
    EXPECT_THAT(attempt(name, "one"), HasSubstr("results/0: its artefact '" + name + "' is outside")) << name;
  EXPECT_EQ(attempt("tiles/x.csv", "one"), "");
  EXPECT_THAT(attempt("tiles/x.csv", "../../one"), HasSubstr("'../../one' is not the name of a host"));
  EXPECT_THROW(write_artefacts(bundle, {good.record, {{"journal.jsonl", ""}}}), Error);
  EXPECT_FALSE(fs::exists(victim) || fs::exists(bundle / "journal.jsonl"));
}

}  // namespace
}  // namespace aqbench
