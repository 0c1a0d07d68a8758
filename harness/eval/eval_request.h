#pragma once
// What `aqbench eval` is asked for, how it is read from its arguments, and a function for each mode.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/command_line/flags.h"
#include "core/json.h"
#include "core/parameters.h"
#include "harness/eval/eval_answer.h"
#include "harness/eval/given_geometry.h"
#include "harness/scoring/place_cloud.h"
#include "metrics/score_options.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/text_points.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/rig.h"

namespace aqbench {

// What the values of a depth map's file are.
struct DepthMeaning {
  std::optional<bool> along_z;             // unset: NPY is along the refracted ray, others are refused
  std::optional<double> metres_per_unit;   // of values that are lengths; unset: they are metres
  std::optional<double> metres_per_count;  // of a map of counts (integers)
};

// Returns the camera of that name. Throws Error(usage) naming the flag and the known cameras.
const Camera& named_camera(const Rig& rig, const std::string& name, const std::string& flag);

// Returns what to say of a depth map: the channel that was read, and how many values stand for "nothing
// here".
std::vector<std::string> notes_of_depths(const std::string& file, const std::string& channel,
                                         std::size_t far_values);

// Reads a depth map of a camera, in metres along the refracted rays, and adds to `notes`. Throws Error(usage)
// where no flag says what its values are, Error(input) for a file that does not fit the camera.
DepthMap read_given_depths(const std::string& file, const DepthMeaning& meaning, const Camera& camera,
                           std::vector<std::string>& notes);

// Reads a depth map given as CAMERA=FILE and puts its depths into the world frame, as one scan
// (scan_of_depths()); adds to `notes`. Throws as read_given_depths() does, and Error(input) if it has no
// depth.
Scan read_depth_scan(const std::string& camera_and_file, const DepthMeaning& meaning, const Rig& rig,
                     std::vector<std::string>& notes);

// Which depth map is scored, and what its values are.
struct EvalDepthRequest {
  std::string depth_file, camera;
  DepthMeaning meaning;
};

// A dataset that is a recording, and its truth.
struct EvalRecording {
  Recording recording;
  RecordingTruth truth;
};

// Which case of its scene a given file is: what a pattern says, else this.
struct GivenCase {
  std::string method = "given";
  std::uint64_t seed = 42;

  // Returns the name of the case, as a sweep over given files has it.
  std::string name(const std::string& scene) const {
    return fmt::format("{}/{}/seed={}", scene, method, seed);
  }
};

// Reads the seed that stands in the name of `file`. Throws Error(input) if it is too large.
std::uint64_t seed_in(const std::string& file, const std::string& text);

// A file or folder that a pattern names, and what stands there for {NAME}.
struct FoundFile {
  std::string file;
  std::vector<std::pair<std::string, std::string>> values;
};

// What the program and a library give to it.
struct EvalHost {
  // Gets a line for people beside the answer: "aqbench: warning: ...".
  std::function<void(const std::string& line)> tell = [](const std::string&) {};
  std::function<JsonBox()> environment = {};  // of a record; unset: it has none
  bool writes_bundles = false;
  std::function<std::vector<FoundFile>(const std::string& pattern)> find_files = {};  // unset: no patterns
  std::vector<GivenGeometry> geometries = {};  // in memory, where arguments name them
};

// What is scored, against what, how, and what is shown or written.
struct EvalCloudRequest {
  EvalHost host;
  std::string cloud_file;
  std::string scene;             // a registered one or "mesh:FILE.ply"; empty: the dataset's own
  std::string rig, dataset_dir;  // at most one: the cameras, if the score is also about what they see
  std::size_t frame = 0;         // of a recording
  std::optional<EvalRecording> recording = {};  // set by use_dataset() where the dataset is one
  std::vector<Override> overrides;
  double metres_per_unit = 1;
  TextColumns columns, truth_columns;  // of x, y and z in texts

  // The truth where it is in files: a mesh, scans, or depth maps.
  std::vector<std::string> truth_files, truth_cloud_files;
  std::vector<std::string> truth_depths;  // CAMERA=FILE: depth maps of cameras of the rig or dataset
  DepthMeaning truth_depth_meaning;
  double truth_metres_per_unit = 1;
  std::vector<Vec3> scanners;  // in the truth's unit: one for each scan, or none
  TruthCloudOptions truth_cloud;
  // Regions are in the truth's unit. Points beyond a border: unset: left out of scans, and of a mesh that is
  // partial.
  SurfaceScoring scoring;
  bool given_thresholds = false;  // by the user; else the registration takes that of its protocol

  PlaceOptions place;  // its sizes and hints: place_options()
  std::string tiles_file, views_file;
  bool json = false;
  bool all = false;  // print every metric, not the headline alone
};

// What is asked of protocols, beside the cloud and its truth.
struct EvalProtocolRequest {
  std::string protocol;              // a name, or "all"
  std::vector<std::string> explain;  // two names
  std::string which;                 // a published number
  std::vector<std::string> knobs;    // NAME=VALUE
  std::string mask_file, confidence_file;
  std::optional<double> metres_per_count;  // of depth maps that hold counts (integers)
  std::vector<double> mask_box;            // low and high corner, then the spacing; the truth's unit
  std::vector<double> plane;               // a, b, c, d of a x + b y + c z + d > 0; the truth's unit
};

// Returns the protocols of files that are no clouds, with their summaries.
std::vector<std::pair<const char*, const char*>> map_protocols();

// Modes: what is scored, and by what. Depth files and poses are those of --protocol depth and poses.
inline constexpr Modes kEvalCloud = 1, kEvalProtocol = 2, kEvalExplain = 4, kEvalWhich = 8;
inline constexpr Modes kEvalGiven = 256;  // files of a pattern, or one into a bundle
inline constexpr Modes kEvalDepthFiles = 16, kEvalPoses = 32, kEvalDepth = 64, kEvalBoard = 128,
                       kEvalCalibration = 512;

// Returns kEvalProtocol for a protocol of clouds. Throws Error(usage) for an unknown one.
Modes mode_of_protocol(std::string_view protocol);

// What is asked of a bundle of scores.
struct EvalGivenRequest {
  std::optional<std::filesystem::path> out, baseline;
  bool gate = false;
};

// All that is asked of `aqbench eval`.
struct EvalRequest {
  GivenValues given;
  Modes mode = kEvalCloud;
  EvalCloudRequest cloud;  // its dataset, unit and json concern a depth map and a board, too
  Strings sets;            // of scene and rig, as given
  EvalDepthRequest depth;
  EvalProtocolRequest protocol;
  std::string charuco_file, board_file, calibration_file;
  EvalGivenRequest into_bundle;
  std::optional<int> threads;

  bool wants_record() const { return cloud.json || into_bundle.out.has_value(); }
};

// Returns the option table of `aqbench eval`, the one place of its flags.
CommandLine<EvalRequest> eval_command_line();

// CLOUD: scores a cloud or mesh against a true surface. Throws Error(input) naming the file if it has no
// finite point, if its points are plainly in another unit than metres, or if none lies where the scene is
// scored; Error(usage) for wrong parameters.
EvalAnswer eval_cloud(const EvalRequest& asked, const Arguments& arguments);

// Finds the dataset of a request, a folder or a name in the project file. If it is a recording, reads its
// cameras and the truth of the frame, and takes regions and thresholds that its truth declares where the user
// gave none. `needs_surface`: no other truth is given. Throws Error(usage) for an unknown dataset or frame,
// Error(input) as read_recording(), find_recording_truth() and check_truth_unit() do, and for a recording
// without a true surface.
void use_dataset(EvalCloudRequest& request, bool needs_surface);

// --depth: scores a depth map against the true one of a rendered dataset. Throws Error(usage) where no flag
// says what the values are, Error(input) for a file that does not fit the camera.
EvalAnswer eval_depth(const EvalRequest& asked, const Arguments& arguments);

// --charuco: compares two files of corners of a board, in the same order and unit: each corner's error and
// their summary in millimetres. Throws Error(input) for files that cannot be read, have no corner, different
// numbers of corners, or a corner that is not finite.
EvalAnswer eval_charuco(const EvalRequest& asked);

// --protocol, --explain, --which-protocol: the numbers of the protocols, the knobs that make two of them
// differ, or the protocols that give a published number. For the protocols `depth` and `poses`, CLOUD and
// --truth are files of depths or poses. Throws as the readers and protocols do.
EvalAnswer eval_protocol(const EvalRequest& asked, const Arguments& arguments);

}  // namespace aqbench
