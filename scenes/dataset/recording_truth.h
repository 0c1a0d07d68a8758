#pragma once
// What is known to be true of a recording: its folder truth/, and what a project file declares. Methods do
// not see it.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/truth_entry.h"

namespace aqbench {

// A true surface in files that are there.
struct SurfaceTruth {
  std::vector<std::string> files;  // whole paths, with {frame} for the number of the frame
  std::string unit;                // empty where nobody says it
  SurfaceScoring scoring = {};
  bool from_depths = false;  // no files: the true depth maps are its scans
};

// The files of a recording's truth and what they are; their contents are read only when they are needed.
struct RecordingTruth {
  std::filesystem::path dir;                        // DATASET/truth
  std::optional<std::filesystem::path> scene_file;  // truth/scene.json
  std::optional<SurfaceTruth> surface;
  std::string board_file;    // whole path with {frame}; empty: none (true_points.h)
  std::string control_file;  // the same of control points
  bool has_depths = false;   // any truth/CAMERA/000000.npy or depth.npy
  std::string source;        // of surface, board and points, for errors: truth.json or a project file

  bool has_surface() const { return scene_file || surface; }
};

// Finds out what is known of a recording: what lies in truth/, and what is declared elsewhere. Throws
// Error(input) naming file and field for a truth.json that is not of the format, for two true surfaces,
// boards or files of control points, a file that is missing in any frame, and depths of a recording whose
// layout is COLMAP's: nothing says where its depths begin.
RecordingTruth find_recording_truth(const Recording& recording, const DeclaredTruth& declared = {});

// Returns what is known in words: "none", or of "surface", "depth", "charuco", "control" those that are,
// joined by "+".
std::string truth_text(const RecordingTruth& truth);

// Returns the files of all frames that `declared` names, which no method may reach, wherever they lie.
std::vector<std::filesystem::path> declared_files(const Recording& recording, const DeclaredTruth& declared);

// Adds the hashes of all files in truth/ to those of the recording, and those of what is declared elsewhere,
// with the declaration.
void add_truth_contents(const Recording& recording, const DeclaredTruth& declared, DatasetContents& contents);

// Returns the path of a truth's file for one frame: `name` with {frame} replaced by the number of the frame.
std::filesystem::path file_of_frame(std::string name, std::size_t frame);

// Returns the file with a camera's true depths in a frame, truth/CAMERA/000002.npy, or of frame 0
// truth/CAMERA/depth.npy; empty if there is none.
std::filesystem::path true_depth_file(const std::filesystem::path& truth_dir, const std::string& camera,
                                      std::size_t frame);

}  // namespace aqbench
