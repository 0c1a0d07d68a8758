#include "scenes/dataset/covariance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "scenes/dataset/perturb.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

class Covariance : public ::testing::Test {
 protected:
  CalibrationError drawn(const std::string& file, std::uint64_t seed, std::vector<Override> more = {}) const {
    more.push_back({"perturb", "covariance", dir_.file("covariance.json", file).string()});
    return calibration_error(resolve_parameters("perturb", perturb_parameters(), more), seed);
  }
  std::string refused(const std::string& file) const {
    return error_of(ErrorKind::input, [&] { drawn(file, 1); });
  }
  static std::string of_two(const char* matrix) {
    return std::string(R"({"parameters": ["water_z_m", "n_water"], "units": ["m", "1"], "matrix": )") +
           matrix + "}";
  }

  TemporaryDirectory dir_;
};

// Standard deviations of 1 mm and 0.004, correlation -0.6.
TEST_F(Covariance, DrawsHaveIt) {
  const std::string file = of_two("[[1e-6, -2.4e-6], [-2.4e-6, 1.6e-5]]");
  constexpr int kSeeds = 1000;
  double zz = 0, nn = 0, zn = 0, z = 0, n = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const CalibrationError error = drawn(file, static_cast<std::uint64_t>(seed));
    zz += error.water_z_m * error.water_z_m;
    nn += error.n_water * error.n_water;
    zn += error.water_z_m * error.n_water;
    z += error.water_z_m;
    n += error.n_water;
    EXPECT_EQ(error.tilt_deg, 0);
  }
  // Five standard errors each.
  const double one = 1 / std::sqrt(kSeeds);
  EXPECT_NEAR(zz / kSeeds, 1e-6, 5 * std::sqrt(2) * one * 1e-6);
  EXPECT_NEAR(nn / kSeeds, 1.6e-5, 5 * std::sqrt(2) * one * 1.6e-5);
  EXPECT_NEAR(zn / kSeeds, -2.4e-6, 5 * std::sqrt(1 + 0.36) * one * 4e-6);
  EXPECT_NEAR(z / kSeeds, 0, 5 * one * 1e-3);
  EXPECT_NEAR(n / kSeeds, 0, 5 * one * 4e-3);
}

TEST_F(Covariance, ASingularOneMovesErrorsTogetherAndAddsToOthers) {
  const std::string file =
      R"({"parameters": ["dome_z_m", "water_z_m", "focal_pct"], "units": ["mm", "mm", "%"],
          "matrix": [[4, 6, 0], [6, 9, 0], [0, 0, 0]]})";
  const CalibrationError error = drawn(file, 3, {{"perturb", "water_z_m", "0.01"}});
  EXPECT_NE(error.dome_z_m, 0);
  EXPECT_LT(std::abs(error.dome_z_m), 0.02);
  EXPECT_NEAR(error.water_z_m - 0.01, 1.5 * error.dome_z_m, 1e-12);
  EXPECT_EQ(error.focal_pct, 0);
  // The order of names changes nothing.
  const CalibrationError other = drawn(
      R"({"parameters": ["water_z_m", "dome_z_m"], "units": ["m", "m"], "matrix": [[9e-6, 6e-6], [6e-6, 4e-6]]})",
      3);
  EXPECT_NEAR(other.dome_z_m, error.dome_z_m, 1e-12);
}

TEST_F(Covariance, WhatIsNoneIsRefused) {
  EXPECT_THAT(refused(of_two("[[1, 0.5], [0.4, 1]]")),
              HasSubstr("covariance.json: matrix: is not symmetric"));
  EXPECT_THAT(refused(of_two("[[1, 2], [2, 1]]")), HasSubstr("matrix: is not positive semidefinite"));
  EXPECT_THAT(refused(of_two("[[1, 0.1], [0.1, 0]]")), HasSubstr("matrix: is not "));
  EXPECT_THAT(refused(of_two("[[1, 0], [0, -1]]")), HasSubstr("matrix: [1][1] is negative"));
  EXPECT_THAT(refused(of_two("[[1, 0]]")), HasSubstr("matrix: must have 2 rows"));
  EXPECT_THAT(refused(of_two("[[1, 0], [0]]")), HasSubstr("matrix[1]: must have 2 numbers"));
  EXPECT_THAT(refused(of_two("[[1, 0], [0, \"x\"]]")), HasSubstr("matrix[1][1]"));
  EXPECT_THAT(refused(R"({"parameters": ["water_m"], "units": ["m"], "matrix": [[1]]})"),
              HasSubstr("parameters[0]: unknown error 'water_m'; did you mean water_z_m"));
  EXPECT_THAT(
      refused(
          R"({"parameters": ["water_z_m", "water_z_m"], "units": ["m", "m"], "matrix": [[1, 0], [0, 1]]})"),
      HasSubstr("parameters[1]: 'water_z_m' is there twice"));
  EXPECT_THAT(refused(R"({"parameters": ["tilt_deg"], "units": ["rad"], "matrix": [[1]]})"),
              HasSubstr("units[0]: 'rad' is no unit of tilt_deg, which is in deg"));
  EXPECT_THAT(refused(R"({"parameters": ["tilt_deg"], "matrix": [[1]]})"), HasSubstr("'units' is missing"));
  EXPECT_THAT(refused(R"({"parameters": ["tilt_deg"], "units": [], "matrix": [[1]]})"),
              HasSubstr("units: must have 1"));
  EXPECT_THAT(refused(R"({"parameters": [], "units": [], "matrix": []})"), HasSubstr("parameters: is empty"));
  EXPECT_THAT(refused(R"({"parameters": ["camera_k1"], "units": ["1"], "matrix": [[1]]})"),
              HasSubstr("'camera_k1'"));
}

}  // namespace
}  // namespace aqbench
