#pragma once
// What `aqbench eval` is asked for, and how it is read from the command line.

#include <optional>
#include <string>
#include <vector>

#include "cli/eval/eval_depth.h"
#include "cli/options.h"
#include "core/parameters.h"
#include "metrics/score_options.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/cloud/text_points.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench::cli {

// One step of bringing a cloud to the truth.
struct AlignStep {
  enum class How { icp, sim3, cameras, tanks_and_temples, file } how = How::icp;
  std::string file;  // of How::file
};

// A dataset that is a recording, and its truth.
struct EvalRecording {
  Recording recording;
  RecordingTruth truth;
};

// What is scored, against what, how, and what is printed or written.
struct EvalCloudRequest {
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
  std::vector<std::string> crops;               // in the truth's unit
  std::optional<bool> leave_out_beyond_border;  // unset: of scans, and of a mesh that is partial

  ScoreOptions score;
  bool given_spacing = false, given_tile = false;  // else they are chosen by the size of the truth
  bool given_thresholds = false;                   // else the registration takes that of its protocol

  std::string transform_file;    // empty for none; applied after the unit
  std::vector<AlignStep> align;  // in this order, before scoring
  std::string cameras_file, truth_cameras_file;
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

// Modes: what is scored, and by what. Depth files and poses are those of --protocol depth and poses.
inline constexpr Modes kEvalCloud = 1, kEvalProtocol = 2, kEvalExplain = 4, kEvalWhich = 8;
inline constexpr Modes kEvalDepthFiles = 16, kEvalPoses = 32, kEvalDepth = 64, kEvalBoard = 128;

// All that is asked of `aqbench eval`.
struct EvalRequest {
  GivenValues given;
  Modes mode = kEvalCloud;
  EvalCloudRequest cloud;  // its dataset, unit and json concern a depth map and a board, too
  Strings sets;            // of scene and rig, as given
  EvalDepthRequest depth;
  EvalProtocolRequest protocol;
  std::string charuco_file, board_file;
  std::optional<int> threads;
};

// The units of a flag, as its value's name, and the metres in one of them.
inline constexpr auto kUnits = "m|cm|mm|um";
double metres_per_unit(const FlagValue& value);

// Returns the option table of `aqbench eval`, the one place of its flags.
CommandLine<EvalRequest> eval_command_line();

}  // namespace aqbench::cli
