#pragma once
// The truth of a recording: its folder truth/ and declarations, the content of truth/truth.json or the member
// "truth" of a dataset in a project file. Methods do not see it.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "scenes/cloud/crop.h"
#include "scenes/dataset/recording.h"

namespace aqbench {

// Scoring options of a surface, where the defaults, made for a tank of half a metre, do not fit. Each is
// optional.
struct SurfaceScoring {
  std::optional<double> max_distance_m;
  std::optional<bool> leave_out_beyond_border;
  std::vector<double> tolerances_m;  // of precision, completeness and F-score; empty: the default
  std::optional<double> outlier_m, spacing_m, tile_m;
  std::vector<std::string> crops;  // boxes and ranges as add_crop() reads them, in the surface's unit
};

// A true surface in files or depth maps. Names may contain {frame}, the frame number in six digits.
struct SurfaceTruth {
  std::vector<std::string> files;  // a mesh or a scan, or several scans of one surface
  std::string unit;                // m, cm, mm or um; empty if unknown
  SurfaceScoring scoring = {};
  bool from_depths = false;  // no files: the recording's true depth maps are its scans
};

// A declaration; each part is optional.
struct TruthEntry {
  std::optional<SurfaceTruth> surface;
  std::string board_file;    // of a ChArUco board; empty: none
  std::string control_file;  // of control points; empty: none
};

// A declaration outside the recording's folder, and the folder of its files.
struct DeclaredTruth {
  JsonBox entry;               // as read by truth_entry_at(); an empty object: nothing is declared
  std::filesystem::path base;  // names are relative to it
  std::string source;          // prefix of errors
};

// Reads an entry. Throws Error(input) naming the place for unknown keys and wrong values.
TruthEntry truth_entry_at(const JsonPlace& place);

// The files of a recording's truth; their contents are read only when needed.
struct RecordingTruth {
  std::filesystem::path dir;                        // DATASET/truth
  std::optional<std::filesystem::path> scene_file;  // truth/scene.json
  std::optional<SurfaceTruth> surface;              // with full paths of existing files
  std::string board_file;                           // full path with {frame}; empty: none
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

// Returns "12 cameras, 1 frame, truth: surface", how many cameras without an image were left out, and what is
// not read: folders of truth, alpha channels.
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

// ---- What DTU's scanner observed of a scan, which its protocol looks at ----

// The volume that was observed, and the plane of the table, above which truth points count.
struct ObservedVolume {
  CropMask voxels;                       // voxel 0 0 0 lies at the low corner of DTU's box BB
  Vec3 high_m = Vec3::Zero();            // its other corner
  std::optional<Eigen::Vector4d> plane;  // truth points x with plane . (x, 1) > 0 count; x in metres
};

// Reads ObsMaskN_10.mat (ObsMask, BB, Res), and the plane P of a file PlaneN.mat if there is one. Lengths are
// multiplied by metres_per_unit. Throws Error(input) naming the file and the variable.
ObservedVolume read_observed(const std::filesystem::path& mask, const std::filesystem::path& plane,
                             double metres_per_unit);

// Does so for the files that a recording of DTU brings along; nullopt for any other recording and without.
std::optional<ObservedVolume> observed_of(const Recording& recording);

// Returns the four values of P of PlaneN.mat, in the file's unit. Throws as read_observed() does.
std::vector<double> read_observed_plane(const std::filesystem::path& file);

// ---- Known points: corners of a ChArUco board, and control points ----

// A corner of a ChArUco board, detected in images.
struct BoardCorner {
  int id = 0;                          // row * (squares_x - 1) + column
  std::optional<Vec3> position_m;      // true, in the recording's world frame
  std::map<std::string, Vec2> pixels;  // where cameras see it, in their own (distorted) images
};

// A ChArUco board in a frame.
struct BoardTruth {
  int squares_x = 0;
  double square_m = 0;  // the square's side
  std::vector<BoardCorner> corners;
};

// A point on the true surface measured by other means.
struct ControlPoint {
  std::string name;
  Vec3 position_m;     // in the recording's world frame
  double sigma_m = 0;  // standard deviation of its position, positive
};

// The control points of a frame, and the radius around each in which reconstructed points are used.
struct ControlTruth {
  std::vector<ControlPoint> points;
  double radius_m = 0.01;
};

// Reads the board of a frame, also as `render` writes it; the truth must have one. Throws Error(input) naming file and field.
BoardTruth true_board(const RecordingTruth& truth, std::size_t frame);

// Reads the control points of a frame; the truth must have some. Throws Error(input) naming file and field
// for an unknown unit, an empty or duplicate name, no points, and a point without a positive standard
// deviation.
ControlTruth true_control_points(const RecordingTruth& truth, std::size_t frame);

// Reads the boards and control points of all frames and checks them with the cameras. Throws Error(input)
// naming file and field like true_board() and true_control_points(), for a corner's pixel of an unknown
// camera or outside its image, and for control points that no camera sees.
void check_true_points(const Recording& recording, const RecordingTruth& truth);

// ---- Whether a true surface is in its declared unit ----

// Compares the files of a true surface with what the cameras see. Throws Error(input) naming source and field
// where no unit is declared, with the unit in which the cameras would see the surface; where in the declared
// unit the cameras do not see it, or it lies hundreds of times as far away as the cameras are apart, and
// another unit fits; and where no camera sees any of it. Throws also as read_geometry_file() does for a file
// that is damaged or empty.
void check_truth_unit(const Recording& recording, const RecordingTruth& truth);

// Returns why another unit is likelier for the true surface of a frame than the declared one: in that unit
// the surface lies more as surfaces usually lie before cameras. Empty where the declared unit is the
// likeliest. It decides nothing by itself: ten times as far away is possible, too. Throws as
// check_truth_unit() for files.
std::string likelier_truth_unit(const Recording& recording, const RecordingTruth& truth, std::size_t frame);

}  // namespace aqbench
