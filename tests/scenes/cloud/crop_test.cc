#include "scenes/cloud/crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenes/cloud/npy.h"
#include "scenes/cloud/transform.h"
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

class Transform : public testing::Test {
 protected:
  Similarity read(std::string_view text) const { return read_similarity(directory_.file("t.json", text)); }
  std::string error(std::string_view text) const {
    const auto path = directory_.file("t.json", text);
    const std::string message = error_of(ErrorKind::input, [&] { read_similarity(path); });
    const std::string name = path.string() + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }

  TemporaryDirectory directory_;
};

// A quarter turn about z: x to y, y to -x.
const std::string quarter = "[[0, -1, 0, 10], [1, 0, 0, 20], [0, 0, 1, 30], [0, 0, 0, 1]]";

TEST_F(Transform, BareArrayAndObjectMovePointsAndTurnNormals) {
  for (const std::string& text : {quarter, "{\"note\": 1, \"matrix\": " + quarter + "}"}) {
    const Similarity b_from_a = read(text);
    EXPECT_EQ(b_from_a.scale, 1);
    Reconstruction moved;
    moved.cloud.points_m = {{1, 2, 3}};
    moved.cloud.normals = {{1, 0, 0}};
    moved.cloud.confidence = {0.5f};
    moved.mesh = TriangleMesh{{{1, 2, 3}}, {}};
    apply(b_from_a, moved);
    EXPECT_EQ(moved.cloud.points_m[0], Vec3(8, 21, 33));
    EXPECT_EQ(moved.cloud.normals[0], Vec3(0, 1, 0));
    EXPECT_EQ(moved.cloud.confidence[0], 0.5f);
    EXPECT_EQ(moved.mesh->vertices_m[0], Vec3(8, 21, 33));
  }
}

TEST_F(Transform, ScaleIsFoundAndNormalsStayUnit) {
  const Eigen::AngleAxisd turn(0.7, Vec3(1, 2, -1).normalized());
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() = 0.001 * turn.toRotationMatrix();
  const Similarity b_from_a = similarity_from_matrix(matrix, "t");
  EXPECT_NEAR(b_from_a.scale, 0.001, 1e-15);
  EXPECT_TRUE(b_from_a.rotation().isApprox(turn.toRotationMatrix(), 1e-14));
  PointCloud cloud{{{1000, 0, 0}}, {Vec3(0.6, 0, 0.8), Vec3::Constant(std::nan(""))}, {}};
  apply(b_from_a, cloud);
  EXPECT_TRUE(cloud.points_m[0].isApprox(turn * Vec3(1, 0, 0), 1e-14));
  EXPECT_TRUE(cloud.normals[0].isApprox(turn * Vec3(0.6, 0, 0.8), 1e-14));
  EXPECT_TRUE(cloud.normals[1].array().isNaN().all());
}

TEST_F(Transform, JsonRoundTripIsExact) {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.1, Vec3::UnitY()).toRotationMatrix() * 1.5;
  matrix.topRightCorner<3, 1>() = Vec3(1.0 / 3, -0.1, 1e-9);
  const Similarity written = similarity_from_matrix(matrix, "t");
  const Json json = to_json(written);
  EXPECT_NEAR(json["scale"].get<double>(), 1.5, 1e-15);
  EXPECT_EQ(read(json.dump()).matrix(), matrix);
}

TEST_F(Transform, AcceptsMatricesRoundedToSixDecimals) {
  EXPECT_NO_THROW(read("[[0.866025,-0.5,0,0],[0.5,0.866025,0,0],[0,0,1,0],[0,0,0,1]]"));
  EXPECT_THAT(error("[[0.866,-0.5,0,0],[0.5,0.866,0,0],[0,0,1,0],[0,0,0,1]]"),
              HasSubstr("is not a rotation times a scale"));
}

TEST_F(Transform, ErrorsNameTheJsonPath) {
  EXPECT_EQ(error("[[1,0,0,0],[0,1,0,0],[0,0,1,0]]"), "must be 4 rows of 4 numbers");
  EXPECT_EQ(error("7"), "line 1: expected a row of 4 numbers");
  EXPECT_EQ(error("{}"), "'matrix' is missing");
  EXPECT_EQ(error("{\"matrix\": 1}"), "matrix: expected an array");
  EXPECT_EQ(error("{\"matrix\": [[1,0,0,0],[0,1,0],[0,0,1,0],[0,0,0,1]]}"),
            "matrix[1]: must be 4 numbers, got 3");
  EXPECT_EQ(error("{\"matrix\": [[1,0,0,0],[0,1,0,0],[0,\"x\",1,0],[0,0,0,1]]}"),
            "matrix[2][1]: expected a number");
  EXPECT_EQ(error("[[1,0,0,null],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"), "[0][3]: expected a number");
  EXPECT_THAT(error("[[1,0,0,NaN],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"), HasSubstr(":1:9: syntax error"));
  EXPECT_THAT(error("[[1,0,0,1e999],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"), HasSubstr("number overflow"));
  EXPECT_THAT(error(""), HasSubstr(":1:1: syntax error"));
  EXPECT_EQ(error(R"({"matrix": 1, "matrix": 2})"), "document: duplicate key 'matrix'");
  EXPECT_EQ(error(std::string(1'000'000, '[')), "nested deeper than 32 levels");
  std::string keys;
  for (int i = 0; i < 70'000; ++i) keys += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(error("{" + keys + "\"matrix\": 1}"), "document: more than 10000 keys");
}

TEST_F(Transform, SixteenNumbersGoByColumns) {
  const Similarity by_columns = read("{\"transformation\": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]}");
  EXPECT_EQ(by_columns.translation_m, Vec3(5, 6, 7));
  EXPECT_EQ(by_columns.linear * Vec3(1, 0, 0), Vec3(0, 1, 0));
  EXPECT_EQ(error("{\"transformation\": [1, 2]}"), "transformation: must be 16 numbers, got 2");
  EXPECT_EQ(error("{\"transformation\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,\"x\"]}"),
            "transformation[15]: expected a number");
}

TEST_F(Transform, RefusesWhatIsNoSimilarity) {
  EXPECT_EQ(error("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,2]]"), "matrix[3]: the bottom row is not 0 0 0 1");
  EXPECT_EQ(error("[[1,0,0,0],[0,1,0,0],[0,0,0,0],[0,0,0,1]]"), "matrix: is singular");
  EXPECT_EQ(error("[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,1]]"), "matrix: is singular");
  EXPECT_EQ(error("[[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]]"),
            "matrix: mirrors (its determinant is negative)");
  EXPECT_THAT(error("[[1,0.1,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"),
              HasSubstr("is not a rotation times a scale"));
  EXPECT_THAT(error("[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"),
              HasSubstr("is not a rotation times a scale"));
  Eigen::Matrix4d infinite = Eigen::Matrix4d::Identity();
  infinite(0, 3) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(ErrorKind::input, [&] { similarity_from_matrix(infinite, "t"); }),
            "t: matrix: a number is not finite");
}

}  // namespace
}  // namespace aqbench
