#include "harness/ab/samples.h"

#include "harness/statistics/pair_plan.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

AbSamples small_samples() {
  AbSamples samples = test::samples_of({test::case_json("x", test::noisy_units(4, 1, 1))});
  for (AbUnit& unit : samples.units) {
    unit.warm_ms.insert(unit.warm_ms.end(), {unit.warm_ms[0] + 1, unit.warm_ms[0] + 2});
    unit.stages = {{"match", {0.5, 0.25, 1}}};
    unit.cold_ms = 20;
    unit.output_sha256 = std::string(64, 'c');
  }
  samples.outputs = {{0, AbSide::a, std::string(64, 'c'), {{"points", {3.0, "1", Better::higher, ""}}}}};
  return samples;
}

std::string refusal(const Json& json) {
  return test::error_of(ErrorKind::input, [&] { ab_samples_from_json(json, "f.json"); });
}

TEST(AbSamples, ReadsBackTheSame) {
  const Json json = to_json(small_samples());
  EXPECT_EQ(to_json(ab_samples_from_json(json, "f.json")).dump(), json.dump());
}

TEST(AbSamples, AUnitIsANumberOrItsWarmRuns) {
  const Json json = Json::parse(R"({"cases":[{"name":"x","a":[10.5,[3,2,4]],"b":[1,2]}]})");
  const AbSamples samples = ab_samples_from_lists(json, "f");
  ASSERT_EQ(samples.units.size(), 4u);
  std::vector<std::vector<double>> a;
  for (const AbUnit& unit : samples.units)
    if (unit.side == AbSide::a) a.push_back(unit.warm_ms);
  EXPECT_EQ(a, (std::vector<std::vector<double>>{{10.5}, {3, 2, 4}}));
}

TEST(AbSamples, ListsThatCannotBeJudgedAreRefused) {
  const auto refused = [](const char* text) {
    return test::error_of(ErrorKind::input, [&] { ab_samples_from_lists(Json::parse(text), "f"); });
  };
  EXPECT_THAT(refused(R"({"cases":[]})"), HasSubstr("no cases"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[1,2],"b":[1]}]})"), HasSubstr("b: has 1 units"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[1,0],"b":[1,1]}]})"), HasSubstr("a[1]: is 0"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[[1,2]],"b":[1]}]})"), HasSubstr("at least 3"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":["1"],"b":[1]}]})"), HasSubstr("a[0]"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[1],"b":[1],"confirmation_a":[1]}]})"),
              HasSubstr("confirmation_b"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[1],"b":[1]},{"name":"x","a":[1],"b":[1]}]})"),
              HasSubstr("twice"));
  EXPECT_THAT(refused(R"({"cases":[{"name":"x","a":[1],"b":[1],"tau":2}]})"), HasSubstr("tau"));
}

TEST(AbSamples, OrderAndPairsAreChecked) {
  const Json good = to_json(small_samples());
  Json json = good;
  std::swap(json["units"][0], json["units"][1]);
  EXPECT_THAT(refusal(json), HasSubstr("seeded coin"));
  json = good;
  std::swap(json["units"][0], json["units"][2]);
  EXPECT_NE(refusal(json), "");
  json = good;
  json["units"].erase(7);
  EXPECT_THAT(refusal(json), HasSubstr("half a pair"));
  json = good;
  json["units"].erase(2);
  json["units"].erase(2);
  EXPECT_THAT(refusal(json), HasSubstr("pair: is 2, expected 1"));
  json = good;
  json["units"][3]["case"] = std::size_t{1};
  EXPECT_THAT(refusal(json), HasSubstr("there are 1 cases"));
  json = good;
  json["units"][0]["stages"]["match"].erase(0);
  EXPECT_THAT(refusal(json), HasSubstr("as long as warm_ms"));
  json = good;
  json["units"][0]["look"] = 3;
  EXPECT_NE(refusal(json), "");
  json = good;
  json["units"][0]["warm_ms"][0] = -1;
  EXPECT_THAT(refusal(json), HasSubstr("units[0].warm_ms[0]"));
}

TEST(AbSamples, AFailedUnitEndsItsCase) {
  AbSamples samples = small_samples();
  samples.units[7].status = Status::crashed;
  samples.units[7].warm_ms.clear();
  samples.units[7].stages.clear();
  EXPECT_EQ(ab_samples_from_json(to_json(samples), "f").units[7].status, Status::crashed);
  samples = small_samples();
  samples.units[3].status = Status::crashed;
  EXPECT_THAT(refusal(to_json(samples)), HasSubstr("after a unit of its case that failed"));
}

TEST(AbSamples, TheCoinIsFairAndSeeded) {
  int b_first = 0;
  for (std::size_t pair = 0; pair < 2000; ++pair) b_first += first_side(7, pair) == AbSide::b;
  EXPECT_NEAR(b_first, 1000, 4 * std::sqrt(500.0));
  EXPECT_EQ(first_side(7, 5), b_runs_first(7, 5) ? AbSide::b : AbSide::a);
}

}  // namespace
}  // namespace aqbench
