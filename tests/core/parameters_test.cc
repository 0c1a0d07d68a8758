#include "core/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<ParameterSpec> specs() {
  return {{"depth_m", "m", 1.178, 0.5, 2, "depth", {}},
          {"points", "1", std::int64_t{1000}, 1, 5000, "points", {}},
          {"cost", "", std::string("zncc"), 0, 0, "cost", {"zncc", "ssim"}},
          {"label", "", std::string("none"), 0, 0, "any text", {}}};
}

std::string usage_message(const std::string& argument) {
  return error_of(ErrorKind::usage,
                  [&] { resolve_parameters("plane", specs(), {parse_override(argument)}); });
}

TEST(Parameters, DefaultsInTheOrderOfTheSpecs) {
  const Parameters values(specs());
  EXPECT_EQ(values.number("depth_m"), 1.178);
  EXPECT_EQ(values.integer("points"), 1000);
  EXPECT_EQ(values.number("points"), 1000);  // integers are numbers too
  EXPECT_EQ(values.text("cost"), "zncc");
  std::vector<std::string> names;
  for (const auto& [name, value] : values.items()) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("depth_m", "points", "cost", "label"));
  EXPECT_THROW(values.at("depth"), std::out_of_range);
  EXPECT_THROW(values.integer("depth_m"), std::bad_variant_access);
}

TEST(Parameters, OverridesApplyToTheirOwnerAndTheLastWins) {
  const Parameters values = resolve_parameters("plane", specs(),
                                               {{"plane", "depth_m", "1"},
                                                {"other", "depth_m", "9"},
                                                {"plane", "points", "5000"},
                                                {"plane", "cost", "ssim"},
                                                {"plane", "label", "a=b.c"},
                                                {"plane", "depth_m", "1.5e0"}});
  EXPECT_EQ(values.number("depth_m"), 1.5);
  EXPECT_EQ(values.integer("points"), 5000);
  EXPECT_EQ(values.text("cost"), "ssim");
  EXPECT_EQ(values.text("label"), "a=b.c");
}

TEST(Parameters, TheValueDecidesWhatIsDefault) {
  const std::vector<ParameterSpec> specs = {{"depth_m", "m", 1.178, 0.1, 10, "", {}},
                                            {"points", "1", std::int64_t{3000}, 1, 1e6, "", {}}};
  const Parameters given =
      resolve_parameters("s", specs, {{"s", "depth_m", "1.1780"}, {"s", "points", "2000"}});
  EXPECT_TRUE(given.is_default("depth_m")) << "given, but with its default value";
  EXPECT_FALSE(given.is_default("points"));
  EXPECT_FALSE(given.is_default("unknown"));
}

TEST(Parameters, RangesAreInclusive) {
  EXPECT_EQ(resolve_parameters("plane", specs(), {{"plane", "depth_m", "0.5"}}).number("depth_m"), 0.5);
  EXPECT_EQ(resolve_parameters("plane", specs(), {{"plane", "depth_m", "2"}}).number("depth_m"), 2);
  EXPECT_EQ(usage_message("plane.depth_m=2.0001"), "plane.depth_m: 2.0001 is outside 0.5 to 2 m");
  EXPECT_EQ(usage_message("plane.depth_m=-1"), "plane.depth_m: -1 is outside 0.5 to 2 m");
  EXPECT_EQ(usage_message("plane.points=0"), "plane.points: 0 is outside 1 to 5000");
}

TEST(Parameters, ValuesMustParseAsTheirType) {
  EXPECT_EQ(usage_message("plane.depth_m=deep"), "plane.depth_m: 'deep' is not a number");
  EXPECT_EQ(usage_message("plane.depth_m=1.2m"), "plane.depth_m: '1.2m' is not a number");
  EXPECT_EQ(usage_message("plane.depth_m=1,2"),
            "plane.depth_m: '1,2' is not a number; write 1.2 with a decimal point");
  EXPECT_EQ(usage_message("plane.depth_m=nan"), "plane.depth_m: nan is outside 0.5 to 2 m");
  EXPECT_EQ(usage_message("plane.depth_m=inf"), "plane.depth_m: inf is outside 0.5 to 2 m");
  EXPECT_EQ(usage_message("plane.points=10.5"), "plane.points: '10.5' is not an integer");
  EXPECT_EQ(usage_message("plane.points=99999999999999999999"),
            "plane.points: '99999999999999999999' is not an integer");
  EXPECT_EQ(usage_message("plane.cost=ncc"), "plane.cost: 'ncc' is not one of zncc, ssim");
}

TEST(Parameters, UnknownNamesComeWithTheNearOnes) {
  EXPECT_EQ(usage_message("plane.depth=1"), "unknown parameter of plane 'depth'; did you mean depth_m?");
  EXPECT_EQ(usage_message("plane.xyzzy=1"),
            "unknown parameter of plane 'xyzzy'; known: depth_m, points, cost, label");
}

TEST(Parameters, OverridesAreWrittenNameDotParameterEqualsValue) {
  const Override given = parse_override("mesh:a.b.ply.pitch_m=1e-3=x");
  EXPECT_EQ(given.owner, "mesh:a.b.ply");
  EXPECT_EQ(given.parameter, "pitch_m");
  EXPECT_EQ(given.value, "1e-3=x");
  for (const char* const bad : {"", "=", "a.b", "a=b", "a.b=", ".b=c", "a.=c", "a=b.c"})
    EXPECT_EQ(error_of(ErrorKind::usage, [&] { parse_override(bad); }),
              std::string("--set '") + bad + "': expected NAME.PARAMETER=VALUE");
}

TEST(NearNames, BestFirstAtMostThreeNoneFarAway) {
  const std::vector<std::string> scenes{"flat_plane", "undulating", "tilted_plane", "step", "mound"};
  EXPECT_THAT(near_names("flat_plan", scenes), ElementsAre("flat_plane"));
  EXPECT_THAT(near_names("flatplane", scenes), ElementsAre("flat_plane"));
  EXPECT_THAT(near_names("undulate", scenes), ElementsAre("undulating"));
  EXPECT_THAT(near_names("plane", scenes), testing::UnorderedElementsAre("flat_plane", "tilted_plane"));
  EXPECT_THAT(near_names("UNDULATING", scenes), ElementsAre("undulating"));
  EXPECT_THAT(near_names("step", scenes), ElementsAre("step"));
  EXPECT_THAT(near_names("zebra_crossing", scenes), IsEmpty());
  EXPECT_THAT(near_names("a", {"ab", "ac", "ad", "ae"}), ElementsAre("ab", "ac", "ad"));
  EXPECT_THAT(near_names("x", {}), IsEmpty());
}

TEST(Parameters, ValuesAsTextReadBackTheSame) {
  EXPECT_EQ(to_string(ParameterValue(0.1)), "0.1");
  EXPECT_EQ(to_string(ParameterValue(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(to_string(ParameterValue(std::int64_t{-5})), "-5");
  EXPECT_EQ(to_string(ParameterValue(std::string("zncc"))), "zncc");
}

}  // namespace
}  // namespace aqbench
