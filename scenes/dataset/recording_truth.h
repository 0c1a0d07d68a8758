#pragma once
// What is known to be true of a recording: its folder truth/. Methods do not see it.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/recording.h"
#include "scenes/scene.h"

namespace aqbench {

// A corner of a ChArUco board, found in images.
struct BoardCorner {
  int id = 0;                          // row * (squares_x - 1) + column
  std::optional<Vec3> position_m;      // true, in the recording's world frame
  std::map<std::string, Vec2> pixels;  // where cameras see it, in their own (distorted) images
};

// A ChArUco board in a frame.
struct BoardTruth {
  int squares_x = 0;
  double square_m = 0;  // side
  std::vector<BoardCorner> corners;
};

// The files of a recording's truth and what they are; nothing of it is read before it is asked for.
struct RecordingTruth {
  std::filesystem::path dir;                        // DATASET/truth
  std::optional<std::filesystem::path> scene_file;  // truth/scene.json
  // "surface" of truth/truth.json: a mesh, with {frame} in its name for the number of the frame.
  std::string surface_file;
  double surface_metres_per_unit = 1;
  std::string board_file;   // "charuco" of truth/truth.json; {frame} likewise
  bool has_depths = false;  // any truth/CAMERA/000000.npy or depth.npy

  bool has_surface() const { return scene_file || !surface_file.empty(); }
};

// Finds out what is known of a recording. Throws Error(input) naming file and field for a truth.json that is
// not of the format, one that names a surface beside scene.json, a unit that is missing, and depths of a
// recording whose layout is COLMAP's: nothing says where its depths begin.
RecordingTruth find_recording_truth(const Recording& recording);

// Returns what is known in words: "none", or of "surface", "depth", "charuco" those that are, joined by "+".
std::string truth_text(const RecordingTruth& truth);

// Adds the hashes of all files in truth/ to those of the recording.
void add_truth_contents(const Recording& recording, DatasetContents& contents);

// Makes the true surface of a frame, in the recording's world frame. The truth must have one. Throws
// Error(input) naming the file.
Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name);

// Returns the file with a camera's true depths in a frame, truth/CAMERA/000002.npy, or of frame 0
// truth/CAMERA/depth.npy; empty if there is none.
std::filesystem::path true_depth_file(const std::filesystem::path& truth_dir, const std::string& camera,
                                      std::size_t frame);

// Reads the board of a frame. The truth must have one. Throws Error(input) naming file and field.
BoardTruth true_board(const RecordingTruth& truth, std::size_t frame);

}  // namespace aqbench
