#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "scenes/cloud/length_units.h"
#include "scenes/images/mat_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_at(const JsonPlace& place) {
  std::vector<std::string> names;
  if (place.value().is_array())
    for (const JsonPlace& element : place.elements()) names.push_back(element.text());
  else
    names.push_back(place.text());
  if (names.empty()) place.fail("names no file");
  for (const std::string& name : names)
    if (name.empty()) place.fail("is empty");
  return names;
}

std::optional<double> length_at(const JsonPlace& place, const char* name_mm) {
  const auto length = place.find(name_mm);
  if (!length) return std::nullopt;
  const double metres = 1e-3 * length->number();
  if (!(metres > 0)) length->fail("must be positive");
  return metres;
}

// Reads the tolerances in any order.
std::vector<double> tolerances_at(const JsonPlace& place) {
  std::vector<double> tolerances_m;
  for (const JsonPlace& element : place.elements()) {
    tolerances_m.push_back(1e-3 * element.number());
    if (!(tolerances_m.back() > 0)) element.fail("must be positive");
  }
  std::ranges::sort(tolerances_m);
  if (tolerances_m.empty()) place.fail("names no tolerance");
  if (std::ranges::adjacent_find(tolerances_m) != tolerances_m.end()) place.fail("duplicate tolerance");
  return tolerances_m;
}

// Only boxes and ranges: a file that limits what is scored would have to be hashed and hidden, too.
std::vector<std::string> crops_at(const JsonPlace& place) {
  std::vector<std::string> crops = names_at(place);
  for (const std::string& crop : crops) {
    if (!crop.starts_with("box:") && !(crop.size() > 1 && crop[0] >= 'x' && crop[0] <= 'z' && crop[1] == ':'))
      place.fail("'{}' is not box:X0,Y0,Z0,X1,Y1,Z1 or z:LOW,HIGH (also x, y)", crop);
    Crop tried;
    try {
      add_crop(tried, crop);
    } catch (const Error& error) {
      place.fail(error.what());
    }
  }
  return crops;
}

SurfaceScoring scoring_at(const JsonPlace& place) {
  SurfaceScoring scoring;
  scoring.max_distance_m = length_at(place, "max_distance_mm");
  scoring.outlier_m = length_at(place, "outlier_mm");
  scoring.spacing_m = length_at(place, "spacing_mm");
  scoring.tile_m = length_at(place, "tile_mm");
  if (const auto tolerances = place.find("thresholds_mm")) scoring.tolerances_m = tolerances_at(*tolerances);
  if (const auto crop = place.find("crop")) scoring.crops = crops_at(*crop);
  if (const auto border = place.find("border")) {
    if (border->text() != "score" && border->text() != "leave-out")
      border->fail("must be score or leave-out");
    scoring.leave_out_beyond_border = border->text() == "leave-out";
  }
  return scoring;
}

SurfaceTruth surface_at(const JsonPlace& place) {
  place.allow_only({"file", "depths", "unit", "max_distance_mm", "border", "thresholds_mm", "outlier_mm",
                    "spacing_mm", "tile_mm", "crop"});
  SurfaceTruth surface;
  if (const auto depths = place.find("depths")) {
    if (!depths->boolean()) depths->fail("must be true or absent");
    if (place.find("file") || place.find("unit"))
      place.fail("file and unit are not allowed with depths, which are in metres");
    surface.from_depths = true;
    surface.unit = "m";
  } else {
    surface.files = names_at(place.at("file"));
  }
  if (const auto unit = place.find("unit")) {
    surface.unit = unit->text();
    if (!metres_per_unit(surface.unit)) unit->fail("'{}' is not one of m, cm, mm, um", surface.unit);
  }
  surface.scoring = scoring_at(place);
  return surface;
}

constexpr std::string_view kFramePlaceholder = "{frame}";

// Checks now, not only when its case runs, that every frame has its file.
void require_files(const std::string& name, std::size_t frames, const std::string& source) {
  for (std::size_t frame = 0; frame < frames; ++frame) require_file(file_of_frame(name, frame), source);
}

// Checks that every frame has a depth map of some camera.
void require_depths(const Recording& recording, const RecordingTruth& truth, const JsonPlace& place) {
  for (std::size_t frame = 0; frame < recording.images.size(); ++frame)
    if (std::ranges::none_of(recording.rig.cameras, [&](const Camera& camera) {
          return !true_depth_file(truth.dir, camera.name, frame).empty();
        }))
      place.fail("frame {} has no depth map in {}/CAMERA", frame, truth.dir.string());
}

void take_surface(SurfaceTruth surface, const JsonPlace& place, const fs::path& base,
                  const Recording& recording, RecordingTruth& truth) {
  if (truth.scene_file) place.fail("truth/scene.json already gives a surface; remove one");
  if (truth.surface) place.fail("truth/truth.json already gives a surface; remove one");
  if (surface.from_depths) require_depths(recording, truth, place.at("depths"));
  for (std::string& file : surface.files) {
    file = (base / file).lexically_normal().string();
    require_files(file, recording.images.size(), truth.source);
  }
  truth.surface = std::move(surface);
}

void take_entry(const Json& json, const std::string& source, const fs::path& base, const Recording& recording,
                RecordingTruth& truth) {
  const JsonPlace root(json, source);
  const TruthEntry entry = truth_entry_at(root);
  truth.source = source;
  if (entry.surface) take_surface(*entry.surface, root.at("surface"), base, recording, truth);
  const auto take_file = [&](const char* key, const std::string& name, std::string& file) {
    if (name.empty()) return;
    if (!file.empty()) root.at(key).fail("truth/truth.json already names one; remove one");
    file = (base / name).lexically_normal().string();
    require_files(file, recording.images.size(), source);
  };
  take_file("charuco", entry.board_file, truth.board_file);
  take_file("control_points", entry.control_file, truth.control_file);
}

// The surface that the layout brings along, where nothing else gives one.
void take_layout_truth(const Recording& recording, RecordingTruth& truth) {
  const LayoutTruth& own = recording.truth;
  if (truth.has_surface() || (own.surface.empty() && !own.depths_are_surface)) return;
  SurfaceTruth surface;
  for (const fs::path& file : own.surface) surface.files.push_back(file.string());
  surface.unit = own.unit;
  surface.from_depths = own.depths_are_surface;
  for (const fs::path& crop : own.crops) surface.scoring.crops.push_back(crop.string());
  truth.surface = std::move(surface);
  if (truth.source.empty()) truth.source = recording.dir.string();
}

const MatArray& array_of(const std::map<std::string, MatArray>& arrays, const char* name, std::size_t values,
                         const fs::path& file) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || (values != 0 && found->second.size() != values))
    throw input_error.of_file(file, "expected the variable {}{}", name,
                              values == 0 ? "" : fmt::format(" of {} values", values));
  return found->second;
}

// From MATLAB's order, x fastest, to that of CropMask.
CropMask voxels_of(const MatArray& array, const fs::path& file) {
  if (array.shape.size() != 3) throw input_error.of_file(file, "ObsMask has not three dimensions");
  CropMask mask{file.string(), Vec3::Zero(), 0, {array.shape[0], array.shape[1], array.shape[2]}, {}};
  const auto [nx, ny, nz] = mask.size;
  std::vector<std::uint8_t> observed(array.size());
  for (std::size_t z = 0; z < nz; ++z)
    for (std::size_t y = 0; y < ny; ++y)
      for (std::size_t x = 0; x < nx; ++x)
        observed[(x * ny + y) * nz + z] = array[(z * ny + y) * nx + x] != 0 ? 1 : 0;
  mask.is_observed = std::make_shared<const std::vector<std::uint8_t>>(std::move(observed));
  return mask;
}

}  // namespace

TruthEntry truth_entry_at(const JsonPlace& place) {
  for (const char* const key : {"thresholds_mm", "outlier_mm", "spacing_mm", "tile_mm", "max_distance_mm"})
    if (const auto misplaced = place.find(key)) misplaced->fail("belongs inside \"surface\"");
  place.allow_only({"surface", "charuco", "control_points"});
  TruthEntry entry;
  if (const auto surface = place.find("surface")) entry.surface = surface_at(*surface);
  for (const auto& [key, file] :
       {std::pair("charuco", &entry.board_file), {"control_points", &entry.control_file}})
    if (const auto named = place.find(key)) {
      *file = named->text();
      if (file->empty()) named->fail("is empty");
    }
  return entry;
}

fs::path file_of_frame(std::string name, std::size_t frame) {
  if (const std::size_t at = name.find(kFramePlaceholder); at != std::string::npos)
    name.replace(at, kFramePlaceholder.size(), fmt::format("{:06}", frame));
  return name;
}

RecordingTruth find_recording_truth(const Recording& recording, const DeclaredTruth& declared) {
  RecordingTruth truth;
  truth.dir = recording.dir / "truth";
  if (is_file(truth.dir / "scene.json")) truth.scene_file = truth.dir / "scene.json";
  if (const fs::path file = truth.dir / "truth.json"; is_file(file))
    take_entry(read_strict_json(file, kSmallFileJson), file.string(), truth.dir, recording, truth);
  if (!declared.entry->empty()) take_entry(*declared.entry, declared.source, declared.base, recording, truth);
  take_layout_truth(recording, truth);
  for (const Camera& camera : recording.rig.cameras)
    for (std::size_t frame = 0; frame < recording.images.size() && !truth.has_depths; ++frame)
      truth.has_depths = !true_depth_file(truth.dir, camera.name, frame).empty();
  return truth;
}

std::string truth_text(const RecordingTruth& truth) {
  std::vector<std::string_view> kinds;
  if (truth.has_surface()) kinds.push_back("surface");
  if (truth.has_depths) kinds.push_back("depth");
  if (!truth.board_file.empty()) kinds.push_back("charuco");
  if (!truth.control_file.empty()) kinds.push_back("control");
  return kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, "+"));
}

std::string content_text(const Recording& recording, const RecordingTruth& truth) {
  std::string text = fmt::format("{}, {}, truth: {}", counted(recording.rig.cameras.size(), "camera"),
                                 counted(recording.images.size(), "frame"), truth_text(truth));
  if (recording.without_image > 0)
    text += fmt::format("; {} without an image: left out", counted(recording.without_image, "more camera"));
  const char* separator = "; not read: ";
  for (const fs::path& folder : recording.truth.unread) {
    text += separator + folder.filename().string();
    separator = ", ";
  }
  if (const std::size_t images = images_with_alpha(recording, 0); images > 0)
    text += fmt::format("{}the alpha channel of {}, which masks nothing; write masks/IMAGE.png", separator,
                        counted(images, "image"));
  return text;
}

std::vector<fs::path> declared_files(const Recording& recording, const DeclaredTruth& declared) {
  if (declared.entry->empty()) return {};
  const TruthEntry entry = truth_entry_at(JsonPlace(*declared.entry, declared.source));
  std::vector<std::string> names;
  if (entry.surface) names = entry.surface->files;
  for (const std::string& file : {entry.board_file, entry.control_file})
    if (!file.empty()) names.push_back(file);
  std::set<fs::path> files;
  for (const std::string& name : names)
    for (std::size_t frame = 0; frame < recording.images.size(); ++frame)
      files.insert(file_of_frame((declared.base / name).lexically_normal().string(), frame));
  return {files.begin(), files.end()};
}

std::vector<fs::path> hidden_files(const Recording& recording, const DeclaredTruth& declared) {
  std::vector<fs::path> hidden = declared_files(recording, declared);
  hidden.push_back(fs::absolute(recording.dir) / "truth");
  for (const auto* const paths : {&recording.truth.files, &recording.truth.unread})
    for (const fs::path& path : *paths) hidden.push_back(fs::absolute(path));
  return hidden;
}

void add_truth_contents(const Recording& recording, const DeclaredTruth& declared,
                        DatasetContents& contents) {
  // Relative to the declaration, so the hash does not depend on the project's location.
  for (const fs::path& file : declared_files(recording, declared))
    contents["declared:" + file.lexically_relative(declared.base).generic_string()] = content_of(file);
  if (const std::string text = declared.entry->dump(); !declared.entry->empty())
    contents["declared"] = {text.size(), sha256_hex(text)};
  for (const fs::path& file : recording.truth.files) {
    const fs::path name = fs::absolute(file).lexically_normal().lexically_relative(
        fs::absolute(recording.dir).lexically_normal());
    contents["layout:" + name.generic_string()] = content_of(file);
  }
  add_folder_contents(recording.dir / "truth", recording.dir, fs::directory_options::none, contents);
}

fs::path true_depth_file(const fs::path& truth_dir, const std::string& camera, std::size_t frame) {
  const fs::path numbered = truth_dir / camera / fmt::format("{:06}.npy", frame),
                 only = truth_dir / camera / "depth.npy";
  if (is_file(numbered)) return numbered;
  if (frame != 0) return {};
  const fs::path rendered = truth_dir.parent_path() / "rendered_depth_maps" / (camera + ".pfm");
  return is_file(only) ? only : is_file(rendered) ? rendered : fs::path();
}

ObservedVolume read_observed(const fs::path& mask, const fs::path& plane, double metres_per_unit) {
  const auto arrays = read_mat_file(mask);
  ObservedVolume volume{voxels_of(array_of(arrays, "ObsMask", 0, mask), mask), {}, {}};
  const MatArray& box = array_of(arrays, "BB", 6, mask);  // two rows, x y z
  volume.voxels.spacing_m = metres_per_unit * array_of(arrays, "Res", 1, mask)[0];
  if (!(volume.voxels.spacing_m > 0)) throw input_error.of_file(mask, "Res must be positive");
  volume.voxels.low_m = metres_per_unit * Vec3(box[0], box[2], box[4]);
  volume.high_m = metres_per_unit * Vec3(box[1], box[3], box[5]);
  if (plane.empty()) return volume;
  const std::vector<double> p = read_observed_plane(plane);
  volume.plane = Eigen::Vector4d(p[0], p[1], p[2], p[3] * metres_per_unit);
  return volume;
}

std::vector<double> read_observed_plane(const fs::path& file) {
  const auto arrays = read_mat_file(file);
  const MatArray& plane = array_of(arrays, "P", 4, file);
  return {plane[0], plane[1], plane[2], plane[3]};
}

std::optional<ObservedVolume> observed_of(const Recording& recording) {
  fs::path mask, plane;
  for (const fs::path& file : recording.truth.files) {
    if (file.extension() != ".mat") continue;
    (file.filename().string().starts_with("ObsMask") ? mask : plane) = file;
  }
  if (mask.empty()) return std::nullopt;
  return read_observed(mask, plane, metres_per_unit(recording.truth.unit).value_or(1));
}

}  // namespace aqbench
