// A scan in another unit is found before a run.
#include "scenes/dataset/truth_unit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

class TruthUnit : public testing::Test {
 protected:
  TruthUnit() {
    recording_.rig = make_rig("ring12", {}, 1);
    recording_.images.resize(1);
  }
  // A square of 0.4 m at a depth, in millimetres; the tank is 1.178 m deep.
  std::string square(double z_mm) {
    return dir_
        .file("square.obj", fmt::format("v -200 -200 {0}\nv 200 -200 {0}\nv 200 200 {0}\nv -200 200 {0}\n"
                                        "f 1 3 2\nf 1 4 3\n",
                                        z_mm))
        .string();
  }
  static RecordingTruth truth_of(const std::string& unit, const std::string& file) {
    RecordingTruth truth;
    truth.source = "truth.json";
    truth.surface = SurfaceTruth{{file}, unit, {}};
    return truth;
  }
  void check(const std::string& unit, const std::string& file) const {
    check_truth_unit(recording_, truth_of(unit, file));
  }
  std::string refusal(const std::string& unit, const std::string& file) const {
    return error_of(ErrorKind::input, [&] { check(unit, file); });
  }
  TemporaryDirectory dir_;
  Recording recording_;
};

TEST_F(TruthUnit, TheRightOneIsTaken) {
  check("mm", square(1178));
  check("mm", square(1000));
  check("m", dir_.file("cloud.xyz", "0.1 0 1.178\n0 0.1 1.178\n0 0 1.178\n").string());
}

TEST_F(TruthUnit, AnotherOneIsAskedFor) {
  EXPECT_THAT(refusal("m", square(1178)),
              testing::AllOf(HasSubstr("truth.json: surface.unit: 'm' looks wrong for"),
                             HasSubstr("but in mm 100 % of it is in view, 1.")));
  EXPECT_THAT(refusal("um", square(1178)), HasSubstr("in um no camera sees it, but in mm"));
  EXPECT_THAT(refusal("", square(1178)), testing::AllOf(HasSubstr("surface.unit: missing; the unit of"),
                                                        HasSubstr("Likely mm: in mm 100 %")));
}

// Ten times as far away is possible, so it is not an error before a cloud contradicts it.
TEST_F(TruthUnit, ALikelierOneIsNamedIfTheDeclaredOneIsPossible) {
  const std::string file = square(1178);
  check("cm", file);
  EXPECT_THAT(likelier_truth_unit(recording_, truth_of("cm", file), 0),
              testing::AllOf(
                  HasSubstr("truth.json: surface.unit: 'cm' is likely wrong: in cm 100 % of it is in view"),
                  HasSubstr("but in mm 100 % of it is in view, 1.")));
  EXPECT_EQ(likelier_truth_unit(recording_, truth_of("mm", file), 0), "");
  EXPECT_EQ(likelier_truth_unit(recording_, RecordingTruth{}, 0), "");
}

TEST_F(TruthUnit, ATruthThatNoCameraSeesIsRefused) {
  EXPECT_THAT(refusal("mm", square(-1178)), HasSubstr("no camera sees any of"));
  EXPECT_THAT(refusal("", square(-1178)), testing::Not(HasSubstr("Likely")));
  EXPECT_THAT(refusal("mm", dir_.file("empty.xyz", "").string()), HasSubstr("empty.xyz"));
}

// The cameras look at 1 m2 of a floor of 400 m, whose numbers are metres.
TEST_F(TruthUnit, ASmallPartOfALargeTruthIsEnough) {
  check("m",
        dir_.file("floor.obj", "v -200 -200 1.2\nv 200 -200 1.2\nv 200 200 1.2\nv -200 200 1.2\nf 1 2 3 4\n")
            .string());
  std::string scan;
  for (int x = -60; x <= 60; ++x)
    for (int y = -60; y <= 60; ++y)
      scan += fmt::format("{} {} 1.2\n", 0.05 * x * std::abs(x), 0.05 * y * std::abs(y));
  check("m", dir_.file("floor.xyz", scan).string());
}

}  // namespace
}  // namespace aqbench
