// aqbench change, as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

class Change : public Folder {
 protected:
  // Writes a cloud of 10 000 points in millimetres, z down: a plane at z = 1000 with a step of `growth_mm`
  // towards -z where x > 0.
  void cloud(const char* name, double growth_mm, double seed) const {
    std::ofstream out(dir_ / name);
    for (int i = 0; i < 10000; ++i) {
      const double x = 200 * std::fmod(i * 0.7548776662 + seed, 1) - 100,
                   y = 200 * std::fmod(i * 0.5698402910 + seed, 1) - 100;
      const double noise_mm = 0.2 * (std::fmod(i * 0.3819660113 + 3 * seed, 1) - 0.5);
      out << x << ' ' << y << ' ' << 1000 + noise_mm - (x > 0 ? growth_mm : 0) << '\n';
    }
  }
};

TEST_F(Change, PlantedGrowthComesBackAsDistanceAndVolume) {
  cloud("before.xyz", 0, 0.1);
  cloud("after.xyz", 4, 0.6);
  const auto json =
      document_of(run("change before.xyz after.xyz --unit mm --json --csv points.csv --picture change.svg"));
  EXPECT_NEAR(json["distance"]["mean_mm"].get<double>(), 2, 0.1) << "half of the points grew by 4 mm";
  EXPECT_NEAR(json["distance"]["significant_up"].get<double>() / json["distance"]["measured"].get<double>(),
              0.5, 0.05);
  const auto& heights = json["heights"];
  const double expected_m3 = 0.004 * heights["ground_area_m2"].get<double>() / 2;
  EXPECT_NEAR(heights["volume_m3"]["value"].get<double>() / expected_m3, 1, 0.05)
      << "one column of cells lies across the step";
  EXPECT_LT(heights["volume_m3"]["low"].get<double>(), heights["volume_m3"]["value"].get<double>());
  std::ifstream points(dir_ / "points.csv");
  std::string line;
  std::getline(points, line);
  EXPECT_EQ(line, "x_m,y_m,z_m,nx,ny,nz,distance_mm,limit_mm,points_before,points_after");
  EXPECT_THAT(read_file(dir_ / "change.svg"), HasSubstr("Change from before.xyz to after.xyz"));
  const auto down = run("change before.xyz after.xyz --unit mm --up +z --json");
  EXPECT_NEAR(nlohmann::json::parse(down.out)["distance"]["mean_mm"].get<double>(), -2, 0.1);
  EXPECT_EQ(run("change before.xyz after.xyz --unit mm --json --threads 1").out,
            run("change before.xyz after.xyz --unit mm --json --threads 3").out);
}

TEST_F(Change, AStateComparedWithItselfHasNoChange) {
  cloud("same.xyz", 4, 0.3);
  const auto result = succeeded(run("change same.xyz same.xyz --unit mm"));
  EXPECT_THAT(result.out, HasSubstr("median +0 mm, mean +0 mm"));
  EXPECT_THAT(result.out, HasSubstr("significant  0.0 % positive, 0.0 % negative; by chance 5 %"));
}

// As the vertices of a mesh whose triangles have corners of their own, and scans that were merged twice.
TEST_F(Change, RepeatedPointsCountOnce) {
  cloud("before.xyz", 0, 0.1);
  cloud("after.xyz", 0, 0.6);
  write("often.xyz",
        read_file(dir_ / "after.xyz") + read_file(dir_ / "after.xyz") + read_file(dir_ / "after.xyz"));
  EXPECT_EQ(succeeded(run("change before.xyz often.xyz --unit mm --json")).out,
            succeeded(run("change before.xyz after.xyz --unit mm --json")).out);
}

TEST_F(Change, ALoneVerticalWallIsMeasured) {
  for (const char* const name : {"before.xyz", "after.xyz"}) {
    std::ofstream out(dir_ / name);
    const bool after = name[0] == 'a';
    for (int i = 0; i < 6000; ++i)
      out << 200 * std::fmod(i * 0.7548776662 + (after ? 0.3 : 0), 1) << ' ' << (after ? 3 : 0) << ' '
          << 200 * std::fmod(i * 0.5698402910, 1) << '\n';
  }
  const auto json = document_of(run("change before.xyz after.xyz --unit mm --json"));
  EXPECT_NEAR(std::abs(json["distance"]["median_mm"].get<double>()), 3, 1e-9);
  EXPECT_EQ(json["distance"]["measured"], json["distance"]["cores"]);
  EXPECT_TRUE(json["heights"]["volume_m3"].is_null());
  EXPECT_THAT(json["heights"]["reason"].get<std::string>(), HasSubstr("narrower than a cell"));
}

// A leaf of 100 x 100 x 12 mm whose upper face grows by 2 mm: 20 cm3, whatever its lower face does.
TEST_F(Change, TheVolumeOfABodyIsThatOfItsUpperSide) {
  for (const char* const name : {"before.xyz", "after.xyz"}) {
    std::ofstream out(dir_ / name);
    const bool after = name[0] == 'a';
    for (int i = 0; i < 20000; ++i) {
      const double shift = after ? 0.3 : 0;
      const double height = i % 2 == 0 ? (after ? 14 : 12) : 0;
      out << 100 * std::fmod(i * 0.7548776662 + shift, 1) << ' '
          << 100 * std::fmod(i * 0.5698402910 + shift, 1) << ' '
          << height + 0.1 * std::fmod(i * 0.3819660113 + shift, 1) << '\n';
    }
  }
  const auto heights = document_of(run("change before.xyz after.xyz --unit mm --up +z --json"))["heights"];
  EXPECT_NEAR(1e6 * heights["volume_m3"]["value"].get<double>(), 20, 0.2);
  EXPECT_NEAR(heights["ground_area_m2"].get<double>(), 0.01, 1e-4);
}

// 1 m2 that grew by 10 mm: its points lie on three lines, and cells between these have a volume of nothing.
TEST_F(Change, StepsAboveTheCellsAreRefused) {
  for (const char* const name : {"before.xyz", "after.xyz"}) {
    std::ofstream out(dir_ / name);
    out.precision(17);
    for (int i = 0; i < 6000; ++i)
      out << static_cast<float>(500000 + std::fmod(i * 0.7548776662, 1)) << ' '
          << static_cast<float>(5000000 + std::fmod(i * 0.5698402910, 1)) << ' '
          << static_cast<float>(3 + 0.001 * std::fmod(i * 0.3819660113, 1) + (name[0] == 'a' ? 0.01 : 0))
          << '\n';
  }
  expect_refused(run("change before.xyz after.xyz --up +z"),
                 "before.xyz: its coordinates are numbers of 32 bits, which have steps of 0.5 m");
}

// Places of UTM in numbers of 32 bits, with steps of 0.5 m in y: the surface is rounded to lines.
TEST_F(Change, StepsOfCoordinatesAreSaid) {
  for (const char* const name : {"before.xyz", "after.xyz"}) {
    std::ofstream out(dir_ / name);
    out.precision(12);
    const double shift = name[0] == 'a' ? 0.37 : 0.1;
    for (int i = 0; i < 6000; ++i) {
      const double x = 20 * std::fmod(i * 0.7548776662 + shift, 1),
                   y = 20 * std::fmod(i * 0.5698402910 + shift, 1);
      out << static_cast<float>(500000 + x) << ' ' << static_cast<float>(5000000 + y) << ' '
          << std::round(1024 * (3 + 0.3 * y)) / 1024 << '\n';  // which 32 bits hold
    }
  }
  const auto result = succeeded(run("change before.xyz after.xyz"));
  EXPECT_THAT(result.err,
              HasSubstr("before.xyz: its coordinates are numbers of 32 bits, which have steps of 0.5 m"));
  const auto json = nlohmann::json::parse(run("change before.xyz after.xyz --json").out);
  EXPECT_GT(json["distance"]["median_rounding_mm"].get<double>(), 1);
  EXPECT_LT(
      json["distance"]["significant_up"].get<double>() + json["distance"]["significant_down"].get<double>(),
      0.05 * json["distance"]["measured"].get<double>());
}

TEST_F(Change, WrongInputIsOneLineAndExitTwo) {
  cloud("before.xyz", 0, 0.1);
  write("few.xyz", "0 0 0\n1 1 1\n2 3 1\n");
  {
    std::ofstream out(dir_ / "far.xyz");
    for (int i = 0; i < 100; ++i) out << 9000 + i << ' ' << 9000 + i * 7 % 100 << " 1\n";
  }
  const auto refused = [&](const char* more, const char* why) {
    expect_refused(run(with({"change", "before.xyz"}, words(more))), why);
  };
  refused("missing.ply", "missing.ply");
  refused("few.xyz", "AFTER: has less than 30 points");
  refused("far.xyz", "do not overlap");
  refused("before.xyz --up z", "--up 'z': expected +x");
  refused("before.xyz --cylinder-mm 0", "--cylinder-mm");
  refused("before.xyz --cell-mm 0.0000001", "cells");
  refused("before.xyz --registration-mm -1", "--registration-mm -1: must not be negative");
}

}  // namespace
}  // namespace aqbench::testing
