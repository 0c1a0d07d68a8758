#pragma once
// Rigs of users: cameras of a file, placed so that they look at a scene.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/optics/rig.h"
#include "scenes/scene.h"

namespace aqbench {

// The owner of the settings of every rig that is a file: "rig.scale".
inline constexpr std::string_view kRigFileOwner = "rig";

// Returns whether a registered rig has this name.
bool is_registered_rig(std::string_view name);

// A rig that a user's project names.
struct NamedRig {
  std::string name;
  std::filesystem::path file;  // or folder, absolute
};

// Makes these names stand for their files in this process, wherever a rig is given. Called before there are
// threads.
void name_rigs(std::vector<NamedRig> rigs);

// Returns whether a rig is a file or folder, not a registered name: it has a name of name_rigs(), one is
// there, or the text has a slash or a dot.
bool is_rig_file(std::string_view rig);

// Returns the registered rig of a name, or the parameters that every rig of a file has. Throws Error(usage)
// with similar names.
const RigSpec& rig_spec(std::string_view rig);

// Returns whether one of these rigs has settings of this owner.
bool is_owner_of_rig(const std::vector<std::string>& rigs, std::string_view owner);

// The cameras of a file, in its world.
struct RigFile {
  Rig rig;
  std::string sha256;  // of the files that describe the cameras; empty for a registered rig
};

// Returns the calibration of a folder: calibration.json, AquaCal's ground_truth.json or Calibmar's
// calibration.yaml; empty if it has none.
std::filesystem::path find_calibration(const std::filesystem::path& dir);

// Returns the files of a calibration of Calibmar: the file, and beside FILE.yaml FILE_stereo.yaml, where it
// is there: the second camera of a pair.
std::vector<std::filesystem::path> calibmar_files(const std::filesystem::path& file);

// Reads these files: COLMAP's lenses and pixels, ports, and the pose of the second camera in the frame of the
// first. A camera has the name of its file, without the ending. Throws Error(input) naming file and field.
std::vector<Camera> read_calibmar_cameras(const std::filesystem::path& file);

// Reads calibration.json, ground_truth.json of AquaCal, calibration.yaml of Calibmar, cameras.json,
// transforms.json, a folder that holds one of them, or the folder of a COLMAP model or one of its files; no
// images are needed. Throws Error(input) naming file and field.
RigFile read_rig_file(const std::filesystem::path& path);

// Makes a rig by name as make_rig() does, or that of a file: its images scaled, level water added, the rig
// moved so that the middle of the scene lies where its cameras look, and each camera jittered. Where `scene`
// is null or rig.place=file the file's world is the scene's. A rig without water turns as well: its mean
// viewing direction becomes +Z, from where a patch or a board is seen. Throws Error(usage) for a bad
// parameter, Error(input) for cameras whose axes do not meet in front of them.
RigFile make_scene_rig(std::string_view rig, const Parameters& parameters, std::uint64_t seed,
                       const Scene* scene);

// Returns the names of the cameras in whose images no vertex of the scene lies; what hides it is not looked
// at.
std::vector<std::string> blind_cameras(const Rig& rig, const TriangleMesh& scene);

// Returns for each of them the sentence that tells a user, in the order of the rig.
std::vector<std::string> tell_blind_cameras(const Rig& rig, const Surface& scene);

}  // namespace aqbench
