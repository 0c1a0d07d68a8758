#include "harness/ab/samples.h"

#include "harness/statistics/pair_plan.h"
#include "tests/harness/ab/documents.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

AbSamples small_samples() {
  AbSamples samples = test::samples_of({test::case_json("x", test::noisy_units(4, 1, 1))});
  for (Record& unit : samples.units) {
    std::vector<double>& warm_ms = unit.timing.warm_ms;
    warm_ms.insert(warm_ms.end(), {warm_ms[0] + 1, warm_ms[0] + 2});
    unit.stages = {self_times("match", {0.5, 0.25, 1})};
    unit.timing.cold_ms = 20;
    unit.output_sha256 = std::string(64, 'c');
  }
  samples.units[0].unit->scored = true;
  samples.units[0].metrics = {{"points", {3.0, "1", Better::higher, ""}}};
  return samples;
}

std::string refusal(const AbSamples& samples) {
  return test::error_of(ErrorKind::input, [&] { reread(samples); });
}

TEST(AbSamples, ReadBackTheSame) {
  AbSamples samples = small_samples();
  samples.units[2].unit->outcomes = {{"cpu_ms", {0.1, 0.2}}};
  samples.units[2].unit->layout = 7;
  samples.units[2].files.push_back({"tiles/x.a.csv", std::string(64, 'd')});
  EXPECT_EQ(to_json(reread(samples)).dump(), to_json(samples).dump());
}

TEST(AbSamples, AUnitIsANumberOrItsWarmRuns) {
  const Json json = Json::parse(R"({"cases":[{"name":"x","a":[10.5,[3,2,4]],"b":[1,2]}]})");
  const AbSamples samples = ab_samples_from_lists(json, "f");
  ASSERT_EQ(samples.units.size(), 4u);
  std::vector<std::vector<double>> a;
  for (const Record& unit : samples.units)
    if (unit.unit->side == AbSide::a) a.push_back(unit.timing.warm_ms);
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
  const auto refused = [](const std::function<void(AbSamples&)>& change) {
    AbSamples samples = small_samples();
    change(samples);
    return refusal(samples);
  };
  EXPECT_THAT(refused([](auto& s) { std::swap(s.units[0], s.units[1]); }), HasSubstr("seeded coin"));
  EXPECT_NE(refused([](auto& s) { std::swap(s.units[0], s.units[2]); }), "");
  EXPECT_THAT(refused([](auto& s) { s.units.pop_back(); }), HasSubstr("records[6]: is half a pair"));
  EXPECT_THAT(refused([](auto& s) { s.units.erase(s.units.begin() + 2, s.units.begin() + 4); }),
              HasSubstr("records[2]: is of pair 2, expected 1"));
  EXPECT_THAT(refused([](auto& s) { s.units[0].stages[0].self_ms.pop_back(); }),
              HasSubstr("as long as warm_ms"));
  EXPECT_NE(refused([](auto& s) { s.units[0].unit->look = 3; }), "");
  EXPECT_NE(refused([](auto& s) { s.units[0].unit->look = 101; }), "");
  EXPECT_THAT(refused([](auto& s) { s.units[0].timing.warm_ms[0] = -1; }),
              HasSubstr("warm_ms[0]: must not be negative"));
  EXPECT_THAT(test::error_of(ErrorKind::input,
                             [] {
                               AbSamples samples = small_samples();
                               add_units(std::vector<Record>(1), samples);
                             }),
              HasSubstr("records[0]: is no unit of the comparison's cases"));
}

TEST(AbSamples, AFailedUnitEndsItsCase) {
  AbSamples samples = small_samples();
  samples.units[7].status = Status::crashed;
  samples.units[7].reason = "signal 11";
  samples.units[7].timing.warm_ms.clear();
  samples.units[7].stages.clear();
  EXPECT_EQ(reread(samples).units[7].status, Status::crashed);
  // Both units of the pair may be there.
  samples = small_samples();
  samples.units[6].status = Status::crashed;
  samples.units[6].timing.warm_ms.clear();
  samples.units[6].stages.clear();
  EXPECT_EQ(reread(samples).units.size(), 8u);
  samples = small_samples();
  samples.units[3].status = Status::crashed;
  EXPECT_THAT(refusal(samples), HasSubstr("after a unit of its case that failed"));
}

TEST(AbSamples, TheCoinIsFairAndSeeded) {
  int b_first = 0;
  for (std::size_t pair = 0; pair < 2000; ++pair) b_first += first_side(7, pair) == AbSide::b;
  EXPECT_NEAR(b_first, 1000, 4 * std::sqrt(500.0));
  EXPECT_EQ(first_side(7, 5), b_runs_first(7, 5) ? AbSide::b : AbSide::a);
}

}  // namespace
}  // namespace aqbench
