#include "scenes/dataset/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

const fs::path kConformance = fs::path(AQBENCH_SOURCE_DIR) / "conformance";

Json expectations() { return read_strict_json(kConformance / "layouts.json"); }

double number_at(const Json& values, std::size_t i) { return values.at(i).get<double>(); }

Vec3 point_of(const Json& values) {
  return {number_at(values, 0), number_at(values, 1), number_at(values, 2)};
}

// The largest distance in pixels between where a recording's camera sees the points and where it should.
double error_px(const Camera& camera, const Json& points, const Json& pixels) {
  double largest_px = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto seen = project(refractive_camera(camera), point_of(points[i]));
    if (!seen) return 1e9;
    const Vec2 where = distort_pixel(camera.intrinsics, seen->pixel);
    largest_px =
        std::max(largest_px, (where - Vec2(number_at(pixels[i], 0), number_at(pixels[i], 1))).norm());
  }
  return largest_px;
}

double largest_error_px(const Recording& recording, const Json& layout, const Json& points) {
  double largest_px = 0;
  for (const Json& expected : layout.at("cameras")) {
    const Camera* const camera = find_camera(recording.rig, expected.at("name").get<std::string>());
    if (camera == nullptr) return 1e9;
    largest_px = std::max(largest_px, error_px(*camera, points, expected.at("pixels")));
  }
  return largest_px;
}

TEST(Layouts, CamerasSeePointsWhereTheFormulaHasThem) {
  const Json all = expectations();
  EXPECT_EQ(all.at("layouts").size(), 9U);
  for (const Json& layout : all.at("layouts")) {
    const auto folder = layout.at("folder").get<std::string>();
    SCOPED_TRACE(folder);
    const Recording recording = read_recording(kConformance / "layouts" / folder);
    EXPECT_EQ(to_string(recording.layout), layout.at("layout").get<std::string>());
    EXPECT_EQ(recording.rig.cameras.size(), layout.at("cameras").size());
    EXPECT_LT(largest_error_px(recording, layout, all.at("points")), 1e-9);
    inspect_recording(recording);
    const RecordingTruth truth = find_recording_truth(recording);
    EXPECT_EQ(truth_text(truth), layout.at("truth").get<std::string>());
    check_truth_unit(recording, truth);
  }
}

// Pixels count where a x + b y >= c, some of them almost black; cameras without a mask show all.
TEST(Layouts, MasksHaveThePixelsOfTheFormula) {
  const Json all = expectations();
  std::size_t masks = 0;
  for (const Json& layout : all.at("layouts")) {
    SCOPED_TRACE(layout.at("folder").get<std::string>());
    Recording recording = read_recording(kConformance / "layouts" / layout.at("folder").get<std::string>());
    load_masks(recording, 0);
    for (const Json& expected : layout.at("cameras")) {
      const Camera& camera = *find_camera(recording.rig, expected.at("name").get<std::string>());
      ASSERT_EQ(camera.mask != nullptr, expected.contains("mask")) << camera.name;
      if (!camera.mask) continue;
      ++masks;
      const Json& abc = expected.at("mask");
      for (int y = 0; y < camera.mask->height_px; ++y)
        for (int x = 0; x < camera.mask->width_px; ++x)
          ASSERT_EQ(camera.mask->at(Vec2(x, y)),
                    number_at(abc, 0) * x + number_at(abc, 1) * y >= number_at(abc, 2))
              << camera.name << " " << x << " " << y;
    }
  }
  EXPECT_EQ(masks, 15U);
}

// The comparison above is sharp: half a pixel, an axis that points the other way and a transposed rotation
// are far beyond its tolerance.
TEST(Layouts, HalfAPixelOrATurnedAxisIsSeen) {
  const Json all = expectations();
  for (const Json& layout : all.at("layouts")) {
    SCOPED_TRACE(layout.at("folder").get<std::string>());
    const Recording right = read_recording(kConformance / "layouts" / layout.at("folder").get<std::string>());
    const auto with = [&](const std::function<void(Camera&)>& change) {
      Recording wrong = right;
      for (Camera& camera : wrong.rig.cameras) change(camera);
      return largest_error_px(wrong, layout, all.at("points"));
    };
    EXPECT_GT(with([](Camera& camera) { camera.intrinsics.K(0, 2) += 0.5; }), 0.4);
    EXPECT_GT(with([](Camera& camera) { camera.intrinsics.K(1, 2) -= 0.5; }), 0.4);
    EXPECT_GT(with([](Camera& camera) {
                camera.camera_from_world.rotation.topRows<2>() *= -1;
                camera.camera_from_world.translation_m.head<2>() *= -1;
              }),
              0.4);
  }
}

// Depths of the plane z = 1 along z in the file are depths along the ray here.
TEST(Layouts, DepthsAlongZBecomeDepthsAlongTheRay) {
  const Recording recording = read_recording(kConformance / "layouts" / "blendedmvs");
  for (const Camera& camera : recording.rig.cameras) {
    const fs::path file = true_depth_file(recording.dir / "truth", camera.name, 0);
    ASSERT_FALSE(file.empty());
    const DepthMap map = read_depth_map(file, camera);
    const Vec3 centre_m = camera_centre_m(camera.camera_from_world);
    std::size_t with_depth = 0;
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const double depth_m =
            map.depth_along_ray_m[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) +
                                  static_cast<std::size_t>(x)];
        if (!has_depth(depth_m)) continue;
        ++with_depth;
        const Mat3& K = camera.intrinsics.K;
        const Vec3 ray((x - K(0, 2)) / K(0, 0), (y - K(1, 2)) / K(1, 1), 1);
        const Vec3 point_m =
            centre_m + depth_m * (camera.camera_from_world.rotation.transpose() * ray.normalized());
        EXPECT_NEAR(point_m.z(), 1, 1e-6);
      }
    EXPECT_EQ(with_depth, static_cast<std::size_t>(map.height * (map.width - 1))) << "column 0 has none";
  }
}

TEST(Layouts, ViewsAreTakenAndHeldOutByTheirNames) {
  const TemporaryDirectory directory;
  write_observation(read_recording(kConformance / "layouts" / "colmap-text"), 0, directory.path() / "all");
  const auto some = [&](std::size_t every, std::size_t hold_out) {
    Recording recording = read_recording(directory.path() / "all");
    keep_views(recording, every, hold_out);
    return recording;
  };
  const auto names = [&](std::size_t every, std::size_t hold_out) {
    std::string all;
    const Recording recording = some(every, hold_out);
    for (std::size_t i = 0; i < recording.rig.cameras.size(); ++i) {
      const std::string& name = recording.rig.cameras[i].name;
      EXPECT_EQ(recording.images[0].at(i).parent_path().filename(), name);
      all += name + " ";
    }
    return all;
  };
  EXPECT_EQ(names(5, 0), "view00 view05 view10 ");
  EXPECT_EQ(names(3, 2), "view03 view09 ") << "of view00 view03 view06 view09";
  EXPECT_THAT(error_of(ErrorKind::input, [&] { some(12, 1); }), HasSubstr("no camera is left"));
  write_observation(some(5, 0), 0, directory.path() / "seen");
  EXPECT_EQ(read_recording(directory.path() / "seen").rig.cameras.size(), 3U);
  EXPECT_FALSE(fs::exists(directory.path() / "seen/images/view01")) << "no way to what is left out";
}

// ---- Refusals ----

// A copy of a fixture in which one file is changed.
class ChangedLayout {
 public:
  explicit ChangedLayout(const std::string& folder) {
    fs::copy(kConformance / "layouts" / folder, dir(), fs::copy_options::recursive);
  }
  fs::path dir() const { return directory_.path() / "layout"; }
  std::string refusal() const {
    return error_of(ErrorKind::input, [&] {
      const Recording recording = read_recording(dir());
      inspect_recording(recording);
      find_recording_truth(recording);
    });
  }
  // Replaces the first occurrence of a text in a file and returns the error of the changed layout.
  std::string with(const std::string& file, const std::string& from, const std::string& to) const {
    const std::string whole = read_file(dir() / file);
    std::string changed = whole;
    const std::size_t at = whole.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file(dir() / file, changed.replace(at, from.size(), to));
    std::string error = refusal();
    write_file(dir() / file, whole);
    return error;
  }
  std::string without(const std::string& file) const {
    const std::string whole = read_file(dir() / file);
    fs::remove(dir() / file);
    std::string error = refusal();
    write_file(dir() / file, whole);
    return error;
  }

 private:
  TemporaryDirectory directory_;
};

TEST(Layouts, MasksOfAnotherKindAreRefused) {
  const ChangedLayout colmap("colmap-text");
  const fs::path mask = colmap.dir() / "masks/view00.png.png";
  write_file(mask, encode_png(47, 36, 8, std::vector<std::uint16_t>(47 * 36)));
  EXPECT_THAT(colmap.refusal(), HasSubstr("view00.png.png: is 47 x 36 px, but its image has 48 x 36"));
  fs::copy_file(fs::path(AQBENCH_SOURCE_DIR) / "docs/images/undulating.jpg", mask,
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(colmap.refusal(), HasSubstr("a mask must be a PNG image"));
  fs::remove_all(colmap.dir() / "masks");
  EXPECT_EQ(colmap.refusal(), "(no error)");
  fs::create_directories(colmap.dir() / "masks");
  write_file(colmap.dir() / "masks/other.png", "");
  EXPECT_THAT(colmap.refusal(),
              HasSubstr("no mask is named after an image: IMAGE.png, such as view00.png.png"));
}

TEST(Layouts, TransformsNameFileAndField) {
  const ChangedLayout ngp("instant-ngp"), nerfstudio("nerfstudio");
  EXPECT_THAT(ngp.with("transforms.json", "\"k4\"", "\"p1\": 0.1, \"k4\""),
              HasSubstr("p1: must be 0: a fisheye lens"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "OPENCV", "FISHEYE624"),
              HasSubstr("camera_model: unsupported camera model 'FISHEYE624'"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "\"k4\": 0.0", "\"k4\": 0.1"), HasSubstr("k4: must be 0"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "\"w\": 48", "\"w\": 47.5"),
              HasSubstr("w: must be a whole"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "\"w\": 48", "\"w\": 47"), HasSubstr("is 48 x 36 px, but"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "\"transform_matrix\": [\n    [\n     ",
                              "\"transform_matrix\": [\n    [\n     5"),
              HasSubstr("frames[0].transform_matrix: is not a rotation"));
  EXPECT_THAT(nerfstudio.with("transforms.json", "\"frames\": [", "\"frames\": [{}, "),
              HasSubstr("frames[0]: 'file_path' is missing"));
}

TEST(Layouts, RigsAndFramesMustAgreeWithTheImages) {
  const ChangedLayout colmap("colmap-binary");
  const std::string frames = read_file(colmap.dir() / "sparse/0/frames.bin");
  std::string moved = frames;
  moved[8 + 8 + 7] = static_cast<char>(moved[8 + 8 + 7] ^ 0x80);  // the sign of the first frame's w
  write_file(colmap.dir() / "sparse/0/frames.bin", moved);
  EXPECT_THAT(colmap.refusal(), HasSubstr("image 'view00.png': its pose differs from that of its frame"));
  for (std::size_t size = 0; size < frames.size(); size += 7) {
    write_file(colmap.dir() / "sparse/0/frames.bin", frames.substr(0, size));
    EXPECT_THAT(colmap.refusal(), HasSubstr("frames.bin: is cut short")) << size;
  }
  write_file(colmap.dir() / "sparse/0/frames.bin", frames);
  EXPECT_THAT(colmap.without("sparse/0/rigs.bin"), HasSubstr("has frames.bin alone"));
}

TEST(Layouts, LensesThatDoNotFitAreNamed) {
  const ChangedLayout colmap("colmap-text");
  EXPECT_THAT(
      colmap.with("sparse/0/cameras.txt", "0.003 -0.002 0.0 0.0\n", "0.003 -0.002 0.0 0.1\n"),
      HasSubstr("image 'view09.png': lens model THIN_PRISM_FISHEYE: OpenCV's fisheye lens has no such"));
  EXPECT_THAT(colmap.with("sparse/0/cameras.txt", "SIMPLE_RADIAL ", "SIMPLE_DIVISION "),
              HasSubstr("image 'view02.png': unsupported lens model SIMPLE_DIVISION"));
}

TEST(Layouts, MissingPartsOfEth3dAreNamed) {
  const ChangedLayout eth3d("eth3d");
  EXPECT_THAT(eth3d.without("dslr_scan_eval/scan2.ply"), HasSubstr("scan2.ply: no such file"));
  EXPECT_THAT(eth3d.without("images/dslr_images_undistorted/view05.png"), HasSubstr("no such image"));
}

TEST(Layouts, TruthOfEth3dsDistortedImagesIsNamedAndHidden) {
  const ChangedLayout eth3d("eth3d");
  const auto content = [&] {
    const Recording recording = read_recording(eth3d.dir());
    return content_text(recording, find_recording_truth(recording));
  };
  EXPECT_EQ(content(), "4 cameras, 1 frame, truth: surface");
  for (const char* const folder : {"occlusion", "ground_truth_depth"})
    std::filesystem::create_directory(eth3d.dir() / folder);
  EXPECT_EQ(content(), "4 cameras, 1 frame, truth: surface; not read: ground_truth_depth, occlusion");
  EXPECT_THAT(hidden_files(read_recording(eth3d.dir()), {}),
              Contains(std::filesystem::absolute(eth3d.dir()) / "ground_truth_depth"));
}

TEST(Layouts, MvsnetNamesFileAndLine) {
  const ChangedLayout mvsnet("blendedmvs");
  const std::string cam = "cams/00000001_cam.txt", pair = "cams/pair.txt";
  EXPECT_THAT(mvsnet.with(cam, "intrinsic", "intrinsics"),
              HasSubstr("_cam.txt: line 7: expected 'intrinsic'"));
  EXPECT_THAT(mvsnet.with(cam, "63.25", "nan"), HasSubstr("intrinsic: a number is not finite"));
  EXPECT_THAT(mvsnet.with(cam, "23.8", "5.8"), HasSubstr("the camera is likely one of another size"));
  EXPECT_THAT(mvsnet.with(pair, "3\n", "4\n"), HasSubstr("pair.txt: line 7: the file ends before"));
  EXPECT_THAT(mvsnet.with(pair, "2 1 99.5", "2 7 99.5"), HasSubstr("pair.txt: line 3: view 7: no such file"));
  EXPECT_THAT(mvsnet.without("blended_images/00000002.png"), HasSubstr("no image 00000002 in images/"));
  const ChangedLayout dtu("dtu/scan7");
  EXPECT_EQ(truth_text(find_recording_truth(read_recording(dtu.dir()))), "none")
      << "the scan is not beside it";
}

TEST(Layouts, TanksNeedIntrinsicsAndAsManyPosesAsImages) {
  const ChangedLayout tanks("tanks");
  EXPECT_THAT(tanks.without("intrinsics.json"), HasSubstr("gives no intrinsics"));
  EXPECT_THAT(tanks.without("images/000002.png"), HasSubstr("5 poses, but 4 images"));
  EXPECT_THAT(tanks.without("Hill_trans.txt"), HasSubstr("Hill_trans.txt: no such file"));
  EXPECT_THAT(tanks.with("Hill_COLMAP_SfM.log", "0 0 0\n", "0 0\n"), HasSubstr("line 1"));
}

TEST(ImagesAlone, HaveNamesAndSizesWhereTheReaderAsksForNoCameras) {
  const TemporaryDirectory folder;
  const fs::path dir = folder.path(), images = dir / "images";
  fs::create_directories(images);
  const auto write = [&](const char* name, int width) {
    write_file(images / name,
               encode_png(width, 10, 8, std::vector<std::uint16_t>(static_cast<std::size_t>(width * 10))));
  };
  write("b.png", 10);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_recording(dir); }), HasSubstr(": no calibration.json"));
  write("a.png", 20);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_recording(dir); }),
              HasSubstr(": images without cameras"));
  const Recording read = read_recording(dir, KnownCameras::optional);
  ASSERT_EQ(read.rig.cameras.size(), 2U);
  EXPECT_EQ(read.rig.cameras[0].name, "a");
  EXPECT_EQ(read.rig.cameras[0].intrinsics.width_px, 20);
  EXPECT_EQ(inspect_recording(read).size(), 2U);
  write_observation(read, 0, dir / "seen");
  EXPECT_TRUE(fs::exists(dir / "seen/images/a/000000.png"));
  EXPECT_FALSE(fs::exists(dir / "seen/calibration.json"));
  write("b.PNG", 10);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_recording(dir, KnownCameras::optional); }),
              HasSubstr("has the same name"));
}

}  // namespace
}  // namespace aqbench
