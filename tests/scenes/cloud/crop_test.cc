#include "scenes/cloud/crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "scenes/cloud/npy.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

Crop crop_of(const std::string& text, double metres_per_unit = 1) {
  Crop crop;
  add_crop(crop, text, metres_per_unit);
  return crop;
}

std::string error(const std::string& text) {
  return error_of(ErrorKind::input, [&] { crop_of(text); });
}

TEST(Crop, BoxesAndHeightsIncludeTheirSides) {
  const Crop box = crop_of("box:0,0,0,10,20,30", 0.1);
  EXPECT_TRUE(box.contains({0, 0, 0}));
  EXPECT_TRUE(box.contains({1, 2, 3}));
  EXPECT_FALSE(box.contains({1, 2.001, 3}));
  const Crop height = crop_of("z:-1,1");
  EXPECT_TRUE(height.contains({1e9, -1e9, 1}));
  EXPECT_FALSE(height.contains({0, 0, 1.001}));
  EXPECT_TRUE(Crop{}.contains({1, 2, 3}));
}

TEST(Crop, PartsMustAllHold) {
  Crop crop = crop_of("x:0,1");
  add_crop(crop, "y:0,1");
  EXPECT_TRUE(crop.contains({0.5, 0.5, 9}));
  EXPECT_FALSE(crop.contains({0.5, 1.5, 9}));
}

// The format of Tanks and Temples' Barn.json: a concave polygon about the axis y.
TEST(Crop, PrismOverAConcavePolygon) {
  const TemporaryDirectory directory;
  const auto file = directory.file(
      "crop.json",
      R"({"class_name": "SelectionPolygonVolume", "version_major": 1, "version_minor": 0, "orthogonal_axis": "Y",
          "axis_min": -1, "axis_max": 2,
          "bounding_polygon": [[0, 7, 0], [4, 7, 0], [4, 7, 4], [2, 7, 1], [0, 7, 4]]})");
  const Crop crop = crop_of(file.string());
  EXPECT_TRUE(crop.contains({0.5, 0, 1}));
  EXPECT_TRUE(crop.contains({3.5, 2, 2}));
  EXPECT_FALSE(crop.contains({2, 0, 2}));  // in the notch
  EXPECT_FALSE(crop.contains({0.5, 2.1, 1}));
  EXPECT_FALSE(crop.contains({-0.1, 0, 1}));
  EXPECT_TRUE(crop_of(file.string(), 0.001).contains({0.0005, 0, 0.001}));
}

// Voxels 1 cm apart: of 3 x 2 x 1, only (1, 0, 0) and (2, 1, 0) were observed.
TEST(Crop, MaskOfVoxelsThatWereObserved) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "a,b.npy";
  const std::vector<float> observed = {0, 0, 1, 0, 0, 2};
  write_npy(file, observed, std::vector<std::size_t>{3, 2, 1});
  const Crop crop = crop_of("mask:" + file.string() + ",100,0,0,10", 0.001);
  EXPECT_TRUE(crop.contains({0.11, 0, 0}));
  EXPECT_TRUE(crop.contains({0.1149, -0.0049, 0.0049}));
  EXPECT_TRUE(crop.contains({0.12, 0.01, 0}));
  EXPECT_FALSE(crop.contains({0.12, 0, 0}));
  EXPECT_FALSE(crop.contains({0.11, 0.01, 0}));
  EXPECT_FALSE(crop.contains({0.11, 0, 0.0151}));  // beside the volume
  EXPECT_FALSE(crop.contains({-1, 0, 0}));
  EXPECT_EQ(to_json(crop)[0].at("mask").at("observed"), 2);
  EXPECT_THAT(error("mask:" + file.string() + ",0,0,0,0"),
              HasSubstr("spacing of the mask's voxels must be positive"));
  EXPECT_THAT(error("mask:m.npy,1,2"), HasSubstr("expected mask:FILE.npy,X0,Y0,Z0,SPACING"));
  const auto neither = directory.path() / "nan.npy";
  write_npy(neither, std::vector<float>{0, NAN}, std::vector<std::size_t>{2, 1, 1});
  EXPECT_THAT(error("mask:" + neither.string() + ",0,0,0,1"),
              HasSubstr("nan.npy: a value of the mask is not finite"));
  EXPECT_THAT(error("mask:nowhere.npy,0,0,0,1"), HasSubstr("nowhere.npy: no such file"));
}

TEST(Crop, ErrorsNameTheTextOrTheField) {
  EXPECT_EQ(error("box:1,2,3"), "crop 'box:1,2,3': 3 numbers, expected 6");
  EXPECT_EQ(error("z:2,1"), "crop 'z:2,1': the lower bound is above the upper one");
  EXPECT_EQ(error("x:a,1"), "crop 'x:a,1': 'a' is not a finite number");
  EXPECT_THAT(error("nothing.json"), HasSubstr("nothing.json: no such file"));
  const TemporaryDirectory directory;
  const auto file = directory.file("c.json", R"({"orthogonal_axis": "W"})");
  EXPECT_THAT(error(file.string()), HasSubstr("orthogonal_axis: expected X, Y or Z"));
}

}  // namespace
}  // namespace aqbench
