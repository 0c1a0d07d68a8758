#include "scenes/dataset/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "scenes/dataset/cameras_file.h"
#include "scenes/dataset/colmap_files.h"
#include "scenes/dataset/colmap_rig.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCalibrationFile = "calibration.json";
constexpr const char* kCamerasFile = "cameras.json";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

[[noreturn]] void refuse_recording(const fs::path& where, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", where.string(), why), where.string());
}

// ---- Images in folders named as the cameras ----

using FramesByName = std::map<std::string, fs::path>;  // by the file's name without ending

FramesByName images_in(const fs::path& folder) {
  FramesByName frames;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path();
    if (!is_image_name(file) || file.filename().string().starts_with('.')) continue;
    const auto [at, added] = frames.emplace(file.stem().string(), file);
    if (!added)
      refuse_recording(
          file, fmt::format("'{}' is a second image of the same frame", at->second.filename().string()));
  }
  if (error) throw Error(ErrorKind::io, fmt::format("{}: {}", folder.string(), error.message()));
  return frames;
}

// Returns the frames of a camera: of its folder, or the one image named after the camera.
FramesByName frames_of(const fs::path& dir, const std::string& camera) {
  for (const fs::path& place : {dir / "images", dir}) {
    std::error_code error;
    if (fs::is_directory(place / camera, error))
      if (FramesByName frames = images_in(place / camera); !frames.empty()) return frames;
    for (const char* const ending :
         {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".PNG", ".JPG", ".JPEG", ".TIF", ".TIFF"})
      if (const fs::path file = place / (camera + ending); fs::is_regular_file(file, error))
        return {{"000000", file}};
  }
  refuse_recording(
      dir, fmt::format("camera '{0}': no PNG, JPEG or TIFF file in images/{0}/ or {0}/, nor one named {0}",
                       camera));
}

void find_images(Recording& recording) {
  FramesByName first;
  for (const Camera& camera : recording.rig.cameras) {
    const FramesByName frames = frames_of(recording.dir, camera.name);
    const std::string& first_camera = recording.rig.cameras.front().name;
    if (first.empty()) {
      first = frames;
      recording.images.resize(frames.size());
    }
    for (const auto& [name, file] : first)
      if (!frames.contains(name))
        refuse_recording(recording.dir,
                         fmt::format("camera '{}': missing image of frame '{}' (camera '{}' has one)",
                                     camera.name, name, first_camera));
    std::size_t frame = 0;
    for (const auto& [name, file] : frames) {
      if (!first.contains(name))
        refuse_recording(recording.dir,
                         fmt::format("camera '{}': missing image of frame '{}' (camera '{}' has one)",
                                     first_camera, name, camera.name));
      recording.images[frame++].push_back(file);
    }
  }
}

void read_by_calibration(Recording& recording) {
  recording.layout = RecordingLayout::calibration;
  recording.camera_files = {recording.dir / kCalibrationFile};
  recording.rig = read_calibration(recording.camera_files.front());
  find_images(recording);
}

// ---- Images that a file names ----

// Names must not lead outside the recording.
fs::path named_image(const Recording& recording, const std::string& name, const std::string& camera) {
  const fs::path relative = fs::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..")
    refuse_recording(recording.dir, fmt::format("camera '{}': image '{}' is outside the recording", camera,
                                                escape_bytes(name)));
  for (const fs::path& place : {recording.dir / "images", recording.dir})
    if (is_there(place / relative)) return place / relative;
  refuse_recording(recording.dir, fmt::format("camera '{}': no such image '{}'", camera, escape_bytes(name)));
}

void read_by_names(Recording& recording) {
  recording.layout = RecordingLayout::cameras;
  recording.camera_files = {recording.dir / kCamerasFile};
  NamedImages named = read_cameras_file(recording.camera_files.front());
  recording.images.resize(named.images.front().size());
  for (std::size_t i = 0; i < named.images.size(); ++i) {
    const std::string& camera = named.rig.cameras[i].name;
    if (named.images[i].size() != recording.images.size())
      refuse_recording(
          recording.camera_files.front(),
          fmt::format("camera '{}' has {} images, but '{}' has {}", camera, named.images[i].size(),
                      named.rig.cameras.front().name, recording.images.size()));
    for (std::size_t frame = 0; frame < recording.images.size(); ++frame)
      recording.images[frame].push_back(named_image(recording, named.images[i][frame], camera));
  }
  recording.rig = std::move(named.rig);
}

void read_by_colmap(const fs::path& model_dir, Recording& recording) {
  recording.layout = RecordingLayout::colmap;
  const ColmapModel model = read_colmap_model(model_dir);
  recording.camera_files = model.files;
  ColmapRig made = colmap_rig(model);
  recording.rig = std::move(made.rig);
  recording.images.resize(1);
  for (std::size_t i = 0; i < made.images.size(); ++i)
    recording.images[0].push_back(named_image(recording, made.images[i], recording.rig.cameras[i].name));
}

}  // namespace

const char* to_string(RecordingLayout layout) {
  switch (layout) {
    case RecordingLayout::calibration:
      return "calibration";
    case RecordingLayout::cameras:
      return "cameras";
    case RecordingLayout::colmap:
      return "colmap";
  }
  return "";
}

Recording read_recording(const fs::path& dir) {
  std::error_code error;
  if (!fs::is_directory(dir, error)) refuse_recording(dir, "no such folder");
  Recording recording;
  recording.dir = dir;
  if (is_there(dir / kCalibrationFile)) {
    read_by_calibration(recording);
  } else if (is_there(dir / kCamerasFile)) {
    read_by_names(recording);
  } else if (const fs::path model = find_colmap_model(dir); !model.empty()) {
    read_by_colmap(model, recording);
  } else {
    refuse_recording(dir,
                     "no calibration.json, cameras.json or COLMAP model (cameras and images as .bin or .txt, "
                     "here or in sparse/0, sparse or colmap)");
  }
  return recording;
}

DatasetContents inspect_recording(const Recording& recording, ImageCheck check) {
  DatasetContents contents;
  const auto add = [&](const fs::path& file, const std::string& bytes) {
    contents[file.lexically_relative(recording.dir).generic_string()] = {bytes.size(), sha256_hex(bytes)};
  };
  for (const fs::path& file : recording.camera_files) add(file, read_file(file));
  for (const auto& frame : recording.images)
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const std::string bytes = read_file(frame[i]);
      const ImageInfo info = inspect_image(bytes, frame[i].string());
      const Intrinsics& inside = recording.rig.cameras[i].intrinsics;
      if (info.width_px != inside.width_px || info.height_px != inside.height_px)
        refuse_recording(
            frame[i], fmt::format("is {} x {} px, but camera '{}' has {} x {}", info.width_px, info.height_px,
                                  recording.rig.cameras[i].name, inside.width_px, inside.height_px));
      if (check == ImageCheck::decoded && info.format == ImageFormat::jpeg)
        if (const std::string damage = jpeg_damage(bytes); !damage.empty())
          refuse_recording(frame[i], "damaged: " + escape_bytes(damage));
      add(frame[i], bytes);
    }
  return contents;
}

void write_observation(const Recording& recording, std::size_t frame, const fs::path& to) {
  try {
    fs::create_directories(to);
    if (recording.layout == RecordingLayout::calibration)
      fs::copy_file(recording.camera_files.front(), to / kCalibrationFile);
    else
      write_calibration(to / kCalibrationFile, recording.rig, {"1970-01-01T00:00:00Z", "aqbench", "none"});
    const auto& images = recording.images.at(frame);
    for (std::size_t i = 0; i < images.size(); ++i) {
      const fs::path folder = to / "images" / recording.rig.cameras[i].name;
      fs::create_directories(folder);
      fs::copy_file(images[i], folder / ("000000" + images[i].extension().string()));
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", to.string(), error.code().message()));
  }
}

}  // namespace aqbench
