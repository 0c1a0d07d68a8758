#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFramePlaceholder = "{frame}";

bool is_file_here(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Checks now, not only when its case runs, that every frame has its file.
void require_files(const std::string& name, std::size_t frames, const std::string& source) {
  for (std::size_t frame = 0; frame < frames; ++frame)
    if (const fs::path file = file_of_frame(name, frame); !is_file_here(file))
      throw Error(ErrorKind::input,
                  fmt::format("{}: no such file (named by {})", printable(file.string()), source),
                  file.string());
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

}  // namespace

fs::path file_of_frame(std::string name, std::size_t frame) {
  if (const std::size_t at = name.find(kFramePlaceholder); at != std::string::npos)
    name.replace(at, kFramePlaceholder.size(), fmt::format("{:06}", frame));
  return name;
}

RecordingTruth find_recording_truth(const Recording& recording, const DeclaredTruth& declared) {
  RecordingTruth truth;
  truth.dir = recording.dir / "truth";
  if (is_file_here(truth.dir / "scene.json")) truth.scene_file = truth.dir / "scene.json";
  if (const fs::path file = truth.dir / "truth.json"; is_file_here(file))
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
  const char* separator = "; not read: ";
  for (const fs::path& folder : recording.truth.unread) {
    text += separator + folder.filename().string();
    separator = ", ";
  }
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
    contents["declared:" + file.lexically_relative(declared.base).generic_string()] = {fs::file_size(file),
                                                                                       sha256_file_hex(file)};
  if (const std::string text = declared.entry->dump(); !declared.entry->empty())
    contents["declared"] = {text.size(), sha256_hex(text)};
  for (const fs::path& file : recording.truth.files) {
    const fs::path name = fs::absolute(file).lexically_normal().lexically_relative(
        fs::absolute(recording.dir).lexically_normal());
    contents["layout:" + name.generic_string()] = {fs::file_size(file), sha256_file_hex(file)};
  }
  const fs::path dir = recording.dir / "truth";
  std::error_code error;
  if (!fs::is_directory(dir, error)) return;
  for (fs::recursive_directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error))
      contents[entry->path().lexically_relative(recording.dir).generic_string()] = {
          fs::file_size(entry->path()), sha256_file_hex(entry->path())};
  if (error) throw io_error("{}: {}", dir.string(), error.message());
}

fs::path true_depth_file(const fs::path& truth_dir, const std::string& camera, std::size_t frame) {
  const fs::path numbered = truth_dir / camera / fmt::format("{:06}.npy", frame),
                 only = truth_dir / camera / "depth.npy";
  if (is_file_here(numbered)) return numbered;
  if (frame != 0) return {};
  const fs::path rendered = truth_dir.parent_path() / "rendered_depth_maps" / (camera + ".pfm");
  return is_file_here(only) ? only : is_file_here(rendered) ? rendered : fs::path();
}

}  // namespace aqbench
