#include "harness/planning/axis.h"

#include <cstdlib>

#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::vector<std::string>;

Values values_of(const std::string& argument) { return parse_axis(argument).values; }

TEST(Axis, ReadsLists) {
  const Axis axis = parse_axis("threads=1,2,4");
  EXPECT_EQ(axis.name, "threads");
  EXPECT_THAT(axis.values, ElementsAre("1", "2", "4"));
  EXPECT_THAT(values_of("device=cpu"), ElementsAre("cpu"));
  EXPECT_EQ(parse_axis("undulating.amplitude_m=0.001,0.002").name, "undulating.amplitude_m");
}

TEST(Axis, ReadsRangesThatIncludeTheStop) {
  EXPECT_THAT(values_of("seed=42:45"), ElementsAre("42", "43", "44", "45"));
  EXPECT_THAT(values_of("size=256:1024:256"), ElementsAre("256", "512", "768", "1024"));
  EXPECT_THAT(values_of("a=0:10:3"), ElementsAre("0", "3", "6", "9"));
  EXPECT_THAT(values_of("a=5:5:1"), ElementsAre("5"));
  EXPECT_THAT(values_of("a=3:1:-1"), ElementsAre("3", "2", "1"));
  EXPECT_THAT(values_of("a=-1:1:0.5"), ElementsAre("-1", "-0.5", "0", "0.5", "1"));
}

TEST(Axis, StepsInExactDecimals) {
  EXPECT_THAT(values_of("a=0.1:0.5:0.1"), ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values_of("a=0.001:0.003:0.0005"), ElementsAre("0.001", "0.0015", "0.002", "0.0025", "0.003"));
  // Every value is the decimal it should be: its text read back is the double nearest to i / 1000.
  const Values values = values_of("a=0:9.999:0.001");
  ASSERT_EQ(values.size(), 10000U);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(std::strtod(values[static_cast<std::size_t>(i)].c_str(), nullptr), i / 1000.0);
  for (const std::string& value : values) ASSERT_LE(value.size(), 5U) << value;
}

TEST(Axis, ReadsPowersOfTwo) {
  const Axis axis = parse_axis("batch[pow2]=4:10");
  EXPECT_EQ(axis.name, "batch");
  EXPECT_THAT(axis.values, ElementsAre("16", "32", "64", "128", "256", "512", "1024"));
  EXPECT_THAT(values_of("batch[pow2]=0:6:3"), ElementsAre("1", "8", "64"));
  EXPECT_THAT(values_of("batch[pow2]=1,3"), ElementsAre("2", "8"));
  EXPECT_THAT(values_of("batch[pow2]=62"), ElementsAre("4611686018427387904"));
}

struct Refused {
  const char* argument;
  const char* why;
};
class AxisRefuses : public testing::TestWithParam<Refused> {};

TEST_P(AxisRefuses, QuotingTheArgument) {
  const std::string message = test::error_of(ErrorKind::usage, [] { parse_axis(GetParam().argument); });
  EXPECT_THAT(message, HasSubstr(std::string("'") + GetParam().argument + "'"));
  EXPECT_THAT(message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, AxisRefuses,
    testing::Values(Refused{"", "expected NAME="}, Refused{"seed", "expected NAME="},
                    Refused{"=1", "expected NAME="}, Refused{"seed=", "is empty"},
                    Refused{"seed=1,,2", "is empty"}, Refused{"seed=1,2,1", "duplicate value"},
                    Refused{"a=1:2:0", "step is 0"}, Refused{"a=2:1", "leads away"},
                    Refused{"a=1:2:-1", "leads away"}, Refused{"a=1:2:3:4", "a range is"},
                    Refused{"a=1:x", "'x' is not a decimal"}, Refused{"a=1:2e1:1", "not a decimal"},
                    Refused{"a=:", "not a decimal"}, Refused{"a=0:10000", "10001 values"},
                    Refused{"a=0:1:0.000001", "1000001 values"},
                    Refused{"a=0:99999999999999:0.00000000000001", "too many digits"},
                    Refused{"a[pow2]=1:63", "from 0 to 62"}, Refused{"a[pow2]=x", "from 0 to 62"},
                    Refused{"a[pow3]=1:2", "not an axis name"}, Refused{"[pow2]=1:2", "not an axis name"},
                    Refused{"a b=1", "not an axis name"}));

TEST(AxisKind, OnlyTheNamesOfPropertiesAreNoParameters) {
  EXPECT_EQ(axis_kind("seed"), AxisKind::seed);
  EXPECT_EQ(axis_kind("width"), AxisKind::width);
  EXPECT_TRUE(is_image_kind(axis_kind("rig")));
  EXPECT_FALSE(is_image_kind(axis_kind("threads")));
  EXPECT_EQ(axis_kind("batch"), AxisKind::parameter);
  EXPECT_EQ(axis_kind("undulating.width"), AxisKind::parameter);
  for (const char* name : {"seed", "threads", "device", "replica", "rig", "imaging", "width", "height"})
    EXPECT_THAT(axis_names(), testing::Contains(name));
}

}  // namespace
}  // namespace aqbench
