#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"
#include "scenes/optics/port_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

template <class... Args>
[[noreturn]] void refuse_image(const ColmapModel& model, const std::string& image,
                               fmt::format_string<Args...> why, Args&&... args) {
  throw input_error("{}: image '{}': {}", model.dir.string(), escape_bytes(image),
                    fmt::format(why, std::forward<Args>(args)...));
}

// The lens of a name; nullptr for one that OpenCV's models do not hold.
const ColmapLens* held_lens(const std::string& name) {
  const auto lens = std::ranges::find(colmap_lenses(), name, &ColmapLens::name);
  return lens == colmap_lenses().end() || !lens->is_held ? nullptr : &*lens;
}

// The first coefficient that is not 0 and that OpenCV's lens does not have.
std::optional<std::size_t> lacking_coefficient(const ColmapLens& lens, std::span<const double> coefficients) {
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0 && std::ranges::find(lens.taken, i) == lens.taken.end()) return i;
  return std::nullopt;
}

std::vector<double> distortion_of(const ColmapLens& lens, std::span<const double> coefficients) {
  std::vector<double> distortion(lens.fisheye ? 4 : lens.taken.size() > 4 ? 8 : 5, 0.0);
  for (std::size_t i = 0; i < lens.taken.size(); ++i) distortion[i] = coefficients[lens.taken[i]];
  return distortion;
}

Intrinsics intrinsics_of(const ColmapModel& model, const ColmapImage& image) {
  const ColmapCamera& camera = model.cameras.at(image.camera_id);
  const ColmapLens* const lens = held_lens(camera.model);
  if (lens == nullptr) refuse_image(model, image.name, "unsupported lens model {}", camera.model);
  if (camera.width_px < 1 || camera.width_px > 1 << 16 || camera.height_px < 1 || camera.height_px > 1 << 16)
    refuse_image(model, image.name, "{} x {} px", camera.width_px, camera.height_px);
  Intrinsics inside;
  inside.width_px = static_cast<int>(camera.width_px);
  inside.height_px = static_cast<int>(camera.height_px);
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = lens->one_focal_length ? 1 : 2;
  inside.K << p[0], 0, p[focal] - 0.5, 0, p[focal - 1], p[focal + 1] - 0.5, 0, 0, 1;
  const auto coefficients = std::span(p).subspan(focal + 2);
  if (const auto i = lacking_coefficient(*lens, coefficients))
    refuse_image(model, image.name,
                 "lens model {}: OpenCV's fisheye lens has no such coefficient as its number {}, {}",
                 lens->name, *i + 5, coefficients[*i]);
  if (lens->fisheye) inside.lens = LensModel::fisheye;
  inside.distortion = distortion_of(*lens, coefficients);
  return inside;
}

CameraFromWorld pose_of(const ColmapImage& image) {
  const auto& [w, x, y, z] = image.quaternion_wxyz;
  const auto& t = image.translation;
  return {Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix(), {t[0], t[1], t[2]}};
}

std::vector<std::string> camera_names(const ColmapModel& model) {
  std::set<std::string> files, folders;
  for (const ColmapImage& image : model.images) {
    files.insert(std::filesystem::path(image.name).filename().string());
    folders.insert(std::filesystem::path(image.name).parent_path().generic_string());
  }
  const bool by_folder = files.size() == 1 && folders.size() == model.images.size() && !folders.contains("");
  std::vector<std::string> names;
  for (const ColmapImage& image : model.images) {
    const std::filesystem::path path = image.name;
    names.push_back(camera_name_of(by_folder ? path.parent_path().concat(".") : path));
  }
  return names;
}

// COLMAP's name of the lens model and its parameters after fx fy cx cy, which it takes from OpenCV.
std::string colmap_lens(const Intrinsics& intrinsics) {
  const Mat3& k = intrinsics.K;
  const std::vector<double>& d = intrinsics.distortion;
  const bool fisheye = intrinsics.lens == LensModel::fisheye;
  const bool radial3 = !fisheye && (d.size() == 8 || d[4] != 0);
  std::vector<double> parameters = {k(0, 0), k(1, 1), k(0, 2) + 0.5, k(1, 2) + 0.5};
  for (std::size_t i = 0; i < (radial3 ? 8 : 4); ++i) parameters.push_back(i < d.size() ? d[i] : 0.0);
  std::string line = fmt::format("{} {} {}",
                                 fisheye   ? "OPENCV_FISHEYE"
                                 : radial3 ? "FULL_OPENCV"
                                           : "OPENCV",
                                 intrinsics.width_px, intrinsics.height_px);
  for (const double value : parameters) line += fmt::format(" {}", value);
  return line;
}

// What the refractive COLMAP has behind the lens: " FLATPORT 0 0 1 ..."; "" for straight rays.
std::string colmap_port(const Camera& camera) {
  if (is_dry(Rig{{camera}})) return {};
  const auto port = port_through(camera);
  if (!port)
    throw input_error("camera '{}': looks sideways or up at its level water, which FLATPORT cannot hold",
                      escape_bytes(camera.name));
  return fmt::format(" {} {}", port_name(port->model), fmt::join(port_numbers(*port), " "));
}

constexpr const char* kModelFolder = "dslr_calibration_undistorted";
constexpr const char* kScanProject = "dslr_scan_eval/scan_alignment.mlp";

// The scans before they were cut to what is evaluated, and what belongs to the distorted images.
constexpr const char* kUnreadTruth[] = {"ground_truth_depth", "occlusion", "occlusion_depth",
                                        "dslr_scan_clean"};

ColmapModel read_checked_model(const fs::path& dir) {
  ColmapModel model = read_colmap_model(dir);
  check_colmap_frames(model);
  return model;
}

LayoutCameras cameras_of_model(const fs::path& dir, const ColmapModel& model) {
  LayoutCameras read;
  read.files = model.files;
  read.cameras = colmap_cameras(model);
  for (std::size_t i = 0; i < model.images.size(); ++i)
    read.images.push_back(named_image(dir, model.images[i].name, read.cameras[i].name));
  return read;
}

void take_scans(const fs::path& dir, LayoutTruth& truth) {
  const fs::path project = dir / kScanProject;
  if (!is_file(project)) return;
  truth.surface = {project};
  truth.files = {project};
  for (const ProjectScan& scan : scans_of_project(project)) {
    require_file(scan.file, project.string());
    truth.files.push_back(scan.file);
  }
}

}  // namespace

void take_colmap_intrinsics(const ColmapCamera& camera, OwnCamera& to) {
  const ColmapLens* const lens = held_lens(camera.model);
  if (lens == nullptr) return;
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = lens->one_focal_length ? 1 : 2;
  to.intrinsics = OwnIntrinsics{p[0],
                                p[focal - 1],
                                p[focal] - 0.5,
                                p[focal + 1] - 0.5,
                                static_cast<double>(camera.width_px),
                                static_cast<double>(camera.height_px)};
  const auto coefficients = std::span(p).subspan(focal + 2);
  if (lacking_coefficient(*lens, coefficients)) return;
  to.distortion =
      lens->taken.empty() && !lens->fisheye ? std::vector<double>() : distortion_of(*lens, coefficients);
}

std::vector<Camera> colmap_cameras(const ColmapModel& model) {
  std::vector<Camera> cameras;
  const std::vector<std::string> names = camera_names(model);
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    const ColmapImage& image = model.images[i];
    cameras.push_back({names[i], intrinsics_of(model, image), pose_of(image), false, {}});
    if (const auto& port = model.cameras.at(image.camera_id).port) cameras.back().interface = *port;
  }
  return cameras;
}

void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file) {
  std::vector<std::string> names;
  for (const Camera& camera : rig.cameras) names.push_back(camera.name + "/" + image_file);
  write_colmap_model(dir, rig.cameras, names);
}

void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& all,
                        const std::vector<std::string>& image_names) {
  std::string cameras;
  bool any_port = false;
  std::string images =
      "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n# POINTS2D[] as (X, Y, POINT3D_ID)\n";
  std::size_t id = 0;
  for (const Camera& camera : all) {
    ++id;
    const std::string port = colmap_port(camera);
    any_port = any_port || !port.empty();
    cameras += fmt::format("{} {}{}\n", id, colmap_lens(camera.intrinsics), port);
    const Eigen::Quaterniond q(camera.camera_from_world.rotation);
    const Vec3& t = camera.camera_from_world.translation_m;
    images += fmt::format("{} {} {} {} {} {} {} {} {} {}\n\n", id, q.w(), q.x(), q.y(), q.z(), t.x(), t.y(),
                          t.z(), id, image_names[id - 1]);
  }
  write_file(dir / "cameras.txt",
             fmt::format("# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]{}\n{}",
                         any_port ? " OPTIONAL[REFRAC_MODEL REFRAC_PARAMS[]]" : "", cameras));
  write_file(dir / "images.txt", images);
  write_file(dir / "points3D.txt",
             "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n");
}

bool is_eth3d_folder(const fs::path& dir) {
  return find_colmap_model(dir / kModelFolder) == dir / kModelFolder;
}

LayoutCameras read_colmap_folder(const fs::path& dir) {
  return cameras_of_model(dir, read_checked_model(find_colmap_model(dir)));
}

LayoutCameras read_eth3d_folder(const fs::path& dir) {
  LayoutCameras read = cameras_of_model(dir, read_checked_model(dir / kModelFolder));
  take_scans(dir, read.truth);
  for (const char* const folder : kUnreadTruth)
    if (folder_exists(dir / folder)) read.truth.unread.push_back(dir / folder);
  return read;
}

}  // namespace aqbench
