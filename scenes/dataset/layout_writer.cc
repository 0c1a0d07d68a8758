#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using Cameras = std::vector<Camera>;
using Files = std::vector<CameraFiles>;

[[noreturn]] void refuse_camera(const LayoutRequest& request, const Camera& camera, const char* why) {
  throw input_error("camera '{}': the layout {} cannot hold {}", camera.name, request.layout, why);
}

// Copies images and masks under new names without ending; a mask's name goes on after its image's ending if
// `after_ending`. Returns the names of the images.
std::vector<std::string> copy_files(const fs::path& dir, const Files& files,
                                    const std::vector<std::string>& names, bool after_ending = false) {
  fs::create_directories(dir / "images");
  std::vector<std::string> images;
  for (std::size_t i = 0; i < files.size(); ++i) {
    images.push_back(names[i] + files[i].image.extension().string());
    fs::copy_file(files[i].image, dir / "images" / images.back());
    if (files[i].mask.empty()) continue;
    fs::create_directories(dir / "masks");
    fs::copy_file(files[i].mask, dir / "masks" / ((after_ending ? images.back() : names[i]) + ".png"));
  }
  return images;
}

std::vector<std::string> names_of(const Cameras& cameras) {
  std::vector<std::string> names;
  for (const Camera& camera : cameras) names.push_back(camera.name);
  return names;
}

// ---- COLMAP ----

void write_colmap_layout(const fs::path& dir, const LayoutRequest& request, const Cameras& cameras,
                         const Files& files) {
  for (const Camera& camera : cameras)
    if (camera.name.find_first_of(" \t#") != std::string::npos)
      refuse_camera(request, camera, "a name with blanks or # in images.txt");
  fs::create_directories(dir / "sparse" / "0");
  write_colmap_model(dir / "sparse" / "0", cameras, copy_files(dir, files, names_of(cameras), true));
}

// ---- transforms.json ----

Json matrix_rows(const Eigen::Matrix4d& matrix) {
  Json rows = Json::array();
  for (int row = 0; row < 4; ++row)
    rows.push_back({matrix(row, 0), matrix(row, 1), matrix(row, 2), matrix(row, 3)});
  return rows;
}

// world_from_camera with y up and z backwards.
Eigen::Matrix4d opengl_pose(const CameraFromWorld& pose) {
  Eigen::Matrix4d world_from_camera = Eigen::Matrix4d::Identity();
  world_from_camera.topLeftCorner<3, 3>() = pose.rotation.transpose();
  world_from_camera.col(1) *= -1;
  world_from_camera.col(2) *= -1;
  world_from_camera.topRightCorner<3, 1>() = camera_centre_m(pose);
  return world_from_camera;
}

// The coefficients by their names in transforms.json.
Json lens_members(const LayoutRequest& request, const Camera& camera) {
  const std::vector<double>& d = camera.intrinsics.distortion;
  if (camera.intrinsics.lens == LensModel::fisheye)
    return {{"k1", d[0]}, {"k2", d[1]}, {"k3", d[2]}, {"k4", d[3]}};
  if (std::any_of(d.begin() + 5, d.end(), [](double value) { return value != 0; }))
    refuse_camera(request, camera, "a lens with k4, k5, k6");
  return {{"k1", d[0]}, {"k2", d[1]}, {"p1", d[2]}, {"p2", d[3]}, {"k3", d[4]}};
}

void write_transforms_layout(const fs::path& dir, const LayoutRequest& request, const Cameras& cameras,
                             const Files& files) {
  const std::vector<std::string> images = copy_files(dir, files, names_of(cameras));
  const bool fisheye = cameras.front().intrinsics.lens == LensModel::fisheye;
  Json frames = Json::array();
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const Intrinsics& inside = cameras[i].intrinsics;
    if ((inside.lens == LensModel::fisheye) != fisheye)
      refuse_camera(request, cameras[i], "fisheye lenses beside others");
    Json frame = {{"file_path", "images/" + images[i]},
                  {"transform_matrix", matrix_rows(opengl_pose(cameras[i].camera_from_world))},
                  {"w", inside.width_px},
                  {"h", inside.height_px},
                  {"fl_x", inside.K(0, 0)},
                  {"fl_y", inside.K(1, 1)},
                  {"cx", inside.K(0, 2) + 0.5},
                  {"cy", inside.K(1, 2) + 0.5}};
    frame.update(lens_members(request, cameras[i]));
    if (!files[i].mask.empty()) frame["mask_path"] = "masks/" + cameras[i].name + ".png";
    frames.push_back(std::move(frame));
  }
  const Json all = {{"camera_model", fisheye ? "OPENCV_FISHEYE" : "OPENCV"},
                    {"is_fisheye", fisheye},
                    {"frames", std::move(frames)}};
  write_file(dir / "transforms.json", all.dump(1) + "\n");
}

// ---- MVSNet ----

std::string cam_text(const LayoutRequest& request, const Camera& camera) {
  constexpr int kDepths = 192;
  const CameraFromWorld& pose = camera.camera_from_world;
  std::string text = "extrinsic\n";
  for (int row = 0; row < 3; ++row)
    text += fmt::format("{} {} {} {}\n", pose.rotation(row, 0), pose.rotation(row, 1), pose.rotation(row, 2),
                        pose.translation_m[row]);
  text += "0 0 0 1\n\nintrinsic\n";
  const Mat3& K = camera.intrinsics.K;
  for (int row = 0; row < 3; ++row) text += fmt::format("{} {} {}\n", K(row, 0), K(row, 1), K(row, 2));
  return text + fmt::format("\n{} {} {} {}\n", request.least_depth_m,
                            (request.most_depth_m - request.least_depth_m) / (kDepths - 1), kDepths,
                            request.most_depth_m);
}

// The other views by the distance of their centres, the nearest first.
std::vector<std::size_t> nearest_views(const Cameras& cameras, std::size_t view) {
  constexpr std::size_t kMaxSources = 10;
  const auto distance_m = [&](std::size_t other) {
    return (camera_centre_m(cameras[other].camera_from_world) -
            camera_centre_m(cameras[view].camera_from_world))
        .norm();
  };
  std::vector<std::size_t> others(cameras.size());
  std::iota(others.begin(), others.end(), std::size_t{0});
  std::erase(others, view);
  std::ranges::stable_sort(others, {}, distance_m);
  others.resize(std::min(others.size(), kMaxSources));
  return others;
}

void write_mvsnet_layout(const fs::path& dir, const LayoutRequest& request, const Cameras& cameras,
                         const Files& files) {
  std::vector<std::string> numbers;
  std::string pairs = fmt::format("{}\n", cameras.size());
  fs::create_directories(dir / "cams");
  for (std::size_t view = 0; view < cameras.size(); ++view) {
    const Intrinsics& inside = cameras[view].intrinsics;
    if (inside.lens == LensModel::fisheye ||
        std::ranges::any_of(inside.distortion, [](double value) { return value != 0; }))
      refuse_camera(request, cameras[view], "a lens that distorts: undistort the images first");
    numbers.push_back(fmt::format("{:08}", view));
    write_file(dir / "cams" / (numbers.back() + "_cam.txt"), cam_text(request, cameras[view]));
    const std::vector<std::size_t> sources = nearest_views(cameras, view);
    pairs += fmt::format("{}\n{}", view, sources.size());
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
      pairs += fmt::format(" {} {}", sources[rank], 1000.0 / static_cast<double>(1 + rank));
    pairs += "\n";
  }
  copy_files(dir, files, numbers);
  write_file(dir / "pair.txt", pairs);
}

}  // namespace

void write_layout(const fs::path& dir, const LayoutRequest& request, const std::vector<Camera>& cameras,
                  const std::vector<CameraFiles>& files) {
  try {
    fs::create_directories(dir);
    if (request.layout == "colmap") return write_colmap_layout(dir, request, cameras, files);
    if (request.layout == "transforms") return write_transforms_layout(dir, request, cameras, files);
    if (request.layout == "mvsnet") return write_mvsnet_layout(dir, request, cameras, files);
  } catch (const fs::filesystem_error& error) {
    throw io_error("{}: {}", dir.string(), error.code().message());
  }
  throw usage_error("unknown layout '{}'", request.layout);
}

}  // namespace aqbench
