// Images of calibration boards: OpenCV's detectors find what the truth says, dry and through water.

#include "scenes/dataset/board_stills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "core/files.h"
#include "core/json.h"
#include "scenes/dataset/board_truth.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

DatasetRequest request_of(const std::string& scene, const std::string& rig, std::vector<Override> settings) {
  DatasetRequest request;
  request.scene = scene;
  request.rig = rig;
  request.overrides = std::move(settings);
  return request;
}

struct SeenBoard {
  DatasetPlan plan;
  cv::Mat image;
  std::vector<cv::Point2f> corners;  // true
};

// As the camera number `index` of a rig sees a board.
SeenBoard seen_board(const std::string& scene, const std::string& rig, std::size_t index,
                     std::vector<Override> settings) {
  settings.push_back({"imaging", "bits", "8"});
  SeenBoard seen{plan_dataset(request_of(scene, rig, std::move(settings))), {}, {}};
  const PlacedBoard board = board_of(seen.plan.scene.parameters).value();
  const Camera& camera = seen.plan.rig.cameras[index];
  const RenderedImage image = Renderer(*seen.plan.scene.truth.surface, seen.plan.imaging, 3, {},
                                       board_paint(board, seen.plan.imaging.texture_contrast))
                                  .image(camera, index);
  seen.image = cv::Mat(image.height, image.width, CV_8U);
  std::ranges::copy(image.values, seen.image.begin<unsigned char>());
  const Json truth = parse_strict_json(corners_json(board, seen.plan.rig), "corners.json");
  for (const Json& corner : truth.at("corners")) {
    const Json& pixel = corner.at("pixels").at(camera.name);
    seen.corners.emplace_back(pixel[0].get<float>(), pixel[1].get<float>());
  }
  return seen;
}

double farthest(const std::vector<cv::Point2f>& found, const std::vector<cv::Point2f>& corners) {
  double far = 0;
  for (const cv::Point2f& one : found) {
    double nearest = INFINITY;
    for (const cv::Point2f& corner : corners) nearest = std::min(nearest, cv::norm(one - corner));
    far = std::max(far, nearest);
  }
  return far;
}

std::vector<cv::Point2f> refined(const cv::Mat& image, std::vector<cv::Point2f> found) {
  cv::cornerSubPix(image, found, {5, 5}, {-1, -1},
                   {cv::TermCriteria::EPS + cv::TermCriteria::COUNT, 50, 1e-4});
  return found;
}

std::vector<Override> board_settings(const std::string& scene,
                                     std::vector<std::pair<const char*, const char*>> all) {
  std::vector<Override> settings;
  for (const auto& [name, value] : all) settings.push_back({scene, name, value});
  return settings;
}

void expect_chessboard(const SeenBoard& seen, double within_px) {
  std::vector<cv::Point2f> found;
  ASSERT_TRUE(cv::findChessboardCorners(seen.image, {7, 5}, found));
  found = refined(seen.image, found);
  ASSERT_EQ(found.size(), 35u);
  EXPECT_LT(farthest(found, seen.corners), within_px);
  EXPECT_LT(farthest(seen.corners, found), within_px);
}

TEST(BoardImages, OpenCvFindsAChessboardsCornersInAir) {
  expect_chessboard(
      seen_board("checkerboard", "stereo", 0,
                 board_settings("checkerboard", {{"depth_m", "-0.1"}, {"rx_deg", "20"}, {"rz_deg", "8"}})),
      0.1);
}

TEST(BoardImages, OpenCvFindsAChessboardsCornersThroughWaterAndPorts) {
  expect_chessboard(seen_board("checkerboard", "ring12", 1,
                               board_settings("checkerboard", {{"square_m", "0.05"}, {"ry_deg", "10"}})),
                    0.1);
  expect_chessboard(
      seen_board("checkerboard", "port_stereo", 0, board_settings("checkerboard", {{"ry_deg", "10"}})), 0.1);
}

// The board of AquaCal's calibrations; its odd number of rows makes it the same in all versions of OpenCV,
// which up to 4.6 counts rows from the bottom.
TEST(BoardImages, OpenCvFindsAndNumbersACharucoBoardsCorners) {
  const SeenBoard seen = seen_board("charuco", "ring12", 2,
                                    board_settings("charuco", {{"squares_y", "5"},
                                                               {"square_m", "0.04"},
                                                               {"marker_m", "0.03"},
                                                               {"dictionary", "DICT_6X6_250"},
                                                               {"rx_deg", "-8"},
                                                               {"rz_deg", "120"}}));
  const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_6X6_250);
  std::vector<std::vector<cv::Point2f>> markers;
  std::vector<int> ids, corner_ids;
  cv::aruco::detectMarkers(seen.image, dictionary, markers, ids);
  std::vector<int> sorted = ids;
  std::ranges::sort(sorted);
  ASSERT_EQ(sorted.size(), 20u);
  for (int id = 0; id < 20; ++id) EXPECT_EQ(sorted[static_cast<std::size_t>(id)], id);
  std::vector<cv::Point2f> found;
  cv::aruco::interpolateCornersCharuco(markers, ids, seen.image,
                                       cv::aruco::CharucoBoard::create(8, 5, 0.04F, 0.03F, dictionary), found,
                                       corner_ids);
  ASSERT_EQ(found.size(), 28u);
  found = refined(seen.image, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int row = corner_ids[i] / 7, column = corner_ids[i] % 7;
    EXPECT_LT(cv::norm(found[i] - seen.corners[static_cast<std::size_t>(7 * row + column)]), 0.1)
        << corner_ids[i];
  }
}

// A marker of 5 x 5 bits lies right, upright and unmirrored: its first corner is the one at the smallest x
// and y.
TEST(BoardImages, MarkersStandUpright) {
  const SeenBoard seen = seen_board("charuco", "stereo", 0, board_settings("charuco", {{"depth_m", "-0.2"}}));
  std::vector<std::vector<cv::Point2f>> markers;
  std::vector<int> ids;
  cv::aruco::detectMarkers(seen.image, cv::aruco::getPredefinedDictionary(cv::aruco::DICT_5X5_100), markers,
                           ids);
  ASSERT_EQ(ids.size(), 24u);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int row = ids[i] / 4;
    if (row == 0 || row == 5) continue;
    const int column = 2 * (ids[i] % 4) + (row % 2 == 0 ? 1 : 0);
    if (column == 0 || column == 7) continue;
    const cv::Point2f square = seen.corners[static_cast<std::size_t>(7 * (row - 1) + column - 1)],
                      across = seen.corners[static_cast<std::size_t>(7 * row + column)];
    EXPECT_LT(cv::norm(markers[i][0] - (square + 0.125 * (across - square))), 2) << ids[i];
    EXPECT_LT(cv::norm(markers[i][2] - (square + 0.875 * (across - square))), 2) << ids[i];
  }
}

// The pixel of a point under level water by bisection for the place where Snell's law holds, and by OpenCV's
// lens.
Vec2 pixel_by_bisection(const Camera& camera, const Vec3& point_m) {
  const Vec3 centre_m = camera_centre_m(camera.camera_from_world);
  const WaterInterface water = *level_water(camera);
  const double above_m = water.water_z_m - centre_m.z(), below_m = point_m.z() - water.water_z_m;
  const Vec2 along = (point_m - centre_m).head<2>();
  double low = 0, high = along.norm();
  for (int i = 0; i < 200; ++i) {
    const double at = (low + high) / 2, rest = along.norm() - at;
    const bool bends_too_little =
        water.n_air * at / std::hypot(at, above_m) < water.n_water * rest / std::hypot(rest, below_m);
    (bends_too_little ? low : high) = at;
  }
  const Vec2 crossing = centre_m.head<2>() + low * along.normalized();
  const Vec3 seen = camera.camera_from_world.rotation * Vec3(crossing.x(), crossing.y(), water.water_z_m) +
                    camera.camera_from_world.translation_m;
  std::vector<cv::Point2d> pixels;
  const Mat3 k = camera.intrinsics.K;
  const cv::Matx33d matrix(k(0, 0), 0, k(0, 2), 0, k(1, 1), k(1, 2), 0, 0, 1);
  cv::projectPoints(std::vector{cv::Point3d(seen.x(), seen.y(), seen.z())}, cv::Vec3d(), cv::Vec3d(), matrix,
                    camera.intrinsics.distortion, pixels);
  return {pixels[0].x, pixels[0].y};
}

TEST(BoardTruth, CornersAreWhereSnellsLawPutsThem) {
  const DatasetPlan plan = plan_dataset(
      request_of("charuco", "ring12", board_settings("charuco", {{"rx_deg", "15"}, {"y_m", "0.2"}})));
  const Json truth =
      parse_strict_json(corners_json(board_of(plan.scene.parameters).value(), plan.rig), "corners.json");
  ASSERT_EQ(truth.at("corners").size(), 35u);
  std::size_t compared = 0;
  for (const Json& corner : truth.at("corners")) {
    const Json& at = corner.at("position");
    for (const Camera& camera : plan.rig.cameras) {
      const Vec2 expected =
          pixel_by_bisection(camera, {at[0].get<double>(), at[1].get<double>(), at[2].get<double>()});
      const bool inside = expected.minCoeff() >= 0 && expected.x() <= camera.intrinsics.width_px - 1 &&
                          expected.y() <= camera.intrinsics.height_px - 1;
      ASSERT_EQ(corner.at("pixels").contains(camera.name), inside);
      if (!inside) continue;
      const Json& pixel = corner.at("pixels").at(camera.name);
      EXPECT_NEAR(pixel[0].get<double>(), expected.x(), 1e-9);
      EXPECT_NEAR(pixel[1].get<double>(), expected.y(), 1e-9);
      ++compared;
    }
  }
  EXPECT_GT(compared, 35u * 12u);
}

TEST(BoardTruth, CornersThatAreNotSeenSayWhy) {
  const auto reasons = [](const std::string& rig, const std::vector<Override>& settings) {
    const DatasetPlan plan = plan_dataset(request_of("checkerboard", rig, settings));
    const Json truth =
        parse_strict_json(corners_json(board_of(plan.scene.parameters).value(), plan.rig), "corners.json");
    const Json& hidden = truth.at("corners").at(0).at("not_visible");
    return hidden.empty() ? std::string() : hidden.begin()->get<std::string>();
  };
  const auto with = [](std::vector<std::pair<const char*, const char*>> all) {
    return board_settings("checkerboard", std::move(all));
  };
  EXPECT_EQ(reasons("stereo", with({{"depth_m", "0"}})), "");
  EXPECT_EQ(reasons("stereo", with({{"depth_m", "0"}, {"x_m", "5"}})), "outside the image");
  EXPECT_EQ(reasons("stereo", with({{"depth_m", "0"}, {"rx_deg", "180"}})),
            "the camera sees the board's back");
  EXPECT_EQ(reasons("stereo", with({{"depth_m", "-2"}})), "no ray from the camera reaches it");
  EXPECT_EQ(reasons("stereo", with({{"depth_m", "200"}})), "farther away than 100 m");
}

class BoardStills : public ::testing::Test {
 protected:
  std::vector<DatasetPlan> plan(const std::string& poses, std::vector<Override> settings = {}) const {
    write_file(dir_ / "poses.json", poses);
    DatasetRequest request = request_of("charuco", "sparse4", std::move(settings));
    request.width_px = 160;
    return plan_board_stills(request, dir_ / "poses.json");
  }
  TemporaryDirectory dir_;
};

TEST_F(BoardStills, OneOfEachPoseWithItsCorners) {
  const auto stills = plan(
      R"([{"rotation": [0, 0, 0], "translation": [-0.1, -0.05, 1.1]},
          {"rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]], "translation": [0.05, -0.05, 1.15]},
          {"frame_idx": 2, "rvec": [0, 0, 1.5707963267948966], "tvec": [0.05, -0.05, 1.15]}])");
  ASSERT_EQ(stills.size(), 3u);
  write_board_stills(stills, dir_ / "out");
  const auto corner = [&](const char* still, std::size_t id) {
    const Json truth = read_strict_json(dir_ / "out/truth/corners" / still);
    const Json& at = truth.at("corners").at(id).at("position");
    return Vec3(at[0].get<double>(), at[1].get<double>(), at[2].get<double>());
  };
  EXPECT_LT((corner("000000.json", 8) - Vec3(-0.1 + 0.06, -0.05 + 0.06, 1.1)).norm(), 1e-14);
  EXPECT_LT((corner("000001.json", 6) - Vec3(0.05 - 0.03, -0.05 + 0.21, 1.15)).norm(), 1e-14);
  EXPECT_LT((corner("000002.json", 6) - Vec3(0.05 - 0.03, -0.05 + 0.21, 1.15)).norm(), 1e-14);
  const auto image = [&](const char* still) {
    return cv::imread((dir_ / "out/images/cam01" / still).string(), cv::IMREAD_GRAYSCALE);
  };
  EXPECT_GT(cv::norm(image("000000.png"), image("000001.png"), cv::NORM_INF), 100);
  const double noise = cv::norm(image("000002.png"), image("000001.png"), cv::NORM_INF);
  EXPECT_GT(noise, 0) << "stills have noise of their own";
  EXPECT_LT(noise, 30);
  // It is a recording of three frames with a board.
  const Recording recording = read_recording(dir_ / "out");
  ASSERT_EQ(recording.images.size(), 3u);
  const RecordingTruth truth = find_recording_truth(recording, {});
  check_true_points(recording, truth);
  EXPECT_EQ(true_board(truth, 2).corners.at(6).position_m, corner("000002.json", 6));
}

TEST_F(BoardStills, WrongPosesAreNamed) {
  const auto refused = [&](const std::string& poses) {
    return error_of(ErrorKind::input, [&] { plan(poses); });
  };
  EXPECT_THAT(refused("[]"), HasSubstr("poses.json: holds no pose"));
  EXPECT_THAT(refused(R"([{"rotation": [0, 0, 0]}])"), HasSubstr("[0]: 'translation' is missing"));
  EXPECT_THAT(refused(R"([{"rotation": [0, 0], "translation": [0, 0, 1]}])"),
              HasSubstr("[0].rotation: must be 3 numbers"));
  EXPECT_THAT(refused(R"([{"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]], "translation": [0, 0, 1]}])"),
              HasSubstr("[0].rotation: is not a rotation"));
  EXPECT_THAT(refused(R"([{"rotation": [0, 0, 0], "translation": [0, 0, 1.1]},
                          {"rotation": [0, 0, 0], "translation": [0, 0, 0.5]}])"),
              HasSubstr("poses.json: pose 1: charuco: 99 of its 99 vertices are not below the water"));
  EXPECT_THAT(
      error_of(ErrorKind::usage,
               [&] {
                 plan(R"([{"rotation": [0, 0, 0], "translation": [0, 0, 1.1]}])", {{"charuco", "x_m", "1"}});
               }),
      HasSubstr("charuco.x_m: --poses says where the board is"));
}

}  // namespace
}  // namespace aqbench
