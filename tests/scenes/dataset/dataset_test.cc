#include "scenes/dataset/dataset.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <sstream>

#include "core/files.h"
#include "core/parallel.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

DatasetRequest small_request(std::vector<Override> overrides = {}) {
  DatasetRequest request;
  request.width_px = 96;
  request.mesh_pitch_m = 0.01;
  request.generator_version = "1.2.3";
  request.overrides = std::move(overrides);
  return request;
}

void render(const DatasetRequest& request, const fs::path& dir) { write_dataset(plan_dataset(request), dir); }

// Every file below a folder with its bytes.
std::map<std::string, std::string> contents(const fs::path& dir) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(dir))
    if (entry.is_regular_file()) out[fs::relative(entry.path(), dir).string()] = read_file(entry.path());
  return out;
}

// The angle in water by bisection of Snell's law, the place on the water by similar triangles: nothing of
// scenes/optics.
Vec3 seen_point(const nlohmann::json& camera, const nlohmann::json& interface, double u, double v,
                double depth_m) {
  const auto& k = camera["intrinsics"]["K"];
  const double x = (u - k[0][2].get<double>()) / k[0][0].get<double>();
  const double y = (v - k[1][2].get<double>()) / k[1][1].get<double>();
  const auto& r = camera["extrinsics"]["R"];
  const auto& t = camera["extrinsics"]["t"];
  double centre[3], ray[3];
  for (int i = 0; i < 3; ++i) {
    ray[i] = r[0][i].get<double>() * x + r[1][i].get<double>() * y + r[2][i].get<double>();
    centre[i] = 0;
    for (int j = 0; j < 3; ++j) centre[i] -= r[j][i].get<double>() * t[j].get<double>();
  }
  const double water_z = camera["water_z"].get<double>();
  const double across = std::hypot(ray[0], ray[1]), in_air = std::atan2(across, ray[2]);
  double low = 0, high = std::numbers::pi / 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    const bool below = interface["n_water"].get<double>() * std::sin(middle) <
                       interface["n_air"].get<double>() * std::sin(in_air);
    (below ? low : high) = middle;
  }
  const double radius = (water_z - centre[2]) * std::tan(in_air) + depth_m * std::sin(low);
  return {centre[0] + radius * ray[0] / across, centre[1] + radius * ray[1] / across,
          water_z + depth_m * std::cos(low)};
}

TEST(Dataset, AMeshIsRenderedAndItsTruthReadBack) {
  const TemporaryDirectory dir;
  const auto write_square = [&](double z_m) {
    return dir.file("square.obj",
                    fmt::format("v -1 -1 {0}\nv 1 -1 {0}\nv 1 1 {0}\nv -1 1 {0}\nf 1 3 2\nf 1 4 3\n", z_m));
  };
  DatasetRequest request;
  request.rig = "single_pair";
  request.width_px = 16;
  request.scene = "mesh:" + write_square(1.178).string();
  render(request, dir / "d");
  const auto scene = nlohmann::json::parse(read_file(dir / "d/truth/scene.json"))["scene"];
  EXPECT_EQ(scene["name"], "mesh:square.obj") << "not where it lies";
  EXPECT_EQ(scene["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(scene["facet_error_mm"], 0);
  const Scene read = read_dataset_scene(dir / "d");
  EXPECT_EQ(read.name, "mesh:square.obj");
  EXPECT_NEAR(read.truth.surface->area_m2(), 4, 1e-6);
  write_square(0.5);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { plan_dataset(request); }),
              HasSubstr("square.obj: 4 of its 4 vertices are not below the water at z = 0.978 m"));
}

// An open square before cameras without water, tilted so that they stand on its side of greater z.
TEST(Dataset, ASceneThatCannotBeReadIsNamedByFileAndMember) {
  const TemporaryDirectory dir;
  fs::create_directory(dir / "truth");
  const auto refusal = [&](const char* text) {
    dir.file("truth/scene.json", text);
    const std::string file = (dir / "truth/scene.json").string() + ": ";
    const std::string message = error_of(ErrorKind::input, [&] { read_dataset_scene(dir.path()); });
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(message.size(), file.size()));
  };
  EXPECT_EQ(refusal("[]"), "expected an object");
  EXPECT_EQ(refusal(R"({"format_version": "1"})"), "'scene' is missing");
  EXPECT_EQ(refusal(R"({"format_version": 2, "scene": {}})"), "format_version: must be 1");
  EXPECT_EQ(refusal(R"({"format_version": 1, "scene": {"name": 3}})"), "scene.name: expected text");
  EXPECT_EQ(refusal(R"({"format_version": 1, "scene": {"name": "mound", "parameters": []}})"),
            "scene.parameters: expected an object");
}

TEST(Dataset, ErrorsOfAnOpenMeshArePositiveTowardsDryCameras) {
  const TemporaryDirectory dir;
  const RigSpec& spec = find_rig("walk");
  const Rig rig = make_rig(spec, resolve_parameters(spec.name, spec.parameters, {}), 1);
  const Camera& camera = rig.cameras.front();
  const Vec3 ahead = camera.camera_from_world.rotation.row(2);
  const Vec3 normal = (Vec3(0, 0, 0.5) - ahead).normalized();
  ASSERT_GT(normal.z(), 0);
  ASSERT_LT(normal.dot(ahead), 0) << "towards the camera";
  const Vec3 side = normal.unitOrthogonal(), other = normal.cross(side);
  const Vec3 middle = camera_centre_m(camera.camera_from_world) + 1.5 * ahead;
  std::string text;
  for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
    const Vec3 corner = middle + 0.3 * a * side + 0.3 * b * other;
    text += fmt::format("v {} {} {}\n", corner.x(), corner.y(), corner.z());
  }
  DatasetRequest request;
  request.rig = spec.name;
  request.width_px = 16;
  request.scene = "mesh:" + dir.file("square.obj", text + "f 1 3 2\nf 1 4 3\n").string();
  const Vec3 before_it = middle + 0.01 * normal;
  const auto signed_distance_m = [&](const Scene& scene) {
    double distance_m = 0;
    scene.truth.surface->signed_distances({&before_it, 1}, {&distance_m, 1});
    return distance_m;
  };
  EXPECT_NEAR(signed_distance_m(plan_dataset(request).scene), 0.01, 1e-9);
  render(request, dir / "d");
  EXPECT_NEAR(signed_distance_m(read_dataset_scene(dir / "d")), 0.01, 1e-6);
}

TEST(Dataset, TrueDepthsMeetTheSurfaceThroughCalibrationAndSnellAlone) {
  const TemporaryDirectory dir;
  render(small_request(), dir / "d");
  const auto calibration = nlohmann::json::parse(read_file(dir / "d" / "calibration.json"));
  ASSERT_EQ(calibration["cameras"].size(), 13u);
  std::mt19937 generator(3);
  int seen = 0;
  for (const auto& [name, camera] : calibration["cameras"].items()) {
    const NpyArray depth = read_npy(dir / "d" / "truth" / name / "depth.npy");
    ASSERT_THAT(depth.shape, testing::ElementsAre(72, 96)) << name;
    const auto& values = std::get<std::vector<float>>(depth.values);
    for (int i = 0; i < 200; ++i) {
      const unsigned u = generator() % 96, v = generator() % 72;
      const double depth_m = values[v * 96 + u];
      ASSERT_TRUE(std::isfinite(depth_m));
      const Vec3 p = seen_point(camera, calibration["interface"], u, v, depth_m);
      const double z_m = 1.178 + 0.005 * (std::sin(2 * std::numbers::pi * p.x() / 0.05) +
                                          std::sin(2 * std::numbers::pi * p.y() / 0.065));
      EXPECT_NEAR(p.z(), z_m, 1e-5) << name << " " << u << " " << v;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2600);
}

TEST(Dataset, ReadsBackTheSameCamerasToTheLastBit) {
  const TemporaryDirectory dir;
  const DatasetPlan plan = plan_dataset(small_request({{"ring12", "jitter_position_m", "0.01"}}));
  write_dataset(plan, dir / "d");
  const Rig back = read_calibration(dir / "d" / "calibration.json");
  ASSERT_EQ(back.cameras.size(), plan.rig.cameras.size());
  for (std::size_t i = 0; i < back.cameras.size(); ++i) {
    EXPECT_EQ(back.cameras[i].camera_from_world.rotation, plan.rig.cameras[i].camera_from_world.rotation);
    EXPECT_EQ(back.cameras[i].camera_from_world.translation_m,
              plan.rig.cameras[i].camera_from_world.translation_m);
    EXPECT_EQ(back.cameras[i].intrinsics.K, plan.rig.cameras[i].intrinsics.K);
    EXPECT_EQ(back.cameras[i].intrinsics.distortion, plan.rig.cameras[i].intrinsics.distortion);
  }
}

TEST(Dataset, EqualRequestsGiveEqualBytesForAnyThreadCount) {
  const TemporaryDirectory dir;
  DatasetRequest request = small_request();
  request.rig = "single_pair";
  set_thread_count(1);
  render(request, dir / "one");
  set_thread_count(3);
  render(request, dir / "three");
  set_thread_count(available_processors());
  const auto one = contents(dir / "one");
  EXPECT_EQ(one, contents(dir / "three"));
  std::vector<std::string> names;
  for (const auto& [name, bytes] : one) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("calibration.json", "images/cam00/000000.png",
                                          "images/cam01/000000.png", "truth/cam00/depth.npy",
                                          "truth/cam01/depth.npy", "truth/scene.json", "truth/surface.ply"));
  EXPECT_EQ(one.at("images/cam00/000000.png").substr(1, 3), "PNG");
  const auto record = nlohmann::json::parse(one.at("truth/scene.json"));
  EXPECT_EQ(record["renderer_version"], kRendererVersion);
  EXPECT_EQ(record["scene"]["parameters"]["amplitude_m"], 0.005);
  EXPECT_EQ(record["imaging"]["variant"], "default");
  EXPECT_EQ(record["rig"]["parameters"]["height"], 72);
  EXPECT_EQ(read_mesh_file(dir / "one" / "truth" / "surface.ply").vertices_m.size(), 51u * 31u);
}

TEST(Dataset, DrySceneHasColmapsModel) {
  const TemporaryDirectory dir;
  DatasetRequest request = small_request({{"sparse4", "n_water", "1"}});
  request.rig = "sparse4";
  render(request, dir / "d");
  const Rig rig = read_calibration(dir / "d" / "calibration.json");
  EXPECT_TRUE(is_dry(rig));
  std::ifstream images(dir / "d" / "colmap" / "images.txt"), cameras(dir / "d" / "colmap" / "cameras.txt");
  std::string line;
  std::size_t found = 0;
  while (std::getline(images, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    int id = 0, camera_id = 0;
    double w = 0, x = 0, y = 0, z = 0;
    Vec3 t;
    std::string name;
    ASSERT_TRUE(fields >> id >> w >> x >> y >> z >> t[0] >> t[1] >> t[2] >> camera_id >> name);
    const Camera& camera = rig.cameras.at(found++);
    EXPECT_EQ(name, camera.name + "/000000.png");
    EXPECT_TRUE(fs::exists(dir / "d" / "images" / name));
    EXPECT_LT((Eigen::Quaterniond(w, x, y, z).toRotationMatrix() - camera.camera_from_world.rotation).norm(),
              1e-12);
    EXPECT_EQ(t, camera.camera_from_world.translation_m);
  }
  EXPECT_EQ(found, 4u);
  std::size_t lenses = 0;
  while (std::getline(cameras, line)) {
    if (line[0] == '#') continue;
    std::istringstream fields(line);
    int id = 0, width = 0, height = 0;
    std::string model;
    double fx = 0, fy = 0, cx = 0, cy = 0, k1 = 0;
    ASSERT_TRUE(fields >> id >> model >> width >> height >> fx >> fy >> cx >> cy >> k1);
    EXPECT_EQ(model, "OPENCV");
    EXPECT_EQ(cx, 48.0);  // the middle of 96 px, counted from the image's edge
    EXPECT_EQ(cy, 36.0);
    EXPECT_EQ(k1, -0.05);
    ++lenses;
  }
  EXPECT_EQ(lenses, 4u);
}

TEST(Dataset, AFolderThatIsInUseIsLeftAlone) {
  const TemporaryDirectory dir;
  const DatasetPlan plan = plan_dataset(small_request());
  fs::create_directory(dir / "full");
  dir.file("full/mine.txt", "mine");
  dir.file("file", "mine");
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { write_dataset(plan, dir / "full"); }), HasSubstr("not empty"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { write_dataset(plan, dir / "file"); }),
              HasSubstr("not a folder"));
  // A failure on the way leaves nothing behind.
  const auto stop = [](std::size_t done, std::size_t, const std::string&) {
    if (done > 0) throw Error(ErrorKind::interrupted, "stopped");
  };
  EXPECT_EQ(error_of(ErrorKind::interrupted, [&] { write_dataset(plan, dir / "new", stop); }), "stopped");
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir.path())) ++left;
  EXPECT_EQ(left, 2u);
}

TEST(Dataset, ProgressReachesAllOfTheWorkAndCopiesAreEqual) {
  const TemporaryDirectory dir;
  DatasetRequest request = small_request();
  request.rig = "single_pair";
  std::size_t last = 0, all = 0;
  write_dataset(plan_dataset(request), dir / "d",
                [&](std::size_t done, std::size_t work, const std::string& camera) {
                  EXPECT_GT(done, last);
                  EXPECT_EQ(camera, 2 * done <= work ? "cam00" : "cam01");
                  last = done;
                  all = work;
                });
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 0u);
  copy_dataset(dir / "d", dir / "copy");
  EXPECT_EQ(contents(dir / "copy"), contents(dir / "d"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { copy_dataset(dir / "d", dir / "copy"); }),
              HasSubstr("not empty"));
  EXPECT_THAT(error_of(ErrorKind::io, [&] { copy_dataset(dir / "none", dir / "new"); }), HasSubstr("none"));
  EXPECT_FALSE(fs::exists(dir / "new"));
}

TEST(Dataset, AnEmptyFolderIsTaken) {
  const TemporaryDirectory dir;
  fs::create_directory(dir / "empty");
  DatasetRequest request = small_request();
  request.rig = "single_pair";
  render(request, fs::path((dir / "empty").string() + "/"));
  EXPECT_TRUE(fs::exists(dir / "empty" / "calibration.json"));
}

TEST(Dataset, CleanImagesHaveNoDistortionAndOverridesWin) {
  DatasetRequest request = small_request({{"imaging", "noise_sigma", "0.1"}});
  request.imaging = "clean";
  const DatasetPlan plan = plan_dataset(request);
  EXPECT_EQ(plan.rig.cameras[0].intrinsics.distortion, std::vector<double>(5, 0.0));
  EXPECT_EQ(plan.imaging.noise_sigma, 0.1);
  EXPECT_EQ(plan.imaging.bits, 16);
  EXPECT_EQ(plan_dataset(small_request()).rig.cameras[0].intrinsics.distortion[0], -0.05);
}

TEST(Dataset, WrongRequestsAreRefusedByName) {
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         plan_dataset(small_request({{"mound", "height_m", "0"}}));
                       }),
              HasSubstr("mound.height_m"));
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         plan_dataset(small_request({{"imaging", "bitz", "8"}}));
                       }),
              HasSubstr("bits"));
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         plan_dataset(small_request({{"imaging", "bits", "12"}}));
                       }),
              HasSubstr("imaging.bits"));
  DatasetRequest request = small_request();
  request.rig = "ring11";
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_dataset(request); }), HasSubstr("ring12"));
}

TEST(CopyProblem, AFullDiskIsNamed) {
  const auto failed = std::make_error_code(std::errc::io_error);
  EXPECT_EQ(copy_problem(failed, "/proc"), "No space left on device") << "a file system without space";
  EXPECT_EQ(copy_problem(failed, "/"), failed.message());
  EXPECT_EQ(copy_problem(std::make_error_code(std::errc::permission_denied), "/proc"), "Permission denied");
}

}  // namespace
}  // namespace aqbench
