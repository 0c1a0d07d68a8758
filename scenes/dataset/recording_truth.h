#pragma once
// The truth of a recording: its folder truth/ and declarations in a project file. Methods do not see it.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/truth_entry.h"

namespace aqbench {

// The files of a recording's truth; their contents are read only when needed.
struct RecordingTruth {
  std::filesystem::path dir;                        // DATASET/truth
  std::optional<std::filesystem::path> scene_file;  // truth/scene.json
  std::optional<SurfaceTruth> surface;              // with full paths of existing files
  std::string board_file;                           // full path with {frame}; empty: none (true_points.h)
  std::string control_file;                         // the same for control points
  bool has_depths = false;                          // any truth/CAMERA/000000.npy or depth.npy
  std::string source;  // of surface, board and points, for errors: truth.json or a project file

  bool has_surface() const { return scene_file || surface; }
};

// Finds the truth of a recording in truth/, in declarations, and, if neither has a surface, that of its
// layout. Throws Error(input) naming file and field for an invalid truth.json, for two true surfaces, boards
// or files of control points, and for a file missing in any frame.
RecordingTruth find_recording_truth(const Recording& recording, const DeclaredTruth& declared = {});

// Returns the kinds of truth: "none", or those of "surface", "depth", "charuco", "control" that exist, joined
// by "+".
std::string truth_text(const RecordingTruth& truth);

// Returns "12 cameras, 1 frame, truth: surface", and which folders of truth are not read.
std::string content_text(const Recording& recording, const RecordingTruth& truth);

// Returns the files of all frames named by `declared`, which no method may reach.
std::vector<std::filesystem::path> declared_files(const Recording& recording, const DeclaredTruth& declared);

// Adds the hashes of all files in truth/ and of declared files, with the declaration, to those of the
// recording.
void add_truth_contents(const Recording& recording, const DeclaredTruth& declared, DatasetContents& contents);

// Returns the files and folders with truth that no method may reach: truth/, the layout's, and the declared.
std::vector<std::filesystem::path> hidden_files(const Recording& recording, const DeclaredTruth& declared);

// Returns the path of a truth's file for one frame: `name` with {frame} replaced by the frame number.
std::filesystem::path file_of_frame(std::string name, std::size_t frame);

// Returns the file with a camera's true depths in a frame: truth/CAMERA/000002.npy or, for frame 0,
// truth/CAMERA/depth.npy, else BlendedMVS's rendered_depth_maps/CAMERA.pfm beside truth/; empty if it is
// missing.
std::filesystem::path true_depth_file(const std::filesystem::path& truth_dir, const std::string& camera,
                                      std::size_t frame);

}  // namespace aqbench
