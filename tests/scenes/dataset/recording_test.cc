#include "scenes/dataset/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/error.h"
#include "core/files.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

class RecordingFolder : public testing::Test {
 protected:
  RecordingFolder() {
    rig_ = make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
  }
  void write_image(const std::string& name, int width = 16, int height = 12) const {
    const std::filesystem::path file = dir() / name;
    std::filesystem::create_directories(file.parent_path());
    std::vector<std::uint16_t> values(static_cast<std::size_t>(width * height), 100);
    write_file(file, encode_png(width, height, 8, values));
  }
  void write_text(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((dir() / name).parent_path());
    write_file(dir() / name, text);
  }
  void write_cameras() const { write_calibration(dir() / "calibration.json", rig_, {"d", "s", "h"}); }
  const std::string& camera(std::size_t i) const { return rig_.cameras[i].name; }
  std::string read_refusal() const {
    return error_of(ErrorKind::input, [&] { inspect_recording(read_recording(dir())); });
  }
  std::filesystem::path dir() const { return folder_.path(); }

  TemporaryDirectory folder_;
  Rig dry() const {
    Rig rig = rig_;
    set_interface(rig, NoInterface{});
    return rig;
  }

  Rig rig_;
};

TEST_F(RecordingFolder, FramesAreTheFilesThatAllCamerasHave) {
  write_cameras();
  for (const Camera& camera : rig_.cameras)
    for (const char* const frame : {"t10.png", "t09.png", "t11.png"}) write_image(camera.name + "/" + frame);
  const Recording recording = read_recording(dir());
  ASSERT_EQ(recording.images.size(), 3U);
  EXPECT_EQ(recording.images[1][0], dir() / camera(0) / "t10.png");
  EXPECT_EQ(inspect_recording(recording).size(), 3 * rig_.cameras.size() + 1);
  write_observation(recording, 2, dir() / "seen");
  EXPECT_EQ(read_file(dir() / "seen/calibration.json"), read_file(dir() / "calibration.json"));
  EXPECT_TRUE(std::filesystem::exists(dir() / "seen/images" / camera(1) / "000000.png"));

  std::filesystem::remove(dir() / camera(1) / "t10.png");
  EXPECT_THAT(read_refusal(), HasSubstr("camera '" + camera(1) + "': missing image of frame 't10'"));
  std::filesystem::remove_all(dir() / camera(0));
  EXPECT_THAT(read_refusal(), HasSubstr("camera '" + camera(0) + "': no PNG"));
}

TEST_F(RecordingFolder, DamageIsNamedBeforeAnythingRuns) {
  write_cameras();
  for (const Camera& camera : rig_.cameras) write_image("images/" + camera.name + ".png");
  EXPECT_EQ(read_recording(dir()).images.size(), 1U) << "a flat folder";
  const std::filesystem::path image = dir() / "images" / (camera(1) + ".png");
  const std::string whole = read_file(image);
  write_file(image, whole.substr(0, whole.size() - 5));
  EXPECT_EQ(read_refusal(), image.string() + ": is truncated");
  write_image("images/" + camera(1) + ".png", 17, 12);
  EXPECT_EQ(read_refusal(), image.string() + ": is 17 x 12 px, but camera '" + camera(1) + "' has 16 x 12");
  std::string text = read_file(dir() / "calibration.json");
  text.replace(text.find("\"dist_coeffs\""), 13, "\"dist_coeffz\"");
  write_text("calibration.json", text);
  EXPECT_THAT(read_refusal(), HasSubstr("intrinsics: 'dist_coeffs' is missing"));
  std::filesystem::remove(dir() / "calibration.json");
  EXPECT_THAT(read_refusal(), HasSubstr("no calibration.json, ground_truth.json of AquaCal"));
}

// A JPEG file with a lost block keeps its segments and its end; OpenCV decodes it without an error.
TEST_F(RecordingFolder, DamageInTheMiddleOfAJpegIsNamed) {
  const std::string whole = read_file(AQBENCH_SOURCE_DIR "/docs/images/flat_plane.jpg");
  const ImageInfo info = inspect_image(whole, "flat_plane.jpg");
  rig_ = make_rig("single_pair",
                  {{"single_pair", "width", std::to_string(info.width_px)},
                   {"single_pair", "height", std::to_string(info.height_px)}},
                  1);
  write_cameras();
  for (const Camera& camera : rig_.cameras) write_text("images/" + camera.name + ".jpg", whole);
  EXPECT_EQ(inspect_recording(read_recording(dir())).size(), rig_.cameras.size() + 1);
  std::string damaged = whole;
  damaged.replace(whole.size() / 2, 512, std::string(512, '\0'));
  write_text("images/" + camera(1) + ".jpg", damaged);
  EXPECT_EQ(inspect_image(damaged, "x").width_px, info.width_px) << "its structure is whole";
  EXPECT_THAT(read_refusal(), HasSubstr("images/" + camera(1) + ".jpg: damaged: Corrupt JPEG data"));
  inspect_recording(read_recording(dir()), ImageCheck::structure);
}

TEST_F(RecordingFolder, CamerasFileNamesItsImages) {
  const std::string camera = R"({"image": "a.png", "size": [16, 12], "K": [[20, 0, 8], [0, 20, 6], [0, 0, 1]],
    "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_m": [0, 0, 0], "distortion": [0.1, 0, 0, 0]})";
  write_image("a.png");
  write_text("cameras.json", R"({"water": {"z_m": 0.5, "n_water": 1.333}, "cameras": [)" + camera + "]}");
  const Recording recording = read_recording(dir());
  EXPECT_EQ(recording.rig.cameras[0].name, "a");
  EXPECT_EQ(recording.rig.cameras[0].intrinsics.distortion, (std::vector<double>{0.1, 0, 0, 0, 0}));
  EXPECT_EQ(level_water(recording.rig).value().water_z_m, 0.5);
  inspect_recording(recording);
  write_observation(recording, 0, dir() / "seen");
  EXPECT_EQ(read_calibration(dir() / "seen/calibration.json").cameras[0].intrinsics.K,
            recording.rig.cameras[0].intrinsics.K);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = camera;
    changed.replace(changed.find(from), from.size(), to);
    write_text("cameras.json", R"({"cameras": [)" + changed + "]}");
    return read_refusal();
  };
  EXPECT_THAT(with("\"K\"", "\"k\""), HasSubstr("cameras.json: cameras[0]"));
  EXPECT_THAT(with("a.png", "b.png"), HasSubstr("camera 'b': no such image 'b.png'"));
  EXPECT_THAT(with("a.png", "../a.png"), HasSubstr("outside the recording"));
}

// ---- COLMAP ----

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
}

// The same cameras and images in COLMAP's binary form, with a track and points in the image.
void write_binary(const std::filesystem::path& dir, const ColmapModel& model) {
  std::string cameras, images, points;
  append(cameras, std::uint64_t{model.cameras.size()});
  for (const auto& [id, camera] : model.cameras) {
    append(cameras, id);
    append(cameras, std::int32_t{camera.model == "OPENCV" ? 4 : 6});
    append(cameras, camera.width_px);
    append(cameras, camera.height_px);
    for (const double value : camera.parameters) append(cameras, value);
  }
  append(images, std::uint64_t{model.images.size()});
  for (const ColmapImage& image : model.images) {
    append(images, std::uint32_t{7});
    for (const double value : image.quaternion_wxyz) append(images, value);
    for (const double value : image.translation) append(images, value);
    append(images, image.camera_id);
    images += image.name + '\0';
    append(images, std::uint64_t{1});
    images.append(24, 'p');
  }
  append(points, std::uint64_t{1});
  append(points, std::uint64_t{5});
  for (const double value : {0.0, 0.0, 1.2}) append(points, value);
  points.append(11, 'c');
  append(points, std::uint64_t{2});
  points.append(16, 't');
  write_file(dir / "cameras.bin", cameras);
  write_file(dir / "images.bin", images);
  write_file(dir / "points3D.bin", points);
}

TEST_F(RecordingFolder, ColmapTextAndBinaryGiveTheCamerasBack) {
  std::filesystem::create_directories(dir() / "sparse/0");
  write_colmap_model(dir() / "sparse/0", dry(), "x.png");
  for (const Camera& camera : rig_.cameras) write_image("images/" + camera.name + "/x.png");
  const Recording text = read_recording(dir());
  inspect_recording(text);
  EXPECT_EQ(text.layout, RecordingLayout::colmap);
  ASSERT_EQ(text.rig.cameras.size(), rig_.cameras.size());
  for (std::size_t i = 0; i < rig_.cameras.size(); ++i) {
    const Camera *const truth = &rig_.cameras[i], *const read = find_camera(text.rig, truth->name);
    ASSERT_NE(read, nullptr) << truth->name;
    EXPECT_LT((read->intrinsics.K - truth->intrinsics.K).cwiseAbs().maxCoeff(), 1e-9) << "half a pixel";
    EXPECT_LT((read->camera_from_world.rotation - truth->camera_from_world.rotation).norm(), 1e-9);
    EXPECT_LT((read->camera_from_world.translation_m - truth->camera_from_world.translation_m).norm(), 1e-9);
    EXPECT_EQ(read->intrinsics.distortion[0], truth->intrinsics.distortion[0]);
  }
  EXPECT_FALSE(level_water(text.rig).has_value());

  const ColmapModel model = read_colmap_model(dir() / "sparse/0");
  write_binary(dir() / "sparse/0", model);
  const Recording binary = read_recording(dir());
  EXPECT_EQ(binary.camera_files.size(), 3U);
  EXPECT_EQ(calibration_json(binary.rig, {}), calibration_json(text.rig, {}));
  for (const char* const part : {"cameras.bin", "images.bin", "points3D.bin"}) {
    const std::string whole = read_file(dir() / "sparse/0" / part);
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      write_file(dir() / "sparse/0" / part, whole.substr(0, size));
      EXPECT_THAT(read_refusal(), HasSubstr(part)) << size;
    }
    write_file(dir() / "sparse/0" / part, whole);
  }
}

// Names of cameras and images as people give them, in each of the layouts.
TEST_F(RecordingFolder, NamesMayHoldBlanksCommasAndOtherLetters) {
  const std::string names[] = {"left, front", "K\xc3\xa4mera 2"};
  for (std::size_t i = 0; i < 2; ++i) rig_.cameras[i].name = names[i];
  write_cameras();
  write_image("images/" + names[0] + "/0 a.png");
  write_image("images/" + names[1] + "/0 a.png");
  EXPECT_EQ(inspect_recording(read_recording(dir())).size(), 3U);
  write_observation(read_recording(dir()), 0, dir() / "seen");
  EXPECT_TRUE(std::filesystem::exists(dir() / "seen/images" / names[0] / "000000.png"));
  std::filesystem::remove(dir() / "calibration.json");

  write_text(
      "cameras.json",
      R"({"cameras": [{"image": "left, front/0 a.png", "name": "x, y", "size": [16, 12], "K": [[20, 0, 8],
                [0, 20, 6], [0, 0, 1]], "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_m": [0, 0, 0]}]})");
  const Recording by_names = read_recording(dir());
  EXPECT_EQ(by_names.rig.cameras[0].name, "x, y");
  inspect_recording(by_names);
  std::filesystem::remove(dir() / "cameras.json");

  std::filesystem::create_directories(dir() / "sparse/0");
  write_colmap_model(dir() / "sparse/0", dry(), "0 a.png");
  const Recording by_model = read_recording(dir());
  EXPECT_NE(find_camera(by_model.rig, names[0]), nullptr);
  EXPECT_NE(find_camera(by_model.rig, names[1]), nullptr);
  inspect_recording(by_model);
  // The same images without the lines of points; then with a count that is not theirs.
  std::string images = read_file(dir() / "sparse/0/images.txt");
  for (std::size_t at = 0; (at = images.find("\n\n")) != std::string::npos;) images.erase(at, 1);
  write_text("sparse/0/images.txt", images);
  EXPECT_EQ(read_recording(dir()).rig.cameras.size(), 2U);
  write_text("sparse/0/images.txt", "# Number of images: 3, mean observations per image: 0\n" + images);
  EXPECT_THAT(read_refusal(), HasSubstr("comments promise 3 images, but there are 2"));
}

// Cameras that look along +X and along -X, in the model's own frame.
TEST(ColmapRig, CamerasLookAnywhere) {
  ColmapModel model;
  model.cameras[1] = {"SIMPLE_RADIAL", 16, 12, {40, 8, 6, 0.1}};
  constexpr double quarter_turn = 0.5 * std::numbers::pi;
  const Eigen::Quaterniond look(Eigen::AngleAxisd(-quarter_turn, Vec3::UnitY()));  // +X becomes +Z
  model.images.push_back({"a/1.jpg", {look.w(), look.x(), look.y(), look.z()}, {0.1, 0.2, 0}, 1});
  model.images.push_back({"a/2.jpg", {look.w(), look.x(), look.y(), look.z()}, {-0.1, 0.2, 0}, 1});
  const std::vector<Camera> made = colmap_cameras(model);
  EXPECT_EQ(made[0].name, "a_1");
  EXPECT_EQ(made[0].intrinsics.K(0, 2), 7.5);
  EXPECT_EQ(made[0].intrinsics.distortion[0], 0.1);
  const Vec3 own(2, 0.1, -0.2), in_camera = look * own + Vec3(0.1, 0.2, 0);
  const auto seen = project(refractive_camera(made[0]), own);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->pixel.x(), 40 * in_camera.x() / in_camera.z() + 7.5, 1e-9);
  EXPECT_NEAR(seen->pixel.y(), 40 * in_camera.y() / in_camera.z() + 5.5, 1e-9);
  EXPECT_NEAR(seen->depth_along_ray_m, in_camera.norm(), 1e-12);

  const Eigen::Quaterniond back(Eigen::AngleAxisd(quarter_turn, Vec3::UnitY()));
  model.images[1].quaternion_wxyz = {back.w(), back.x(), back.y(), back.z()};
  const RefractiveCamera backwards = refractive_camera(colmap_cameras(model)[1]);
  EXPECT_FALSE(project(backwards, own));
  EXPECT_TRUE(project(backwards, {-2, 0.1, -0.2}));
  model.cameras[1].model = "FOV";
  EXPECT_THAT(error_of(ErrorKind::input, [&] { colmap_cameras(model); }),
              HasSubstr("image 'a/1.jpg': unsupported lens model FOV"));
}

TEST_F(RecordingFolder, TruthSaysWhatIsKnown) {
  write_cameras();
  for (const Camera& camera : rig_.cameras)
    for (const char* const frame : {"0.png", "1.png"}) write_image(camera.name + "/" + frame);
  const Recording recording = read_recording(dir());
  EXPECT_EQ(truth_text(find_recording_truth(recording)), "none");
  write_text("truth/scan_000000.ply",
             "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
             "z\nelement "
             "face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 1000\n1000 0 1000\n0 1000 "
             "1000\n3 0 1 2\n");
  write_text("truth/truth.json", R"({"surface": {"file": "scan_{frame}.ply", "unit": "mm"}})");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { find_recording_truth(recording); }),
              HasSubstr("scan_000001.ply: no such file"));
  write_text("truth/scan_000001.ply", read_file(dir() / "truth/scan_000000.ply"));
  const RecordingTruth truth = find_recording_truth(recording);
  EXPECT_EQ(truth_text(truth), "surface");
  EXPECT_EQ(truth.surface->files.at(0), (dir() / "truth/scan_{frame}.ply").string());
  EXPECT_EQ(truth.surface->unit, "mm");
  DatasetContents contents = inspect_recording(recording);
  const std::size_t without = contents.size();
  add_truth_contents(recording, {}, contents);
  EXPECT_EQ(contents.size(), without + 3);
  for (const auto& [entry, what] :
       {std::pair(R"({"surface": {"file": "scan_000000.ply", "unit": "inch"}})",
                  "surface.unit: 'inch' is not one of"),
        {R"({"surface": {"file": [], "unit": "mm"}})", "surface.file: names no file"},
        {R"({"surface": {"file": "scan_000000.ply", "unit": "mm", "border": "x"}})",
         "surface.border: must be score"},
        {R"({"surface": {"file": "scan_000000.ply", "max_distance_mm": 0}})",
         "max_distance_mm: must be positive"},
        {R"({"surface": {"file": "scan_000000.ply", "thresholds_mm": [5, 1, 5]}})",
         "thresholds_mm: duplicate tolerance"},
        {R"({"surface": {"file": "scan_000000.ply", "tile_mm": -1}})", "tile_mm: must be positive"},
        {R"({"surface": {"file": "scan_000000.ply", "crop": "mask.npy"}})", "crop: 'mask.npy' is not box:"},
        {R"({"surface": {"file": "scan_000000.ply", "crop": ["z:2,1"]}})", "the lower bound is above"},
        {R"({"surface": {"file": "scan_000000.ply"}, "thresholds_mm": [1]})",
         "thresholds_mm: belongs inside \"surface\""},
        {R"({"surfase": {}})", "surfase: unknown key"}}) {
    write_text("truth/truth.json", entry);
    EXPECT_THAT(error_of(ErrorKind::input, [&] { find_recording_truth(recording); }), HasSubstr(what));
  }
}

TEST_F(RecordingFolder, TruthMayBeDeclaredElsewhere) {
  write_cameras();
  for (const Camera& camera : rig_.cameras) write_image(camera.name + "/0.png");
  const Recording recording = read_recording(dir());
  write_text("scans/a.xyz", "0 0 1178\n");
  const DeclaredTruth declared{Json::parse(R"({"surface": {"file": ["a.xyz"], "max_distance_mm": 20}})"),
                               dir() / "scans", "aqbench.json:4: datasets.tank.truth"};
  const RecordingTruth truth = find_recording_truth(recording, declared);
  EXPECT_EQ(truth_text(truth), "surface");
  EXPECT_EQ(truth.surface->scoring.max_distance_m, 0.02);
  EXPECT_THAT(declared_files(recording, declared), testing::ElementsAre(dir() / "scans/a.xyz"));
  DatasetContents contents;
  add_truth_contents(recording, declared, contents);
  EXPECT_EQ(contents.size(), 2U);
  EXPECT_EQ(contents.at("declared:a.xyz").bytes, 9U);
  write_text("truth/truth.json", R"({"surface": {"file": "../scans/a.xyz", "unit": "mm"}})");
  EXPECT_EQ(
      error_of(ErrorKind::input, [&] { find_recording_truth(recording, declared); }),
      "aqbench.json:4: datasets.tank.truth: surface: truth/truth.json already gives a surface; remove one");
}

}  // namespace
}  // namespace aqbench
