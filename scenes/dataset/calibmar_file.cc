#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/optics/port_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// The fields of a file as Calibmar writes it (MDSKiel/calibmar, src/calibmar/core/report.cpp): one a line.
struct CalibmarFields {
  fs::path file;
  std::map<std::string, std::string, std::less<>> texts = {};

  template <class... Args>
  [[noreturn]] void refuse(std::string_view field, fmt::format_string<Args...> why, Args&&... args) const {
    throw input_error.of_file(file, "{}: {}", field, fmt::format(why, std::forward<Args>(args)...));
  }
  const std::string& text(std::string_view field) const {
    const auto found = texts.find(field);
    if (found == texts.end()) refuse(field, "missing; a YAML file is read as Calibmar's calibration");
    return found->second;
  }
  // A list "[1, 2]" of so many numbers.
  std::vector<double> numbers(std::string_view field, std::size_t count) const {
    const std::string_view list = trim_blanks(text(field));
    if (!list.starts_with('[') || !list.ends_with(']')) refuse(field, "expected numbers in brackets");
    std::vector<double> values;
    if (const std::string_view inside = trim_blanks(list.substr(1, list.size() - 2)); !inside.empty())
      for (const std::string_view word : split_at(inside, ',')) {
        const auto value = parse_double(trim_blanks(word));
        if (!value || !std::isfinite(*value)) refuse(field, "'{}' is no number", escape_bytes(word));
        values.push_back(*value);
      }
    if (values.size() != count) refuse(field, "expected {} numbers, got {}", count, values.size());
    return values;
  }
  std::uint64_t pixels(std::string_view field) const {
    const auto value = parse_whole<std::uint64_t>(trim_blanks(text(field)));
    if (!value) refuse(field, "must be a whole number of pixels");
    return *value;
  }
};

CalibmarFields read_fields(const fs::path& file) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const std::string bytes = read_text_file(file, kMaxBytes);
  TextLines lines(bytes, file.string());
  CalibmarFields fields{file};
  for (std::string_view line; lines.next_content(line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const auto [known, is_new] =
        fields.texts.emplace(trim_blanks(line.substr(0, colon)), trim_blanks(line.substr(colon + 1)));
    if (!is_new) lines.fail("{} comes twice", known->first);
  }
  return fields;
}

ColmapCamera lens_of(const CalibmarFields& fields) {
  const std::string& model = fields.text("model");
  const auto lens = std::ranges::find(colmap_lenses(), std::string_view(model), &ColmapLens::name);
  if (lens == colmap_lenses().end()) fields.refuse("model", "unknown lens model '{}'", escape_bytes(model));
  ColmapCamera camera{model, fields.pixels("width"), fields.pixels("height"),
                      fields.numbers("parameters", lens->parameters)};
  const std::string& port = fields.text("non_svp_model");
  if (port == "NONE") return camera;
  const auto kind = port_model(port);
  if (!kind)
    fields.refuse("non_svp_model", "'{}' is neither FLATPORT, DOMEPORT nor NONE", escape_bytes(port));
  const std::vector<double> numbers = fields.numbers("non_svp_parameters", kPortNumbers);
  camera.port = port_of(*kind, std::span<const double, kPortNumbers>(numbers));
  return camera;
}

// The first camera of a pair is its world, and has no pose.
CameraFromWorld pose_of(const CalibmarFields& fields) {
  constexpr const char *kRotation = "cam_to_world_rotation_rowmajor", *kPlace = "cam_to_world_translation";
  if (!fields.texts.contains(kRotation) && !fields.texts.contains(kPlace))
    return {Mat3::Identity(), Vec3::Zero()};
  const std::vector<double> rotation = fields.numbers(kRotation, 9), place = fields.numbers(kPlace, 3);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> rounded(rotation.data());
  const Mat3 turn =
      rotation_near(rounded, 1e-6, fmt::format("{}: {}", fields.file.string(), kRotation)).transpose();
  return {turn, -turn * Vec3(place[0], place[1], place[2])};
}

}  // namespace

std::vector<fs::path> calibmar_files(const fs::path& file) {
  fs::path second = file;
  second.replace_filename(file.stem().string() + "_stereo" + file.extension().string());
  return is_file(second) ? std::vector{file, second} : std::vector{file};
}

std::vector<Camera> read_calibmar_cameras(const fs::path& file) {
  std::vector<Camera> cameras;
  for (const fs::path& one : calibmar_files(file)) {
    const CalibmarFields fields = read_fields(one);
    ColmapModel model;
    model.dir = one;
    model.cameras.emplace(1, lens_of(fields));
    model.images.push_back(
        {.name = one.filename().string(), .quaternion_wxyz = {1, 0, 0, 0}, .camera_id = 1});
    cameras.push_back(colmap_cameras(model).front());
    cameras.back().camera_from_world = pose_of(fields);
  }
  return cameras;
}

}  // namespace aqbench
