// aqbench change, as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

class Change : public ::testing::Test {
 protected:
  // Writes a cloud of 10 000 points in millimetres, z down: a plane at z = 1000 with a step of `growth_mm`
  // towards -z where x > 0.
  std::string cloud(const char* name, double growth_mm, double seed) const {
    const std::string file = (dir_ / name).string();
    std::ofstream out(file);
    for (int i = 0; i < 10000; ++i) {
      const double x = 200 * std::fmod(i * 0.7548776662 + seed, 1) - 100,
                   y = 200 * std::fmod(i * 0.5698402910 + seed, 1) - 100;
      const double noise_mm = 0.2 * (std::fmod(i * 0.3819660113 + 3 * seed, 1) - 0.5);
      out << x << ' ' << y << ' ' << 1000 + noise_mm - (x > 0 ? growth_mm : 0) << '\n';
    }
    return file;
  }

  TemporaryDir dir_;
};

TEST_F(Change, PlantedGrowthComesBackAsDistanceAndVolume) {
  const std::string before = cloud("before.xyz", 0, 0.1), after = cloud("after.xyz", 4, 0.6);
  const std::string csv = (dir_ / "points.csv").string(), picture = (dir_ / "change.svg").string();
  const auto result =
      run_program({"change", before, after, "--unit", "mm", "--json", "--csv", csv, "--picture", picture});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_NEAR(json["distance"]["mean_mm"].get<double>(), 2, 0.1) << "half of the points grew by 4 mm";
  EXPECT_NEAR(json["distance"]["significant_up"].get<double>() / json["distance"]["measured"].get<double>(),
              0.5, 0.05);
  const auto& heights = json["heights"];
  const double expected_m3 = 0.004 * heights["ground_area_m2"].get<double>() / 2;
  EXPECT_NEAR(heights["volume_m3"]["value"].get<double>() / expected_m3, 1, 0.05)
      << "one column of cells lies across the step";
  EXPECT_LT(heights["volume_m3"]["low"].get<double>(), heights["volume_m3"]["value"].get<double>());
  std::ifstream points(csv);
  std::string line;
  std::getline(points, line);
  EXPECT_EQ(line, "x_m,y_m,z_m,nx,ny,nz,distance_mm,limit_mm,points_before,points_after");
  std::ifstream drawn(picture);
  const std::string svg{std::istreambuf_iterator<char>(drawn), {}};
  EXPECT_THAT(svg, HasSubstr("Change from before.xyz to after.xyz"));
  const auto down = run_program({"change", before, after, "--unit", "mm", "--up", "+z", "--json"});
  EXPECT_NEAR(nlohmann::json::parse(down.out)["distance"]["mean_mm"].get<double>(), -2, 0.1);
  EXPECT_EQ(run_program({"change", before, after, "--unit", "mm", "--json", "--threads", "1"}).out,
            run_program({"change", before, after, "--unit", "mm", "--json", "--threads", "3"}).out);
}

TEST_F(Change, AStateComparedWithItselfHasNoChange) {
  const std::string file = cloud("same.xyz", 4, 0.3);
  const auto result = run_program({"change", file, file, "--unit", "mm"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("median +0 mm, mean +0 mm"));
  EXPECT_THAT(result.out, HasSubstr("significant  0.0 % up, 0.0 % down; by chance 5 %"));
}

TEST_F(Change, WrongInputIsOneLineAndExitTwo) {
  const std::string before = cloud("before.xyz", 0, 0.1);
  const std::string far = (dir_ / "far.xyz").string(), few = (dir_ / "few.xyz").string();
  std::ofstream(few) << "0 0 0\n1 1 1\n2 3 1\n";
  {
    std::ofstream out(far);
    for (int i = 0; i < 100; ++i) out << 9000 + i << ' ' << 9000 + i * 7 % 100 << " 1\n";
  }
  const auto refused = [&](const Arguments& arguments, const char* why) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused({"change", before, "missing.ply"}, "missing.ply");
  refused({"change", before, few}, "AFTER: has less than 30 points");
  refused({"change", before, far}, "do not overlap");
  refused({"change", before, before, "--up", "z"}, "--up 'z': expected +x");
  refused({"change", before, before, "--cylinder-mm", "0"}, "--cylinder-mm");
  refused({"change", before, before, "--cell-mm", "0.0000001"}, "cells");
  refused({"change", before, before, "--registration-mm", "-1"},
          "--registration-mm -1: must not be negative");
}

}  // namespace
}  // namespace aqbench::testing
