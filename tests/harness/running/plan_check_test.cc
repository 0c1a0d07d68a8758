#include "harness/running/plan_check.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "harness/measuring/build_info.h"
#include "harness/records/case_result.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A sweep of two seeds of which nothing is known but that both cases failed, which any case can.
struct Swept {
  SweepPlan plan;
  Results results;
  JournalContents journal;
};

Swept swept(const std::function<void(PlanRequest&)>& ask = {}) {
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
  request.threads = 1;
  request.repeat = 2;
  if (ask) ask(request);
  Swept sweep{plan_sweep(request), {}, {}};
  JournalHeader& header = sweep.journal.header;
  header.program_sha256 = program_sha256();
  header.program_commit = build_info().commit;
  header.request = sweep.plan.request;
  header.plan_sha256 = sweep.plan.sha256;
  header.all_shards_sha256 = sweep.plan.all_shards_sha256;
  header.suite = sweep.plan.suite;
  header.cases_text = cases_text(sweep.plan.cases);
  sweep.results.run.effective = effective_json(sweep.plan);
  for (const Case& planned : sweep.plan.cases) {
    Record record = planned_record(planned);
    record.reason = "it fell";
    sweep.results.records.push_back(record);
    sweep.journal.records.push_back(record);
  }
  return sweep;
}

std::vector<std::string> problems_of(const Swept& sweep) {
  const PlanCheck check = check_plan(sweep.results, sweep.journal);
  EXPECT_EQ(check.other_version, "");
  return check.problems;
}

// The problems after the record of seed 42 was changed.
std::vector<std::string> after(const std::function<void(Record&)>& change) {
  Swept changed = swept();
  change(changed.results.records[0]);
  return problems_of(changed);
}

constexpr const char* kCase = "case flat_plane/roma_like/seed=42: ";

TEST(PlanCheck, WhatWasPlannedAndRunHasNoProblem) {
  EXPECT_THAT(problems_of(swept()), IsEmpty());
  EXPECT_THAT(problems_of(swept([](PlanRequest& request) { request.shard = {1, 2}; })), IsEmpty());
}

TEST(PlanCheck, ARecordIsOfItsPlannedCase) {
  const auto not_as_planned = [](const char* what) {
    return ElementsAre(kCase + std::string(what) + " is not as planned");
  };
  EXPECT_THAT(after([](Record& record) { record.scene = "undulating"; }), not_as_planned("scene"));
  EXPECT_THAT(after([](Record& record) { record.preset = "fast"; }), not_as_planned("preset"));
  EXPECT_THAT(after([](Record& record) { record.simulated = false; }), not_as_planned("simulated"));
  EXPECT_THAT(after([](Record& record) { record.axes[0].second = std::int64_t{43}; }),
              not_as_planned("axes"));
  EXPECT_THAT(after([](Record& record) { record.defaults.pop_back(); }), not_as_planned("defaults"));
  EXPECT_THAT(after([](Record& record) { record.options.emplace_back("a.b", 0.5); }),
              not_as_planned("options"));
  EXPECT_THAT(after([](Record& record) {
                record.injected = {{"noise", "throw", 1}};
              }),
              not_as_planned("injected"));
}

TEST(PlanCheck, AnInjectedFaultMustStandInTheRecord) {
  Swept injected =
      swept([](PlanRequest& request) { request.injects = {parse_inject("*seed=42*:noise=throw")}; });
  EXPECT_THAT(problems_of(injected), IsEmpty());
  injected.results.records[0].injected.clear();
  EXPECT_THAT(problems_of(injected), ElementsAre(std::string(kCase) + "injected is not as planned"));
}

TEST(PlanCheck, ThePlanIsThatOfTheRequest) {
  Swept other = swept();
  other.journal.header.request.repeat = 3;
  EXPECT_THAT(problems_of(other), ElementsAre("its plan is not what was asked for: case "
                                              "flat_plane/roma_like/seed=44 is missing"));
  other.journal.header.program_sha256 = std::string(64, '0');
  const PlanCheck check = check_plan(other.results, other.journal);
  EXPECT_THAT(check.problems, IsEmpty());
  EXPECT_THAT(check.other_version, HasSubstr("case flat_plane/roma_like/seed=44 is missing"));
}

TEST(PlanCheck, ACaseWithOptionsThatTheRequestDoesNotGiveIsNamed) {
  Swept other = swept();
  Json cases = Json::parse(other.journal.header.cases_text);
  cases[0]["seed"] = 4242;
  other.journal.header.cases_text = cases.dump();
  other.journal.header.plan_sha256 = sha256_hex(other.journal.header.cases_text);
  EXPECT_THAT(problems_of(other), Contains("its plan is not what was asked for: case "
                                           "flat_plane/roma_like/seed=42 has other options"));
}

TEST(PlanCheck, EffectiveOptionsFollowFromThePlan) {
  Swept other = swept();
  Json effective = *other.results.run.effective;
  effective["timeout_s"] = 1;
  effective["luck"] = true;
  other.results.run.effective = effective;
  EXPECT_THAT(problems_of(other),
              ElementsAre("run.effective.timeout_s is not as planned", "run.effective.luck was not planned"));
}

// A bundle is no worse for a metric that came later.
TEST(PlanCheck, AnotherBuildMayHaveOtherMetrics) {
  Swept other = swept();
  Json effective = *other.results.run.effective;
  effective["definitions"].erase("accuracy_mean_mm");
  other.results.run.effective = effective;
  EXPECT_THAT(problems_of(other), ElementsAre("run.effective.definitions is not as planned"))
      << "of this very program";
  other.journal.header.program_sha256 = std::string(64, '0');
  EXPECT_THAT(problems_of(other), IsEmpty());
}

// What follows from a file that is not here cannot be planned again, which a reader must know.
TEST(PlanCheck, AMeshThatIsNotHereIsSaid) {
  Swept away = swept();
  away.journal.header.request.scenes = {"mesh:/nowhere/a.ply"};
  std::vector<Case> cases = away.plan.cases;
  for (Case& planned : cases) planned.scene = "mesh:/nowhere/a.ply";
  away.journal.header.cases_text = cases_text(cases);
  for (Record& record : away.results.records) record.scene = "mesh:/nowhere/a.ply";
  EXPECT_EQ(check_plan(away.results, away.journal).not_planned_again,
            "not planned again: mesh /nowhere/a.ply is not here");
  EXPECT_EQ(check_plan(swept().results, swept().journal).not_planned_again, "");
}

TEST(PlanCheck, APlanThatIsNoPlanIsSaid) {
  Swept broken = swept();
  broken.journal.header.cases_text = R"([{"case": "x"}])";
  EXPECT_THAT(problems_of(broken), ElementsAre(HasSubstr("its plan cannot be read: cases")));
}

}  // namespace
}  // namespace aqbench
