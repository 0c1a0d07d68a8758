#include "scenes/dataset/layout.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/images/image_file.h"

namespace aqbench {

namespace fs = std::filesystem;

fs::path named_image(const fs::path& dir, const std::string& name, const std::string& camera) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::input, fmt::format("{}: camera '{}': {}", dir.string(), printable(camera), why),
                dir.string());
  };
  const fs::path relative = fs::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..")
    refuse(fmt::format("image '{}' is outside the recording", escape_bytes(name)));
  std::error_code unknown;
  for (const fs::path& place : {dir / "images", dir})
    if (fs::exists(place / relative, unknown)) return place / relative;
  refuse(fmt::format("no such image '{}'", escape_bytes(name)));
  return {};
}

std::string camera_name_of(const fs::path& image) {
  std::string name = (image.parent_path() / image.stem()).generic_string();
  for (const char refused : {'/', '\\', '"'}) std::ranges::replace(name, refused, '_');
  return name;
}

void take_size(const fs::path& image, Intrinsics& intrinsics) {
  const ImageInfo info = inspect_image(read_file(image), image.string());
  intrinsics.width_px = info.width_px;
  intrinsics.height_px = info.height_px;
}

void move_cameras(const Similarity& new_from_old, std::vector<Camera>& cameras) {
  const Mat3 turn = rotation_near(new_from_old.rotation(), 1e-3, "similarity");
  for (Camera& camera : cameras) {
    CameraFromWorld& pose = camera.camera_from_world;
    pose.rotation *= turn.transpose();
    pose.translation_m = new_from_old.scale * pose.translation_m - pose.rotation * new_from_old.translation_m;
  }
}

Mat3 rotation_near(const Mat3& rounded, double tolerance, const std::string& where) {
  const Eigen::JacobiSVD<Mat3> parts(rounded, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Mat3 rotation = parts.matrixU() * parts.matrixV().transpose();
  if (!(rotation.determinant() > 0) || !((rotation - rounded).cwiseAbs().maxCoeff() <= tolerance))
    throw Error(ErrorKind::input, where + ": is not a rotation");
  return rotation;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!entry->path().filename().string().starts_with('.')) files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

}  // namespace aqbench
