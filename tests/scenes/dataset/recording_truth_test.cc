// A scan in another unit is found before a run.
// Boards and control points are read and checked with the cameras before a run.
#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "scenes/dataset/recording.h"
#include "scenes/images/mat_file.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = fs::path(AQBENCH_SOURCE_DIR) / "conformance/layouts/dtu";

// A voxel is observed unless 5 divides i + 2 j + 3 k (scripts/make_layouts.py).
TEST(DtuObserved, VoxelsBoxAndPlaneComeWithTheScanInMetres) {
  const auto observed = observed_of(read_recording(kFolder / "scan7"));
  ASSERT_TRUE(observed.has_value());
  EXPECT_LT((observed->voxels.low_m - Vec3(-0.2, -0.15, 0.9)).norm(), 1e-15);
  EXPECT_LT((observed->high_m - Vec3(0.2, 0.15, 1.1)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(observed->voxels.spacing_m, 0.025);
  EXPECT_EQ(observed->voxels.size, (std::array<std::size_t, 3>{17, 13, 9}));
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 13; ++j)
      for (int k = 0; k < 9; ++k)
        EXPECT_EQ(is_inside(observed->voxels, Vec3(-0.2, -0.15, 0.9) + 0.025 * Vec3(i + 0.4, j - 0.4, k)),
                  (i + 2 * j + 3 * k) % 5 != 0)
            << i << " " << j << " " << k;
  ASSERT_TRUE(observed->plane.has_value());
  EXPECT_LT((*observed->plane - Eigen::Vector4d(0.1, 0.02, -1, 1.005)).norm(), 1e-12);
  EXPECT_THAT(read_observed_plane(kFolder / "ObsMask/Plane7.mat"), ElementsAre(0.1, 0.02, -1, 1005));
  EXPECT_FALSE(observed_of(read_recording(kFolder.parent_path() / "tanks")).has_value());
}

TEST(DtuObserved, DamagedFilesAndMissingVariablesAreNamed) {
  const TemporaryDirectory directory;
  const fs::path mask = kFolder / "ObsMask/ObsMask7_10.mat", plane = kFolder / "ObsMask/Plane7.mat";
  const fs::path changed = directory.path() / "changed.mat";
  const std::string whole = read_file(mask);
  const auto refusal = [&](const std::string& bytes) {
    write_file(changed, bytes);
    return error_of(ErrorKind::input, [&] { read_observed(changed, {}, 1e-3); });
  };
  EXPECT_EQ(refusal(whole), "(no error)");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 20)), HasSubstr("changed.mat: is cut short"));
  std::string damaged = whole;
  damaged[150] = static_cast<char>(damaged[150] ^ 0x55);
  EXPECT_THAT(refusal(damaged), HasSubstr("its compressed data are damaged"));
  EXPECT_THAT(refusal(read_file(plane)), HasSubstr("expected the variable ObsMask"));
  EXPECT_THAT(refusal("MATLAB 7.3 MAT-file" + std::string(200, ' ')), HasSubstr("version 7.3 (HDF5)"));
  EXPECT_THAT(refusal("no"), HasSubstr("is no MATLAB file of level 5"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_observed(mask, mask, 1e-3); }),
              HasSubstr("expected the variable P of 4 values"));
}

std::string mat_error(const TemporaryDirectory& directory, const std::string& bytes) {
  return error_of(ErrorKind::input, [&] { read_mat_file(directory.file("a.mat", bytes)); });
}

TEST(HostileFiles, MatlabArraysAreNoLargerThanTheySay) {
  const TemporaryDirectory directory;
  for (const bool packed : {false, true}) {
    const auto read = read_mat_file(directory.file("a.mat", mat_of_bytes({2, 3}, "\1\2\3\4\5\6", packed)));
    ASSERT_EQ(read.at("A").size(), 6U);
    EXPECT_EQ(read.at("A")[4], 5);
    EXPECT_THAT(mat_error(directory, mat_of_bytes({2, 3}, "1234567", packed)),
                HasSubstr("array 'A' has 7 bytes of values, its size says 6 values"));
    for (const double side : {0.5, -1.0, 1e300, std::nan(""), 7e7}) {
      EXPECT_THAT(mat_error(directory, mat_of_bytes({0, side}, "", packed)), HasSubstr("2^26 values"))
          << side;
      EXPECT_THAT(mat_error(directory, mat_of_bytes({side, 0}, "", packed)), HasSubstr("2^26 values"))
          << side;
    }
  }
  const std::string promise = mat_of_bytes({1 << 13, 1 << 13}, "1", true, std::size_t{1} << 26U);
  EXPECT_THAT(mat_error(directory, promise), HasSubstr("damaged, cut short or too large"));
  const std::string zeros(std::size_t{1} << 24U, '\0');
  const std::string large = mat_of_bytes({1 << 12, 1 << 12}, zeros, true);
  EXPECT_LT(large.size(), 20'000U);
  const auto read = read_mat_file(directory.file("a.mat", large));
  EXPECT_EQ(read.at("A").size(), zeros.size());
  EXPECT_THAT(mat_error(directory, mat_of_bytes({1 << 12, 1 << 11}, zeros, true)),
              HasSubstr("its size says"));
}

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

class TruePoints : public testing::Test {
 protected:
  TruePoints() {
    recording_.rig =
        make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
    recording_.images.resize(2);
  }
  std::string refused_board(const std::string& text, const char* name = "board.json") {
    RecordingTruth truth;
    truth.board_file = dir_.file(name, text).string();
    return error_of(ErrorKind::input, [&] { check_true_points(recording_, truth); });
  }
  RecordingTruth control(const std::string& text) {
    RecordingTruth truth;
    truth.control_file = dir_.file("points.json", text).string();
    return truth;
  }
  std::string refused_points(const std::string& text) {
    return error_of(ErrorKind::input, [&] { check_true_points(recording_, control(text)); });
  }
  TemporaryDirectory dir_;
  Recording recording_;
};

std::string board_with(const std::string& corner) {
  return R"({"unit": "mm", "squares_x": 4, "square_size": 20, "corners": [)" + corner + "]}";
}

TEST_F(TruePoints, ABoardIsHeldAgainstTheCameras) {
  RecordingTruth truth;
  truth.board_file =
      dir_.file("good.json", board_with(R"({"id": 0, "pixels": {"cam00": [15.5, -0.5]}})")).string();
  check_true_points(recording_, truth);
  EXPECT_THAT(refused_board("{"), HasSubstr("board.json:1:"));
  EXPECT_THAT(refused_board(R"({"unit": "ft"})"),
              HasSubstr("board.json: unit: 'ft' is not one of m, cm, mm, um"));
  EXPECT_THAT(refused_board(board_with(R"({"id": 7, "pixels": {"cam99": [1, 1]}})")),
              HasSubstr("board.json: corners: pixels of corner 7: cam99: unknown camera"));
  EXPECT_THAT(refused_board(board_with(R"({"id": 7, "pixels": {"cam00": [16, 1]}})")),
              HasSubstr("corner 7: cam00: [16, 1] is outside its image of 16 x 12 px"));
  // Of the second frame, too.
  dir_.file("b_000000.json", board_with(""));
  dir_.file("b_000001.json", board_with(R"({"id": 7, "pixels": {"unknown": [1, 1]}})"));
  truth.board_file = (dir_ / "b_{frame}.json").string();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { check_true_points(recording_, truth); }),
              HasSubstr("b_000001.json: corners: pixels of corner 7"));
}

TEST_F(TruePoints, ControlPointsAreInMetresWithTheirDeviation) {
  const RecordingTruth truth = control(R"({"unit": "mm", "sigma": 0.5, "radius": 5, "points": [
      {"name": "A 1", "position": [0, 10, 1178]}, {"name": "B", "position": [0, 0, 1180], "sigma": 2}]})");
  check_true_points(recording_, truth);
  const ControlTruth read = true_control_points(truth, 0);
  ASSERT_EQ(read.points.size(), 2U);
  EXPECT_DOUBLE_EQ(read.radius_m, 0.005);
  EXPECT_EQ(read.points[0].name, "A 1");
  EXPECT_LT((read.points[0].position_m - Vec3(0, 0.01, 1.178)).norm(), 1e-12);
  EXPECT_DOUBLE_EQ(read.points[0].sigma_m, 0.0005);
  EXPECT_DOUBLE_EQ(read.points[1].sigma_m, 0.002);
}

TEST_F(TruePoints, ControlPointsThatCannotBeAreNamed) {
  const auto points = [](const std::string& list) { return R"({"unit": "mm", "points": [)" + list + "]}"; };
  EXPECT_THAT(refused_points(R"({"points": []})"), HasSubstr("points.json: 'unit' is missing"));
  EXPECT_THAT(refused_points(points("")), HasSubstr("points.json: points: is empty"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178]})")),
              HasSubstr("points[0]: sigma (standard deviation) is missing here and in the file"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178], "sigma": 0})")),
              HasSubstr("points[0].sigma: must be positive"));
  EXPECT_THAT(refused_points(points(R"({"name": "", "position": [0, 0, 1178], "sigma": 1})")),
              HasSubstr("points[0].name: must be one non-empty line"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 1178], "sigma": 1})")),
              HasSubstr("points[0].position: must be 3 numbers"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178], "sigma": 1},
                                       {"name": "a", "position": [0, 1, 1178], "sigma": 1})")),
              HasSubstr("points[1].name: duplicate 'a'"));
  // Metres declared as millimetres lie above the water.
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1.178], "sigma": 1})")),
              HasSubstr("points.json: points: no camera sees any of them"));
}

TEST(DatasetDigest, IsThatOfTheLinesOfSha256sum) {
  const TemporaryDirectory dir;
  std::filesystem::create_directories(dir / "images/cam00");
  dir.file("calibration.json", "{}");
  dir.file("images/cam00/b", "pixels");
  dir.file("images/cam00/a", "");
  const DatasetContents contents = read_contents(dir.path());
  ASSERT_EQ(contents.size(), 3U);
  EXPECT_EQ(contents.at("images/cam00/b").bytes, 6U);
  const ProgramAnswer answer = ask_program({"sh", "-c",
                                            "cd \"$0\" && find . -type f | sed 's,^./,,' | LC_ALL=C sort | "
                                            "xargs sha256sum | sha256sum | cut -c1-64",
                                            dir.path().string()},
                                           30);
  ASSERT_TRUE(answer.ok) << answer.problem;
  EXPECT_EQ(dataset_sha256(contents) + "\n", answer.output);
  dir.file("images/cam00/a", "x");
  EXPECT_NE(dataset_sha256(read_contents(dir.path())), dataset_sha256(contents));
}

}  // namespace
}  // namespace aqbench
