#pragma once
// Protocols of files that are no clouds, in families: depth maps, point maps, images, poses,
// calibrations. Files of a family are read once and scored by any setting of its knobs.

#include <Eigen/Geometry>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "harness/eval/eval_request.h"
#include "metrics/protocols/explain.h"
#include "metrics/protocols/file_protocols.h"
#include "metrics/protocols/pose_datasets.h"

namespace aqbench {

using Notes = std::vector<std::string>;

// A family of protocols, and how CLOUD and --truth are read for it; the function adds to `notes`, which must
// outlive the family that it returns, then and when a setting is scored.
struct FileFamily : FileProtocolFamily {
  Modes mode;
  SearchedFamily (*open)(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes);
};

// Returns all families, in the order of FileKind.
std::span<const FileFamily> file_families();

// Returns the family of a protocol, or that of a file or folder by what it holds; nullptr for those of
// clouds.
const FileFamily* family_of_protocol(std::string_view name);
const FileFamily* family_of_file(const std::string& path);

// Files by their names without ending; one file that is no folder is called "".
using FilesByName = std::map<std::string, std::string>;

// Returns the files of a folder, or the file. Throws Error(input) for two of one name, and an empty folder.
FilesByName files_at(const std::string& path);

// Returns the file of that name in the folder `path`. Throws Error(input) if there is none.
const std::string& file_named(const FilesByName& files, const std::string& name, const std::string& path);

// An array of a file, or the values of an image: rows x columns x channels.
struct FileArray {
  std::string file;
  std::vector<std::size_t> shape;
  std::vector<float> values;
  bool is_whole = false;  // integers or bools
};

// Reads a .npy file.
FileArray read_file_array(const std::string& file);

// Throws Error(input) naming both files unless the first `sizes` sizes are those of the truth.
void require_sizes(const FileArray& array, const FileArray& truth, std::size_t sizes);

// Reads sets of poses as open_pose_sets() says.
std::vector<PoseDataset> read_pose_sets(const std::filesystem::path& path);

// Open the files of a family. Throw Error(input) naming the file, Error(usage).
SearchedFamily open_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes);
SearchedFamily open_point_maps(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                               Notes& notes);
SearchedFamily open_images(const EvalProtocolRequest& request, const EvalCloudRequest& cloud, Notes& notes);
// CLOUD and --truth are tables of the Image Matching Challenges, .csv with the columns dataset (or none),
// scene, image or image_path, rotation_matrix and translation_vector (numbers separated by ';', camera from
// world; nan: no pose); folders whose sub-folders are COLMAP models, each a set, of the folder itself or of
// sparse/ in it; or one model, as read_camera_poses() does. A folder without any model has no sets.
SearchedFamily open_pose_sets(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                              Notes& notes);

// How calibrations are compared: in which box of the true world; empty: it must be given.
struct CalibrationKnobs {
  Eigen::AlignedBox3d volume_m = {};
};
std::span<const Knob<CalibrationKnobs>> calibration_knobs();
std::span<const KnobProtocol<CalibrationKnobs>> calibration_protocols();
// CLOUD are depth maps along z, a file for each camera or a stack in the order of --cameras; that and
// --truth-cameras are rigs as read_rig_file() reads them, --truth a mesh or a cloud, --mask the pixels that
// count. `uses_cameras` returns whether a protocol is of these.
SearchedFamily open_fused_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                                 Notes& notes);
bool uses_cameras(std::string_view protocol);
// Reads a depth map or a stack of them in metres (eval_depth_maps.cc).
FileArray read_depth_maps(const std::string& file, double metres_per_unit, const EvalProtocolRequest& request,
                          std::vector<std::string>& notes);
// CLOUD and --truth are rigs as read_rig_file() reads them, in metres (calibration_score.h).
SearchedFamily open_calibrations(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                                 Notes& notes);

}  // namespace aqbench
