#include "scenes/dataset/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/dataset.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {
constexpr const char* kCalibrationFile = "calibration.json";
constexpr const char* kCamerasFile = "cameras.json";

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
      throw input_error.of_file(file, "'{}' is a second image of the same frame",
                                at->second.filename().string());
  }
  if (error) throw io_error("{}: {}", folder.string(), error.message());
  return frames;
}

// Returns the frames of a camera: of its folder, or the one image named after the camera.
FramesByName frames_of(const fs::path& dir, const std::string& camera) {
  for (const fs::path& place : {dir / "images", dir}) {
    if (folder_exists(place / camera))
      if (FramesByName frames = images_in(place / camera); !frames.empty()) return frames;
    if (const fs::path file = find_image(place, camera); !file.empty()) return {{"000000", file}};
  }
  throw input_error.of_file(
      dir, "camera '{0}': no PNG, JPEG or TIFF file in images/{0}/ or {0}/, nor one named {0}", camera);
}

void find_images(Recording& recording) {
  FramesByName first;
  const std::string& first_camera = recording.rig.cameras.front().name;
  const auto require = [&](bool is_there, const std::string& frame, const std::string& camera,
                           const std::string& other) {
    if (!is_there)
      throw input_error.of_file(recording.dir,
                                "camera '{}': missing image of frame '{}' (camera '{}' has one)", camera,
                                frame, other);
  };
  for (const Camera& camera : recording.rig.cameras) {
    const FramesByName frames = frames_of(recording.dir, camera.name);
    if (first.empty()) {
      first = frames;
      recording.images.resize(frames.size());
    }
    for (const auto& [name, file] : first) require(frames.contains(name), name, camera.name, first_camera);
    std::size_t frame = 0;
    for (const auto& [name, file] : frames) {
      require(first.contains(name), name, first_camera, camera.name);
      recording.images[frame++].push_back(file);
    }
  }
}

void read_by_calibration(Recording& recording) {
  const fs::path file = find_calibration(recording.dir);
  recording.camera_files = file.extension() == ".json" ? std::vector{file} : calibmar_files(file);
  recording.rig = file.filename() == kCalibrationFile ? read_calibration(file) : read_rig_file(file).rig;
  find_images(recording);
}

// ---- Images that a file names ----

void read_by_names(Recording& recording) {
  recording.camera_files = {recording.dir / kCamerasFile};
  NamedImages named = read_cameras_file(recording.camera_files.front());
  recording.images.resize(named.images.front().size());
  for (std::size_t i = 0; i < named.images.size(); ++i) {
    const std::string& camera = named.rig.cameras[i].name;
    if (named.images[i].size() != recording.images.size())
      throw input_error.of_file(recording.camera_files.front(), "camera '{}' has {} images, but '{}' has {}",
                                camera, named.images[i].size(), named.rig.cameras.front().name,
                                recording.images.size());
    for (std::size_t frame = 0; frame < recording.images.size(); ++frame)
      recording.images[frame].push_back(named_image(recording.dir, named.images[i][frame], camera));
  }
  recording.rig = std::move(named.rig);
}

// ---- Layouts with one image for each camera ----

// Two images can make one name: "a/b.png" and "a_b.png" are both "a_b".
void check_names(const fs::path& dir, const LayoutCameras& read) {
  std::map<std::string_view, fs::path> images;
  for (std::size_t i = 0; i < read.cameras.size(); ++i) {
    const std::string& name = read.cameras[i].name;
    const auto [other, is_new] = images.emplace(name, read.images[i]);
    if (!is_new)
      throw input_error.of_file(dir, "images '{}' and '{}' both make the camera name '{}'; rename one",
                                escape_bytes(other->second.lexically_relative(dir).string()),
                                escape_bytes(read.images[i].lexically_relative(dir).string()),
                                printable(name));
  }
}

template <LayoutCameras (*kRead)(const fs::path& dir)>
void read_layout(Recording& recording) {
  LayoutCameras read = kRead(recording.dir);
  check_names(recording.dir, read);
  recording.without_image = read.without_image;
  recording.camera_files = std::move(read.files);
  recording.images = {std::move(read.images)};
  if (!read.masks.empty()) recording.masks = {std::move(read.masks)};
  recording.truth = std::move(read.truth);
  recording.rig.cameras = std::move(read.cameras);
  check(recording.rig, recording.dir.string() + ": ");
}

// ---- Images alone ----

// Returns the images in images/, else in the folder itself; none if there are fewer than two.
std::vector<fs::path> images_alone(const fs::path& dir) {
  for (const fs::path& place : {dir / "images", dir}) {
    std::vector<fs::path> images = files_in(place);
    std::erase_if(images, [](const fs::path& file) { return !is_image_name(file); });
    if (images.size() >= 2) return images;
  }
  return {};
}

void read_images_alone(Recording& recording) {
  recording.images = {images_alone(recording.dir)};
  std::set<std::string> names;
  for (const fs::path& image : recording.images.front()) {
    Camera& camera = recording.rig.cameras.emplace_back();
    camera.name = camera_name_of(image.filename());
    take_size(image, camera.intrinsics);
    if (!names.insert(camera.name).second)
      throw input_error.of_file(image, "another image has the same name but for its ending");
  }
}

ImageInfo inspect_image_of(const Camera& camera, const fs::path& file, const std::string& bytes) {
  const ImageInfo info = inspect_image(bytes, file.string());
  const Intrinsics& inside = camera.intrinsics;
  if (info.width_px != inside.width_px || info.height_px != inside.height_px)
    throw input_error.of_file(file, "is {} x {} px, but camera '{}' has {} x {}", info.width_px,
                              info.height_px, camera.name, inside.width_px, inside.height_px);
  return info;
}

// A layout: its name, how a folder is known to have it, and how it is read.
struct LayoutRow {
  RecordingLayout layout;
  const char* name;
  bool (*is_there)(const fs::path& dir);
  void (*read)(Recording& recording);
};

template <fs::path (*kFind)(const fs::path& dir)>
bool finds(const fs::path& dir) {
  return !kFind(dir).empty();
}

constexpr LayoutRow kLayouts[] = {
    {RecordingLayout::calibration, "calibration", finds<find_calibration>, read_by_calibration},
    {RecordingLayout::cameras, "cameras", [](const fs::path& dir) { return path_exists(dir / kCamerasFile); },
     read_by_names},
    {RecordingLayout::colmap, "colmap", finds<find_colmap_model>, read_layout<read_colmap_folder>},
    {RecordingLayout::transforms, "transforms", finds<find_transforms_file>,
     read_layout<read_transforms_folder>},
    {RecordingLayout::eth3d, "eth3d", is_eth3d_folder, read_layout<read_eth3d_folder>},
    {RecordingLayout::mvsnet, "mvsnet", is_mvsnet_folder, read_layout<read_mvsnet_folder>},
    {RecordingLayout::tanks, "tanks", finds<find_tanks_trajectory>, read_layout<read_tanks_folder>},
    {RecordingLayout::images, "images", [](const fs::path& dir) { return !images_alone(dir).empty(); },
     read_images_alone}};

}  // namespace

const char* to_string(RecordingLayout layout) {
  return std::ranges::find(kLayouts, layout, &LayoutRow::layout)->name;
}

std::optional<RecordingLayout> layout_of(const fs::path& dir) {
  for (const LayoutRow& row : kLayouts)
    if (row.is_there(dir)) return row.layout;
  return std::nullopt;
}

Recording read_recording(const fs::path& dir, KnownCameras cameras) {
  if (!folder_exists(dir)) throw input_error.of_file(dir, "no such folder");
  Recording recording;
  recording.dir = dir;
  const auto layout = layout_of(dir);
  if (!layout || (*layout == RecordingLayout::images && cameras == KnownCameras::required))
    throw input_error.of_file(
        dir,
        "{}no calibration.json, ground_truth.json of AquaCal, calibration.yaml of Calibmar, cameras.json, "
        "COLMAP model (cameras and images as .bin or .txt, here or in sparse/0, sparse or colmap), "
        "transforms.json, dslr_calibration_undistorted/, cams/*_cam.txt or *_COLMAP_SfM.log",
        layout ? "images without cameras, for methods with poses and intrinsics of their own: " : "");
  recording.layout = *layout;
  std::ranges::find(kLayouts, *layout, &LayoutRow::layout)->read(recording);
  if (recording.has_cameras())
    for (const Camera& camera : recording.rig.cameras) check_image_scale(camera, recording.dir);
  find_masks(recording.dir, recording.images, recording.masks);
  return recording;
}

void check_images(const Recording& recording, std::size_t frame) {
  const auto& images = recording.images.at(frame);
  for (std::size_t i = 0; i < images.size(); ++i)
    inspect_image_of(recording.rig.cameras[i], images[i], read_file(images[i]));
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
      const ImageInfo info = inspect_image_of(recording.rig.cameras[i], frame[i], bytes);
      if (check == ImageCheck::decoded && info.format == ImageFormat::jpeg)
        if (const std::string damage = find_jpeg_damage(bytes); !damage.empty())
          throw input_error.of_file(frame[i], "damaged: {}", escape_bytes(damage));
      add(frame[i], bytes);
    }
  for (const auto& frame : recording.masks)
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (frame[i].empty()) continue;
      const std::string bytes = read_file(frame[i]);
      check_mask(bytes, recording.rig.cameras[i].intrinsics, frame[i].string());
      add(frame[i], bytes);
    }
  return contents;
}

std::size_t images_with_alpha(const Recording& recording, std::size_t frame) {
  return static_cast<std::size_t>(std::ranges::count_if(recording.images.at(frame), has_png_alpha));
}

void load_masks(Recording& recording, std::size_t frame) {
  if (recording.masks.empty()) return;
  const auto& masks = recording.masks.at(frame);
  for (std::size_t i = 0; i < masks.size(); ++i)
    if (!masks[i].empty())
      recording.rig.cameras[i].mask =
          std::make_shared<const PixelMask>(read_mask(masks[i], recording.rig.cameras[i].intrinsics));
}

void write_observation(const Recording& recording, std::size_t frame, const fs::path& to) {
  try {
    fs::create_directories(to);
    if (!recording.has_cameras())
      fs::create_directories(to / "images");
    else if (recording.camera_files.front().filename() == kCalibrationFile && recording.is_whole)
      fs::copy_file(recording.camera_files.front(), to / kCalibrationFile);
    else
      write_calibration(to / kCalibrationFile, recording.rig, {"1970-01-01T00:00:00Z", "aqbench", "none"});
    const auto copy = [&](const std::vector<std::vector<fs::path>>& frames, const char* folder,
                          const char* ending) {
      if (frames.empty()) return;
      for (std::size_t i = 0; i < frames.at(frame).size(); ++i) {
        const fs::path& file = frames[frame][i];
        if (file.empty()) continue;
        const fs::path target = to / folder / recording.rig.cameras[i].name;
        fs::create_directories(target);
        fs::copy_file(file, target / ("000000" + (*ending == 0 ? file.extension().string() : ending)));
      }
    };
    copy(recording.images, "images", "");
    copy(recording.masks, "masks", ".png");
  } catch (const fs::filesystem_error& error) {
    throw io_error("{}: {}", to.string(), copy_problem(error.code(), to));
  }
}

FileContent content_of(const fs::path& file) { return {fs::file_size(file), sha256_file_hex(file)}; }

void add_folder_contents(const fs::path& folder, const fs::path& base, fs::directory_options links,
                         DatasetContents& contents) {
  if (!folder_exists(folder)) return;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, links, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error))
      contents[entry->path().lexically_relative(base).generic_string()] = content_of(entry->path());
  if (error) throw io_error("{}: {}", folder.string(), error.message());
}

DatasetContents read_contents(const fs::path& dataset_dir) {
  DatasetContents contents;
  if (const fs::path file = dataset_dir / kCalibrationFile; is_file(file))
    contents[kCalibrationFile] = content_of(file);
  for (const char* part : {"images", "truth", "colmap"})
    add_folder_contents(dataset_dir / part, dataset_dir, fs::directory_options::follow_directory_symlink,
                        contents);
  return contents;
}

std::string dataset_sha256(const DatasetContents& contents) {
  std::string lines;
  for (const auto& [name, content] : contents) lines += fmt::format("{}  {}\n", content.sha256, name);
  return sha256_hex(lines);
}

}  // namespace aqbench
