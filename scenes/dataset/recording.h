#pragma once
// Recordings: images that somebody took with a calibrated rig, in any of the layouts of docs/dataset.md. They
// are read where they lie; what a method is given of them is written in aqbench's own layout.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"
#include "scenes/dataset/dataset_digest.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// How a recording describes its cameras.
enum class RecordingLayout {
  calibration,  // calibration.json, AquaCal's format; images in folders named as the cameras
  cameras,      // cameras.json and the images that it names
  colmap        // a model of COLMAP, text or binary
};

// Returns "calibration", "cameras" or "colmap".
const char* to_string(RecordingLayout layout);

// A recording as it lies on disk. The images themselves are not looked at before inspect_recording().
struct Recording {
  std::filesystem::path dir;
  RecordingLayout layout = RecordingLayout::calibration;
  std::vector<std::filesystem::path> camera_files;  // that describe the cameras
  Rig rig;
  // From the rig's world frame, in which cameras look down, to the recording's own: a rotation; the identity
  // unless the layout is COLMAP's.
  Similarity own_from_rig;
  // Images of each frame, in the order of rig.cameras: images[frame][camera].
  std::vector<std::vector<std::filesystem::path>> images;
};

// Reads the cameras and finds their images. Throws Error(input) naming file and field for a folder that is
// none of the layouts, for a calibration that is incomplete or wrong, for cameras that aqbench cannot hold,
// for a camera without an image, and where cameras do not have the same frames.
Recording read_recording(const std::filesystem::path& dir);

// How closely images are looked at.
enum class ImageCheck {
  structure,  // as inspect_image() does
  decoded     // JPEG files are also decoded (scenes/images/images.h), which takes longer than to hash them
};

// Reads every image, compares its size with the calibration, and returns the hashes of all files of the
// recording, the names relative to its folder; those of the truth are not among them. Throws Error(input)
// naming the file that is damaged, cut short or of another size.
DatasetContents inspect_recording(const Recording& recording, ImageCheck check = ImageCheck::decoded);

// Writes calibration.json and images/CAMERA/000000.EXT of one frame to the new folder `to`, as a method is
// given them; images are copied as they are. Throws Error(io).
void write_observation(const Recording& recording, std::size_t frame, const std::filesystem::path& to);

}  // namespace aqbench
