#pragma once
// Recordings: real images of a calibrated rig, in any of the layouts of docs/dataset.md. They are read in
// place; a method's input is written in aqbench's own layout. And hashes of datasets and recordings on disk.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/layouts.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Size and SHA-256 of one file.
struct FileContent {
  std::uintmax_t bytes = 0;
  std::string sha256;
};

// The files of a dataset by their names relative to it, "images/cam00/000000.png".
using DatasetContents = std::map<std::string, FileContent>;

// Reads and hashes the files of a dataset: calibration.json and the contents of images/, truth/ and colmap/,
// if they exist. Throws Error(io) naming an unreadable file.
DatasetContents read_contents(const std::filesystem::path& dataset_dir);

// Reads and hashes one file. Throws Error(io) naming it.
FileContent content_of(const std::filesystem::path& file);

// Adds the files below a folder, if there is one, by their names relative to `base`. `links` says whether
// links to folders are followed. Throws Error(io) naming an unreadable file.
void add_folder_contents(const std::filesystem::path& folder, const std::filesystem::path& base,
                         std::filesystem::directory_options links, DatasetContents& contents);

// Returns the SHA-256 of a whole dataset: of its lines "HASH  NAME\n" sorted by name, as sha256sum prints
// them.
std::string dataset_sha256(const DatasetContents& contents);

// How a recording describes its cameras.
enum class RecordingLayout {
  calibration,  // calibration.json, AquaCal's format; images in folders named after the cameras
  cameras,      // cameras.json and its images
  colmap,       // a COLMAP model, text or binary
  transforms,   // transforms.json of nerfstudio and instant-ngp
  eth3d,        // ETH3D's training set
  mvsnet,       // MVSNet's cameras: DTU, BlendedMVS
  tanks,        // Tanks and Temples
  images        // images and nothing of their cameras, for methods that find poses and intrinsics
};

// Returns "calibration", "cameras", "colmap", "transforms", "eth3d", "mvsnet", "tanks" or "images".
const char* to_string(RecordingLayout layout);

// Returns the first layout that a folder has, by its files' names alone; nullopt if it has none.
std::optional<RecordingLayout> layout_of(const std::filesystem::path& dir);

// A recording on disk. The images are first read by inspect_recording().
struct Recording {
  std::filesystem::path dir;
  RecordingLayout layout = RecordingLayout::calibration;
  std::vector<std::filesystem::path> camera_files;  // that describe the cameras
  Rig rig;  // without known cameras their names and the sizes of their images alone
  // Images of each frame, in the order of rig.cameras: images[frame][camera].
  std::vector<std::vector<std::filesystem::path>> images;
  // Of each image; an empty path: all of its pixels count. Empty: there is no mask at all.
  std::vector<std::vector<std::filesystem::path>> masks;
  std::size_t without_image = 0;  // cameras that were left out since their images are not there
  LayoutTruth truth;              // that the layout brings along; none for the first three
  bool is_whole = true;           // keep_views() has left out no camera

  bool has_cameras() const { return layout != RecordingLayout::images; }
};

// Whether a folder of images alone is a recording, too.
enum class KnownCameras { required, optional };

// Reads the cameras and finds their images. Throws Error(input) naming file and field for a folder in none of
// the layouts, for an incomplete or wrong calibration, for unsupported cameras, for intrinsics that are
// likely those of another image size, for a camera without an image, for images whose cameras would have one
// name, for cameras with different frames, and for a folder masks/ without a mask of any image.
Recording read_recording(const std::filesystem::path& dir, KnownCameras cameras = KnownCameras::required);

// Returns which cameras of a rig keep_views() keeps, by their number.
std::vector<std::size_t> kept_views(const Rig& rig, std::size_t every, std::size_t hold_out);

// Keeps these cameras with their images.
void keep_cameras(Recording& recording, const std::vector<std::size_t>& kept);

// Keeps each `every`-th camera with its images, and of those no `hold_out`-th one (0: all), in the order of
// names: 0, every, 2 every ..., without the first, the hold_out-th ... of them. Throws Error(input) if none
// is left.
void keep_views(Recording& recording, std::size_t every, std::size_t hold_out);

// How thoroughly images are checked.
enum class ImageCheck {
  structure,  // headers and structure, by inspect_image()
  decoded     // JPEG files are also decoded (scenes/images/images.h), which takes longer than hashing
};

// Reads every image and mask, compares its size with the calibration, and returns the hashes of all files of
// the recording except its truth, with names relative to its folder. Throws Error(input) naming a file that
// is damaged, truncated or of another size.
DatasetContents inspect_recording(const Recording& recording, ImageCheck check = ImageCheck::decoded);

// Throws as inspect_recording() does for an image of a frame that is damaged or of another size than its
// camera's.
void check_images(const Recording& recording, std::size_t frame);

// Returns how many images of a frame are PNG files with an alpha channel, which is no mask and is not read.
std::size_t images_with_alpha(const Recording& recording, std::size_t frame);

// Gives each camera the mask of its image of a frame. Throws Error(input) naming a file that is no PNG or of
// another size than its image.
void load_masks(Recording& recording, std::size_t frame);

// Writes calibration.json, images/CAMERA/000000.EXT and, where there is one, masks/CAMERA/000000.png of one
// frame to the new folder `to`, as a method's input; images and masks are copied unchanged. Throws Error(io).
void write_observation(const Recording& recording, std::size_t frame, const std::filesystem::path& to);

// ---- Smaller images ----

// Returns the intrinsics of an image made smaller by a whole factor. Pixel 0 of the new image covers the
// first `factor` ones, so a place x of the image is at (x + 1/2) / factor - 1/2.
Intrinsics shrunk(const Intrinsics& intrinsics, int factor);

// Writes the images, masks and true depth maps of one frame, made smaller by a whole factor, to the new
// folder `to`, and returns the recording with them in place of its own; other frames stay. A pixel is the
// mean of the old ones; it is in a mask if all of them are; its true depth is that of the pixel in their
// middle, or the mean of the four there, none where one of those has none or they differ by more than 3 %.
// Throws Error(input) as shrink_image() and read_depth_map() do, Error(io).
Recording shrink_recording(const Recording& recording, std::size_t frame, int factor,
                           const std::filesystem::path& to);

}  // namespace aqbench
