#include "scenes/dataset/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/images/image_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> images_of(const JsonPlace& camera) {
  const auto one = camera.find("image"), many = camera.find("images");
  if (one.has_value() == many.has_value()) camera.fail("needs either \"image\" or \"images\"");
  if (one) return {one->text()};
  std::vector<std::string> names;
  for (const JsonPlace& name : many->elements()) names.push_back(name.text());
  if (names.empty()) many->fail("is empty");
  return names;
}

int side_px(const JsonPlace& place) {
  const std::int64_t px = place.integer();
  if (px < 1 || px > 1 << 20) place.fail("must be from 1 to 1048576 px, got {}", px);
  return static_cast<int>(px);
}

Camera camera_of(const JsonPlace& place, const std::vector<std::string>& images) {
  place.allow_only(
      {"name", "image", "images", "size", "K", "distortion", "fisheye", "auxiliary", "R", "t_m"});
  Camera camera;
  camera.name =
      place.find("name") ? place.at("name").text() : std::filesystem::path(images.front()).stem().string();
  const auto size = place.at("size").elements();
  if (size.size() != 2) place.at("size").fail("must be [width, height]");
  Intrinsics& inside = camera.intrinsics;
  inside.width_px = side_px(size[0]);
  inside.height_px = side_px(size[1]);
  inside.K = matrix_at<3, 3>(place.at("K"));
  const auto fisheye = place.find("fisheye"), auxiliary = place.find("auxiliary");
  if (fisheye && fisheye->boolean()) {
    inside.lens = LensModel::fisheye;
    inside.distortion = {0, 0, 0, 0};
  }
  if (const auto distortion = place.find("distortion")) inside.distortion = numbers_at(*distortion);
  if (inside.lens == LensModel::brown_conrady && inside.distortion.size() == 4)
    inside.distortion.push_back(0);  // k1 k2 p1 p2, as OpenCV takes them, too
  camera.is_auxiliary = auxiliary && auxiliary->boolean();
  const auto t_m = numbers_at(place.at("t_m"), 3);
  camera.camera_from_world = {matrix_at<3, 3>(place.at("R")), {t_m[0], t_m[1], t_m[2]}};
  return camera;
}

WaterInterface water_of(const JsonPlace& place) {
  place.allow_only({"z_m", "n_air", "n_water"});
  WaterInterface water;
  water.water_z_m = place.at("z_m").number();
  if (const auto n_air = place.find("n_air")) water.n_air = n_air->number();
  water.n_water = place.at("n_water").number();
  return water;
}

using FilesOfFrames = std::vector<std::vector<fs::path>>;

fs::path mask_of_image(const fs::path& dir, const fs::path& image) {
  fs::path name = image.lexically_relative(dir);
  for (const char* const folder : {"images", "blended_images"})
    if (*name.begin() == folder) name = name.lexically_relative(folder);
  for (const fs::path& mask : {fs::path(name.string() + ".png"), fs::path(name).replace_extension(".png")})
    if (is_file(dir / "masks" / mask)) return dir / "masks" / mask;
  return {};
}

}  // namespace

fs::path find_named_image(const fs::path& dir, const std::string& name, const std::string& camera) {
  const fs::path relative = fs::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..")
    throw input_error.of_file(dir, "camera '{}': image '{}' is outside the recording", printable(camera),
                              escape_bytes(name));
  for (const fs::path& place : {dir / "images", dir})
    if (path_exists(place / relative)) return place / relative;
  return {};
}

fs::path named_image(const fs::path& dir, const std::string& name, const std::string& camera) {
  fs::path image = find_named_image(dir, name, camera);
  if (image.empty())
    throw input_error.of_file(dir, "camera '{}': no such image '{}'", printable(camera), escape_bytes(name));
  return image;
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

void check_principal_point(const Intrinsics& inside, const fs::path& file, std::string_view why) {
  const double x = inside.K(0, 2) / inside.width_px, y = inside.K(1, 2) / inside.height_px;
  if (std::min(x, y) < 0.25 || std::max(x, y) > 0.75)
    throw input_error.of_file(
        file, "the principal point ({:.6g}, {:.6g}) is far from the middle of the {} x {} image; {}",
        inside.K(0, 2), inside.K(1, 2), inside.width_px, inside.height_px, why);
}

// Lenses and crops move a principal point by a few percent of the image, and by as much along both sides only
// by chance.
void check_image_scale(const Camera& camera, const fs::path& file) {
  constexpr double kLarger = 1.15, kSmaller = 0.87, kAlike = 0.1;
  const Intrinsics& inside = camera.intrinsics;
  const double x = (inside.K(0, 2) + 0.5) / (0.5 * inside.width_px),
               y = (inside.K(1, 2) + 0.5) / (0.5 * inside.height_px);
  if (std::abs(x - y) > kAlike * std::max(x, y) || (std::min(x, y) < kLarger && std::max(x, y) > kSmaller))
    return;
  throw input_error.of_file(
      file,
      "camera '{}': its principal point ({:.6g}, {:.6g}) is not near the middle of its {} x {} image: its "
      "intrinsics are likely those of an image {:.3g} times as large",
      printable(camera.name), inside.K(0, 2), inside.K(1, 2), inside.width_px, inside.height_px, (x + y) / 2);
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
  const auto rotation = nearest_rotation(rounded, tolerance);
  if (!rotation) throw input_error("{}: is not a rotation", where);
  return *rotation;
}

void require_file(const fs::path& file, const std::string& source) {
  if (!is_file(file))
    throw Error(ErrorKind::input,
                fmt::format("{}: no such file (named by {})", printable(file.string()), source),
                file.string());
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files = entries_of(folder);
  std::erase_if(files, [](const fs::path& file) { return file.filename().string().starts_with('.'); });
  return files;
}

NamedImages read_cameras_file(const std::filesystem::path& file) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"water", "cameras"});
  NamedImages named;
  for (const JsonPlace& place : root.at("cameras").elements()) {
    named.images.push_back(images_of(place));
    named.rig.cameras.push_back(camera_of(place, named.images.back()));
  }
  if (named.rig.cameras.empty()) root.at("cameras").fail("is empty");
  if (const auto water = root.find("water")) set_interface(named.rig, water_of(*water));
  check(named.rig, file.string() + ": ");
  return named;
}

void find_masks(const fs::path& dir, const FilesOfFrames& images, FilesOfFrames& masks) {
  bool any = false;
  masks.resize(images.size());
  for (std::size_t frame = 0; frame < images.size(); ++frame) {
    masks[frame].resize(images[frame].size());
    for (std::size_t i = 0; i < images[frame].size(); ++i) {
      if (masks[frame][i].empty()) masks[frame][i] = mask_of_image(dir, images[frame][i]);
      any = any || !masks[frame][i].empty();
    }
  }
  if (any) return;
  masks.clear();
  if (folder_exists(dir / "masks"))
    throw input_error.of_file(dir / "masks",
                              "no mask is named after an image: IMAGE.png, such as {}.png; rename the "
                              "masks, or the folder if it holds something else",
                              images.at(0).at(0).filename().string());
}

void check_mask(std::string_view bytes, const Intrinsics& intrinsics, const std::string& file) {
  const ImageInfo info = inspect_image(bytes, file);
  const auto refuse = [&](const std::string& why) { throw input_error.of_file(file, "{}", why); };
  if (info.format != ImageFormat::png) refuse("a mask must be a PNG image");
  if (info.width_px != intrinsics.width_px || info.height_px != intrinsics.height_px)
    refuse(fmt::format("is {} x {} px, but its image has {} x {}", info.width_px, info.height_px,
                       intrinsics.width_px, intrinsics.height_px));
}

PixelMask read_mask(const fs::path& file, const Intrinsics& intrinsics) {
  const std::string bytes = read_file(file);
  check_mask(bytes, intrinsics, file.string());
  return {intrinsics.width_px, intrinsics.height_px, decode_png_mask(bytes, file.string())};
}

}  // namespace aqbench
